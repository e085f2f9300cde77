// SPDX-License-Identifier: MIT
// Compares what each collective must deliver with what an execution left in the buffers.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "passes/verify/execute.h"

namespace convert {

struct Mismatch {
  std::int32_t rank = 0;
  std::int32_t chunk = 0;  // of the output buffer
  Value expected = nothing;
  Value found = nothing;
  std::uint64_t slot = 0;
  std::uint32_t more = 0;  // further wrong chunks of that rank
};

// Returns the first wrong output chunk of each rank; empty if the postcondition holds, nothing for collectives
// without one (custom, alltoallv, send, recv, gather, scatter). Without `root` the root of broadcast and reduce
// follows from the data.
[[nodiscard]] std::optional<std::vector<Mismatch>> check_postcondition(const StepGraph& graph,
                                                                       Collective collective,
                                                                       std::optional<std::int32_t> root,
                                                                       const BufferLayout& layout,
                                                                       const Execution& execution);

}  // namespace convert
