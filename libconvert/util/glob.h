// SPDX-License-Identifier: MIT
// Matches texts against patterns of '*' and '?'.
#pragma once

#include <string_view>

namespace convert {

// Returns whether `pattern` matches all of `text`: '*' matches any text, '?' one byte. Takes O(pattern × text).
[[nodiscard]] bool matches_glob(std::string_view pattern, std::string_view text);

}  // namespace convert
