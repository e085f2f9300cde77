// SPDX-License-Identifier: MIT
// Base64 (RFC 4648, padded) for bytes inside JSON.
#pragma once

#include <string>
#include <string_view>

namespace convert {

void append_base64(std::string& out, std::string_view bytes);
// Appends the decoded bytes. Returns false if `text` is not base64.
[[nodiscard]] bool decode_base64(std::string_view text, std::string& out);

}  // namespace convert
