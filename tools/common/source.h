// SPDX-License-Identifier: MIT
// The tools' input options as a source of traces.
#pragma once

#include <memory>

#include "common/options.h"
#include "common/tool.h"
#include "load/source.h"

namespace tools {

// Operands, format, rank and progress; imports are not hashed.
[[nodiscard]] convert::SourceOptions source_options(const InputOptions& input, const Context& context);

// Opens the input; input that cannot be read at all becomes a finding, and the result is null.
[[nodiscard]] std::unique_ptr<convert::TraceSource> open_source(convert::SourceOptions options, Context& context);

}  // namespace tools
