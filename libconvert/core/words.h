// SPDX-License-Identifier: MIT
// Compares names in any usual spelling (all_reduce, allreduce, AllReduce, all-reduce); joins and splits lists.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "core/diagnostic.h"

namespace convert {

// Returns whether two names are equal, ignoring case, '_' and '-'.
[[nodiscard]] constexpr bool same_name(std::string_view a, std::string_view b) {
  const auto next = [](std::string_view& s) {
    while (!s.empty() && (s.front() == '_' || s.front() == '-')) s.remove_prefix(1);
    if (s.empty()) return '\0';
    const char c = s.front();
    s.remove_prefix(1);
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  };
  while (true) {
    const char x = next(a), y = next(b);
    if (x != y) return false;
    if (x == '\0') return a.empty() && b.empty();
  }
}

// Returns the usual name of an abbreviated collective (a2a, all2all: all_to_all; bcast: broadcast), and any other
// text unchanged.
[[nodiscard]] constexpr std::string_view without_short_form(std::string_view text) {
  if (same_name(text, "a2a") || same_name(text, "all2all")) return "all_to_all";
  if (same_name(text, "a2av") || same_name(text, "all2allv")) return "all_to_allv";
  if (same_name(text, "bcast")) return "broadcast";
  return text;
}

// Returns the words, strings or views, joined by the separator.
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

// Returns "; did you mean NAME?" with the nearest name, or `otherwise` if no name is near.
[[nodiscard]] inline std::string did_you_mean(std::string_view word, const std::vector<std::string>& names,
                                              const std::string& otherwise = {}) {
  const std::string near = nearest(word, names);
  return near.empty() ? otherwise : "; did you mean " + near + "?";
}
// Returns "; did you mean NAME?", or "; known: NAMES" if none is near.
[[nodiscard]] inline std::string hint_for(std::string_view word, const std::vector<std::string>& names) {
  return did_you_mean(word, names, "; known: " + join(names));
}

}  // namespace convert
