// SPDX-License-Identifier: MIT
// Notes about GPUs of an NCCL topology that differ from their neighbours.
#pragma once

#include "config/network/imports/nccl_machine.h"

namespace convert {

// Compares GPUs of equal compute capability and adds notes about: GPUs without NVLink (xGMI) if others have it;
// two or more GPUs of a host without NVLink if servers with this capability have NVLink (sm 70, 80, 90, 100,
// 103); one GPU whose number of links or PCI rate differs from three or more equal GPUs.
void note_odd_gpus(NcclMachine& machine);

}  // namespace convert
