// SPDX-License-Identifier: MIT
// Formats help and history: wrapped lines, shell words, file names without folders.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tools {

// Appends `text` word by word and ends the line. The text begins in column `at`, its further lines in column
// `indent`. Lines are at most 80 columns wide unless a single word is longer.
void append_wrapped(std::string& out, std::string_view text, std::size_t at, std::size_t indent);

// Returns the word as a shell reads it, in quotes if necessary.
[[nodiscard]] std::string shell_quote(const std::string& word);

// Returns the last component of a path: "b" for "a/b/".
[[nodiscard]] std::string base_name(std::string path);

// Returns a value such as all_reduce=rings/ring8.xml or flexflow,devices=maps/a.csv with its paths shortened to
// base names. A bandwidth (bw=50GB/s) is not a path.
[[nodiscard]] std::string without_folders(const std::string& value);

}  // namespace tools
