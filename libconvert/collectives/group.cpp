// SPDX-License-Identifier: MIT
#include "collectives/group.h"

#include <algorithm>
#include <bit>

namespace convert::collectives {
namespace {

std::int32_t one_channel(std::int32_t) { return 1; }

}  // namespace

void append_parts(const Group& group, std::int32_t begin, std::int32_t end, std::vector<Chunks>& to) {
  for (std::int32_t j = begin; j < end; ++j) {
    for (const Chunks& c : group.part(j)) {
      if (!to.empty() && to.back().buffer == c.buffer && to.back().first + to.back().count == c.first) {
        to.back().count += c.count;
      } else {
        to.push_back(c);
      }
    }
  }
}

Group reversed(Group group) {
  std::reverse(group.ranks.begin(), group.ranks.end());
  std::reverse(group.parts.begin(), group.parts.end());
  return group;
}

std::int32_t power_below(std::int32_t n) {
  return static_cast<std::int32_t>(std::bit_floor(static_cast<std::uint32_t>(n)));
}

const std::vector<GroupScheme>& group_schemes() {
  static const std::vector<GroupScheme> all = {
      {"ring", ring_reduce_scatter, ring_all_gather, one_channel},
      {"direct", direct_reduce_scatter, direct_all_gather, direct_channels},
      {"halving_doubling", halving_reduce_scatter, doubling_all_gather, one_channel},
  };
  return all;
}

}  // namespace convert::collectives
