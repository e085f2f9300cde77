// SPDX-License-Identifier: MIT
#include "core/run/stragglers.h"

#include <algorithm>

namespace convert {

Stragglers find_stragglers(std::span<const NpuComputing> computing) {
  constexpr double least_ratio = 1.05, alike = 0.99;
  std::vector<NpuComputing> sorted(computing.begin(), computing.end());
  std::ranges::sort(sorted, [](const NpuComputing& a, const NpuComputing& b) {
    return a.time_ps != b.time_ps ? a.time_ps > b.time_ps : a.npu < b.npu;
  });
  Stragglers out;
  if (sorted.size() < 2) return out;
  out.median_ps = sorted[sorted.size() / 2].time_ps;
  if (out.median_ps <= 0) return out;
  for (const NpuComputing& c : sorted) {
    const auto time = static_cast<double>(c.time_ps);
    if (time <= least_ratio * static_cast<double>(out.median_ps)) break;
    if (out.groups.empty() || time < alike * static_cast<double>(out.groups.back().time_ps))
      out.groups.push_back({.time_ps = c.time_ps});
    out.groups.back().npus.push_back(c.npu);
  }
  for (StragglerGroup& group : out.groups) std::ranges::sort(group.npus);
  return out;
}

std::string npus_text(std::span<const Rank> npus) {
  constexpr std::size_t most = 3;
  if (npus.size() == 1) return "NPU " + std::to_string(npus.front());
  std::string text = std::to_string(npus.size()) + " NPUs (";
  for (std::size_t i = 0; i < std::min(npus.size(), most); ++i)
    text += (i == 0 ? "" : ", ") + std::to_string(npus[i]);
  return text + (npus.size() > most ? ", …)" : ")");
}

}  // namespace convert
