// SPDX-License-Identifier: MIT
// Prints notes, and the output of -v and -vv, on standard error. Findings about inputs are diagnostics instead.
#pragma once

#include <string>
#include <string_view>

namespace convert {

// Sets the level; tools call it once, at the start. -1: nothing; 0 (default): notes; 1: also info; 2: all.
void set_log_level(int level);
// Sets the tool's name, the prefix of each line: "et-convert: text".
void set_log_prefix(std::string prefix);

void log_note(std::string_view text);  // "et-convert: note: text"
void log_info(std::string_view text);
void log_debug(std::string_view text);

}  // namespace convert
