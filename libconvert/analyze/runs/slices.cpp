// SPDX-License-Identifier: MIT
#include "analyze/runs/slices.h"

#include <algorithm>
#include <tuple>

namespace convert {
namespace {

std::tuple<std::int32_t, Picoseconds, Picoseconds, std::uint32_t> operation_key(const Slice& s) {
  return {s.stream, s.begin_ps, s.end_ps, s.name};
}

}  // namespace

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
  for (const Run::Class& c : run.classes) {
    if (c.npu != c.like) ++like_[c.like];
  }
  for (std::size_t i = 0; i < ranks.size(); ++i) npus_.push_back({ranks[i], weight(ranks[i]), rows_[i]});
}

std::int64_t SlicesByNpu::weight(Rank rank) const {
  const auto at = like_.find(rank);
  return 1 + (at == like_.end() ? 0 : at->second);
}

std::vector<std::uint32_t> by_operation(const Run& run, const SlicesByNpu::Npu& npu) {
  std::vector<std::uint32_t> out(npu.slices.begin(), npu.slices.end());
  const auto key = [&](std::uint32_t i) { return operation_key(run.timeline.slices[i]); };
  const auto on_streams =
      std::ranges::stable_partition(out, [&](std::uint32_t i) { return run.timeline.slices[i].stream < 0; });
  std::ranges::stable_sort(on_streams, {}, key);
  return out;
}

bool same_operation(const Slice& a, const Slice& b) {
  return a.stream >= 0 && operation_key(a) == operation_key(b);
}

std::vector<NpuParts> own_parts(const Run& run) {
  std::vector<NpuParts> parts = parts_of(run);
  std::vector<Rank> stood_for;
  for (const Run::Class& c : run.classes) {
    if (c.npu != c.like) stood_for.push_back(c.npu);
  }
  std::ranges::sort(stood_for);
  std::erase_if(parts, [&](const NpuParts& p) { return std::ranges::binary_search(stood_for, p.npu); });
  return parts;
}

}  // namespace convert
