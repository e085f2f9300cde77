// SPDX-License-Identifier: MIT
// Says how the nodes of a rank differ from those of another that does the same.
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
  // The value that a node has in place of the other rank's.
  struct Change {
    std::uint32_t node;  // its place in the file
    What what;
    std::int64_t number = 0;
    std::string_view group{};
  };

  Rank rank = 0;
  std::string name{};                      // for messages
  std::vector<Change> changes{};           // ascending by node, one of a kind for each
  std::vector<std::uint64_t> positions{};  // as those of NodeTable
  bool positions_are_lines = false;
};

}  // namespace convert
