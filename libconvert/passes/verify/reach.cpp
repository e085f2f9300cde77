// SPDX-License-Identifier: MIT
#include "passes/verify/reach.h"

#include <algorithm>
#include <array>

namespace convert {
namespace {

constexpr std::size_t most_marks = 256;
constexpr std::size_t most_paths = 8;

struct Marks {
  std::array<std::uint64_t, most_marks / 64> words{};
  void set(std::size_t i) { words[i / 64] |= std::uint64_t{1} << (i % 64); }
  [[nodiscard]] bool has(std::size_t i) const { return ((words[i / 64] >> (i % 64)) & 1U) != 0; }
  void add(const Marks& other) {
    for (std::size_t w = 0; w < words.size(); ++w) words[w] |= other.words[w];
  }
};

// Returns the other ends of the edges by one of their ends.
Rows rows(std::span<const StepPair> edges, std::size_t steps, std::uint32_t StepPair::*key,
          std::uint32_t StepPair::*other) {
  return rows_by_key(
      edges.size(), steps, [&](std::size_t e) { return edges[e].*key; },
      [&](std::size_t e) { return edges[e].*other; });
}

// Returns the items sorted by their keys; stable.
std::vector<std::uint32_t> sorted_by(std::span<const std::uint32_t> items, std::span<const std::uint32_t> key_of,
                                     std::size_t keys) {
  const auto item = [&](std::size_t i) { return items[i]; };
  return rows_by_key(
             items.size(), keys, [&](std::size_t i) { return key_of[items[i]]; }, item)
      .items;
}

}  // namespace

void add_local_edges(const StepGraph& graph, std::vector<StepPair>& edges) {
  edges.reserve(edges.size() + graph.step_count() + graph.deps.size());
  for (const Chain& c : graph.chains) {
    for (std::uint32_t s = c.first; s < c.first + c.count; ++s) {
      if (s > c.first) edges.push_back({s - 1, s});
      for (const Dependency& d : graph.deps_of(s)) {
        if (d.step != no_index) edges.push_back({d.step, s});
      }
    }
  }
}

void add_message_edges(const StepGraph& graph, std::vector<StepPair>& edges) {
  for (const Connection& c : graph.connections) {
    for (std::uint32_t k = 0; k < std::min(c.sends, c.recvs); ++k) {
      edges.push_back({graph.send_steps[c.send_begin + k], graph.recv_steps[c.recv_begin + k]});
    }
  }
}

std::vector<std::uint32_t> running_order(const StepGraph& graph) {
  std::vector<StepPair> edges;
  add_local_edges(graph, edges);
  const std::size_t local = edges.size();
  add_message_edges(graph, edges);
  std::vector<std::uint32_t> waits(graph.step_count());     // number of edges to wait for
  std::vector<std::uint32_t> messages(graph.step_count());  // number of these edges from other ranks
  for (std::size_t e = 0; e < edges.size(); ++e) {
    ++waits[edges[e].to];
    if (e >= local) ++messages[edges[e].to];
  }
  const Rows after = rows(edges, graph.step_count(), &StepPair::from, &StepPair::to);
  std::vector<std::uint32_t> order;
  order.reserve(graph.step_count());
  std::vector<bool> placed(graph.step_count());
  std::vector<std::uint32_t> ready;
  std::vector<std::uint32_t> held;  // waiting only for messages
  const auto look_at = [&](std::uint32_t s) {
    if (waits[s] == 0) {
      ready.push_back(s);
    } else if (waits[s] == messages[s]) {
      held.push_back(s);
    }
  };
  for (std::uint32_t s = graph.step_count(); s-- > 0;) look_at(s);
  while (!ready.empty() || !held.empty()) {
    std::vector<std::uint32_t>& from = ready.empty() ? held : ready;
    const std::uint32_t s = from.back();
    from.pop_back();
    if (placed[s]) continue;
    placed[s] = true;
    order.push_back(s);
    for (const std::uint32_t next : after[s]) {
      if (placed[next]) continue;
      if (graph.steps[next].in != no_index && graph.steps[s].out == graph.steps[next].in) --messages[next];
      --waits[next];
      look_at(next);
    }
  }
  return order;
}

Reachability::Reachability(std::span<const StepPair> edges, std::span<const std::uint32_t> order,
                           std::span<const std::uint32_t> group_of) {
  const std::size_t n = order.size();
  const Rows before = rows(edges, n, &StepPair::to, &StepPair::from);
  std::vector<std::uint32_t> level(n, no_index);
  std::uint32_t levels = 0;
  for (const std::uint32_t s : order) {
    std::uint32_t own = 0;
    for (const std::uint32_t from : before[s]) {
      if (level[from] != no_index) own = std::max(own, level[from] + 1);
    }
    level[s] = own;
    levels = std::max(levels, own + 1);
  }
  const std::size_t groups = n == 0 ? 0 : std::size_t{*std::max_element(group_of.begin(), group_of.end())} + 1;
  const std::vector<std::uint32_t> step_at = sorted_by(sorted_by(order, level, levels), group_of, groups);
  place_.resize(n);
  for (std::uint32_t i = 0; i < n; ++i) place_[step_at[i]] = i;
  before_.begin.reserve(n + 1);
  before_.items.reserve(edges.size());
  group_.reserve(n);
  for (std::uint32_t i = 0; i < n; ++i) {
    group_.push_back(group_of[step_at[i]]);
    for (const std::uint32_t from : before[step_at[i]]) {
      if (place_[from] < i) before_.items.push_back(place_[from]);
    }
    before_.end_row();
  }
  cover_with_paths();
}

// Greedy path cover: a position extends the path of the first predecessor that still is the end of a path.
void Reachability::cover_with_paths() {
  std::vector<bool> continued(place_.size());
  std::uint32_t paths = 0;
  path_.reserve(place_.size());
  for (std::uint32_t i = 0; i < place_.size(); ++i) {
    std::uint32_t path = no_index;
    for (const std::uint32_t from : before_[i]) {
      if (continued[from]) continue;
      continued[from] = true;
      path = path_[from];
      break;
    }
    path_.push_back(path != no_index ? path : paths++);
  }
}

std::vector<Reachability::Query> Reachability::queries(std::span<const StepPair> pairs,
                                                       std::span<Answer> answers) const {
  std::vector<Query> open;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (answers[i] != Answer::open) continue;
    const std::uint32_t from = place_[pairs[i].from];
    const std::uint32_t to = place_[pairs[i].to];
    if (from < to && group_[from] == group_[to]) {
      open.push_back({from, to, i});
    } else {
      answers[i] = Answer::unordered;
    }
  }
  return open;
}

