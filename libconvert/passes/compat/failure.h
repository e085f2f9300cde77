// SPDX-License-Identifier: MIT
// Creates the error for inputs on which the reference program (see convert.h) fails.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/trace.h"

namespace convert::compat {

// Returns the error "WHAT: the reference program fails here (HOW); omit --compat chakra".
[[nodiscard]] inline Error reference_fails(const std::string& file, std::optional<NodeId> node,
                                           std::string_view what, std::string_view how) {
  return input_error({.file = file, .node = node ? static_cast<std::int64_t>(*node) : -1},
                     (node ? "node " + std::to_string(*node) + ' ' : "") + std::string(what) +
                         ": the reference program fails here (" + std::string(how) + "); omit --compat chakra");
}

}  // namespace convert::compat
