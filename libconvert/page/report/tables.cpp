// SPDX-License-Identifier: MIT
#include "page/report/tables.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "analyze/findings.h"
#include "analyze/runs/certainty.h"
#include "analyze/runs/group_titles.h"
#include "analyze/runs/sections.h"
#include "analyze/runs/use.h"
#include "util/utf8.h"

namespace convert {
namespace {

constexpr std::size_t most_text_bytes = 400;  // of a name; the rest is cut
constexpr std::size_t most_steps = 20'000;    // of a path
constexpr std::size_t most_binned_links = 1024;
constexpr std::uint32_t most_matrix_groups = 64;
constexpr std::size_t memory_bins = 360;
constexpr std::size_t most_waits = 1000;

// Joins neighbours for which `joins(last, next)` holds; a joined step has the name of its longest part.
template <typename Joins>
std::vector<Run::Step> joined_path(const std::vector<Run::Step>& path, const Joins& joins) {
  std::vector<Run::Step> steps;
  Picoseconds longest = 0;  // part of the last joined step
  for (const Run::Step& step : path) {
    if (steps.empty() || !joins(steps.back(), step)) {
      steps.push_back(step);
      longest = step.time_ps;
      continue;
    }
    Run::Step& last = steps.back();
    const Picoseconds begin = last.begin_ps;
    const Picoseconds time = last.time_ps + step.time_ps;
    if (step.time_ps > longest) {
      longest = step.time_ps;
      last = step;
    }
    last.begin_ps = begin;
    last.time_ps = time;
  }
  return steps;
}

// Returns a path of at most about 2 × most_steps steps. If it is longer, neighbours of one kind, NPU and collective
// are joined. If that is not enough, steps shorter than `below` are joined too.
std::vector<Run::Step> shown_path(const Run& run, Picoseconds& below) {
  below = 0;
  if (run.path.size() <= most_steps) return run.path;
  std::vector<Run::Step> steps = joined_path(run.path, [](const Run::Step& last, const Run::Step& next) {
    return last.kind == next.kind && last.npu == next.npu && last.call == next.call;
  });
  if (steps.size() <= most_steps) return steps;
  below = std::max<Picoseconds>(window(run), 1) / static_cast<Picoseconds>(most_steps) + 1;
  return joined_path(
      steps, [&](const Run::Step& last, const Run::Step& next) { return last.time_ps + next.time_ps < below; });
}

// Sum of the steps of the whole path with equal kind, NPU and operation.
struct PathSum {
  Run::StepKind kind = Run::StepKind::compute;
  Rank npu = 0;
  std::int32_t op = -1;  // of a collective
  std::uint32_t steps = 0;
  Picoseconds time_ps = 0;
  Run::Step first{};
};

std::vector<PathSum> path_sums(const Run& run) {
  std::map<std::tuple<Run::StepKind, Rank, std::int32_t>, std::size_t> at;
  std::vector<PathSum> sums;
  for (const Run::Step& step : run.path) {
    if (step.time_ps <= 0) continue;
    const std::int32_t op = step.call == no_index ? -1 : static_cast<std::int32_t>(run.calls[step.call].op);
    const auto [known, added] = at.try_emplace({step.kind, step.npu, op}, sums.size());
    if (added) sums.push_back({.kind = step.kind, .npu = step.npu, .op = op, .first = step});
    ++sums[known->second].steps;
    sums[known->second].time_ps += step.time_ps;
  }
  return sums;
}

}  // namespace

std::int32_t PageTexts::number(std::uint32_t text) {
  if (text >= numbers_.size()) return -1;
  if (numbers_[text] == no_index) {
    numbers_[text] = static_cast<std::uint32_t>(used_.size());
    used_.push_back(text);
  }
  return static_cast<std::int32_t>(numbers_[text]);
}

void PageTexts::write(JsonWriter& json, std::string_view key) const {
  json.key(key).begin_array();
  for (const std::uint32_t text : used_) json.value(cut_text(all_[text], most_text_bytes));
  json.end_array();
}

void add_npus(const Run& run, const NpuIndex& index, const RunParts& parts, ReportColumns& columns) {
  using Npu = Run::Npu;
  const auto delta = Column::Code::delta;
  columns.numbers(
      "npu.rank", index.ranks(), [](Rank rank) { return rank; }, delta);
  for (std::size_t p = 0; p < part_count; ++p) {
    columns.times("part." + std::string(part_names[p]), parts.npus, [p](const NpuParts& n) { return n.ps[p]; });
  }
  columns.reals("activity", parts.activity, [](double npus) { return npus; });
  if (run.npus.size() != index.ranks().size()) return;  // the run has no data of NPUs except slices
  columns.times("npu.finish", run.npus, [](const Npu& n) { return n.finish_ps; });
  columns.times("npu.astra_exposed", run.npus, [](const Npu& n) { return n.astra_exposed_ps; });
  columns.times("npu.compute_sum", run.npus, [](const Npu& n) { return n.compute_ps; });
  columns.reals(
      "npu.sends", run.npus, [](const Npu& n) { return n.sends; }, delta);
  columns.reals(
      "npu.bytes_sent", run.npus, [](const Npu& n) { return n.bytes_sent; }, delta);
  columns.reals(
      "npu.nodes", run.npus, [](const Npu& n) { return n.nodes; }, delta);
  columns.reals(
      "npu.nodes_done", run.npus, [](const Npu& n) { return n.nodes_done; }, delta);
  columns.reals(
      "npu.peak_memory", run.npus, [](const Npu& n) { return n.peak_memory_bytes; }, delta);
}

void add_path(const Run& run, const NpuIndex& index, PageTexts& names, PageTexts& texts, JsonWriter& json,
              ReportColumns& columns) {
  using Step = Run::Step;
  Picoseconds below = 0;
  const std::vector<Step> path = shown_path(run, below);
  json.member("path_joined_below_ps", below);
  const std::vector<PathSum> sums = path_sums(run);
  columns.kinds("path_sum.kind", sums, [](const PathSum& s) { return s.kind; });
  columns.numbers(
      "path_sum.npu", sums, [&](const PathSum& s) { return index[s.npu]; }, Column::Code::delta);
  columns.numbers("path_sum.op", sums, [](const PathSum& s) { return s.op; });
  columns.numbers("path_sum.steps", sums, [](const PathSum& s) { return s.steps; });
  columns.times("path_sum.time", sums, [](const PathSum& s) { return s.time_ps; });
  columns.times("path_sum.first_begin", sums, [](const PathSum& s) { return s.first.begin_ps; });
  columns.times("path_sum.first_time", sums, [](const PathSum& s) { return s.first.time_ps; });
  columns.kinds("path.kind", path, [](const Step& s) { return s.kind; });
  columns.numbers(
      "path.npu", path, [&](const Step& s) { return index[s.npu]; }, Column::Code::delta);
  columns.ids("path.node", path, [](const Step& s) { return s.node; });
  columns.numbers("path.name", path, [&](const Step& s) { return names.number(s.name); });
  columns.times("path.begin", path, [](const Step& s) { return s.begin_ps; });
  columns.times(
      "path.time", path, [](const Step& s) { return s.time_ps; }, Column::Code::dict);
  columns.numbers("path.call", path, [](const Step& s) { return s.call; });
  columns.reals(
      "path.bytes", path, [](const Step& s) { return s.bytes; }, Column::Code::dict);
  columns.numbers("path.peer", path, [](const Step& s) { return s.peer; });
  columns.numbers("path.then", path, [&](const Step& s) { return texts.number(s.then); });
}

void add_calls(const Run& run, PageTexts& texts, ReportColumns& columns) {
  using Call = Run::Call;
  columns.kinds("call.op", run.calls, [](const Call& c) { return c.op; });
  columns.reals(
      "call.group", run.calls, [](const Call& c) { return c.group; }, Column::Code::delta);
  columns.numbers(
      "call.number", run.calls, [](const Call& c) { return c.number; }, Column::Code::delta);
  columns.numbers("call.npus", run.calls, [](const Call& c) { return c.npus; });
  columns.reals(
      "call.size", run.calls, [](const Call& c) { return c.size_bytes; }, Column::Code::delta);
  columns.numbers("call.algorithm", run.calls, [&](const Call& c) { return texts.number(c.algorithm); });
  if (std::ranges::any_of(run.calls, [](const Call& c) { return c.source != no_index; })) {
    columns.numbers("call.source", run.calls, [&](const Call& c) { return texts.number(c.source); });
    columns.reals(
        "call.error_pct", run.calls, [](const Call& c) { return c.error_pct; }, Column::Code::dict);
  }
  columns.times("call.bound", run.calls, [](const Call& c) { return c.bound_ps; });
  columns.times("call.begin", run.calls, [](const Call& c) { return c.begin_ps; });
  columns.times("call.last_begin", run.calls, [](const Call& c) { return c.last_begin_ps; });
  columns.times("call.end", run.calls, [](const Call& c) { return c.end_ps; });
  columns.reals("call.factor", run.calls, [](const Call& c) { return bus_bandwidth_factor(c.op, c.npus); });
  columns.numbers(
      "call.first_npu", run.calls, [](const Call& c) { return c.first_npu; }, Column::Code::delta);
}

void add_links(const Run& run, PageTexts& texts, ReportColumns& columns) {
  using Link = Run::Link;
  columns.numbers("link.from", run.links, [&](const Link& l) { return texts.number(l.from); });
  columns.numbers("link.to", run.links, [&](const Link& l) { return texts.number(l.to); });
  columns.numbers("link.dim", run.links, [](const Link& l) { return l.dim; });
  columns.reals("link.gb_per_s", run.links, [](const Link& l) { return l.gb_per_s; });
  columns.reals("link.latency_ns", run.links, [](const Link& l) { return l.latency_ns; });
  columns.reals(
      "link.bytes", run.links, [](const Link& l) { return l.bytes; }, Column::Code::delta);
  columns.numbers(
      "link.messages", run.links, [](const Link& l) { return l.messages; }, Column::Code::delta);
  columns.times("link.busy", run.links, [](const Link& l) { return l.busy_ps; });
  columns.numbers("link.peak_queue", run.links, [](const Link& l) { return l.peak_queue; });
  if (run.link_bins_each != 0 && run.links.size() <= most_binned_links) {
    columns.all().push_back({"link.bins", run.link_bins, Column::Code::raw});
  }
}

void add_matrix(const Run& run, const NpuIndex& index, JsonWriter& json, ReportColumns& columns) {
  const auto npus = static_cast<std::uint32_t>(index.ranks().size());
  const std::uint32_t each = std::max<std::uint32_t>(1, (npus + most_matrix_groups - 1) / most_matrix_groups);
  json.member("matrix_npus_each", each);
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::pair<std::int64_t, std::uint64_t>> cells;
  for (const Run::Traffic& t : run.matrix) {
    const std::uint32_t src = index[t.src];
    const std::uint32_t dst = index[t.dst];
    if (src == no_index || dst == no_index) continue;
    auto& cell = cells[{src / each, dst / each}];
    cell.first += t.bytes;
    cell.second += t.messages;
  }
  using Cell = decltype(cells)::value_type;
  columns.numbers(
      "matrix.src", cells, [](const Cell& c) { return c.first.first; }, Column::Code::delta);
  columns.numbers(
      "matrix.dst", cells, [](const Cell& c) { return c.first.second; }, Column::Code::delta);
  columns.reals(
      "matrix.bytes", cells, [](const Cell& c) { return c.second.first; }, Column::Code::delta);
  columns.reals(
      "matrix.messages", cells, [](const Cell& c) { return c.second.second; }, Column::Code::delta);
}

void add_memory(const Run& run, ReportColumns& columns) {
  if (run.memory.empty()) return;
  const Picoseconds end = std::max<Picoseconds>(window(run), 1);
  std::vector<double> least(memory_bins, -1);
  std::vector<double> most(memory_bins, 0);
  std::vector<double> sum(memory_bins, 0);
  std::size_t npus = 0;
  for (std::size_t i = 0; i < run.memory.size(); ++npus) {
    const Rank npu = run.memory[i].npu;
    std::vector<double> peak(memory_bins, 0);
    double now = 0;
    std::size_t bin = 0;
    const auto advance = [&](std::size_t to) {
      for (peak[bin] = std::max(peak[bin], now); bin < to; peak[++bin] = now) {
      }
    };
    for (; i < run.memory.size() && run.memory[i].npu == npu; ++i) {
      const double at = static_cast<double>(run.memory[i].time_ps) / static_cast<double>(end);
      advance(std::max(bin, std::min(memory_bins - 1, static_cast<std::size_t>(at * memory_bins))));
      now = static_cast<double>(run.memory[i].bytes);
      peak[bin] = std::max(peak[bin], now);
    }
    advance(memory_bins - 1);
    for (std::size_t k = 0; k < memory_bins; ++k) {
      least[k] = least[k] < 0 ? peak[k] : std::min(least[k], peak[k]);
      most[k] = std::max(most[k], peak[k]);
      sum[k] += peak[k];
    }
  }
  columns.reals("memory.min", least, [](double b) { return b; });
  columns.reals("memory.mean", sum, [&](double b) { return b / static_cast<double>(npus); });
  columns.reals("memory.max", most, [](double b) { return b; });
}

void write_dims(const Run& run, JsonWriter& json) {
  json.key("dims").begin_array();
  for (const Run::Dim& dim : run.dims) {
    json.begin_object().member("topology", run.texts[dim.topology]).member("npus", dim.npus);
    json.member("gb_per_s", dim.gb_per_s).member("latency_ns", dim.latency_ns).end_object();
  }
  json.end_array();
}

void write_what_if(const Run& run, JsonWriter& json) {
  json.key("what_if").begin_array();
  for (const Run::WhatIf& line : run.whatif) {
    json.begin_object().member("what", run.texts[line.what]).member("setting", run.texts[line.setting]);
    json.member("total_ps", line.total_ps).end_object();
  }
  json.end_array();
}

void write_waits(const Run& run, JsonWriter& json) {
  json.member("waiting", run.waits.size()).key("waits").begin_array();
  for (std::size_t i = 0; i < std::min(run.waits.size(), most_waits); ++i) {
    const Run::Wait& wait = run.waits[i];
    const std::string_view name = wait.name == no_index ? "" : run.timeline.names[wait.name];
    json.begin_object().member("npu", wait.npu).member("node", std::to_string(wait.node));
    json.member("name", cut_text(name, most_text_bytes)).member("since_ps", wait.since_ps);
    json.member("text", run.texts[wait.text]).end_object();
  }
  json.end_array();
}

void write_operations(const Run& run, JsonWriter& json) {
  constexpr std::size_t most = 500;
  const Table t = operation_table(run);
  const auto number = [](const Value& value) {
    const auto* whole = std::get_if<std::int64_t>(&value);
    const auto* real = std::get_if<double>(&value);
    return whole != nullptr ? static_cast<double>(*whole) : real != nullptr ? *real : 0;
  };
  json.member("operations_in_all", t.rows.size()).key("operations").begin_array();
  for (std::size_t i = 0; i < std::min(most, t.rows.size()); ++i) {
    const std::vector<Value>& row = t.rows[i];
    json.begin_object().member("name", cut_text(std::get<std::string>(row[0]), most_text_bytes));
    json.member("kind", std::get<std::string>(row[1])).member("count", number(row[2]));
    json.member("total_ps", number(row[3])).member("mean_ps", number(row[4])).member("share", number(row[5]));
    json.end_object();
  }
  json.end_array();
}

void write_use(const Run& run, JsonWriter& json) {
  const RunUse use = use_of(run);
  if (use.operations < 0) return;
  json.key("use").begin_object().member("operations", use.operations).member("tflops", use.tflops);
  json.member("peak_tflops", use.peak_per_s / 1e12).member("mfu", use.mfu).end_object();
}

void write_certainty(const Run& run, JsonWriter& json) {
  const Certainty certainty = certainty_of(run);
  if (certainty.origins.empty()) return;
  json.key("certainty").begin_object().member("error_pct", certainty.error_pct).key("origins").begin_array();
  for (const CallOrigin& o : certainty.origins) {
    json.begin_object().member("source", o.source).member("calls", o.calls);
    json.member("share", o.share).member("error_pct", o.error_pct).end_object();
  }
  json.end_array().end_object();
}

void write_groups(const Run& run, JsonWriter& json) {
  const GroupTitles titles(run);
  json.key("groups").begin_array();
  for (const std::int64_t group : titles.groups()) {
    json.begin_object().member("group", group).member("like", titles.representative(group));
    json.member("title", cut_text(titles.title(group), most_text_bytes));
    json.member("alone", cut_text(titles.title_alone(group), most_text_bytes)).end_object();
  }
  json.end_array();
}

void write_findings(const Run& run, JsonWriter& json) {
  std::string findings;
  append_json(findings_of(run), findings);
  json.key("findings").raw(findings);
}

}  // namespace convert
