// SPDX-License-Identifier: MIT
#include "analyze/runs/slices.h"

#include <algorithm>

namespace convert {

SlicesByNpu::SlicesByNpu(const Run& run) {
  const std::vector<Slice>& slices = run.timeline.slices;
  std::vector<Rank> ranks;
  for (const Slice& s : slices) {
    if (ranks.empty() || ranks.back() != s.rank) ranks.push_back(s.rank);
  }
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  const auto place = [&](Rank r) {
    if (r < ranks.size() && ranks[r] == r) return static_cast<std::uint32_t>(r);
    return static_cast<std::uint32_t>(std::lower_bound(ranks.begin(), ranks.end(), r) - ranks.begin());
  };
  rows_ = rows_by_key(slices.size(), ranks.size(), [&](std::size_t i) { return place(slices[i].rank); });
  std::map<Rank, std::int64_t> like;
  for (const Run::Class& c : run.classes) {
    if (c.npu != c.like) ++like[c.like];
  }
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const auto at = like.find(ranks[i]);
    npus_.push_back({ranks[i], 1 + (at == like.end() ? 0 : at->second), rows_[i]});
  }
}

}  // namespace convert
