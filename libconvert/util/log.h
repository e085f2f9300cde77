// SPDX-License-Identifier: MIT
// Notes, and messages of -v and -vv, on standard error. Findings about inputs are diagnostics, not log messages.
#pragma once

#include <string>
#include <string_view>

namespace convert {

// Sets what is printed; tools call it once, at the start. -1: nothing, 0: notes (default), 1: info, 2: debug, too.
void set_log_level(int level);
// Sets the tool's name that stands before each line: "et-convert: text".
void set_log_prefix(std::string prefix);

void log_note(std::string_view text);  // "et-convert: note: text"
void log_info(std::string_view text);
void log_debug(std::string_view text);

}  // namespace convert
