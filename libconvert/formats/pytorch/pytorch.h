// SPDX-License-Identifier: MIT
// Reads PyTorch's JSON host trace of one rank, also one linked with device operations. The format: et-formats(5).
#pragma once

#include <cstddef>
#include <string_view>

#include "core/diagnostic.h"
#include "core/trace.h"
#include "io/input.h"

namespace convert {

// Returns the trace with nodes in the file's order: the caller stands in ctrl_deps, the attributes keep names and
// values (the integers that every node has are int64), values and shapes stand as Python shows them, and the rest
// of a node (strides, unknown fields and keys) follows as attributes. The metadata holds schema, pid, time,
// start_ts, finish_ts, and all other members beside the nodes. A linked trace's device operations are those with a
// `cat`. Warns of an unknown schema. Throws Error(input) with line and column on malformed JSON, on nodes without
// an id, with fields of a wrong type or given twice. `window_bytes`: how much of the text is in memory at a time.
[[nodiscard]] Trace read_pytorch(Input& input, Rank rank, Diagnostics& diagnostics,
                                 std::size_t window_bytes = std::size_t{1} << 20U);

// Returns whether a file begins like a host trace, linked or not.
[[nodiscard]] bool sniff_pytorch(std::string_view head);

}  // namespace convert
