// SPDX-License-Identifier: MIT
#include "calibrate/recording.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "core/units.h"
#include "util/median.h"

namespace convert {
namespace {

// A call, as its recorded ranks show it.
struct RecordedCall {
  Picoseconds least_ps = std::numeric_limits<Picoseconds>::max();  // time on the last rank to arrive
  std::uint32_t ranks = 0;
  std::set<Rank> nodes{};
};

using CallShape = std::tuple<Collective, std::uint32_t, std::uint32_t, std::int64_t>;  // ranks, nodes, bytes

}  // namespace

Benchmark benchmark_of_run(const Run& run, std::uint32_t gpus_of_node, Diagnostics& diagnostics) {
  if (!run.recorded)
    throw input_error({.file = run.title}, "the run was simulated; a calibration requires measured times",
                      "benchmark");
  std::vector<RecordedCall> recorded(run.calls.size());
  for (const Run::CallNpu& c : run.call_npus) {
    if (c.end_ps <= c.begin_ps) continue;
    RecordedCall& call = recorded[c.call];
    call.least_ps = std::min(call.least_ps, c.end_ps - c.begin_ps);
    ++call.ranks;
    call.nodes.insert(c.npu / gpus_of_node);
  }
  std::map<CallShape, std::vector<double>> times;
  std::size_t partial = 0, without_size = 0, used = 0;
  for (std::size_t i = 0; i < recorded.size(); ++i) {
    const Run::Call& c = run.calls[i];
    const RecordedCall& r = recorded[i];
    if (r.ranks == 0 || c.npus < 2 || c.op == Collective::custom) continue;
    if (c.size_bytes <= 0) {
      ++without_size;
      continue;
    }
    ++used;
    const bool whole = r.ranks >= c.npus;
    if (!whole) ++partial;
    const auto nodes =
        static_cast<std::uint32_t>(whole ? r.nodes.size() : (c.npus + gpus_of_node - 1) / gpus_of_node);
    times[{c.op, c.npus, nodes, c.size_bytes}].push_back(static_cast<double>(r.least_ps) / ps_per_ns);
  }
  if (times.empty())
    throw input_error({.file = run.title}, "no collective call with a recorded time and size", "benchmark");
  if (partial > 0) {
    diagnostics.warning({.file = run.title}, "benchmark",
                        std::to_string(partial) + " of " + counted(used, "call") +
                            " lack recorded ranks, perhaps the last to arrive: their times include waiting");
  }
  if (without_size > 0) {
    diagnostics.warning({.file = run.title}, "benchmark",
                        counted(without_size, "call") + " without a size are omitted");
  }
  Benchmark out{.file = run.title};
  for (auto& [shape, all] : times) {
    const auto& [collective, ranks, nodes, bytes] = shape;
    out.points.push_back({.collective = collective,
                          .ranks = ranks,
                          .nodes = nodes,
                          .bytes = bytes,
                          .time_ns = median(std::move(all))});
  }
  return out;
}

}  // namespace convert
