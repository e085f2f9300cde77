// SPDX-License-Identifier: MIT
#include "profile/learn/job_log.h"

namespace convert {

void JobLog::take_uses(std::size_t rank, RankLog& from, std::uint32_t k) {
  for (RankLog::Use& one : from.uses) {
    const auto [at, is_new] =
        uses.try_emplace({one.node_class, std::move(one.name)}, Use{.rank = rank, .part = one.part});
    Use& use = at->second;
    use.nodes += one.nodes;
    use.time_ns += one.time_ns;
    if (use.rank != rank) use.rank = no_index;
    if (use.part != one.part) use.part = no_index;
    use.largest.add(one.largest, k);
  }
  from.uses = std::vector<RankLog::Use>();  // `= {}` would keep the memory
}

}  // namespace convert
