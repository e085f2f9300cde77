// SPDX-License-Identifier: MIT
// Collectives by name: "all_reduce", however it is spelled.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/words.h"

namespace convert {

// The first ten are those of traces, numbered as proto enum CollectiveCommType; only algorithms say the others.
enum class Collective : std::int32_t {
  all_reduce,
  reduce,
  all_gather,
  gather,
  scatter,
  broadcast,
  all_to_all,
  reduce_scatter,
  reduce_scatter_block,
  barrier,
  custom,
  all_to_allv,
  send,
  recv,
};
inline constexpr std::array<std::string_view, 14> collective_names = {"all_reduce",
                                                                      "reduce",
                                                                      "all_gather",
                                                                      "gather",
                                                                      "scatter",
                                                                      "broadcast",
                                                                      "all_to_all",
                                                                      "reduce_scatter",
                                                                      "reduce_scatter_block",
                                                                      "barrier",
                                                                      "custom",
                                                                      "all_to_allv",
                                                                      "send",
                                                                      "recv"};

// Returns whether nodes of traces can be that.
[[nodiscard]] constexpr bool in_traces(Collective c) {
  return c >= Collective::all_reduce && c <= Collective::barrier;
}
// Returns whether an algorithm can be for it.
[[nodiscard]] constexpr bool in_algorithms(Collective c) {
  return c != Collective::barrier && c != Collective::reduce_scatter_block;
}

// Returns "all_reduce".
[[nodiscard]] constexpr std::string_view name(Collective c) {
  const auto i = static_cast<std::uint32_t>(c);
  return i < collective_names.size() ? collective_names[i] : std::string_view{};
}
// Returns the collective of a number in a trace; where the schema does not know it, one that has no name.
[[nodiscard]] constexpr Collective collective_of(std::int64_t number) {
  const bool known = number >= 0 && number <= static_cast<std::int64_t>(Collective::barrier);
  return Collective{known ? static_cast<std::int32_t>(number) : -1};
}
// Returns the collective of that name among those that `wanted` takes: all_to_all, alltoall, AllToAll, a2a.
[[nodiscard]] constexpr std::optional<Collective> parse_collective(std::string_view text,
                                                                   bool (*wanted)(Collective)) {
  text = without_short_form(text);
  for (std::size_t i = 0; i < collective_names.size(); ++i) {
    const auto c = static_cast<Collective>(i);
    if (same_name(text, collective_names[i])) return wanted(c) ? std::optional(c) : std::nullopt;
  }
  return std::nullopt;
}
// Returns the names of those that `wanted` takes.
[[nodiscard]] inline std::vector<std::string> names_of(bool (*wanted)(Collective)) {
  std::vector<std::string> names;
  for (const std::string_view text : collective_names) {
    if (parse_collective(text, wanted)) names.emplace_back(text);
  }
  return names;
}

}  // namespace convert
