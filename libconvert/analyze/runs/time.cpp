// SPDX-License-Identifier: MIT
// Duration of a run and its time categories; list of the sections.
#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "analyze/parts.h"
#include "analyze/runs/by_key.h"
#include "analyze/runs/sections.h"
#include "analyze/runs/slices.h"
#include "analyze/runs/use.h"

namespace convert {
namespace {

Table part_table(const std::vector<NpuParts>& parts, const SlicesByNpu& slices, Picoseconds total) {
  Table t{.key = "parts",
          .title = "time of an NPU by category",
          .columns = {{"part", "part", Unit::text},
                      {"mean", "mean", Unit::time},
                      {"mean", "of the run", Unit::share},
                      {"min", "min", Unit::time},
                      {"max", "max", Unit::time},
                      {"max_npu", "on NPU", Unit::count}}};
  for (std::size_t p = 0; p < part_count; ++p) {
    Picoseconds least = 0, most = 0;
    Rank most_npu = 0;
    double sum = 0, weight = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const Picoseconds time = parts[i].ps[p];
      least = i == 0 ? time : std::min(least, time);
      if (i == 0 || time > most) most_npu = parts[i].npu;
      most = i == 0 ? time : std::max(most, time);
      const auto n = static_cast<double>(slices.weight(parts[i].npu));
      sum += n * static_cast<double>(time);
      weight += n;
    }
    const double mean = weight == 0 ? 0 : sum / weight;
    t.rows.push_back({std::string(part_titles[p]), mean,
                      total == 0 ? Value{} : Value(mean / static_cast<double>(total)), least, most,
                      most == 0 ? Value{} : Value(std::int64_t{most_npu})});
  }
  return t;
}

Table npu_table(const std::vector<NpuParts>& parts, const SlicesByNpu& slices) {
  Table t{.key = "by_npu",
          .title = "by NPU; the seven times add up to the run",
          .columns = {{"npu", "NPU", Unit::count}},
          .more = "NPUs"};
  constexpr std::array<std::string_view, part_count> titles = {"alone",  "both", "exposed", "waiting",
                                                               "memory", "CPU",  "idle"};
  for (std::size_t p = 0; p < part_count; ++p)
    t.columns.push_back({std::string(part_names[p]), std::string(titles[p]), Unit::time});
  t.columns.push_back({"stands_for", "represents", Unit::count});
  for (const NpuParts& n : parts) {
    std::vector<Value> row = {std::int64_t{n.npu}};
    for (const Picoseconds time : n.ps) row.emplace_back(time);
    row.emplace_back(slices.weight(n.npu));
    t.rows.push_back(std::move(row));
  }
  return t;
}

}  // namespace

Section time_section(const Run& run, const RunWishes& wishes) {
  Section s{.name = "time"};
  s.figures = {{"total", "from start to end", Unit::time, window(run)},
               {"status", "status", Unit::text, std::string(name(run.status))},
               {"origin", "times are", Unit::text, std::string(run.recorded ? "recorded" : "simulated")},
               {"npus", "NPUs", Unit::count, value_of(npus_of(run).size())},
               {"slices", "slices", Unit::count, value_of(run.timeline.slices.size())}};
  if (run.timeline.slices.empty()) {
    s.notes.emplace_back(
        "the run has no slices, so its time categories are unknown; et-replay -o x.run keeps slices");
  } else {
    const SlicesByNpu slices(run);
    const std::vector<NpuParts> parts = own_parts(run);
    s.tables.push_back(part_table(parts, slices, window(run)));
    if (wishes.by) s.tables.push_back(slices_by(run, *wishes.by));
    s.tables.push_back(npu_table(parts, slices));
  }
  if (run.status == RunStatus::deadlock)
    s.notes.emplace_back("the run is deadlocked: times end at its last progress");
  if (run.status == RunStatus::stopped) s.notes.emplace_back("the run was stopped at this time, by --until");
  return s;
}

std::span<const RunSection> run_sections() {
  static constexpr std::array<RunSection, 11> sections = {{
      {"time", [](const Run&) { return true; }, time_section},
      {"operations",
       [](const Run& r) {
         return std::ranges::any_of(r.timeline.slices, [](const Slice& s) { return s.lane != Lane::cpu; });
       },
       operations_section},
      {"overlap", [](const Run& r) { return !r.timeline.slices.empty(); }, overlap_section},
      {"collectives", [](const Run& r) { return !r.calls.empty(); }, calls_section},
      {"skew", [](const Run& r) { return !r.calls.empty(); }, skew_section},
      {"iterations", [](const Run& r) { return !r.timeline.slices.empty() || !r.call_npus.empty(); },
       iterations_section},
      {"path", [](const Run& r) { return !r.path.empty(); }, run_path_section},
      {"links", [](const Run& r) { return !r.links.empty(); }, links_section},
      {"matrix", [](const Run& r) { return !r.matrix.empty(); }, traffic_section},
      {"memory",
       [](const Run& r) {
         return !r.memory.empty() ||
                std::ranges::any_of(r.npus, [](const Run::Npu& n) { return n.peak_memory_bytes >= 0; });
       },
       run_memory_section},
      {"mfu", [](const Run& r) { return use_of(r).operations >= 0; }, use_section},
  }};
  return sections;
}

}  // namespace convert
