// SPDX-License-Identifier: MIT
#include "graph/iteration_name.h"

#include <algorithm>
#include <limits>

#include "core/units.h"

namespace convert {
namespace {

constexpr std::string_view profiler_step = "ProfilerStep#";
constexpr std::string_view mark_digits = "0123456789";

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// Returns the number at a place of a name, if there is one that 63 bits hold.
std::optional<IterationMark> number_at(std::string_view name, std::size_t at) {
  const std::size_t end = std::min(name.find_first_not_of(mark_digits, at), name.size());
  if (end == at) return std::nullopt;
  const auto number = parse_unsigned(name.substr(at, end - at));
  if (!number || *number > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
    return std::nullopt;
  return IterationMark{.number = static_cast<std::int64_t>(*number), .at = at, .digits = end - at};
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
    const std::size_t number = std::min(name.find_first_not_of(" _#=:", at + word.size()), name.size());
    if (const auto mark = number_at(name, number); whole && mark) return mark;
  }
  return std::nullopt;
}

}  // namespace convert