// Sorts by key, and starts a new batch when the number of distinct keys would exceed `most`.
template <typename Key>
std::vector<Reachability::Batch> Reachability::batches(std::span<Query> all, std::size_t most, const Key& key) {
  std::sort(all.begin(), all.end(), [&](const Query& a, const Query& b) { return key(a) < key(b); });
  std::vector<Batch> out;
  std::size_t keys = most;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i == 0 || key(all[i]) != key(all[i - 1])) ++keys;
    if (keys > most) {
      keys = 1;
      out.push_back({all.subspan(i, 0), no_index, 0});
    }
    Batch& b = out.back();
    b.queries = {b.queries.data(), b.queries.size() + 1};
    b.first = std::min(b.first, all[i].from);
    b.last = std::max(b.last, all[i].to);
  }
  return out;
}

std::uint64_t Reachability::cost(std::span<const Batch> batches) const {
  std::uint64_t sum = 0;
  for (const Batch& b : batches)
    sum += std::uint64_t{b.last} - b.first + 1 + before_.begin[b.last + 1] - before_.begin[b.first];
  return sum;
}

// With marks, each pair is stored at the end that more pairs share.
void Reachability::decide(std::span<const StepPair> pairs, std::span<Answer> answers, std::uint64_t& budget) const {
  std::vector<Query> by_step = queries(pairs, answers);
  std::vector<std::uint32_t> starts(place_.size());
  std::vector<std::uint32_t> ends(place_.size());
  for (const Query& q : by_step) {
    ++starts[q.from];
    ++ends[q.to];
  }
  const auto middle =
      std::partition(by_step.begin(), by_step.end(), [&](const Query& q) { return starts[q.from] >= ends[q.to]; });
  const auto forward =
      batches(std::span(by_step.begin(), middle), most_marks, [](const Query& q) { return q.from; });
  const auto backward = batches(std::span(middle, by_step.end()), most_marks, [](const Query& q) { return q.to; });
  const std::uint64_t price = cost(forward) + cost(backward);
  const bool cheap = price <= 4 * (before_.items.size() + place_.size());
  std::vector<Query> by_path = cheap ? std::vector<Query>() : by_step;
  const auto paths = batches(by_path, most_paths, [&](const Query& q) { return path_[q.from]; });
  const auto sweep = [&](const std::vector<Batch>& all, const auto& one) {
    for (const Batch& b : all) {
      const std::uint64_t one_price = cost({&b, 1});
      if (one_price > budget) {
        budget = 0;
        return;
      }
      budget -= one_price;
      one(b);
    }
  };
  if (!cheap && cost(paths) < price) {
    sweep(paths, [&](const Batch& b) { sweep_paths(b, answers); });
  } else {
    sweep(forward, [&](const Batch& b) { sweep_marks(b, true, answers); });
    sweep(backward, [&](const Batch& b) { sweep_marks(b, false, answers); });
  }
}

