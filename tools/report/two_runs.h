// SPDX-License-Identifier: MIT
// Writes a comparison of two runs: the differences, then the findings of both.
#pragma once

#include <string>
#include <string_view>

#include "core/run.h"
#include "io/output.h"
#include "page/compare/compare.h"

namespace tools {

// Writes `form`, "html", "text" or "json". Does not close `out`.
void write_two_runs(const convert::Run& a, const convert::Run& b, const convert::InputNames& inputs,
                    std::string_view form, convert::Output& out);

}  // namespace tools
