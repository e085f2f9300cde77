// SPDX-License-Identifier: MIT
// Escapes text of inputs for a terminal.
#pragma once

#include <string>
#include <string_view>

namespace convert {

// Returns `text` on one line without control sequences for a terminal. Control characters and bytes that are not
// UTF-8 become "\n", "\x1b", "\u202e"; this includes Unicode's line separators and direction controls. All
// messages, log lines and cells of tables pass through here.
[[nodiscard]] std::string visible(std::string_view text);

}  // namespace convert
