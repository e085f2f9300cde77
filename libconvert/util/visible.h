// SPDX-License-Identifier: MIT
// Text of inputs that is shown to people.
#pragma once

#include <string>
#include <string_view>

namespace convert {

// `text` on one line, with nothing in it that a terminal obeys: control characters (also those of Unicode, and what
// ends lines or turns the direction of writing) and bytes that are not UTF-8 become "\n", "\x1b", "\u202e".
// Everything that is printed passes through here: messages in the reporter and the log, cells in tables.
[[nodiscard]] std::string visible(std::string_view text);

}  // namespace convert
