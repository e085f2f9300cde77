// SPDX-License-Identifier: MIT
#include "passes/compat/dependencies.h"

#include <algorithm>
#include <unordered_map>

#include "passes/compat/failure.h"

namespace convert::compat {
namespace {

// Python's limit of 1000 nested calls, less the calls around the search and one inside.
constexpr std::size_t largest_depth = 994;

void add_dep(Entry& to, NodeId id) {
  for (std::uint8_t i = 0; i < to.dep_count; ++i) {
    if (to.deps[i] == id) return;
  }
  if (to.dep_count < to.deps.size()) to.deps[to.dep_count++] = id;
}

// State of the walk: the last operator, and the dependency of the next device operation.
struct Cursors {
  std::uint32_t cpu = no_index, any = no_index;
};

class Walk {
 public:
  Walk(const Trace& trace, std::vector<Entry>& entries, const Children& children)
      : trace_(trace), entries_(entries), children_(children) {}

  // Walks from a thread's node, visiting children in the order of their ids. A thread that was already walked is
  // added with everything below it: a second walk would only add the operator before it.
  void run(std::uint32_t root) {
    if (entries_[root].visited) return;
    Cursors at;
    stack_.assign(1, {root, false});
    while (!stack_.empty()) {
      const auto [node, leaving] = stack_.back();
      stack_.pop_back();
      if (leaving) {
        ends_.emplace(node, at);
        continue;
      }
      if (entries_[node].visited) {
        if (entries_[node].thread && node != root) pass_thread(node, at);
        continue;
      }
      visit(node, at);
      if (entries_[node].thread) stack_.push_back({node, true});
      const auto children = children_.of(node);
      for (std::size_t i = children.size(); i-- > 0;) {
        if (entries_[children[i]].emitted) stack_.push_back({children[i], false});
      }
    }
  }

 private:
  struct Step {
    std::uint32_t node;
    bool leaving;
  };

  void visit(std::uint32_t node, Cursors& at) {
    Entry& e = entries_[node];
    e.visited = true;
    if (e.device) {
      if (at.any != no_index) add_dep(e, id(at.any));
      at.any = at.cpu;
      return;
    }
    if (e.follows != 0) add_dep(e, e.follows);
    if (at.cpu != no_index) add_dep(e, id(at.cpu));
    at.cpu = at.any = node;
  }

  void pass_thread(std::uint32_t node, Cursors& at) {
    if (at.cpu != no_index) add_dep(entries_[node], id(at.cpu));
    const auto end = ends_.find(node);
    if (end != ends_.end()) at = end->second;
  }

  [[nodiscard]] NodeId id(std::uint32_t node) const { return trace_.nodes.nodes[node].id; }

  const Trace& trace_;
  std::vector<Entry>& entries_;
  const Children& children_;
  std::vector<Step> stack_;
  std::unordered_map<std::uint32_t, Cursors> ends_;  // last operators of a walked thread
};

// Throws if threads call each other, as the reference program chains them into a cycle.
void check_callers(const Trace& trace, const std::vector<Entry>& entries) {
  constexpr std::uint32_t unseen = 0;
  std::vector<std::uint32_t> walk_of(entries.size(), unseen);
  for (std::uint32_t i = 0; i < entries.size(); ++i) {
    if (!entries[i].thread || walk_of[i] != unseen) continue;
    const std::uint32_t walk = i + 1;
    std::uint32_t at = i;
    for (; at != no_index && walk_of[at] == unseen; at = entries[at].parent) walk_of[at] = walk;
    if (at == no_index || walk_of[at] != walk) continue;
    std::size_t threads = 0;
    const std::uint32_t start = at;
    do {
      threads += entries[at].thread ? 1U : 0U;
      at = entries[at].parent;
    } while (at != start);
    if (threads > 1) {
      throw reference_fails(trace.name, trace.nodes.nodes[start].id, "and another thread call each other",
                            "cyclic dependency");
    }
  }
}

}  // namespace

Children::Children(std::span<const Node> nodes, const std::vector<Entry>& entries,
                   std::span<const std::uint32_t> order)
    : rows_(rows_by_key(
          order.size(), nodes.size(), [&](std::size_t k) { return entries[order[k]].parent; },
          [&](std::size_t k) { return order[k]; })) {}

void Children::sort_by_id(std::span<const Node> nodes) {
  const auto by_id = [&](std::uint32_t a, std::uint32_t b) { return nodes[a].id < nodes[b].id; };
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const std::span<std::uint32_t> row = rows_[i];
    if (!std::ranges::is_sorted(row, by_id)) std::ranges::sort(row, by_id);
  }
}

void add_dependencies(const Trace& trace, std::vector<Entry>& entries, const Children& children,
                      std::span<const std::uint32_t> emitted) {
  check_callers(trace, entries);
  Walk walk(trace, entries, children);
  for (const std::uint32_t i : emitted) {
    if (entries[i].thread) walk.run(i);
  }
}

std::vector<std::uint32_t> without_loose_nodes(const std::vector<Entry>& entries, const IdLookup& index,
                                               std::span<const std::uint32_t> emitted) {
  std::vector<bool> named(entries.size());
  for (const std::uint32_t i : emitted) {
    for (std::uint8_t d = 0; d < entries[i].dep_count; ++d) {
      const std::uint32_t on = index.find(entries[i].deps[d]);
      if (on != no_index) named[on] = true;
    }
  }
  std::vector<std::uint32_t> kept;
  kept.reserve(emitted.size());
  for (const std::uint32_t i : emitted) {
    if (entries[i].dep_count != 0 || named[i]) kept.push_back(i);
  }
  return kept;
}

void check_dependencies(const Trace& trace, const std::vector<Entry>& entries, const IdLookup& index,
                        std::span<const std::uint32_t> kept) {
  enum : std::uint8_t { unseen, open, closed };
  struct Step {
    std::uint32_t node;
    std::uint8_t next;
  };
  std::vector<std::uint8_t> state(entries.size(), unseen);
  std::vector<Step> path;
  for (const std::uint32_t start : kept) {
    if (state[start] == closed) continue;
    path.push_back({start, 0});
    while (!path.empty()) {
      const std::uint32_t node = path.back().node;
      const NodeId id = trace.nodes.nodes[node].id;
      state[node] = open;
      if (path.back().next == entries[node].dep_count) {
        state[node] = closed;
        path.pop_back();
        continue;
      }
      const NodeId on = entries[node].deps[path.back().next++];
      const std::uint32_t to = index.find(on);
      if (to == no_index || !entries[to].emitted)
        throw reference_fails(trace.name, id, "depends on node " + std::to_string(on) + ", which does not exist",
                              "KeyError");
      if (state[to] == closed) continue;
      if (state[to] == open)
        throw reference_fails(trace.name, id, "depends on itself through other nodes", "cyclic dependency");
      if (path.size() == largest_depth)
        throw reference_fails(trace.name, id, "precedes a chain of about 1000 nodes that it depends on",
                              "RecursionError");
      path.push_back({to, 0});
    }
  }
}

}  // namespace convert::compat
