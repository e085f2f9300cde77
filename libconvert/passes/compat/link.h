// SPDX-License-Identifier: MIT
// Links host and device trace like MLCommons Chakra's trace_link, number for number: for comparison, and for users
// who must reproduce its results.
#pragma once

#include "core/profile.h"
#include "core/trace.h"

namespace convert {

// Links `host`, as returned by read_pytorch(), with the profile `device`, and returns the linked trace. Nodes get
// new ids in the order of their ids. These attributes are added after the node's own: inclusive_dur, exclusive_dur
// and ts (int64 if the profiler wrote integers, else double), inter_thread_dep if there is one, and for device
// operations cat, ph, stream and pg_name. sync_dep is not added: the reference program derives it by a heuristic,
// and its own converter ignores it. Throws Error(input) if the reference program fails, or if its result cannot be
// derived from a Profile.
[[nodiscard]] Trace link_like_reference(Trace host, const Profile& device);

}  // namespace convert
