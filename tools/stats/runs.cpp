// SPDX-License-Identifier: MIT
#include "stats/runs.h"

#include "analyze/runs/sections.h"

namespace tools {

convert::Statistics measure_run(const convert::Run& run, const StatsOptions& o,
                                const std::optional<convert::Sum>& operations) {
  using namespace convert;
  const RunWishes wishes{.by = o.by, .ops_per_ns = o.ops_per_ns(), .operations = operations};
  Statistics sections;
  for (const RunSection& section : run_sections()) {
    const bool mfu = section.name == "mfu" && (operations || o.peak);
    if (o.chosen() ? o.wants(section.name) : mfu || section.has(run)) sections.push_back(section.make(run, wishes));
  }
  return sections;
}

}  // namespace tools
