// SPDX-License-Identifier: MIT
// Communication that threads of its own carry out on the host, such as gloo's: which call handed it over, and where
// the caller waits for it.
#pragma once

#include <cstdint>
#include <vector>

#include "core/profile.h"
#include "core/trace.h"
#include "passes/link/operators.h"

namespace convert {

// Work that passes from one thread to another at two moments of their own.
struct HandOver {
  std::uint32_t from = 0;  // thread
  std::uint32_t to = 0;
  std::int64_t given_ns = 0;
  std::int64_t taken_ns = 0;
  bool idle = true;  // `to` did nothing before it took the work
};

// Returns two hand-overs for each collective of a host backend (gloo:all_reduce) that another thread called
// (c10d::allreduce_): from the call to the collective, and from its end to the caller. Calls and collectives of one
// operation meet in their order. The caller waits if its longest pause since the call contains the collective's
// end; a collective that ends earlier is waited for where the caller waits next, or at its next operator outside
// others.
[[nodiscard]] std::vector<HandOver> host_comm_hand_overs(const Trace& host, const Profile& device,
                                                         const Operators& operators);

}  // namespace convert
