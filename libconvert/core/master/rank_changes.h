// SPDX-License-Identifier: MIT
// Differences between the nodes of a rank and the nodes of another rank that does the same.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/trace.h"

namespace convert {

struct RankChanges {
  enum class What : std::uint8_t { source, destination, tag, group };  // comm_src, comm_dst, comm_tag, pg_name
  static constexpr std::size_t kinds = 4;
  // Value of a node that replaces the other rank's value.
  struct Change {
    std::uint32_t node;  // index of the node in the file
    What what;
    std::int64_t number = 0;
    std::string_view group{};
  };

  Rank rank = 0;
  std::string name{};                      // for messages
  std::vector<Change> changes{};           // ascending by node, at most one of a kind for each node
  std::vector<std::uint64_t> positions{};  // as NodeTable::positions
  bool positions_are_lines = false;
};

}  // namespace convert
