// SPDX-License-Identifier: MIT
// Lists of words: joins them, splits a text into them, and names those that are known.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "core/diagnostic.h"

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

// Returns "; did you mean NAME?", or "; known: NAMES" where none is near.
[[nodiscard]] inline std::string known_names(std::string_view word, const std::vector<std::string>& names) {
  const std::string near = nearest(word, names);
  return near.empty() ? "; known: " + join(names) : "; did you mean " + near + "?";
}

}  // namespace convert
