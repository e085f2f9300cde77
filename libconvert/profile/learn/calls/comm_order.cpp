// SPDX-License-Identifier: MIT
#include "profile/learn/calls/comm_order.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <numeric>
#include <queue>
#include <tuple>
#include <utility>

#include "core/units.h"

namespace convert {
namespace {

// Identity of a vertex: group and number of a collective; ends, tag and number of a message.
using VertexKey = std::array<std::int64_t, 4>;

class Sorter {
 public:
  Sorter(std::span<const RankLog> ranks, const std::string& set, Diagnostics& diagnostics)
      : ranks_(ranks), set_(set), diagnostics_(diagnostics) {}

  CommOrder run() {
    number_parts();
    find_vertices();
    join_parts();
    find_edges();
    sort();
    return std::move(order_);
  }

 private:
  void number_parts();
  void find_vertices();
  void join_parts();
  void find_edges();
  void sort();
  void tell_circle(const std::vector<std::uint32_t>& open);
  void take_own_orders();
  [[nodiscard]] std::string describe(std::uint32_t vertex) const;
  std::uint32_t vertex_of(const VertexKey& key, std::uint32_t ordinal);

  std::span<const RankLog> ranks_;
  const std::string& set_;
  Diagnostics& diagnostics_;
  CommOrder order_;
  bool same_iterations_ = true;
  std::map<VertexKey, std::uint32_t> by_key_;
  std::vector<std::vector<std::uint32_t>> vertex_;              // by rank and call
  std::vector<std::uint32_t> ordinal_;                          // by vertex: its largest call number on a rank
  std::vector<std::pair<std::uint32_t, std::uint32_t>> parts_;  // by vertex: first and last part over its ranks
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges_;  // from, to: vertices, then joins
  std::uint32_t points_ = 0;                                    // vertices and joins
};

void Sorter::number_parts() {
  const std::uint32_t iterations = ranks_.empty() ? 1 : ranks_.front().iterations;
  const auto other = std::ranges::find_if(ranks_, [&](const RankLog& r) { return r.iterations != iterations; });
  order_.iterations = iterations;
  if (other != ranks_.end()) {
    same_iterations_ = false;
    order_.iterations = 1;
    diagnostics_.warning({.file = set_}, "iterations",
                         "rank " + std::to_string(ranks_.front().rank) + " has " +
                             counted(iterations, "iteration") + ", rank " + std::to_string(other->rank) + " has " +
                             std::to_string(other->iterations) + "; the whole job counts as one iteration");
  }
  std::uint32_t most = 0;
  for (const RankLog& r : ranks_) most = std::max(most, r.iterations);
  order_.part.resize(most + 2);
  if (same_iterations_) {
    std::iota(order_.part.begin(), order_.part.end(), 0U);
  } else {
    std::ranges::fill(order_.part, 1U);
  }
}

std::uint32_t Sorter::vertex_of(const VertexKey& key, std::uint32_t ordinal) {
  const auto [at, is_new] = by_key_.try_emplace(key, static_cast<std::uint32_t>(ordinal_.size()));
  if (is_new) {
    ordinal_.push_back(0);
    parts_.emplace_back(no_index, 0);
  }
  ordinal_[at->second] = std::max(ordinal_[at->second], ordinal);
  return at->second;
}

void Sorter::find_vertices() {
  std::map<std::pair<std::string, std::string>, std::int64_t> groups;  // name and dimensions: -1, -2, …
  for (const RankLog& r : ranks_) {
    std::map<VertexKey, std::int64_t> met;
    std::vector<std::uint32_t>& own = vertex_.emplace_back();
    for (const RankLog::Call& c : r.calls) {
      const CallFacts& facts = r.facts(c);
      VertexKey key{};
      if (facts.node_class.type == NodeType::comm_coll) {
        const auto number = -1 - static_cast<std::int64_t>(groups.size());
        key[0] = groups.try_emplace({facts.group, facts.node_class.details.dims}, number).first->second;
      } else {
        const bool sends = facts.node_class.type == NodeType::comm_send;
        key[0] = sends ? r.rank : facts.peer;
        key[1] = sends ? facts.peer : r.rank;
        key[2] = c.tag;
      }
      // A message of a rank to itself has both ends on this rank.
      VertexKey counter = key;
      counter[3] = static_cast<std::int64_t>(facts.node_class.type);
      key[3] = met[counter]++;
      own.push_back(vertex_of(key, static_cast<std::uint32_t>(own.size())));
      auto& [first, last] = parts_[own.back()];
      const std::uint32_t part = order_.part[c.part];
      first = std::min(first, part);
      last = std::max(last, part);
    }
  }
  order_.vertices = static_cast<std::uint32_t>(ordinal_.size());
}

// Joins the parts from the first to the last of each vertex, and renumbers the joined parts.
void Sorter::join_parts() {
  const std::size_t n = order_.part.size();
  std::vector<std::uint32_t> reach(n, 0);  // by first part: the last part of its vertices
  for (const auto& [first, last] : parts_) reach[first] = std::max(reach[first], last);
  std::vector<std::uint32_t> joined(n);
  std::uint32_t now = 0, last = 0;
  for (std::uint32_t p = 0; p < n; ++p) {
    last = std::max(last, reach[p]);
    joined[p] = now;
    if (order_.is_iteration.size() <= now) order_.is_iteration.push_back(false);
    const bool iteration = !same_iterations_ || (p > 0 && p <= order_.iterations);
    if (iteration) order_.is_iteration[now] = true;
    if (last <= p) ++now;
  }
  for (std::uint32_t& p : order_.part) p = joined[p];
  for (auto& [first, end] : parts_) first = end = joined[first];
  order_.iterations = static_cast<std::uint32_t>(std::ranges::count(order_.is_iteration, true));
}

void Sorter::find_edges() {
  points_ = order_.vertices;
  for (std::size_t r = 0; r < ranks_.size(); ++r) {
    const RankLog& log = ranks_[r];
    const auto point = [&](std::uint32_t item) {
      return (item & RankLog::join_bit) != 0 ? points_ + (item & ~RankLog::join_bit) : vertex_[r][item];
    };
    const auto add = [&](const Range& after, std::uint32_t to) {
      for (std::uint32_t i = 0; i < after.count; ++i) {
        const std::uint32_t from = point(log.after[after.begin + i]);
        if (from != to) edges_.emplace_back(from, to);
      }
    };
    for (std::size_t c = 0; c < log.calls.size(); ++c) add(log.calls[c].after, vertex_[r][c]);
    for (std::size_t j = 0; j < log.joins.size(); ++j) add(log.joins[j], points_ + static_cast<std::uint32_t>(j));
    points_ += static_cast<std::uint32_t>(log.joins.size());
  }
  std::ranges::sort(edges_);
  edges_.erase(std::ranges::unique(edges_).begin(), edges_.end());
}

// Topological sort. Ready vertices are taken by part, then by call number, which changes the ranks' orders least.
void Sorter::sort() {
  std::vector<std::uint32_t> open(points_, 0), first(std::size_t{points_} + 1, 0);
  for (const auto& [from, to] : edges_) {
    ++open[to];
    ++first[std::size_t{from} + 1];
  }
  std::partial_sum(first.begin(), first.end(), first.begin());
  using Entry = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> ready;
  const auto entry = [&](std::uint32_t p) {
    return p < order_.vertices ? Entry(parts_[p].first, ordinal_[p], p) : Entry(0, 0, p);
  };
  for (std::uint32_t p = 0; p < points_; ++p) {
    if (open[p] == 0) ready.push(entry(p));
  }
  std::vector<std::uint32_t> place(order_.vertices, no_index);
  std::uint32_t next = 0;
  while (!ready.empty()) {
    const std::uint32_t p = std::get<2>(ready.top());
    ready.pop();
    if (p < order_.vertices) place[p] = next++;
    for (std::uint32_t e = first[p]; e < first[std::size_t{p} + 1]; ++e) {
      if (--open[edges_[e].second] == 0) ready.push(entry(edges_[e].second));
    }
  }
  if (next < order_.vertices) {
    tell_circle(open);
    return take_own_orders();
  }
  for (const auto& own : vertex_) {
    std::vector<std::uint32_t>& places = order_.places.emplace_back();
    for (const std::uint32_t v : own) places.push_back(place[v]);
  }
}

void Sorter::take_own_orders() {
  order_.circular = true;
  for (const auto& own : vertex_) {
    std::vector<std::uint32_t>& places = order_.places.emplace_back(own.size());
    std::iota(places.begin(), places.end(), 0U);
  }
}

std::string Sorter::describe(std::uint32_t vertex) const {
  for (std::size_t r = 0; r < ranks_.size(); ++r) {
    const auto at = std::ranges::find(vertex_[r], vertex);
    if (at == vertex_[r].end()) continue;
    const RankLog::Call& call = ranks_[r].calls[static_cast<std::size_t>(at - vertex_[r].begin())];
    return std::to_string(ranks_[r].rank) + ":" + std::to_string(call.id);
  }
  return {};
}

// Follows predecessors from a vertex that never became ready until one repeats, which gives a cycle.
void Sorter::tell_circle(const std::vector<std::uint32_t>& open) {
  std::vector<std::uint32_t> before(points_, no_index);
  for (const auto& [from, to] : edges_) {
    if (open[from] > 0 && before[to] == no_index) before[to] = from;
  }
  auto p =
      static_cast<std::uint32_t>(std::ranges::find_if(open, [](std::uint32_t n) { return n > 0; }) - open.begin());
  std::vector<bool> met(points_, false);
  while (!met[p]) {
    met[p] = true;
    p = before[p];
  }
  std::string circle;
  std::uint32_t shown = 0;
  constexpr std::uint32_t most = 8;
  for (std::uint32_t q = p; shown == 0 || q != p; q = before[q]) {
    if (++shown > most + points_) break;
    if (q < order_.vertices && shown <= most) circle = describe(q) + (circle.empty() ? "" : " → " + circle);
  }
  diagnostics_.warning({.file = set_}, "deadlock",
                       "communications wait for each other in a cycle: " + circle +
                           " (rank:node); sets sampled from the profile have such cycles too",
                       {"hint: et-validate reports details; et-validate --fix removes order that the recording "
                        "shows to be unnecessary"});
}

}  // namespace

CommOrder comm_order(std::span<const RankLog> ranks, const std::string& set, Diagnostics& diagnostics) {
  return Sorter(ranks, set, diagnostics).run();
}

}  // namespace convert
