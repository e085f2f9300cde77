// SPDX-License-Identifier: MIT
#include "bench/against.h"

#include <algorithm>
#include <string_view>
#include <tuple>
#include <utility>

#include "calibrate/points.h"
#include "calibrate/read/read.h"
#include "calibrate/selection.h"
#include "common/text.h"
#include "config/network/wire_graph.h"
#include "core/diagnostic.h"
#include "io/input.h"
#include "machine/chosen.h"
#include "sets/schedules.h"

namespace tools {

using namespace convert;

namespace {

constexpr std::size_t most_log_bytes = 256 << 20;

// Returns the number of GPUs of a node of the first machine; otherwise the default.
std::uint32_t gpus_of_node(const BenchOptions& o) {
  for (const std::string& network : o.networks) {
    if (const auto machine = find_network(network).machine) return machine->machine().node.gpus;
  }
  return BenchmarkReadOptions{}.gpus_of_node;
}

// Returns the selected rows of an operand of --against. COLLECTIVE and --npus are for logs that do not state them.
Benchmark read_log(const std::string& operand, const BenchOptions& o, Context& context) {
  BenchmarkSelection selection = parse_benchmark_selection(operand);
  BenchmarkReadOptions& read = selection.read;
  const std::vector<Collective> collectives = collectives_of(o);
  if (!read.collective && collectives.size() == 1) read.collective = collectives.front();
  if (!read.ranks && o.npus) read.ranks = static_cast<std::uint32_t>(*o.npus);
  read.gpus_of_node = gpus_of_node(o);
  read.allow_programs = !o.algorithms.empty();
  const auto input = open_input(selection.file);
  const std::string_view text = input->peek(most_log_bytes + 1);
  if (text.size() > most_log_bytes) throw input_error({.file = selection.file}, "larger than 256 MiB");
  return select_rows(selection, read_benchmark(input->name(), text, read, context.diagnostics));
}

// The calls of one curve of a benchmark.
struct MeasuredCurve {
  BenchmarkPoint first{};
  std::vector<std::int64_t> bytes{};
  std::vector<Picoseconds> measured{};

  [[nodiscard]] bool has(const BenchmarkPoint& p) const {
    return std::tie(p.collective, p.ranks, p.nodes, p.set, p.machine, p.run) ==
           std::tie(first.collective, first.ranks, first.nodes, first.set, first.machine, first.run);
  }
};

std::vector<MeasuredCurve> curves_of(const Benchmark& benchmark, const std::vector<Collective>& wanted) {
  std::vector<BenchmarkPoint> points = benchmark.points;
  std::ranges::stable_sort(points, {}, &BenchmarkPoint::bytes);
  std::vector<MeasuredCurve> out;
  for (const BenchmarkPoint& p : benchmark.points) {  // in the order of the log
    const bool chosen = wanted.empty() || std::ranges::find(wanted, p.collective) != wanted.end();
    if (!chosen || !can_bench(p.collective)) continue;
    if (std::ranges::none_of(out, [&](const MeasuredCurve& c) { return c.has(p); })) out.push_back({.first = p});
  }
  for (MeasuredCurve& curve : out) {
    for (const BenchmarkPoint& p : points) {
      if (!curve.has(p)) continue;
      curve.bytes.push_back(p.bytes);
      curve.measured.push_back(round_to_ps(counting_time(p)));
    }
  }
  return out;
}

// Returns the name of a curve's benchmark: its set or file, and its run if there are several.
std::string name_of(const MeasuredCurve& curve, const Benchmark& benchmark) {
  std::string out = curve.first.set.empty() ? base_name(benchmark.file) : curve.first.set;
  if (!curve.first.machine.empty()) out += ", " + curve.first.machine;
  const bool several = std::ranges::any_of(
      benchmark.points, [&](const BenchmarkPoint& p) { return p.run != benchmark.points.front().run; });
  if (several) out += ", run " + std::to_string(curve.first.run + 1);
  return out;
}

}  // namespace

std::vector<PlannedSeries> planned_comparison(const BenchOptions& o, Context& context) {
  std::vector<PlannedSeries> out;
  for (const std::string& path : o.against) {
    const Benchmark benchmark = read_log(path, o, context);
    const std::vector<MeasuredCurve> curves = curves_of(benchmark, collectives_of(o));
    if (curves.empty())
      throw input_error({.file = path}, o.collectives.empty() ? "no calls of collectives that have a benchmark"
                                                              : "no calls of the given collectives");
    for (const MeasuredCurve& curve : curves) {
      for (PlannedSeries& series : series_of(o, curve.first.collective)) {
        series.request.npus = curve.first.ranks;
        series.request.nodes = curve.first.nodes;
        series.bytes = curve.bytes;
        series.benchmark = name_of(curve, benchmark);
        series.measured = curve.measured;
        out.push_back(std::move(series));
      }
    }
  }
  return out;
}

}  // namespace tools
