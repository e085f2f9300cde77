// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

namespace convert {

// Whether `text` is of the form of `pattern`; '*' stands for any text, '?' for one byte. Takes no longer than the
// product of their sizes.
[[nodiscard]] bool matches_glob(std::string_view pattern, std::string_view text);

}  // namespace convert
