// SPDX-License-Identifier: MIT
// Formats help and history: wrapped lines, words as a shell takes them, names of files without their folders.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tools {

// Appends `text` word by word and ends the line. The text begins in column `at`, its further lines in column
// `indent`; none is longer than 80 columns, but for a single word.
void append_wrapped(std::string& out, std::string_view text, std::size_t at, std::size_t indent);

// Returns the word as a shell takes it, in quotes where it needs them.
[[nodiscard]] std::string shell_quote(const std::string& word);

// Returns the last part of a path: "b" of "a/b/".
[[nodiscard]] std::string base_name(std::string path);

// Returns a value such as all_reduce=rings/ring8.xml or flexflow,devices=maps/a.csv with base names for its paths.
// A bandwidth (bw=50GB/s) is no path.
[[nodiscard]] std::string without_folders(const std::string& value);

}  // namespace tools
