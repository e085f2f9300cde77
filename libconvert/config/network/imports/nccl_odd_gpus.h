// SPDX-License-Identifier: MIT
// Notes about GPUs of a topology of NCCL that differ from their neighbours.
#pragma once

#include "config/network/imports/nccl_machine.h"

namespace convert {

// Adds notes, GPUs compared by compute capability: GPUs without NVLink (xGMI) if others have it; two or more
// GPUs of a host without NVLink, if GPUs of their capability have it on servers (sm 70, 80, 90, 100, 103); one GPU
// with another number of links or PCI rate than three or more equal GPUs.
void note_odd_gpus(NcclMachine& machine);

}  // namespace convert
