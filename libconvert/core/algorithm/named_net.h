// SPDX-License-Identifier: MIT
// The attribute by which a SEND names the network device over which its message leaves the sender's host.
#pragma once

#include <string_view>

#include "core/name.h"

namespace convert {

// A whole number: the `dev` of a <net> of NCCL's topology, which is the switch netN of the sender's host.
inline const Name named_net{std::string_view("net")};

}  // namespace convert
