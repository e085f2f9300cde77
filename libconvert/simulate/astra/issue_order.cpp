// SPDX-License-Identifier: MIT
#include "simulate/astra/issue_order.h"

#include "simulate/program/op.h"

namespace convert {
namespace {

// Nodes of a table in the order in which ASTRA-sim's feeder loads them.
class Loader {
 public:
  Loader(const NodeTable& table, const Graph& graph, const Feeder& feeder)
      : table_(table), graph_(graph), node_of_(graph.size()) {
    for (std::uint32_t node = 0; node < feeder.size(); ++node) node_of_[feeder.index_of(node)] = node;
  }

  [[nodiscard]] std::uint32_t node_of(std::uint32_t index) const { return node_of_[index]; }

  // Returns the table's indices in the iteration order of the feeder's dependency map, which holds nodes and,
  // inserted before them, their parents.
  [[nodiscard]] std::vector<std::uint32_t> dependency_map() {
    std::vector<std::uint32_t> keys;
    std::vector<bool> known(graph_.size());
    const auto add = [&](std::uint32_t index) {
      if (!known[index]) keys.push_back(index);
      known[index] = true;
    };
    for (std::uint32_t i = 0; i < graph_.size(); ++i) {
      add(i);
      for_each_end(graph_.parents(i), add);
    }
    return walk(keys);
  }

  // Inserts the other ends of the edges into a set, in order; calls f(index) for each in the set's iteration order.
  template <typename F>
  void for_each_end(std::span<const Edge> edges, const F& f) {
    if (edges.size() == 1) f(edges.front().node);
    if (edges.size() < 2) return;
    set_.clear(1);
    for (const Edge& e : edges) set_.insert(table_.nodes[e.node].id);
    set_.for_each([&](std::uint32_t place) { f(edges[place].node); });
  }

  // Inserts the indices into a set, in order; returns them in the set's iteration order.
  [[nodiscard]] std::vector<std::uint32_t> walk(const std::vector<std::uint32_t>& indices) {
    set_.clear(1);
    for (const std::uint32_t i : indices) set_.insert(table_.nodes[i].id);
    std::vector<std::uint32_t> walked;
    walked.reserve(indices.size());
    set_.for_each([&](std::uint32_t place) { walked.push_back(indices[place]); });
    return walked;
  }
  [[nodiscard]] std::uint32_t bucket_count() const { return set_.bucket_count(); }  // of the last walk()'s set

 private:
  const NodeTable& table_;
  const Graph& graph_;
  std::vector<std::uint32_t> node_of_;  // by index
  HashOrder set_;
};

}  // namespace

IssueOrder::IssueOrder(const NodeTable& table, const Graph& graph, const Feeder& feeder) {
  Loader loader(table, graph, feeder);
  std::vector<std::uint32_t> free = loader.dependency_map();
  std::erase_if(free, [&](std::uint32_t i) { return !graph.parents(i).empty(); });
  for (const std::uint32_t i : loader.walk(free)) first.push_back(loader.node_of(i));
  bucket_count = loader.bucket_count();
  child_begin.push_back(0);
  for (std::uint32_t node = 0; node < feeder.size(); ++node) {
    loader.for_each_end(graph.children(feeder.index_of(node)),
                        [&](std::uint32_t i) { children_of_all.push_back(loader.node_of(i)); });
    child_begin.push_back(static_cast<std::uint32_t>(children_of_all.size()));
  }
}

void IssueArranger::arrange(const RankCode& code, const Feeder& feeder, std::uint32_t node,
                            std::span<std::uint32_t> fresh, std::uint32_t& bucket_count) {
  if (fresh.size() < 2) return;  // the order of a single node is trivial
  set_.clear(bucket_count);
  freed_.clear();
  for (const std::uint32_t child : code.issue_order->children(node)) {
    if (feeder.waits_for(child) != 0) continue;
    freed_.push_back(child);
    set_.insert(code.id(child));
  }
  std::size_t next = 0;
  set_.for_each([&](std::uint32_t place) { fresh[next++] = freed_[place]; });
  bucket_count = set_.bucket_count();
}

}  // namespace convert
