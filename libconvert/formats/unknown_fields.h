// SPDX-License-Identifier: MIT
// Checks bytes that claim to be unknown fields of a Chakra message, when they come from text.
#pragma once

#include <string_view>

#include "core/trace.h"

namespace convert {

enum class ProtoMessage : unsigned char { metadata, node, io, attribute, list };

// Whether `bytes` are well-formed fields that a message of that sort (a list: of that kind) keeps as unknown. Any
// other bytes would turn into known fields, or into a damaged file, when they are written as Chakra.
[[nodiscard]] bool only_unknown_fields(ProtoMessage message, Kind list_kind, std::string_view bytes);

}  // namespace convert
