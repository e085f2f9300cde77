// SPDX-License-Identifier: MIT
#include "passes/split/subset.h"

#include <algorithm>
#include <cstdint>
#include <unordered_set>
#include <utility>

#include "graph/algorithms.h"
#include "graph/graph.h"
#include "passes/provenance.h"

namespace convert {
namespace {

// Takes nodes out of a table: their children depend on their parents then.
class NodeRemoval {
 public:
  NodeRemoval(Trace& trace, const std::vector<bool>& goes)
      : trace_(trace), goes_(goes), ids_(trace.nodes), parents_(goes.size()) {}

  void run() {
    const Graph graph = build_graph(trace_.nodes);
    const std::vector<std::uint32_t> order = topological_order(graph);
    if (order.size() != graph.size())
      throw input_error({.file = trace_.name, .rank = static_cast<std::int64_t>(trace_.rank)},
                        "a dependency cycle, out of which no message can be left; et-validate names it", "split");
    for (const std::uint32_t i : order) {
      if (!goes_[i]) continue;
      Node& n = trace_.nodes.nodes[i];
      std::vector<NodeId> both = resolved(trace_.nodes.data_deps(n));
      const std::vector<NodeId> ctrl = resolved(trace_.nodes.ctrl_deps(n));
      both.insert(both.end(), ctrl.begin(), ctrl.end());
      parents_[i] = resolved(both);
    }
    for (std::size_t i = 0; i < goes_.size(); ++i) {
      if (goes_[i]) continue;
      if (rewire(trace_.nodes.nodes[i].data_deps)) forget_rules(trace_.nodes.nodes[i]);
      (void)rewire(trace_.nodes.nodes[i].ctrl_deps);
    }
    remove();
  }

 private:
  [[nodiscard]] bool goes(NodeId id) const {
    const std::uint32_t i = ids_.find(id);
    return i != IdIndex::none && goes_[i];
  }

  // Returns each id once; in place of a node that goes, its parents.
  [[nodiscard]] std::vector<NodeId> resolved(std::span<const NodeId> deps) {
    std::vector<NodeId> out;
    std::unordered_set<NodeId> seen;
    const auto add = [&](NodeId id) {
      if (seen.insert(id).second) out.push_back(id);
    };
    for (const NodeId id : deps) {
      if (!goes(id)) {
        add(id);
        continue;
      }
      for (const NodeId parent : parents_[ids_.find(id)]) add(parent);
    }
    // Where many nodes waited for many others through one that goes, each now waits for each.
    made_ += out.size();
    if (made_ > most()) {
      throw input_error({.file = trace_.name, .rank = static_cast<std::int64_t>(trace_.rank)},
                        "without the messages to other ranks there would be more than " + std::to_string(most()) +
                            " dependencies",
                        "split");
    }
    return out;
  }
  [[nodiscard]] std::size_t most() const {
    constexpr std::size_t least = std::size_t{1} << 20;
    constexpr std::size_t factor = 16;
    return least + factor * (goes_.size() + given_);
  }

  // Empties dep_rules: what it says of the old dependencies would be taken for the new ones if they are as many.
  void forget_rules(const Node& n) {
    for (std::uint32_t a = n.attrs.begin; a < n.attrs.begin + n.attrs.count; ++a) {
      Attr& one = trace_.nodes.attrs[a];
      if (one.name == attr::dep_rules && one.kind == Kind::string_val) one.size = 0;
    }
  }

  // Returns whether something has changed.
  bool rewire(Range& deps) {
    NodeTable& table = trace_.nodes;
    const std::span<const NodeId> old(table.deps.data() + deps.begin, deps.count);
    if (std::ranges::none_of(old, [&](NodeId id) { return goes(id); })) return false;
    const std::vector<NodeId> now = resolved(old);
    deps = {static_cast<std::uint32_t>(table.deps.size()), static_cast<std::uint32_t>(now.size())};
    table.deps.insert(table.deps.end(), now.begin(), now.end());
    return true;
  }

  void remove() {
    std::vector<Node>& nodes = trace_.nodes.nodes;
    std::vector<std::uint64_t>& positions = trace_.nodes.positions;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < goes_.size(); ++i) {
      if (goes_[i]) continue;
      if (!positions.empty()) positions[kept] = positions[i];
      nodes[kept++] = nodes[i];
    }
    nodes.resize(kept);
    if (!positions.empty()) positions.resize(kept);
  }

  Trace& trace_;
  const std::vector<bool>& goes_;
  IdIndex ids_;
  std::vector<std::vector<NodeId>> parents_;  // of nodes that go: what stays in their place
  std::size_t given_ = trace_.nodes.deps.size();
  std::size_t made_ = 0;
};

class RankTaker {
 public:
  RankTaker(const RankSubset& subset, Trace& trace) : subset_(subset), trace_(trace) {}

  SubsetCounts run() {
    SubsetCounts counts;
    std::vector<bool> goes(trace_.nodes.nodes.size());
    for (std::size_t i = 0; i < goes.size(); ++i) {
      const Node& n = trace_.nodes.nodes[i];
      if (n.type == NodeType::comm_coll) {
        const auto name = string_value(trace_.nodes, trace_.nodes.attributes(n), attr::pg_name).value_or("");
        ++counts.of_group[name.empty() ? "0" : std::string(name)];
        shrink(n, name.empty() ? "0" : name);
      } else if (n.type == NodeType::comm_send || n.type == NodeType::comm_recv) {
        goes[i] = leaves(i);
        counts.dropped += goes[i] ? 1 : 0;
      }
      renumber_root(n);
    }
    if (counts.dropped != 0) NodeRemoval(trace_, goes).run();
    trace_.rank = subset_.number(trace_.rank);
    return counts;
  }

