// SPDX-License-Identifier: MIT
// Checks bytes of a text format that stand for unknown fields of a Chakra message.
#pragma once

#include <string_view>

#include "core/trace.h"

namespace convert {

enum class ProtoMessage : unsigned char { metadata, node, io, attribute, list };

// Returns whether `bytes` are well-formed fields that such a message keeps as unknown (a list: one of `list_kind`).
// Any other bytes would become known fields, or damage the file, when they are written as Chakra.
[[nodiscard]] bool only_unknown_fields(ProtoMessage message, Kind list_kind, std::string_view bytes);

}  // namespace convert
