// SPDX-License-Identifier: MIT
#include "profile/learn/rank_log.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "graph/graph.h"
#include "graph/lanes.h"
#include "profile/learn/clusters.h"

namespace convert {
namespace {

std::array<std::uint64_t, 4> fields_of(const NodeCost& c) {
  return {c.duration_ns, c.delay_ns, c.operations, c.bytes};
}

// Finds for each node the communications that it depends on, except those that are implied by others.
class Ancestors {
 public:
  Ancestors(std::size_t nodes, RankLog& log) : log_(log), of_(nodes) {}

  // Returns the communications of a node; its parents must be done.
  Range join(const Graph& graph, std::uint32_t node) {
    const auto parents = graph.parents(node);
    Range first{};
    bool one = true;
    for (const Edge& e : parents) {
      const Range r = of_[e.node];
      if (r.count == 0) continue;
      one = one && (first.count == 0 || (first.begin == r.begin && first.count == r.count));
      if (first.count == 0) first = r;
    }
    if (one) return first;
    merged_.clear();
    for (const Edge& e : parents) {
      const Range r = of_[e.node];
      merged_.insert(merged_.end(), log_.after.begin() + r.begin, log_.after.begin() + r.begin + r.count);
    }
    std::ranges::sort(merged_);
    merged_.erase(std::ranges::unique(merged_).begin(), merged_.end());
    return add(merged_);
  }
  void set(std::uint32_t node, Range own) {
    constexpr std::uint32_t most = 8;
    if (own.count > most) {
      log_.joins.push_back(own);
      own = one(static_cast<std::uint32_t>(log_.joins.size() - 1) | RankLog::join_bit);
    }
    of_[node] = own;
  }
  void set_call(std::uint32_t node, std::uint32_t call) { of_[node] = one(call); }

 private:
  Range one(std::uint32_t item) {
    log_.after.push_back(item);
    return {static_cast<std::uint32_t>(log_.after.size() - 1), 1};
  }
  Range add(const std::vector<std::uint32_t>& items) {
    const auto begin = static_cast<std::uint32_t>(log_.after.size());
    log_.after.insert(log_.after.end(), items.begin(), items.end());
    return {begin, static_cast<std::uint32_t>(items.size())};
  }

  RankLog& log_;
  std::vector<Range> of_;  // into log_.after
  std::vector<std::uint32_t> merged_;
};

// Counts the classes of a rank by name.
class Uses {
 public:
  Uses(RankLog& log, std::uint32_t k) : log_(log), k_(k) {}

  void add(const NodeTable& table, const Node& node, std::uint32_t part, const NodeCost& cost) {
    const ProfileClass plain = plain_class(table, node);
    const std::string_view name = table.name(node);
    const std::size_t hash = std::hash<std::string_view>()(name);
    const auto [begin, end] = rows_.equal_range(hash);
    auto at = std::find_if(begin, end, [&](const auto& row) {
      return log_.uses[row.second].name == name && log_.uses[row.second].node_class == plain;
    });
    if (at == end) {
      at = rows_.emplace(hash, log_.uses.size());
      log_.uses.push_back({.node_class = plain, .name = std::string(name), .part = part});
    }
    RankLog::Use& use = log_.uses[at->second];
    ++use.nodes;
    if (use.part != part) use.part = no_index;
    use.time_ns += static_cast<double>(cost.duration_ns);
    use.largest.add(cost, k_);
  }

 private:
  RankLog& log_;
  std::uint32_t k_;
  std::unordered_multimap<std::size_t, std::size_t> rows_;
};

// Finds the longest chain.
class Chains {
 public:
  Chains(const Graph& graph, RankLog& log) : graph_(graph), log_(log), of_(graph.size()) {}

  // Adds a node; its parents must be added before.
  void add(std::uint32_t node, const NodeCost& cost, bool communicates) {
    RankChain& chain = of_[node];
    for (const Edge& e : graph_.parents(node)) {
      if (of_[e.node].time_ns > chain.time_ns) chain = of_[e.node];
    }
    const auto time = static_cast<double>(cost.duration_ns);
    chain.time_ns += time + static_cast<double>(cost.delay_ns);
    if (communicates) chain.communication_ns += time;
    if (chain.time_ns > log_.chain.time_ns) log_.chain = chain;
  }

