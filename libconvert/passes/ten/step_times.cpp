// SPDX-License-Identifier: MIT
#include "passes/ten/step_times.h"

#include <algorithm>
#include <cstdint>
#include <unordered_map>

#include "core/attr_names.h"
#include "passes/provenance.h"

namespace convert {
namespace {

// Returns the step of a node, or no_index.
std::uint32_t step_of(const Trace& trace, const Node& node, const Algorithm& algorithm) {
  const auto attrs = trace.nodes.attributes(node);
  const auto tb = int32_value(attrs, attr::tb_id);
  const auto position = int32_value(attrs, attr::local_time_step);
  const Gpu& gpu = algorithm.gpus[static_cast<std::size_t>(trace.rank)];
  if (!tb || !position || *tb < 0 || static_cast<std::uint32_t>(*tb) >= gpu.tb_count) return no_index;
  const Threadblock& block = algorithm.tbs[gpu.first_tb + static_cast<std::uint32_t>(*tb)];
  if (*position < 0 || static_cast<std::uint32_t>(*position) >= block.step_count) return no_index;
  return block.first_step + static_cast<std::uint32_t>(*position);
}

}  // namespace

StepTimes step_times(std::span<const Trace> traces, const Algorithm& algorithm, const Timeline& timeline) {
  StepTimes times{.begin_ps = std::vector<Picoseconds>(algorithm.steps.size(), -1),
                  .end_ps = std::vector<Picoseconds>(algorithm.steps.size(), -1)};
  std::vector<std::unordered_map<NodeId, std::uint32_t>> steps(algorithm.gpus.size());
  for (const Trace& trace : traces) {
    auto& of_rank = steps[static_cast<std::size_t>(trace.rank)];
    for (const Node& node : trace.nodes.nodes) {
      if (const std::uint32_t step = step_of(trace, node, algorithm); step != no_index)
        of_rank.emplace(node.id, step);
    }
  }
  for (const Slice& slice : timeline.slices) {
    const auto& of_rank = steps[static_cast<std::size_t>(slice.rank)];
    const auto found = of_rank.find(slice.node);
    if (found == of_rank.end() || slice.open) continue;
    Picoseconds& begin = times.begin_ps[found->second];
    Picoseconds& end = times.end_ps[found->second];
    begin = begin < 0 ? slice.begin_ps : std::min(begin, slice.begin_ps);
    end = std::max(end, slice.end_ps);
  }
  // A receive may be posted long before its step begins.
  for (const Threadblock& tb : algorithm.tbs) {
    for (std::uint32_t s = tb.first_step + 1; s < tb.first_step + tb.step_count; ++s)
      times.begin_ps[s] = std::min(times.end_ps[s], std::max(times.begin_ps[s], times.end_ps[s - 1]));
  }
  return times;
}

}  // namespace convert
