// SPDX-License-Identifier: MIT
// PyTorch's host execution trace of one rank, and the same linked with device operations, as JSON. et-formats(5).
#pragma once

#include <cstddef>
#include <string_view>

#include "core/diagnostic.h"
#include "core/trace.h"
#include "io/input.h"

namespace convert {

// The trace as the file says it, nodes in its order: the caller stands in ctrl_deps, the attributes keep names and
// values (the integers that every node has are int64), values and shapes are shown as Python shows them, and the
// rest of a node (strides, fields and keys that nobody knows) follows as attributes. The metadata holds schema,
// pid, time, start_ts and finish_ts, and what else stands beside the nodes. A linked trace's device operations are
// those with a `cat`. Any schema is read; one that is not known is a warning. Throws Error(input) with line and
// column on malformed JSON, on nodes without an id, with fields of a wrong type or given twice. `window_bytes`: how
// much of the text is looked at at a time.
[[nodiscard]] Trace read_pytorch(Input& input, Rank rank, Diagnostics& diagnostics,
                                 std::size_t window_bytes = std::size_t{1} << 20U);

// Whether a file begins like a host trace, linked or not.
[[nodiscard]] bool sniff_pytorch(std::string_view head);

}  // namespace convert
