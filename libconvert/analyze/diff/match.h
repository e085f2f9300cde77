// SPDX-License-Identifier: MIT
// Finds for each node of one rank the node of another rank, or of another run, that is the same.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/trace.h"

namespace convert {

// What a node, or a slice of a run, is matched by. Names and groups are numbers that both sides share.
struct Matchable {
  enum class Meets : std::uint8_t { nobody, group, receiver, sender };

  NodeId id = 0;
  std::uint32_t type = 0;
  std::uint32_t name = 0;
  Meets meets = Meets::nobody;
  std::uint64_t partner = 0;  // of a collective: its group; of a message: the other rank
  std::int64_t tag = 0;       // of a message
};

struct NodeMatching {
  std::vector<std::uint32_t> b_of_a;  // no_index: none
  std::vector<std::uint32_t> a_of_b;
  std::uint64_t matched = 0;
};

enum class UseIds : std::uint8_t { no, yes };
// Matches, each step what is left by those before it:
//   1. nodes of the same id, type and name, if ids are used;
//   2. collectives by group and number of the call, messages by partner, tag and number, in the order given;
//   3. nodes by name, type and number among those of the same;
//   4. a longest common subsequence of name and type, see for_each_common().
// `order`: of each side, in which collectives and messages are counted.
[[nodiscard]] NodeMatching match_nodes(std::span<const Matchable> a, std::span<const std::uint32_t> order_a,
                                       std::span<const Matchable> b, std::span<const std::uint32_t> order_b,
                                       UseIds ids = UseIds::yes);

}  // namespace convert
