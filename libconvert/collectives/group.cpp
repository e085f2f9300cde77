// SPDX-License-Identifier: MIT
#include "collectives/group.h"

#include <algorithm>
#include <bit>
#include <string>

#include "core/diagnostic.h"
#include "core/words.h"

namespace convert::collectives {

void append_chunks(const Chunks& chunks, std::vector<Chunks>& to) {
  if (!to.empty() && to.back().buffer == chunks.buffer && to.back().first + to.back().count == chunks.first) {
    to.back().count += chunks.count;
  } else {
    to.push_back(chunks);
  }
}

std::vector<Chunks> with_parts(const Group& group, std::int32_t begin, std::int32_t end, std::vector<Chunks> list) {
  for (std::int32_t j = begin; j < end; ++j) {
    for (const Chunks& c : group.part(j)) append_chunks(c, list);
  }
  return list;
}

Group reversed(Group group) {
  std::reverse(group.ranks.begin(), group.ranks.end());
  std::reverse(group.parts.begin(), group.parts.end());
  return group;
}

std::int32_t floor_power_of_two(std::int32_t n) {
  return static_cast<std::int32_t>(std::bit_floor(static_cast<std::uint32_t>(n)));
}

const GroupScheme& find_scheme(std::string_view name) {
  std::vector<std::string> names;
  for (const GroupScheme* s : group_schemes) {
    if (same_name(s->name, name)) return *s;
    names.emplace_back(s->name);
  }
  throw usage_error("unknown algorithm '" + std::string(name) + "' for a dimension" + did_you_mean(name, names) +
                    "; the algorithms are ring, direct and halving_doubling");
}

}  // namespace convert::collectives
