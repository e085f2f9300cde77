// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "analyze/fidelity/fidelity.h"

namespace convert {
namespace {

// Lanes that are compared with each other; empty if a side has no such lane.
struct LanePair {
  std::optional<NodeLane> a, b;
};

std::map<NodeLane, std::uint64_t> nodes_by_lane(const Features& f) {
  std::map<NodeLane, std::uint64_t> nodes;
  for (const auto& [key, lane] : f.lanes) nodes[key.first] += lane.nodes;
  return nodes;
}

// Returns the lanes of a kind that only one side has, the lane with most nodes first.
std::vector<NodeLane> left_over(const std::map<NodeLane, std::uint64_t>& of,
                                const std::map<NodeLane, std::uint64_t>& other, NodeLane::Kind kind) {
  std::vector<NodeLane> lanes;
  for (const auto& [lane, nodes] : of) {
    if (lane.kind == kind && !other.contains(lane)) lanes.push_back(lane);
  }
  std::ranges::stable_sort(lanes, [&](const NodeLane& x, const NodeLane& y) { return of.at(x) > of.at(y); });
  return lanes;
}

// Lanes of kind `type` are paired by number only; other lanes may be renumbered in B.
std::vector<LanePair> pair_lanes(const Features& a, const Features& b) {
  const auto of_a = nodes_by_lane(a), of_b = nodes_by_lane(b);
  std::vector<LanePair> pairs;
  for (const auto& [lane, nodes] : of_a) {
    if (of_b.contains(lane)) pairs.push_back({lane, lane});
  }
  using enum NodeLane::Kind;
  for (const NodeLane::Kind kind : {threadblock, thread, stream, type}) {
    std::vector<NodeLane> only_a = left_over(of_a, of_b, kind), only_b = left_over(of_b, of_a, kind);
    const std::size_t both = kind == type ? 0 : std::min(only_a.size(), only_b.size());
    for (std::size_t i = 0; i < both; ++i) pairs.push_back({only_a[i], only_b[i]});
    for (std::size_t i = both; i < only_a.size(); ++i) pairs.push_back({only_a[i], std::nullopt});
    for (std::size_t i = both; i < only_b.size(); ++i) pairs.push_back({std::nullopt, only_b[i]});
  }
  std::ranges::stable_sort(pairs, {}, [](const LanePair& p) { return p.a ? *p.a : *p.b; });
  return pairs;
}

std::string lane_text(const LanePair& p) {
  const NodeLane& lane = p.a ? *p.a : *p.b;
  if (lane.kind == NodeLane::Kind::thread) return "thread #" + std::to_string(lane.number);
  std::string text = label(lane);
  if (p.a && p.b && *p.a != *p.b) text += " = " + std::to_string(p.b->number);
  return text;
}

const Features::InLane& in_lane(const Features& f, const std::optional<NodeLane>& lane, NodeType type) {
  static const Features::InLane none;
  const auto found = lane ? f.lanes.find({*lane, type}) : f.lanes.end();
  return found == f.lanes.end() ? none : found->second;
}

void compare_lanes(const Features& a, const Features& b, FeatureFidelity& to) {
  std::set<NodeType> types;
  for (const auto* side : {&a, &b}) {
    for (const auto& [key, lane] : side->lanes) types.insert(key.second);
  }
  for (const LanePair& pair : pair_lanes(a, b)) {
    Sum work_a, work_b;
    const std::string lane = lane_text(pair);
    for (const NodeType type : types) {
      const Features::InLane &x = in_lane(a, pair.a, type), &y = in_lane(b, pair.b, type);
      work_a.add(x.work_ps);
      work_b.add(y.work_ps);
      if (x.durations_ns.count() == 0 && y.durations_ns.count() == 0) continue;
      to.durations.push_back({.lane = lane,
                              .type = type,
                              .a = x.durations_ns.count(),
                              .b = y.durations_ns.count(),
                              .distance = ks_distance(x.durations_ns, y.durations_ns)});
    }
    if (work_a.get() != 0 || work_b.get() != 0)
      to.work.push_back({.lane = lane, .a_ps = work_a.get(), .b_ps = work_b.get()});
  }
}

void compare_sizes(const Features& a, const Features& b, FeatureFidelity& to) {
  std::map<NodeType, std::pair<Distribution, Distribution>> sizes;
  for (const auto& [type, values] : a.sizes) sizes[type].first = values;
  for (const auto& [type, values] : b.sizes) sizes[type].second = values;
  for (const auto& [type, both] : sizes)
    to.sizes.push_back({.type = type,
                        .a = both.first.count(),
                        .b = both.second.count(),
                        .distance = ks_distance(both.first, both.second)});
}

ClassDistance compare_classes(const Features& a, const Features& b) {
  const ClassDistance without = class_distance(a.classes, b.classes);
  if (a.numbered_classes.empty() && b.numbered_classes.empty()) return without;
  const auto numbered = [](const Features& f) -> const ClassCounts& {
    return f.numbered_classes.empty() ? f.classes : f.numbered_classes;
  };
  const ClassDistance with = class_distance(numbered(a), numbered(b));
  return with.total_variation < without.total_variation ? with : without;
}

template <class Rows>
double most_of(const Rows& rows) {
  double most = 0;
  for (const auto& row : rows) most = std::max(most, row.distance);
  return most;
}

}  // namespace

std::optional<double> relative_change(double a, double b) {
  if (a == b) return 0;
  return a == 0 ? std::nullopt : std::optional(b / a - 1);
}

FeatureFidelity compare_features(const Features& a, const Features& b) {
  FeatureFidelity out{.nodes_a = a.nodes, .nodes_b = b.nodes, .classes = compare_classes(a, b)};
  compare_lanes(a, b, out);
  compare_sizes(a, b, out);
  out.in_degree = ks_distance(a.in_degree, b.in_degree);
  out.out_degree = ks_distance(a.out_degree, b.out_degree);
  out.calls = autocorrelation_distance(a.calls, b.calls);
  return out;
}

std::optional<double> FeatureFidelity::Work::change() const {
  return relative_change(static_cast<double>(a_ps), static_cast<double>(b_ps));
}

std::optional<double> FeatureFidelity::span_change() const {
  if (!span_a_ps || !span_b_ps) return std::nullopt;
  return relative_change(static_cast<double>(*span_a_ps), static_cast<double>(*span_b_ps));
}

double FeatureFidelity::most_of_durations() const { return most_of(durations); }
double FeatureFidelity::most_of_sizes() const { return most_of(sizes); }

bool FeatureFidelity::same() const {
  const bool works = std::ranges::all_of(work, [](const Work& w) { return w.a_ps == w.b_ps; });
  const bool distributions = most_of_durations() == 0 && most_of_sizes() == 0 && in_degree == 0 && out_degree == 0;
  return nodes_a == nodes_b && classes.total_variation == 0 && works && distributions && calls.value_or(0) == 0 &&
         span_a_ps == span_b_ps;
}

std::optional<double> RunFidelity::span_change() const {
  if (!a.complete() || !b.complete()) return std::nullopt;
  return relative_change(static_cast<double>(a.span_ps), static_cast<double>(b.span_ps));
}

std::optional<double> RunFidelity::exposed_change() const {
  if (!a.complete() || !b.complete()) return std::nullopt;
  return relative_change(a.exposed_ps, b.exposed_ps);
}

std::optional<double> RunFidelity::waiting_change() const {
  if (!a.complete() || !b.complete() || !a.waiting_ps || !b.waiting_ps) return std::nullopt;
  return relative_change(*a.waiting_ps, *b.waiting_ps);
}

bool RunFidelity::same() const {
  if (a.complete() != b.complete()) return false;
  return !a.complete() || (a.span_ps == b.span_ps && a.exposed_ps == b.exposed_ps && a.waiting_ps == b.waiting_ps);
}

TrafficFidelity compare_traffic(const std::vector<SentBytes>& a, const std::vector<SentBytes>& b) {
  std::map<std::pair<Rank, Rank>, std::pair<std::int64_t, std::int64_t>> pairs;
  Sum of_a, of_b;
  for (const SentBytes& s : a) {
    pairs[{s.src, s.dst}].first += s.bytes;
    of_a.add(s.bytes);
  }
  for (const SentBytes& s : b) {
    pairs[{s.src, s.dst}].second += s.bytes;
    of_b.add(s.bytes);
  }
  double sum = 0;
  for (const auto& [pair, bytes] : pairs)
    sum += std::abs(static_cast<double>(bytes.first) - static_cast<double>(bytes.second));
  TrafficFidelity out{.network = {}, .a_bytes = of_a.get(), .b_bytes = of_b.get()};
  if (sum == 0) out.distance = 0;
  if (sum != 0 && of_a.get() != 0) out.distance = sum / static_cast<double>(of_a.get());
  return out;
}

bool Fidelity::same() const {
  return ranks_a == ranks_b && set.same() &&
         std::ranges::all_of(ranks, [](const OfRank& r) { return r.figures.same(); }) &&
         std::ranges::all_of(simulated, &RunFidelity::same) &&
         std::ranges::all_of(traffic, [](const TrafficFidelity& t) {
           return t.a_bytes == t.b_bytes && t.distance.value_or(0) == 0;
         });
}

}  // namespace convert
