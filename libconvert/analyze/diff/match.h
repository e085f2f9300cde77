// SPDX-License-Identifier: MIT
// Matching of the nodes of two ranks, or of the slices of two runs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/trace.h"

namespace convert {

// Match keys of a node or slice. Names and groups are numbers that both sides share.
struct Matchable {
  enum class Meets : std::uint8_t { nobody, group, receiver, sender };

  NodeId id = 0;
  std::uint32_t type = 0;
  std::uint32_t name = 0;
  Meets meets = Meets::nobody;
  std::uint64_t partner = 0;  // group of a collective, other rank of a message
  std::int64_t tag = 0;       // of a message
};

struct NodeMatching {
  std::vector<std::uint32_t> b_of_a;  // no_index: no partner
  std::vector<std::uint32_t> a_of_b;
  std::uint64_t matched = 0;
};

enum class UseIds : std::uint8_t { no, yes };
// Matches nodes in four steps; each step considers only nodes without partner:
//   1. nodes of the same id, type and name, if ids are used;
//   2. collectives by group and call number; messages by partner, tag and number, in the given order;
//   3. nodes by name, type and their number among the nodes with this name and type;
//   4. a longest common subsequence of name and type, see for_each_common().
// `order_a` and `order_b` are the orders in which collectives and messages are counted.
[[nodiscard]] NodeMatching match_nodes(std::span<const Matchable> a, std::span<const std::uint32_t> order_a,
                                       std::span<const Matchable> b, std::span<const std::uint32_t> order_b,
                                       UseIds ids = UseIds::yes);

}  // namespace convert
