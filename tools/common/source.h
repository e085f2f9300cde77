// SPDX-License-Identifier: MIT
// The tools' input options as a source of traces.
#pragma once

#include "common/options.h"
#include "common/tool.h"
#include "load/source.h"

namespace tools {

// Operands, format, rank and progress; imports are not hashed.
[[nodiscard]] convert::SourceOptions source_options(const InputOptions& input, const Context& context);

}  // namespace tools
