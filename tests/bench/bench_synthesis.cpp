// SPDX-License-Identifier: MIT
// Speed of the bounds of collectives per NPU, compared with the shortest routes by latency from each NPU, which the
// bounds include.
#include <string>
#include <vector>

#include "bench/report.h"
#include "config/network/network.h"
#include "synthesis/bounds/bounds.h"

namespace {

using namespace convert;

void measure_bounds(bench::Report& report, Collective collective, const std::string& network,
                    const std::vector<std::string>& failed, double limit) {
  const std::string label = "bounds / latencies, " + std::string(name(collective)) + ", " +
                            network.substr(0, network.find(',')) + (failed.empty() ? "" : ", failed links");
  if (!report.wants({label})) return;
  Diagnostics diagnostics;
  const SynthesisProblem problem =
      make_problem(parse_short_network(network),
                   {.collective = collective, .bytes = std::int64_t{1} << 30, .failed = failed}, diagnostics);
  const bench::Best best = bench::best_of_both(
      [&] {
        for (const Device d : problem.participants) (void)latencies_from(problem.graph, d);
      },
      [&] { (void)find_bounds(problem); });
  report.add_time(label, "NPU", problem.size(), best, bench::at_most(limit));
}

void measure(bench::Report& report) {
  const std::string rates = ",bw=50GB/s,lat=500ns";
  const bool small = report.smoke;
  measure_bounds(report, Collective::all_gather, "torus:8x8" + rates, {}, 30e3);
  measure_bounds(report, Collective::all_gather, (small ? "mesh:8x8" : "mesh:32x32") + rates, {}, 300e3);
  measure_bounds(report, Collective::all_gather, (small ? "hypercube:64" : "hypercube:1024") + rates, {}, 500e3);
  measure_bounds(report, Collective::all_reduce, (small ? "mesh:8x8" : "mesh:32x32") + rates, {}, 400e3);
  measure_bounds(report, Collective::all_to_all, (small ? "torus:4x4" : "torus:8x8") + rates, {"0-1", "2-3"}, 10e6);
}

}  // namespace

int main(int argc, char** argv) { return bench::run(argc, argv, {}, measure); }
