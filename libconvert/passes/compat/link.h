// SPDX-License-Identifier: MIT
// Links host and device trace as MLCommons Chakra's trace_link does, number for number: for comparison, and for
// users who must reproduce its results.
#pragma once

#include "core/profile.h"
#include "core/trace.h"

namespace convert {

// Links `host`, as read_pytorch() gives it, with the profile `device`, and returns the linked trace. Nodes get new
// ids in the order of their ids; what the reference adds stands after their attributes: inclusive_dur,
// exclusive_dur and ts (int64 if the profiler wrote integers, else double), inter_thread_dep if there is one, and
// for device operations cat, ph, stream and pg_name. There is no sync_dep: the reference takes it from a
// heuristic, and its own converter ignores it. Throws Error(input) where the reference fails, or where its result
// cannot be told from a Profile.
[[nodiscard]] Trace link_like_reference(Trace host, const Profile& device);

}  // namespace convert
