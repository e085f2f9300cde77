// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

namespace convert {

// Returns whether `pattern` matches all of `text`; '*' matches any text, '?' one byte. Takes time of at most the
// product of their sizes.
[[nodiscard]] bool matches_glob(std::string_view pattern, std::string_view text);

}  // namespace convert
