// SPDX-License-Identifier: MIT
// Names as people spell them: all_reduce, allreduce, AllReduce, all-reduce.
#pragma once

#include <string_view>

namespace convert {

// Returns whether two names are equal but for case, '_' and '-'.
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

// Returns the usual name of a collective that is written short (a2a, all2all: all_to_all; bcast: broadcast), and
// any other text as it is.
[[nodiscard]] constexpr std::string_view without_short_form(std::string_view text) {
  if (same_name(text, "a2a") || same_name(text, "all2all")) return "all_to_all";
  if (same_name(text, "a2av") || same_name(text, "all2allv")) return "all_to_allv";
  if (same_name(text, "bcast")) return "broadcast";
  return text;
}

}  // namespace convert
