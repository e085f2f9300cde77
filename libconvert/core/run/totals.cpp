// SPDX-License-Identifier: MIT
#include "core/run/totals.h"

#include <algorithm>
#include <map>

namespace convert {

void add_totals(Run& run) {
  std::map<Rank, Run::Npu> npus;
  Run::Npu* npu = nullptr;
  for (const Slice& s : run.timeline.slices) {
    if (npu == nullptr || npu->rank != s.rank) {
      npu = &npus[s.rank];
      npu->rank = s.rank;
    }
    run.reached_ps = std::max(run.reached_ps, s.end_ps);
    ++npu->nodes;
    if (s.open) continue;
    run.total_ps = std::max(run.total_ps, s.end_ps);
    ++npu->nodes_done;
    npu->finish_ps = std::max(npu->finish_ps, s.end_ps);
    if (s.lane == Lane::compute && __builtin_add_overflow(npu->compute_ps, s.end_ps - s.begin_ps, &npu->compute_ps))
      npu->compute_ps = std::numeric_limits<Picoseconds>::max();
    if (s.lane != Lane::send) continue;
    ++npu->sends;
    if (s.bytes > 0 && __builtin_add_overflow(npu->bytes_sent, s.bytes, &npu->bytes_sent))
      npu->bytes_sent = std::numeric_limits<std::int64_t>::max();
  }
  for (auto& [rank, n] : npus) {
    if (n.nodes_done < n.nodes) n.finish_ps = -1;
    run.npus.push_back(n);
  }
}

}  // namespace convert
