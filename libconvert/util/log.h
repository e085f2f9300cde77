// SPDX-License-Identifier: MIT
// Prints notes, and what -v and -vv ask for, on standard error. Findings about inputs are diagnostics instead.
#pragma once

#include <string>
#include <string_view>

namespace convert {

// Sets what is printed; tools call it once, at the start. -1: nothing; 0 (at first): notes; 1: info too; 2: all.
void set_log_level(int level);
// Sets the tool's name that stands before each line: "et-convert: text".
void set_log_prefix(std::string prefix);

void log_note(std::string_view text);  // "et-convert: note: text"
void log_info(std::string_view text);
void log_debug(std::string_view text);

}  // namespace convert
