// SPDX-License-Identifier: MIT
#include "graph/iteration_name.h"

namespace convert {
namespace {

constexpr std::string_view profiler_step = "ProfilerStep#";

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// Returns the number at position `at` of a name; none if there is no number or it exceeds 63 bits.
std::optional<IterationMark> number_at(std::string_view name, std::size_t at) {
  std::int64_t number = 0;
  std::size_t end = at;
  for (; end < name.size() && name[end] >= '0' && name[end] <= '9'; ++end) {
    if (__builtin_mul_overflow(number, 10, &number) || __builtin_add_overflow(number, name[end] - '0', &number))
      return std::nullopt;
  }
  if (end == at) return std::nullopt;
  return IterationMark{.number = number, .at = at, .digits = end - at};
}

// Returns the end of the separators between the word and the number.
std::size_t behind_separators(std::string_view name, std::size_t at) {
  const auto separates = [](char c) { return c == ' ' || c == '_' || c == '#' || c == '=' || c == ':'; };
  while (at < name.size() && separates(name[at])) ++at;
  return at;
}

}  // namespace

std::optional<IterationMark> iteration_in_name(std::string_view name) {
  if (name.starts_with(profiler_step)) {
    auto mark = number_at(name, profiler_step.size());
    if (mark) mark->begins = true;
    return mark;
  }
  constexpr std::string_view word = "teration";
  for (std::size_t at = name.find(word); at != std::string_view::npos; at = name.find(word, at + 1)) {
    const bool whole =
        at > 0 && (name[at - 1] == 'i' || name[at - 1] == 'I') && (at == 1 || !is_letter(name[at - 2]));
    const std::size_t number = behind_separators(name, at + word.size());
    if (const auto mark = number_at(name, number); whole && mark) return mark;
  }
  return std::nullopt;
}

}  // namespace convert
