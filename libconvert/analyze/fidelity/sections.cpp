// SPDX-License-Identifier: MIT
// Tables of the fidelity metrics.
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "analyze/fidelity/fidelity.h"

namespace convert {
namespace {

template <class T>
Value value_or_none(const std::optional<T>& v) {
  return v ? Value(*v) : Value();
}

Value time_or_none(const RunOutline& run, const std::optional<double>& time_ps) {
  if (!run.complete() || !time_ps) return {};
  return static_cast<std::int64_t>(std::llround(*time_ps));
}
std::optional<double> span_of(const RunOutline& run) { return static_cast<double>(run.span_ps); }
std::optional<double> exposed_of(const RunOutline& run) { return run.exposed_ps; }
std::optional<double> waiting_of(const RunOutline& run) { return run.waiting_ps; }

std::string type_text(NodeType type, bool of_runs) {
  if (of_runs && type == NodeType::comp) return "computing";
  if (of_runs && type == NodeType::mem_load) return "memory";
  const std::string_view name = node_type_name(type);
  return name.empty() ? "type " + std::to_string(static_cast<int>(type)) : std::string(name);
}

// Metrics of both trace sets and runs.
std::vector<Figure> shared_figures(const Fidelity& f) {
  const FeatureFidelity& s = f.set;
  const std::string ranks = f.of_runs ? "NPUs" : "ranks", nodes = f.of_runs ? "slices" : "nodes";
  return {{"ranks_a", ranks + " of A", Unit::count, value_of(f.ranks_a)},
          {"ranks_b", ranks + " of B", Unit::count, value_of(f.ranks_b)},
          {"nodes_a", nodes + " of A", Unit::count, value_of(s.nodes_a)},
          {"nodes_b", nodes + " of B", Unit::count, value_of(s.nodes_b)},
          {"classes", "classes: total variation", Unit::distance, s.classes.total_variation},
          {"renamed_classes", "", Unit::count, value_of(s.classes.renamed)},
          {"durations", "durations: largest Kolmogorov-Smirnov distance", Unit::distance, s.most_of_durations()},
          {"sizes", "sizes: largest Kolmogorov-Smirnov distance", Unit::distance, s.most_of_sizes()},
          {"calls", "autocorrelation of calls: largest difference", Unit::distance, value_or_none(s.calls)}};
}

std::vector<Figure> set_figures(const FeatureFidelity& s) {
  return {{"in_degree", "dependencies of a node: Kolmogorov-Smirnov distance", Unit::distance, s.in_degree},
          {"out_degree", "dependents of a node: Kolmogorov-Smirnov distance", Unit::distance, s.out_degree},
          {"span_a", "A replayed as recorded", Unit::time, value_or_none(s.span_a_ps)},
          {"span_b", "B replayed as recorded", Unit::time, value_or_none(s.span_b_ps)},
          {"span_change", "change", Unit::change, value_or_none(s.span_change())}};
}

void add_times(const RunFidelity& r, const std::string& key, const std::string& title,
               std::optional<double> (*time)(const RunOutline&), const std::optional<double>& change,
               std::vector<Figure>& to) {
  to.push_back({key + "_a", title + " of A", Unit::time, time_or_none(r.a, time(r.a))});
  to.push_back({key + "_b", title + " of B", Unit::time, time_or_none(r.b, time(r.b))});
  to.push_back({key + "_change", "change", Unit::change, value_or_none(change)});
}

std::vector<Figure> run_figures(const RunFidelity& r) {
  std::vector<Figure> out;
  add_times(r, "span", "span", span_of, r.span_change(), out);
  add_times(r, "exposed", "exposed communication", exposed_of, r.exposed_change(), out);
  add_times(r, "waiting", "waiting for others", waiting_of, r.waiting_change(), out);
  return out;
}

Table durations_table(const Fidelity& f) {
  Table t{.key = "durations_by_lane",
          .title = "durations by lane and type",
          .columns = {{"lane", "lane", Unit::text},
                      {"type", "type", Unit::text},
                      {"a", "A", Unit::count},
                      {"b", "B", Unit::count},
                      {"distance", "distance", Unit::distance}},
          .more = "lanes"};
  for (const auto& d : f.set.durations)
    t.rows.push_back({d.lane, type_text(d.type, f.of_runs), value_of(d.a), value_of(d.b), d.distance});
  return t;
}

Table work_table(const Fidelity& f) {
  Table t{.key = "work",
          .title = "work by lane",
          .columns = {{"lane", "lane", Unit::text},
                      {"a", "A", Unit::time},
                      {"b", "B", Unit::time},
                      {"change", "change", Unit::change}},
          .more = "lanes"};
  for (const auto& w : f.set.work) t.rows.push_back({w.lane, w.a_ps, w.b_ps, value_or_none(w.change())});
  return t;
}

Table sizes_table(const Fidelity& f) {
  Table t{.key = "sizes_by_type",
          .title = "sizes by type",
          .columns = {{"type", "type", Unit::text},
                      {"a", "A", Unit::count},
                      {"b", "B", Unit::count},
                      {"distance", "distance", Unit::distance}},
          .more = "types"};
  for (const auto& s : f.set.sizes)
    t.rows.push_back({type_text(s.type, f.of_runs), value_of(s.a), value_of(s.b), s.distance});
  return t;
}

Table simulated_table(const Fidelity& f) {
  Table t{.key = "simulated",
          .title = "simulated",
          .columns = {{"network", "network", Unit::text},
                      {"a", "A", Unit::time},
                      {"b", "B", Unit::time},
                      {"change", "change", Unit::change},
                      {"exposed_a", "exposed of A", Unit::time},
                      {"exposed_b", "of B", Unit::time},
                      {"exposed_change", "change", Unit::change}},
          .more = "networks"};
  if (f.of_runs) return t;
  for (const RunFidelity& r : f.simulated)
    t.rows.push_back({r.network, time_or_none(r.a, span_of(r.a)), time_or_none(r.b, span_of(r.b)),
                      value_or_none(r.span_change()), time_or_none(r.a, exposed_of(r.a)),
                      time_or_none(r.b, exposed_of(r.b)), value_or_none(r.exposed_change())});
  return t;
}

Table path_table(const Fidelity& f) {
  Table t{.key = "path",
          .title = "shares of the critical path",
          .columns = {{"network", "network", Unit::text},
                      {"computing_a", "computing of A", Unit::share},
                      {"computing_b", "of B", Unit::share},
                      {"communication_a", "communication of A", Unit::share},
                      {"communication_b", "of B", Unit::share},
                      {"waiting_a", "waiting of A", Unit::share},
                      {"waiting_b", "of B", Unit::share}},
          .more = "networks"};
  if (f.of_runs) t.columns.front().title = "of";
  for (const RunFidelity& r : f.simulated) {
    if (!r.a.path && !r.b.path) continue;
    std::vector<Value> row = {f.of_runs ? "the runs" : r.network};
    for (const auto share : {&PathShares::computing, &PathShares::communication, &PathShares::waiting}) {
      for (const RunOutline* run : {&r.a, &r.b}) row.push_back(run->path ? Value((*run->path).*share) : Value());
    }
    t.rows.push_back(std::move(row));
  }
  return t;
}

Table traffic_table(const Fidelity& f) {
  Table t{.key = "traffic",
          .title = "bytes between pairs of NPUs",
          .columns = {{"network", f.of_runs ? "of" : "network", Unit::text},
                      {"a", "A", Unit::bytes},
                      {"b", "B", Unit::bytes},
                      {"distance", "relative distance", Unit::distance}},
          .more = "networks"};
  for (const TrafficFidelity& r : f.traffic)
    t.rows.push_back({f.of_runs ? "the runs" : r.network, r.a_bytes, r.b_bytes, value_or_none(r.distance)});
  return t;
}

Value work_change(const FeatureFidelity& f) {
  Sum a, b;
  for (const auto& w : f.work) {
    a.add(w.a_ps);
    b.add(w.b_ps);
  }
  return value_or_none(relative_change(static_cast<double>(a.get()), static_cast<double>(b.get())));
}

Table rank_table(const std::vector<Fidelity::OfRank>& ranks) {
  Table t{.key = "ranks",
          .title = "metrics by rank",
          .columns = {{"rank", "rank", Unit::count},
                      {"nodes_a", "nodes of A", Unit::count},
                      {"nodes_b", "of B", Unit::count},
                      {"classes", "classes", Unit::distance},
                      {"durations", "durations", Unit::distance},
                      {"sizes", "sizes", Unit::distance},
                      {"in_degree", "in-degree", Unit::distance},
                      {"out_degree", "out-degree", Unit::distance},
                      {"calls", "calls", Unit::distance},
                      {"work_change", "work", Unit::change},
                      {"span_a", "span of A", Unit::time},
                      {"span_b", "of B", Unit::time},
                      {"span_change", "change", Unit::change}},
          .more = "ranks"};
  for (const auto& [rank, f] : ranks)
    t.rows.push_back({std::int64_t{rank}, value_of(f.nodes_a), value_of(f.nodes_b), f.classes.total_variation,
                      f.most_of_durations(), f.most_of_sizes(), f.in_degree, f.out_degree, value_or_none(f.calls),
                      work_change(f), value_or_none(f.span_a_ps), value_or_none(f.span_b_ps),
                      value_or_none(f.span_change())});
  return t;
}

}  // namespace

Statistics Fidelity::sections() const {
  Section s{.name = "fidelity", .figures = shared_figures(*this), .notes = notes};
  const std::vector<Figure> others =
      of_runs && !simulated.empty() ? run_figures(simulated.front()) : set_figures(set);
  s.figures.insert(s.figures.end(), others.begin(), others.end());
  s.tables = {durations_table(*this), work_table(*this),    sizes_table(*this), simulated_table(*this),
              path_table(*this),      traffic_table(*this), rank_table(ranks)};
  if (const ClassDistance& c = set.classes; c.renamed != 0)
    s.notes.push_back("classes whose names the other side does not have: " + std::to_string(c.unknown_a) +
                      " of A, " + std::to_string(c.unknown_b) + " of B; " + std::to_string(c.renamed) +
                      " of each were paired by frequency");
  return {std::move(s)};
}

}  // namespace convert
