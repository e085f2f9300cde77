// SPDX-License-Identifier: MIT
// Suggests units for bandwidths that cannot be parsed.
#pragma once

#include <string>
#include <string_view>

namespace convert {

// Returns the end of a message about an invalid bandwidth: "; bits are Gbit/s, bytes GB/s", or an empty string.
[[nodiscard]] std::string bandwidth_hint(std::string_view text);

}  // namespace convert