// Propagates marks along the edges: forward, from `from` of each pair, marks at a position come before it;
// backward, from `to` of each pair, they come after it.
void Reachability::sweep_marks(const Batch& batch, bool forward, std::span<Answer> answers) const {
  const auto [asked, first, last] = batch;
  const auto marked = forward ? &Query::from : &Query::to, other = forward ? &Query::to : &Query::from;
  std::vector<Marks> at(last - first + 1);
  std::vector<std::size_t> mark_of(asked.size());
  for (std::size_t i = 0; i < asked.size(); ++i) {
    if (i > 0) mark_of[i] = mark_of[i - 1] + (asked[i].*marked != asked[i - 1].*marked ? 1 : 0);
    at[asked[i].*marked - first].set(mark_of[i]);
  }
  for (std::uint32_t k = 0; k < at.size(); ++k) {
    const std::uint32_t place = forward ? k : last - first - k;
    for (const std::uint32_t from : before_[first + place]) {
      if (from < first) continue;
      if (forward) {
        at[place].add(at[from - first]);
      } else {
        at[from - first].add(at[place]);
      }
    }
  }
  for (std::size_t i = 0; i < asked.size(); ++i) {
    answers[asked[i].pair] = at[asked[i].*other - first].has(mark_of[i]) ? Answer::ordered : Answer::unordered;
  }
}

// Holds by path 1 + the last position that comes before a position; 0: no such position.
void Reachability::sweep_paths(const Batch& batch, std::span<Answer> answers) const {
  const auto [asked, first, last] = batch;
  std::vector<std::size_t> path_at(asked.size());
  std::vector<std::uint32_t> paths;
  for (std::size_t i = 0; i < asked.size(); ++i) {
    if (paths.empty() || paths.back() != path_[asked[i].from]) paths.push_back(path_[asked[i].from]);
    path_at[i] = paths.size() - 1;
  }
  std::vector<std::array<std::uint32_t, most_paths>> at(last - first + 1);
  for (std::uint32_t place = first; place <= last; ++place) {
    auto& here = at[place - first];
    for (const std::uint32_t from : before_[place]) {
      if (from < first) continue;
      const auto& there = at[from - first];
      for (std::size_t k = 0; k < most_paths; ++k) here[k] = std::max(here[k], there[k]);
    }
    const auto own = std::lower_bound(paths.begin(), paths.end(), path_[place]);
    if (own != paths.end() && *own == path_[place]) here[static_cast<std::size_t>(own - paths.begin())] = place + 1;
  }
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const bool ordered = at[asked[i].to - first][path_at[i]] > asked[i].from;
    answers[asked[i].pair] = ordered ? Answer::ordered : Answer::unordered;
  }
}

}  // namespace convert
