// SPDX-License-Identifier: MIT
#include <algorithm>

#include "simulate/system/stream.h"

namespace convert {

UnendedCollectives SystemLayer::unended() const {
  const auto at = [this](std::uint32_t s) -> const Stream& {
    return blocks_[s >> block_bits][s & ((1U << block_bits) - 1)];
  };
  std::vector<bool> used(blocks_.size() << block_bits, true);
  for (std::uint32_t s = unused_streams_; s != 0; s = at(s - 1).next) used[s - 1] = false;
  UnendedCollectives left;
  for (std::uint32_t s = 0; s < used.size(); ++s) {
    if (!used[s]) continue;
    const Job& job = jobs_[at(s).job];
    left.parts.push_back({at(s).npu, job.op, job.run});
  }
  for (std::uint32_t run = 0; run < customs_.runs().size(); ++run) {
    const CustomRuns::Run& r = customs_.runs()[run];
    if (!r.feeder.done()) left.customs.push_back({r.npu, jobs_[at(r.stream).job].op, run});
  }
  std::sort(left.parts.begin(), left.parts.end());
  left.parts.erase(std::unique(left.parts.begin(), left.parts.end()), left.parts.end());
  std::sort(left.customs.begin(), left.customs.end());
  return left;
}

}  // namespace convert