 private:
  [[nodiscard]] Attr* attribute(const Node& n, Name name) {
    const Attr* const a = find(trace_.nodes.attributes(n), name);
    return a == nullptr ? nullptr : &trace_.nodes.attrs[static_cast<std::size_t>(a - trace_.nodes.attrs.data())];
  }

  // Renumbers the root of a collective, or of the one that the node replaces, if the subset takes that rank.
  void renumber_root(const Node& n) {
    const bool is_collective = n.type == NodeType::comm_coll;
    if (!is_collective && find(trace_.nodes.attributes(n), attr::merged_nodes) == nullptr) return;
    for (const Name name :
         {is_collective ? attr::comm_src : merged::comm_src, is_collective ? attr::comm_dst : merged::comm_dst}) {
      Attr* const root = attribute(n, name);
      const IntValue v = int_value(root);
      if (v && subset_.takes(v.value)) root->bits = subset_.number(static_cast<Rank>(v.value));
    }
  }

  // Corrects what a collective states: how many ranks its group has, and what it exchanges with each.
  void shrink(const Node& n, std::string_view group) {
    Attr* const size = attribute(n, attr::group_size);
    Attr* const sends = attribute(n, attr::send_splits);
    Attr* const receives = attribute(n, attr::recv_splits);
    if (size == nullptr && sends == nullptr && receives == nullptr) return;
    const std::vector<Rank>* const members = subset_.members ? subset_.members(group) : nullptr;
    if (members == nullptr && group != "0") return;
    const auto stays = [&](std::size_t place) {
      return subset_.takes(members != nullptr ? (*members)[place] : static_cast<std::int64_t>(place));
    };
    std::size_t left = subset_.ranks.size();
    if (members != nullptr) {
      left = 0;
      for (std::size_t place = 0; place < members->size(); ++place) left += stays(place) ? 1 : 0;
    }
    if (size != nullptr && is_integer(size->kind)) size->bits = left;
    for (const auto& [splits, bytes] :
         {std::pair{sends, attr::comm_size}, std::pair{receives, attr::comm_bytes_out}}) {
      const bool fits = splits != nullptr && splits->kind == Kind::int64_list &&
                        (members == nullptr || splits->size == members->size());
      if (fits) shrink_splits(*splits, attribute(n, bytes), stays);
    }
  }

  template <class Stays>
  void shrink_splits(Attr& splits, Attr* bytes, const Stays& stays) {
    __extension__ using Wide = __int128;
    std::uint64_t* const list = trace_.nodes.numbers.data() + splits.bits;
    Wide before = 0, after = 0;
    std::uint32_t left = 0;
    for (std::uint32_t place = 0; place < splits.size; ++place) {
      const std::uint64_t elements = list[place];
      before += static_cast<std::int64_t>(elements);
      if (!stays(place)) continue;
      after += static_cast<std::int64_t>(elements);
      list[left++] = elements;
    }
    splits.size = left;
    const IntValue whole = int_value(bytes);
    constexpr Wide most = INT64_MAX;  // beyond that they are no sizes of anything
    if (whole && before > 0 && before <= most && after >= 0 && after <= before)
      bytes->bits = static_cast<std::uint64_t>(static_cast<std::int64_t>(Wide{whole.value} * after / before));
  }

  // Gives the ranks of a message their new numbers. Returns whether one of them is not taken.
  bool leaves(std::size_t i) {
    const Node& n = trace_.nodes.nodes[i];
    bool out = false;
    for (std::uint32_t k = 0; k < n.attrs.count; ++k) {
      Attr& a = trace_.nodes.attrs[n.attrs.begin + k];
      if (a.name != attr::comm_src && a.name != attr::comm_dst) continue;
      const IntValue v = int_value(&a);
      if (!v || v.value < 0)
        throw error(i, "attribute " + std::string(a.name.view()) + " is no rank, an integer from 0");
      if (subset_.takes(v.value)) {
        a.bits = subset_.number(static_cast<Rank>(v.value));
        continue;
      }
      if (!subset_.drop_messages)
        throw error(i, std::string(n.type == NodeType::comm_send ? "sends to" : "receives from") + " rank " +
                           std::to_string(v.value) + ", which is not taken; --cross drop leaves such messages out");
      out = true;
    }
    return out;
  }
  [[nodiscard]] Error error(std::size_t i, const std::string& what) const {
    const Node& n = trace_.nodes.nodes[i];
    return input_error(location_of(trace_, i),
                       "node " + std::to_string(n.id) + " (" + std::string(trace_.nodes.name(n)) + ") of rank " +
                           std::to_string(trace_.rank) + ": " + what,
                       "split");
  }

  const RankSubset& subset_;
  Trace& trace_;
};

}  // namespace

bool RankSubset::takes(std::int64_t rank) const { return rank >= 0 && std::ranges::binary_search(ranks, rank); }

Rank RankSubset::number(Rank rank) const {
  if (!renumber) return rank;
  return static_cast<Rank>(std::lower_bound(ranks.begin(), ranks.end(), rank) - ranks.begin());
}

void SubsetCounts::add(const SubsetCounts& other) {
  dropped += other.dropped;
  for (const auto& [group, count] : other.of_group) of_group[group] += count;
}

SubsetCounts take_rank(const RankSubset& subset, Trace& trace) { return RankTaker(subset, trace).run(); }

}  // namespace convert
