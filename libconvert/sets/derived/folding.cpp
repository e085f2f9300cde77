// SPDX-License-Identifier: MIT
#include "sets/derived/folding.h"

#include <utility>

#include "config/groups.h"
#include "formats/whole_ranks.h"

namespace convert {

std::unique_ptr<TraceReader> FoldedSet::open(std::size_t first, std::size_t last) const {
  return std::make_unique<WholeRanks>([this, next = static_cast<std::uint32_t>(first), last](Trace& out) mutable {
    if (next == last) return false;
    const MasterSet::Place place{next++, 0};
    out = set_->head(place, base_name());
    set_->nodes(place, base_name(), out.nodes);
    return true;
  });
}
std::unique_ptr<TraceReader> FoldedSet::open_rank(std::size_t i) { return open(i, i + 1); }
std::unique_ptr<TraceReader> FoldedSet::open_all() { return open(0, independent_ranks()); }

std::string FoldedSet::table() const {
  std::vector<CommGroup> classes;
  for (const RankClass& c : set_->classes) {
    CommGroup& own = classes.emplace_back();
    own.id = static_cast<std::int64_t>(c.ranks[0]);
    for (std::uint64_t i = 0; i < c.ranks.size(); ++i) own.ranks.push_back(static_cast<std::uint32_t>(c.ranks[i]));
  }
  return groups_text(classes);
}

}  // namespace convert