 private:
  const Graph& graph_;
  RankLog& log_;
  std::vector<RankChain> of_;
};

class CallKinds {
 public:
  explicit CallKinds(RankLog& log) : log_(log) {}

  // Returns the index of the facts of a call.
  std::uint32_t add(CallFacts&& facts) {
    const auto next = static_cast<std::uint32_t>(log_.kinds.size());
    if (facts.parts == 0) {
      const auto [at, is_new] = numbers_.try_emplace(facts, next);
      if (!is_new) return at->second;
    }
    log_.kinds.push_back(std::move(facts));
    return next;
  }

 private:
  RankLog& log_;
  std::map<CallFacts, std::uint32_t> numbers_;
};

}  // namespace

void LargestCosts::add(const NodeCost& cost, std::uint32_t k) {
  const auto fields = fields_of(cost);
  for (std::size_t i = 0; i < fields.size(); ++i) {
    std::vector<std::uint64_t>& v = values_.at(i);
    if (v.size() == k && fields.at(i) <= v.back()) continue;
    v.insert(std::ranges::upper_bound(v, fields.at(i), std::greater<>()), fields.at(i));
    if (v.size() > k) v.pop_back();
  }
}

void LargestCosts::add(const LargestCosts& other, std::uint32_t k) {
  for (std::size_t i = 0; i < values_.size(); ++i) {
    std::vector<std::uint64_t>& v = values_.at(i);
    const auto& more = other.values_.at(i);
    v.insert(v.end(), more.begin(), more.end());
    std::ranges::sort(v, std::greater<>());
    if (v.size() > k) v.resize(k);
  }
}

NodeCost LargestCosts::kth(std::uint32_t k) const {
  const auto at = [&](std::size_t i) -> std::uint64_t {
    const std::vector<std::uint64_t>& v = values_.at(i);
    if (v.size() < k) return 0;
    if (v.front() == v[k - 1]) return v.front();
    return static_cast<std::uint64_t>(two_digits(static_cast<std::int64_t>(v[k - 1])));
  };
  return {.duration_ns = at(0), .delay_ns = at(1), .operations = at(2), .bytes = at(3)};
}

RankLog log_rank(const Trace& trace, const RankParts& parts, std::uint32_t k) {
  RankLog log{.rank = trace.rank, .file = trace.name, .iterations = parts.iterations, .period = parts.period};
  const NodeTable& table = trace.nodes;
  const Graph graph = build_graph(table);
  Ancestors ancestors(table.nodes.size(), log);
  Uses uses(log, k);
  CallKinds kinds(log);
  Chains chains(graph, log);
  std::set<NodeLane> lanes;
  for (const std::uint32_t i : parts.order) {
    const Node& node = table.nodes[i];
    const Range after = ancestors.join(graph, i);
    if (const NodeLane lane = lane_of(table, node); lanes.insert(lane).second) log.lanes.push_back(lane);
    const NodeCost cost = cost_of(table, node);
    const bool communicates = is_communication(table, node);
    chains.add(i, cost, communicates);
    if (!communicates) {
      if (!node_type_name(node.type).empty()) uses.add(table, node, parts.part[i], cost);
      ancestors.set(i, after);
      continue;
    }
    ancestors.set_call(i, static_cast<std::uint32_t>(log.calls.size()));
    log.calls.push_back({.id = node.id,
                         .part = parts.part[i],
                         .kind = kinds.add(call_facts(table, node)),
                         .tag = node.type == NodeType::comm_coll ? 0 : message_tag(table, node),
                         .cost = cost,
                         .after = after});
  }
  log.calls.shrink_to_fit();  // the log is kept while other ranks are read
  log.after.shrink_to_fit();
  return log;
}

}  // namespace convert
