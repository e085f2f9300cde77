// SPDX-License-Identifier: MIT
// Attributes of a SEND that name the network devices of its sender's and its receiver's host.
#pragma once

#include <string_view>

#include "core/name.h"

namespace convert {

// Integers. The `dev` of a <net> of NCCL's topology, which is the switch netN: of the sender's host,
inline const Name named_net{std::string_view("net")};
// and of the receiver's host.
inline const Name named_net_to{std::string_view("net_to")};

}  // namespace convert
