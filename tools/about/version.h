// SPDX-License-Identifier: MIT
// Version of etkit, and of what it was built with.
#pragma once

#include <string>

namespace tools {

extern const char* const version_number;  // "0.1.0"

// Returns what --version prints after the tool's name: number and commit, then libraries, compiler and formats.
[[nodiscard]] std::string version_text();

}  // namespace tools
