// SPDX-License-Identifier: MIT
// Lists for the owner of a set which name became which.
#pragma once

#include <string>

#include "passes/anonymize/options.h"
#include "sets/set_source.h"

namespace tools {

// Returns a JSON object of the names of nodes and tensors, as they are hashed, with what stands for them.
[[nodiscard]] std::string name_table(convert::SetSource& set, const convert::KeyedHash& hash, unsigned jobs);

}  // namespace tools
