// SPDX-License-Identifier: MIT
#include "bench/measure.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "calibrate/plot.h"
#include "common/source.h"
#include "core/diagnostic.h"
#include "sets/schedules.h"
#include "sets/sink.h"
#include "util/log.h"
#include "util/parallel.h"
#include "util/progress.h"

namespace tools {

using namespace convert;

namespace {

// A call of a series; without a time, the reason, or no reason if it has fewer bytes than the algorithm has chunks.
struct BenchedCall {
  std::optional<TimedCall> call{};
  std::string refusal{};
};

// Returns the sizes in whole elements, each once.
std::vector<std::int64_t> rounded(const std::vector<std::int64_t>& sizes, const CallBench& bench) {
  std::vector<std::int64_t> out;
  for (const std::int64_t size : sizes) {
    const std::int64_t bytes = round_to_elements(bench.series().collective, size, bench.npus()).bytes;
    if (bytes != 0 && (out.empty() || out.back() != bytes)) out.push_back(bytes);
  }
  if (out.empty())
    throw usage_error("no size has a whole element of 4 bytes, or parts of 16 bytes for each of " +
                      counted(bench.npus(), "NPU") + "; give a larger --max or --size");
  return out;
}

BenchedCall bench_call(const CallBench& bench, std::int64_t bytes, bool optional) {
  try {
    return {.call = bench.time(bytes)};
  } catch (const Error& e) {
    if (!optional || e.kind() == Error::Kind::system) throw;
    return {.refusal = e.what()};
  }
}

// Notes the largest size that has fewer bytes than the algorithm has chunks. Throws Error(usage) if all sizes have.
void note_too_small(const PlannedSeries& planned, std::int64_t bytes, bool all) {
  const std::string& algorithm = planned.request.algorithm;
  if (all && !planned.optional)
    throw usage_error(algorithm + " has more chunks than the calls have bytes; give a larger --size or --max");
  log_note(algorithm + " is omitted up to " + format_bytes(bytes) +
           ": the algorithm has more chunks than the call has bytes");
}

// Times all calls of a series; returns nothing if it is omitted.
std::optional<CallSeries> measured_series(const PlannedSeries& planned, Context& context, Progress& progress) {
  const CallBench bench(planned.request);
  CallSeries series = bench.series();
  series.benchmark = planned.benchmark;
  const bool measured = !planned.benchmark.empty();
  const std::vector<std::int64_t> bytes = measured ? planned.bytes : rounded(planned.bytes, bench);
  std::string refusal;
  std::int64_t too_small = 0;
  for_each_ordered(
      context.jobs(), bytes.size(), [&](std::size_t i) { return bench_call(bench, bytes[i], planned.optional); },
      [&](std::size_t i, BenchedCall&& done) {
        progress.add(1);
        if (done.call && measured) done.call->measured = planned.measured[i];
        if (done.call) series.calls.push_back(std::move(*done.call));
        if (!done.call && done.refusal.empty()) too_small = bytes[i];
        if (refusal.empty()) refusal = std::move(done.refusal);
      });
  progress.clear();
  if (refusal.empty() && too_small != 0) note_too_small(planned, too_small, series.calls.empty());
  if (refusal.empty()) return series.calls.empty() ? std::nullopt : std::optional(std::move(series));
  log_note((planned.request.algorithm.empty() ? "the algorithm of " + planned.request.network
                                              : planned.request.algorithm) +
           " is omitted: " + refusal);
  return std::nullopt;
}

// Returns what all series have in common.
std::string plot_title(const std::vector<CallSeries>& all) {
  const auto common = [&](auto of) {
    return std::ranges::all_of(all, [&](const CallSeries& s) { return of(s) == of(all.front()); });
  };
  std::string title;
  const auto add = [&](const std::string& part) { title += (title.empty() ? "" : ", ") + part; };
  if (common([](const CallSeries& s) { return s.collective; })) add(std::string(name(all.front().collective)));
  if (common([](const CallSeries& s) { return s.network; })) add(all.front().network);
  if (common([](const CallSeries& s) { return s.npus; })) add(counted(all.front().npus, "NPU"));
  return title;
}

std::string bench_plot(const std::vector<CallSeries>& all) {
  const std::vector<std::string> names = series_names(all);
  std::vector<PlotCurve> curves;
  for (std::size_t i = 0; i < all.size(); ++i) {
    curves.push_back({.name = names[i], .marks = {}, .line = {}});
    for (const TimedCall& call : all[i].calls) {
      const auto bytes = static_cast<double>(call.bytes);
      curves.back().line.emplace_back(bytes, bus_bandwidth(all[i], call));
      if (!call.measured) continue;
      TimedCall measured = call;
      measured.time = *call.measured;
      curves.back().marks.emplace_back(bytes, bus_bandwidth(all[i], measured));
    }
  }
  return plot_svg(plot_title(all), "size", "bus bandwidth", curves);
}

// Prints the notes of each network once.
void note_networks(const std::vector<PlannedSeries>& plan) {
  std::set<std::string> seen;
  for (const PlannedSeries& planned : plan) {
    if (!seen.insert(planned.request.network).second) continue;
    report_network(find_network(planned.request.network));
  }
}

}  // namespace

std::vector<CallSeries> measure(const std::vector<PlannedSeries>& plan, Context& context) {
  std::vector<CallSeries> all;
  std::size_t calls = 0;
  for (const PlannedSeries& planned : plan) calls += planned.bytes.size();
  note_networks(plan);
  Progress progress("calls", calls, context.progress());
  for (const PlannedSeries& planned : plan) {
    if (auto series = measured_series(planned, context, progress)) all.push_back(std::move(*series));
  }
  if (all.empty()) throw usage_error("no algorithm has a time for these calls");
  return all;
}

void write_bench(const std::vector<CallSeries>& all, const BenchOptions& o) {
  const std::string form = o.format.value_or("text");
  const std::string plot = o.plot ? bench_plot(all) : "";
  if (o.plot) write_bytes(*o.plot, plot);  // if this fails, there is no output
  write_bytes(std::nullopt, form == "json"  ? all_series_json(all)
                            : form == "csv" ? all_series_csv(all)
                                            : all_series_text(all));
}

}  // namespace tools
