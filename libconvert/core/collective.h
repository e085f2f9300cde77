// SPDX-License-Identifier: MIT
// Collectives, and their lookup by name in any usual spelling.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/words.h"

namespace convert {

// The first ten have the numbers of proto enum CollectiveCommType. The others occur in algorithms only.
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

// Returns whether a node of a trace can have this collective.
[[nodiscard]] constexpr bool in_traces(Collective c) {
  return c >= Collective::all_reduce && c <= Collective::barrier;
}
// Returns whether an algorithm can have this collective.
[[nodiscard]] constexpr bool in_algorithms(Collective c) {
  return c != Collective::barrier && c != Collective::reduce_scatter_block;
}

// Returns the equivalent collective of algorithms: reduce_scatter for a reduce_scatter_block.
[[nodiscard]] constexpr Collective without_block(Collective c) {
  return c == Collective::reduce_scatter_block ? Collective::reduce_scatter : c;
}

// Returns the name, such as "all_reduce"; empty for a value that is not in the enum.
[[nodiscard]] constexpr std::string_view name(Collective c) {
  const auto i = static_cast<std::uint32_t>(c);
  return i < collective_names.size() ? collective_names[i] : std::string_view{};
}
// Returns the collective with this number in traces; a value without a name if the schema has no such number.
[[nodiscard]] constexpr Collective collective_of(std::int64_t number) {
  const bool known = number >= 0 && number <= static_cast<std::int64_t>(Collective::barrier);
  return Collective{known ? static_cast<std::int32_t>(number) : -1};
}
// Returns the collective that `text` names (all_to_all, alltoall, AllToAll or a2a) if `wanted` accepts it; else its
// without_block() if `wanted` accepts that; else nothing.
[[nodiscard]] constexpr std::optional<Collective> parse_collective(std::string_view text,
                                                                   bool (*wanted)(Collective)) {
  text = without_short_form(text);
  for (std::size_t i = 0; i < collective_names.size(); ++i) {
    const auto c = static_cast<Collective>(i);
    if (!same_name(text, collective_names[i])) continue;
    const Collective found = wanted(c) ? c : without_block(c);
    return wanted(found) ? std::optional(found) : std::nullopt;
  }
  return std::nullopt;
}
// Returns whether comm_size is the shard of one rank: its input of an all-gather or gather, or its output of a
// scatter. For other collectives, comm_size is the whole.
[[nodiscard]] constexpr bool states_part(Collective op) {
  return op == Collective::all_gather || op == Collective::gather || op == Collective::scatter;
}

// Returns the factor of the bus bandwidth, as nccl-tests define it. The algorithm bandwidth is S / time; the bus
// bandwidth is the algorithm bandwidth times the factor, so that it compares with the speed of a link for any
// number n of NPUs:
//   all_reduce                                                2(n-1)/n   S: the buffer of an NPU
//   all_gather, reduce_scatter, all_to_all, gather, scatter    (n-1)/n   S: the larger buffer, all NPUs' parts
//   broadcast, reduce                                                1   S: the buffer
// 0 for a barrier, which has no bytes.
[[nodiscard]] constexpr double bus_bandwidth_factor(Collective op, std::uint32_t npus) {
  const double n = npus;
  switch (op) {
    case Collective::all_reduce: return 2 * (n - 1) / n;
    case Collective::all_gather:
    case Collective::reduce_scatter:
    case Collective::all_to_all:
    case Collective::gather:
    case Collective::scatter: return (n - 1) / n;
    case Collective::broadcast:
    case Collective::reduce: return 1;
    default: return 0;
  }
}

// Returns whether it has a root: one rank that sends to or receives from all others.
[[nodiscard]] constexpr bool has_root(Collective op) {
  return op == Collective::broadcast || op == Collective::reduce || op == Collective::gather ||
         op == Collective::scatter;
}
// Returns whether its root is the source of the data.
[[nodiscard]] constexpr bool comes_from_root(Collective op) {
  return op == Collective::broadcast || op == Collective::scatter;
}

// Returns the names of the collectives that `wanted` accepts.
[[nodiscard]] inline std::vector<std::string> names_of(bool (*wanted)(Collective)) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < collective_names.size(); ++i) {
    if (wanted(static_cast<Collective>(i))) names.emplace_back(collective_names[i]);
  }
  return names;
}

}  // namespace convert
