// SPDX-License-Identifier: MIT
// Table of old and new names, for the owner of a set.
#pragma once

#include <string>

#include "passes/anonymize/options.h"
#include "sets/set_source.h"

namespace tools {

// Returns a JSON object that maps the names of nodes and tensors to their keyed names.
[[nodiscard]] std::string name_table(convert::SetSource& set, const convert::KeyedHash& hash, unsigned jobs);

}  // namespace tools
