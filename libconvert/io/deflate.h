// SPDX-License-Identifier: MIT
// Compresses bytes in memory as zlib does (RFC 1950), for blocks of data inside other files.
#pragma once

#include <string>
#include <string_view>

namespace convert {

// Returns the bytes compressed. Equal bytes give equal bytes.
[[nodiscard]] std::string deflate(std::string_view bytes);

}  // namespace convert
