// SPDX-License-Identifier: MIT
// Reader of PyTorch's JSON host trace of one rank, optionally linked with device operations. Format: et-formats(5).
#pragma once

#include <cstddef>
#include <string_view>

#include "core/diagnostic.h"
#include "core/trace.h"
#include "io/input.h"

namespace convert {

// Returns the trace with nodes in file order. The caller of a node is in ctrl_deps. Attributes keep names and
// values; the integers that every node has are int64. Values and shapes are in Python's text form. The other fields
// of a node (strides, unknown fields and keys) become attributes. The metadata holds schema, pid, time, start_ts,
// finish_ts, and all other members beside the nodes. In a linked trace, the nodes with a `cat` are device
// operations. Warns about an unknown schema. Throws Error(input) with line and column for malformed JSON, and for
// nodes without an id, or with fields of a wrong type or given twice. `window_bytes`: size of the window on the
// text in memory.
[[nodiscard]] Trace read_pytorch(Input& input, Rank rank, Diagnostics& diagnostics,
                                 std::size_t window_bytes = std::size_t{1} << 20U);

// Returns whether a file begins like a host trace, linked or not.
[[nodiscard]] bool sniff_pytorch(std::string_view head);

}  // namespace convert
