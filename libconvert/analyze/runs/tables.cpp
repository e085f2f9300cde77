// SPDX-License-Identifier: MIT
// Sections that are mostly tables of a run: matrix, links, path, memory, use of the peak.
#include <algorithm>
#include <array>
#include <map>

#include "analyze/figures/traffic.h"
#include "analyze/parts.h"
#include "analyze/runs/sections.h"
#include "analyze/runs/slices.h"
#include "analyze/runs/use.h"

namespace convert {
namespace {

constexpr std::array<std::string_view, 11> step_names = {
    "computing",  "CPU",   "memory",     "recorded communication", "message", "receive", "request", "requested",
    "collective", "delay", "unexplained"};

Table alive_table(const Run& run) {
  Table t{.key = "alive",
          .title = "largest tensors in use at the peak",
          .columns = {{"npu", "NPU", Unit::count},
                      {"tensor", "tensor", Unit::text},
                      {"size", "size", Unit::bytes},
                      {"size", "of the peak", Unit::share}},
          .more = "tensors"};
  std::int64_t mark = 0;
  for (const Run::Memory& m : run.memory) {
    if (!run.alive.empty() && m.npu == run.alive.front().npu) mark = std::max(mark, m.bytes);
  }
  for (const Run::Alive& a : run.alive)
    t.rows.push_back({std::int64_t{a.npu}, std::string(run.texts[a.tensor]), a.bytes, share_of(a.bytes, mark)});
  return t;
}

}  // namespace

Section traffic_section(const Run& run, const RunWishes&) {
  Section s{.name = "matrix"};
  Sum bytes;
  for (const Run::Traffic& t : run.matrix) bytes.add(t.bytes);
  std::vector<PairBytes> pairs;
  for (const Run::Traffic& m : run.matrix) pairs.push_back({m.src, m.dst, m.messages, Sum(m.bytes)});
  s.figures = {{"pairs_used", "pairs of NPUs", Unit::count, value_of(run.matrix.size())},
               {"bytes", "bytes", Unit::bytes, value_of(bytes)}};
  s.tables.push_back(traffic_table("bytes that one NPU sent to another", pairs, bytes));
  if (run.matrix.empty()) s.notes.emplace_back("the run does not record which NPU sent to which");
  return s;
}

Section links_section(const Run& run, const RunWishes&) {
  Section s{.name = "links"};
  const Picoseconds total = window(run);
  Table t{.key = "links",
          .title = "links, the busiest first",
          .columns = {{"from", "from", Unit::text},
                      {"to", "to", Unit::text},
                      {"dim", "dim", Unit::count},
                      {"bytes", "bytes", Unit::bytes},
                      {"messages", "messages", Unit::count},
                      {"busy", "busy", Unit::time},
                      {"busy", "busy", Unit::share},
                      {"peak_queue", "longest queue", Unit::count}},
          .more = "links"};
  std::uint64_t used = 0;
  double busy = 0;
  for (const Run::Link& l : run.links) {
    used += l.messages != 0 ? 1 : 0;
    if (l.messages != 0 && total > 0) busy += static_cast<double>(l.busy_ps) / static_cast<double>(total);
    t.rows.push_back({std::string(run.texts[l.from]), std::string(run.texts[l.to]),
                      l.dim < 0 ? Value{} : Value(std::int64_t{l.dim}), l.bytes, value_of(l.messages), l.busy_ps,
                      share_of(l.busy_ps, total), value_of(l.peak_queue)});
  }
  std::stable_sort(t.rows.begin(), t.rows.end(), [](const auto& a, const auto& b) { return a[5] > b[5]; });
  s.figures = {{"links", "links of the network", Unit::count,
                value_of(std::max<std::uint64_t>(run.network_links, run.links.size()))},
               {"used", "links in use", Unit::count, value_of(used)},
               {"busy_mean", "busy, mean of links in use", Unit::share,
                used == 0 ? Value{} : Value(busy / static_cast<double>(used))}};
  s.figures.front().key = "total";
  s.tables.push_back(std::move(t));
  if (run.links.empty()) s.notes.emplace_back("the run has no links; et-replay --model links records them");
  return s;
}

Section run_path_section(const Run& run, const RunWishes&) {
  Section s{.name = "path"};
  const Picoseconds total = window(run);
  std::map<std::size_t, std::pair<std::uint64_t, Sum>> by_kind;
  std::map<Rank, std::pair<std::uint64_t, Sum>> by_npu;
  std::map<std::string, std::pair<std::uint64_t, Sum>> by_name;
  const auto count = [](std::pair<std::uint64_t, Sum>& to, Picoseconds time) {
    ++to.first;
    to.second.add(time);
  };
  for (const Run::Step& step : run.path) {
    count(by_kind[static_cast<std::size_t>(step.kind)], step.time_ps);
    count(by_npu[step.npu], step.time_ps);
    const bool named = step.name != no_index && !run.timeline.names[step.name].empty();
    count(by_name[named ? std::string(run.timeline.names[step.name]) : "(no name)"], step.time_ps);
  }
  const auto add = [&](const char* key, const char* title, Unit unit, const auto& from, const auto& value_of_key) {
    Table t{.key = key,
            .title = title,
            .columns = {{"what", "what", unit},
                        {"steps", "steps", Unit::count},
                        {"time", "time", Unit::time},
                        {"total_share", "of the run", Unit::share}},
            .more = "rows"};
    for (const auto& [k, sums] : from)
      t.rows.push_back(
          {value_of_key(k), value_of(sums.first), value_of(sums.second), share_of(sums.second, Sum(total))});
    std::stable_sort(t.rows.begin(), t.rows.end(), [](const auto& a, const auto& b) { return a[2] > b[2]; });
    s.tables.push_back(std::move(t));
  };
  s.figures = {{"steps", "steps of the critical path", Unit::count, value_of(run.path.size())}};
  add("by_kind", "critical path by kind of step", Unit::text, by_kind,
      [](std::size_t k) { return Value(std::string(step_names.at(k))); });
  add("by_npu", "by NPU", Unit::count, by_npu, [](Rank r) { return Value(std::int64_t{r}); });
  add("by_name", "by name", Unit::text, by_name, [](const std::string& n) { return Value(n); });
  if (run.path.empty()) s.notes.emplace_back("the run has no critical path");
  return s;
}

Section run_memory_section(const Run& run, const RunWishes&) {
  Section s{.name = "memory"};
  std::map<Rank, std::pair<std::int64_t, Picoseconds>> peaks;  // bytes, time; -1: unknown
  for (const Run::Npu& n : run.npus) {
    if (n.peak_memory_bytes >= 0) peaks[n.rank] = {n.peak_memory_bytes, -1};
  }
  for (const Run::Memory& m : run.memory) {
    const auto at = peaks.try_emplace(m.npu, -1, -1).first;
    if (m.bytes > at->second.first || (m.bytes == at->second.first && at->second.second < 0))
      at->second = {m.bytes, m.time_ps};
  }
  Table t{.key = "peaks",
          .title = "most memory in use at once",
          .columns = {{"npu", "NPU", Unit::count}, {"peak", "peak", Unit::bytes}, {"peak_at", "at", Unit::time}},
          .more = "NPUs"};
  for (const auto& [rank, peak] : peaks)
    t.rows.push_back({std::int64_t{rank}, peak.first, peak.second < 0 ? Value{} : Value(peak.second)});
  std::stable_sort(t.rows.begin(), t.rows.end(), [](const auto& a, const auto& b) { return a[1] > b[1]; });
  s.figures = {{"peak", "highest peak of all NPUs", Unit::bytes, t.rows.empty() ? Value{} : t.rows.front()[1]},
               {"peak_npu", "on NPU", Unit::count, t.rows.empty() ? Value{} : t.rows.front()[0]},
               {"peak_at", "at", Unit::time, t.rows.empty() ? Value{} : t.rows.front()[2]}};
  s.tables.push_back(std::move(t));
  if (!run.alive.empty()) s.tables.push_back(alive_table(run));
  if (peaks.empty()) s.notes.emplace_back("the run records no memory");
  return s;
}

Section use_section(const Run& run, const RunWishes& wishes) {
  Section s{.name = "mfu"};
  const RunUse use = use_of(run, wishes.operations ? wishes.operations->number() : -1, wishes.ops_per_ns * 1e9);
  if (use.operations < 0) {
    s.notes.emplace_back(
        "the run does not record the number of operations: give the traces too, "
        "et-stats --run RUN --peak 989TFLOPS TRACES");
    return s;
  }
  const auto npus = static_cast<double>(npus_of(run).size());
  s.figures = {
      {"operations", "operations", Unit::count,
       wishes.operations ? value_of(*wishes.operations) : Value(static_cast<std::int64_t>(use.operations))},
      {"tflops", "TFLOPS of all NPUs", Unit::number, use.tflops * npus},
      {"tflops_per_npu", "TFLOPS of an NPU, mean", Unit::number, use.tflops}};
  if (use.peak_per_s > 0) {
    s.figures.push_back({"peak_tflops", "TFLOPS of an NPU at its peak", Unit::number, use.peak_per_s / 1e12});
    s.figures.push_back(
        {"mfu", "used share of the peak (MFU)", Unit::share, use.mfu < 0 ? Value{} : Value(use.mfu)});
  } else {
    s.notes.emplace_back("--peak 989TFLOPS adds the used share of the peak");
  }
  return s;
}

}  // namespace convert
