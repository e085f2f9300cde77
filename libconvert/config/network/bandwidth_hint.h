// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace convert {

// Returns a hint for a text that is no bandwidth, such as "; bits are Gbit/s, bytes GB/s", or nothing.
[[nodiscard]] std::string bandwidth_hint(std::string_view text);

}  // namespace convert
