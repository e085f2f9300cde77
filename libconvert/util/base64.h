// SPDX-License-Identifier: MIT
// Encodes and decodes base64 (RFC 4648, padded), for bytes inside JSON.
#pragma once

#include <string>
#include <string_view>

namespace convert {

// Appends the encoded `bytes`.
void append_base64(std::string& out, std::string_view bytes);
// Appends the decoded bytes. Returns false if `text` is not base64; `out` may have been extended then.
[[nodiscard]] bool decode_base64(std::string_view text, std::string& out);

}  // namespace convert
