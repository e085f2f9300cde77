// SPDX-License-Identifier: MIT
// Iterations of a run and their times: found by numbers in names, else by repeating collectives.
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <vector>

#include "analyze/parts.h"
#include "analyze/runs/sections.h"
#include "analyze/runs/slices.h"

namespace convert {
namespace {

struct Iteration {
  std::int64_t number = 0;
  Picoseconds begin_ps = 0;
  Picoseconds end_ps = 0;
};
struct Found {
  std::vector<Iteration> iterations;
  std::string how;
};

// Text before the iteration number in names, the most reliable first.
constexpr std::array<std::string_view, 4> markers = {"ProfilerStep#", "iteration ", "Iteration ", "iteration="};

// Returns the number after the marker; nothing if the name does not contain it.
std::optional<std::int64_t> number_in(std::string_view name, std::string_view marker) {
  const std::size_t at = name.rfind(marker);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view rest = name.substr(at + marker.size());
  const std::size_t digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
  if (digits == 0 || digits > 18) return std::nullopt;
  return parse_int(rest.substr(0, digits));
}

std::optional<Found> by_names(const Run& run, std::string_view marker) {
  std::vector<std::int64_t> number_of(run.timeline.names.size(), -1);
  bool any = false;
  for (std::uint32_t i = 0; i < run.timeline.names.size(); ++i) {
    if (const auto n = number_in(run.timeline.names[i], marker)) {
      number_of[i] = *n;
      any = true;
    }
  }
  if (!any) return std::nullopt;
  std::map<std::int64_t, Iteration> found;
  for (const Slice& s : run.timeline.slices) {
    const std::int64_t n = number_of[s.name];
    if (n < 0) continue;
    const auto [at, is_new] = found.try_emplace(n, Iteration{n, s.begin_ps, s.end_ps});
    at->second.begin_ps = std::min(at->second.begin_ps, s.begin_ps);
    at->second.end_ps = std::max(at->second.end_ps, s.end_ps);
  }
  if (found.empty()) return std::nullopt;
  Found f;
  f.how = "by names such as \"" + std::string(marker) + std::to_string(found.begin()->first) + '"';
  for (const auto& [n, iteration] : found) f.iterations.push_back(iteration);
  std::stable_sort(f.iterations.begin(), f.iterations.end(),
                   [](const Iteration& x, const Iteration& y) { return x.begin_ps < y.begin_ps; });
  if (marker == markers.front()) return f;  // a slice covers its iteration from begin to end
  f.how += "; each lasts until the next one begins, the last until the run ends";
  for (std::size_t i = 0; i < f.iterations.size(); ++i)
    f.iterations[i].end_ps = i + 1 < f.iterations.size() ? f.iterations[i + 1].begin_ps : window(run);
  return f;
}

// Returns the shortest period of the list, computed from its prefix borders; the size if the list has no period.
template <class T>
std::size_t period_of(const std::vector<T>& list) {
  std::vector<std::size_t> border(list.size() + 1);
  for (std::size_t i = 1; i < list.size(); ++i) {
    std::size_t k = border[i];
    while (k != 0 && list[i] != list[k]) k = border[k];
    border[i + 1] = list[i] == list[k] ? k + 1 : 0;
  }
  return list.size() - border[list.size()];
}

// Uses the collectives of the lowest NPU that has calls. If the sequence of operations, groups and sizes is
// periodic over the whole run, each period is an iteration.
std::optional<Found> by_repetition(const Run& run) {
  using CallKey = std::tuple<Collective, std::int64_t, std::int64_t>;
  std::vector<CallKey> kinds;
  std::vector<Picoseconds> begins;
  if (run.call_npus.empty()) return std::nullopt;
  Rank first = run.call_npus.front().npu;
  for (const Run::CallNpu& c : run.call_npus) first = std::min(first, c.npu);
  for (const Run::CallNpu& c : run.call_npus) {
    if (c.npu != first || c.call >= run.calls.size()) continue;
    const Run::Call& call = run.calls[c.call];
    kinds.emplace_back(call.op, call.group, call.size_bytes);
    begins.push_back(c.begin_ps);
  }
  const std::size_t period = kinds.empty() ? 0 : period_of(kinds);
  if (period == 0 || kinds.size() < 2 * period || kinds.size() % period != 0) return std::nullopt;
  Found f{
      .iterations = {},
      .how = "by collectives: a sequence of " + std::to_string(period) + " repeats on NPU " +
             std::to_string(first) +
             "; each iteration begins with the first collective of the sequence, the first iteration with the run"};
  for (std::size_t i = 0; i < kinds.size(); i += period) {
    const std::size_t next = i + period;
    f.iterations.push_back({static_cast<std::int64_t>(i / period), i == 0 ? 0 : begins[i],
                            next < begins.size() ? begins[next] : window(run)});
  }
  return f;
}

std::optional<Found> find_iterations(const Run& run) {
  for (const std::string_view marker : markers) {
    if (auto f = by_names(run, marker)) return f;
  }
  return by_repetition(run);
}

}  // namespace

Section iterations_section(const Run& run, const RunWishes&) {
  Section s{.name = "iterations"};
  const auto found = find_iterations(run);
  if (!found) {
    s.figures = {{"count", "iterations found", Unit::count, std::int64_t{0}}};
    s.notes.emplace_back(
        "found no names such as ProfilerStep#2 or \"iteration 2\", and no sequence of collectives that repeats");
    return s;
  }
  std::vector<std::int64_t> times;
  Sum sum;
  Table t{.key = "iterations",
          .title = "iterations",
          .columns = {{"iteration", "iteration", Unit::count},
                      {"begin", "begin", Unit::time},
                      {"end", "end", Unit::time},
                      {"time", "time", Unit::time}},
          .more = "iterations"};
  const std::vector<Iteration>& all = found->iterations;
  for (const Iteration& one : all) {
    const Picoseconds time = one.end_ps - one.begin_ps;
    times.push_back(time);
    sum.add(time);
    t.rows.push_back({one.number, one.begin_ps, one.end_ps, time});
  }
  s.figures = {{"count", "iterations", Unit::count, value_of(all.size())},
               {"mean", "mean time", Unit::time, sum.number() / static_cast<double>(all.size())},
               {"min", "shortest", Unit::time, *std::min_element(times.begin(), times.end())},
               {"p50", "median", Unit::time, percentile(times, 50)},
               {"p99", "99th percentile", Unit::time, percentile(times, 99)},
               {"max", "longest", Unit::time, percentile(times, 100)}};
  s.tables.push_back(std::move(t));
  s.notes.push_back("found " + found->how);
  return s;
}

}  // namespace convert
