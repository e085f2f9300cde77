// SPDX-License-Identifier: MIT
// Collectives of traces by name: "all_reduce"; other spellings of it are read as well.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/spelling.h"
#include "core/trace.h"

namespace convert {

inline constexpr std::array<std::string_view, 10> collective_type_names = {
    "all_reduce", "reduce",         "all_gather",           "gather", "scatter", "broadcast",
    "all_to_all", "reduce_scatter", "reduce_scatter_block", "barrier"};

// Empty for a number that the schema does not know.
[[nodiscard]] constexpr std::string_view collective_type_name(std::int64_t type) {
  const auto i = static_cast<std::uint64_t>(type);
  return i < collective_type_names.size() ? collective_type_names[i] : std::string_view{};
}
[[nodiscard]] constexpr std::string_view name(CollectiveType type) {
  return collective_type_name(static_cast<std::int64_t>(type));
}
[[nodiscard]] constexpr std::optional<CollectiveType> parse_collective_type(std::string_view text) {
  text = without_short_form(text);
  for (std::size_t i = 0; i < collective_type_names.size(); ++i) {
    if (same_name(text, collective_type_names[i])) return static_cast<CollectiveType>(i);
  }
  return std::nullopt;
}

}  // namespace convert
