// SPDX-License-Identifier: MIT
// Check of bytes in a text format that represent unknown fields of a Chakra message.
#pragma once

#include <string_view>

#include "core/trace.h"

namespace convert {

enum class ProtoMessage : unsigned char { metadata, node, io, attribute, list };

// Returns whether `bytes` are well-formed fields that such a message keeps as unknown; `list_kind` is the kind of a
// list message. Other bytes would become known fields, or damage the file, when written as Chakra.
[[nodiscard]] bool only_unknown_fields(ProtoMessage message, Kind list_kind, std::string_view bytes);

}  // namespace convert
