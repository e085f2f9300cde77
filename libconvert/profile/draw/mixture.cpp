// SPDX-License-Identifier: MIT
#include "profile/draw/mixture.h"

#include <algorithm>
#include <vector>

#include "util/draw.h"

namespace convert {

std::size_t draw_profile(std::span<const WorkloadProfile> profiles, std::uint64_t seed) {
  constexpr std::uint64_t here = 0x6d6978;  // differs from the stream numbers of Synthesis
  std::vector<std::uint64_t> ends;          // by profile: number of its jobs and the jobs of earlier profiles
  for (const WorkloadProfile& p : profiles) ends.push_back(p.jobs.size() + (ends.empty() ? 0 : ends.back()));
  const std::uint64_t job = Draw(seed, here, 0).below(ends.back());
  return static_cast<std::size_t>(std::ranges::upper_bound(ends, job) - ends.begin());
}

}  // namespace convert
