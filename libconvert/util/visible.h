// SPDX-License-Identifier: MIT
// Makes text of inputs safe to show on a terminal.
#pragma once

#include <string>
#include <string_view>

namespace convert {

// Returns `text` on one line without anything that a terminal obeys: control characters (also those of Unicode that
// end lines or turn the direction of writing) and bytes that are not UTF-8 become "\n", "\x1b", "\u202e". All
// messages, log lines and cells of tables pass through here.
[[nodiscard]] std::string visible(std::string_view text);

}  // namespace convert
