// SPDX-License-Identifier: MIT
// Communication on separate host threads, such as gloo's: the call that hands it over, and the wait of the caller.
#pragma once

#include <cstdint>
#include <vector>

#include "core/profile.h"
#include "core/trace.h"
#include "passes/link/operators.h"

namespace convert {

// Work passed from one thread to another: given at one time, taken at another.
struct HandOver {
  std::uint32_t from = 0;  // thread
  std::uint32_t to = 0;
  std::int64_t given_ns = 0;
  std::int64_t taken_ns = 0;
  bool idle = true;  // `to` did nothing before it took the work
};

// Returns two hand-overs for each collective of a host backend (gloo:all_reduce) that another thread called
// (c10d::allreduce_): from the call to the collective, and from its end to the caller. The k-th call of an
// operation is paired with the k-th collective. The caller waits for the collective in its longest pause since the
// call if that pause contains the collective's end. For a collective that ends earlier, the caller waits at its
// next wait, or at its next outermost operator.
[[nodiscard]] std::vector<HandOver> host_comm_hand_overs(const Trace& host, const Profile& device,
                                                         const Operators& operators);

}  // namespace convert
