// SPDX-License-Identifier: MIT
// The attributes by which a SEND names the network devices over which its message leaves the sender's host and
// comes to the receiver's host.
#pragma once

#include <string_view>

#include "core/name.h"

namespace convert {

// Whole numbers: the `dev` of a <net> of NCCL's topology, which is the switch netN of the sender's host,
inline const Name named_net{std::string_view("net")};
// and of the receiver's host.
inline const Name named_net_to{std::string_view("net_to")};

}  // namespace convert
