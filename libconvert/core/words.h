// SPDX-License-Identifier: MIT
// Joins words into one text, and splits a text into words.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace convert {

// Returns the words with the separator between them.
template <class Words>
[[nodiscard]] std::string join(const Words& words, std::string_view separator = ", ") {
  std::string out;
  for (const auto& word : words) out.append(word).append(separator);
  return out.substr(0, out.size() - std::min(out.size(), separator.size()));
}

// Returns the pieces of a text between separators; at least one.
[[nodiscard]] inline std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> pieces;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    pieces.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return pieces;
}

}  // namespace convert
