// SPDX-License-Identifier: MIT
// et-bench: times of collective calls by size, as nccl-tests print them.
#include "bench/against.h"
#include "bench/measure.h"
#include "bench/options.h"
#include "common/tool.h"
#include "programs.h"

namespace {

int bench(const tools::BenchOptions& o, tools::Context& context) {
  tools::check_bench(o);
  const std::vector<tools::PlannedSeries> plan =
      o.against.empty() ? tools::planned_series(o) : tools::planned_comparison(o, context);
  if (context.failed()) return 1;
  tools::write_bench(tools::measure(plan, context), o);
  return 0;
}

}  // namespace

int tools::et_bench(int argc, char** argv) {
  const tools::ToolInfo info{
      .name = "et-bench",
      .operands = "[COLLECTIVE...]",
      .examples =
          {{"et-bench all_reduce -n dgx-h100,nodes=2", "the times of NCCL on 16 GPUs, from 8 bytes to 8 GiB"},
           {"et-bench all_gather all_to_all -n dgx-a100 -n dgx-h100 --plot two.svg",
            "two machines side by side, and their bus bandwidths"},
           {"et-bench all_reduce -n mesh:4x4,bw=50GB/s,lat=500ns -a all", "the fastest algorithm for each size"},
           {"et-bench all_reduce -n dgx-h100 -a library -a mine.xml", "an MSCCL program against the library"},
           {"et-bench -n dgx-h100 --against nccl-tests.log --plot fit.svg", "measured and predicted times"}},
  };
  return tools::run_tool(argc, argv, info, tools::declare_bench, bench);
}
