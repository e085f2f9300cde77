// SPDX-License-Identifier: MIT
#include "page/report/parts.h"

#include <algorithm>
#include <array>

namespace convert {
namespace {

// Adds `weight` NPUs for the interval [from, to) to the bins of a time category.
void add_to_bins(double* bins, Picoseconds from, Picoseconds to, Picoseconds end, double weight) {
  const double per_ps = static_cast<double>(activity_bins) / static_cast<double>(end);
  const double a = static_cast<double>(from) * per_ps;
  const double b = static_cast<double>(to) * per_ps;
  const auto last = std::min<std::size_t>(activity_bins - 1, static_cast<std::size_t>(b));
  for (auto i = std::min<std::size_t>(last, static_cast<std::size_t>(a)); i <= last; ++i) {
    const double begin = std::max(a, static_cast<double>(i));
    const double finish = std::min(b, static_cast<double>(i + 1));
    if (finish > begin) bins[i] += weight * (finish - begin);
  }
}

// Calls `each` with the index of each NPU of a class and of its representative.
template <typename Each>
void for_each_like(const Run& run, const NpuIndex& index, Each each) {
  for (const Run::Class& like : run.classes) {
    const std::uint32_t npu = index[like.npu];
    const std::uint32_t other = index[like.like];
    if (npu != no_index && other != no_index && npu != other) each(npu, other);
  }
}

}  // namespace

std::uint32_t NpuIndex::operator[](Rank rank) const {
  const auto found = std::lower_bound(ranks_.begin(), ranks_.end(), rank);
  return found == ranks_.end() || *found != rank ? no_index : static_cast<std::uint32_t>(found - ranks_.begin());
}

RunParts run_parts(const Run& run, const NpuIndex& index) {
  RunParts parts;
  const CommunicationWaits waits(run);
  for (const Slice& s : run.timeline.slices) {
    parts.wait_ps.push_back(communicates(s.lane) ? waits.until(s) - s.begin_ps : 0);
  }
  const Picoseconds end = window(run);
  std::vector<double> weight(index.ranks().size(), 1);
  for_each_like(run, index, [&](std::uint32_t npu, std::uint32_t other) {
    weight[npu] = 0;
    weight[other] += 1;
  });
  parts.activity.assign(part_count * activity_bins, 0);
  const std::vector<std::vector<std::uint32_t>> by_npu = slices_by_npu(run);
  for (std::size_t npu = 0; npu < weight.size(); ++npu) {
    parts.npus.push_back({.npu = index.ranks()[npu]});
    if (weight[npu] == 0) continue;
    for_each_stretch(run, by_npu[npu], waits, [&](Part part, Picoseconds from, Picoseconds to) {
      const auto p = static_cast<std::size_t>(part);
      parts.npus[npu].ps.at(p) += to - from;
      add_to_bins(&parts.activity[p * activity_bins], from, to, end, weight[npu]);
    });
  }
  for_each_like(run, index,
                [&](std::uint32_t npu, std::uint32_t other) { parts.npus[npu].ps = parts.npus[other].ps; });
  return parts;
}

}  // namespace convert
