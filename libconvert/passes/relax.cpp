// SPDX-License-Identifier: MIT
#include "passes/relax.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <queue>
#include <tuple>
#include <utility>

#include "passes/dep_rules.h"
#include "passes/incremental_order.h"
#include "passes/rules/whole_set/cycles.h"
#include "passes/rules/whole_set/whole_set.h"

namespace convert {
namespace {

using rules::WholeSet;

constexpr std::int64_t unknown_time = RecordedOrder::unknown;

// Returns a × factor + b, or unknown_time if the result does not fit or is negative.
std::int64_t scaled_sum(std::int64_t a, std::int64_t factor, std::int64_t b) {
  std::int64_t out = 0;
  return __builtin_mul_overflow(a, factor, &out) || __builtin_add_overflow(out, b, &out) || out < 0 ? unknown_time
                                                                                                    : out;
}

// Returns base_ns plus the exact nanoseconds, or plus whole microseconds if there are no exact ones.
std::int64_t nanoseconds(const Attr* exact, std::uint64_t us, std::int64_t base_ns) {
  const IntValue ns = int_value(exact);
  if (ns && ns.value >= 0) return scaled_sum(ns.value, 1, base_ns);
  if (us > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) return unknown_time;
  return scaled_sum(static_cast<std::int64_t>(us), 1000, base_ns);
}

void add_times(const NodeTable& table, std::int64_t base_ns, RecordedOrder& to) {
  to.begin_ns.assign(table.nodes.size(), unknown_time);
  to.end_ns.assign(table.nodes.size(), unknown_time);
  for (std::size_t i = 0; i < table.nodes.size(); ++i) {
    const Node& n = table.nodes[i];
    const auto attrs = table.attributes(n);
    const Attr* start = find(attrs, attr::start_nanos);
    if (start == nullptr && n.start_us == 0) continue;
    to.begin_ns[i] = nanoseconds(start, n.start_us, base_ns);
    if (to.begin_ns[i] != unknown_time)
      to.end_ns[i] = nanoseconds(find(attrs, attr::duration_nanos), n.duration_us, to.begin_ns[i]);
  }
}

// Lists removable dependencies: data dependencies for one reason of order that are not control dependencies too.
void add_edges(const NodeTable& table, RecordedOrder& to) {
  const IdIndex index(table);
  std::vector<std::pair<std::uint32_t, std::optional<DepRule>>> parents;
  for (std::uint32_t i = 0; i < table.nodes.size(); ++i) {
    const Node& n = table.nodes[i];
    const Attr* rules = dep_rules_of(table, n);
    if (rules == nullptr) continue;
    parents.clear();
    const auto deps = table.data_deps(n);
    const std::string_view letters = table.string(*rules);
    for (std::size_t d = 0; d < deps.size(); ++d)
      parents.emplace_back(index.find(deps[d]), dep_rule_of(letters[d]));
    for (const NodeId id : table.ctrl_deps(n)) parents.emplace_back(index.find(id), std::nullopt);
    std::stable_sort(parents.begin(), parents.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (std::size_t begin = 0, end = 0; begin < parents.size(); begin = end) {
      bool order = parents[begin].first != IdIndex::none;
      for (; end < parents.size() && parents[end].first == parents[begin].first; ++end)
        order = order && parents[end].second && is_order(*parents[end].second);
      if (order) to.edges.push_back({i, parents[begin].first, *parents[begin].second});
    }
  }
}

class Relaxer {
 public:
  Relaxer(std::span<const TraceSummary> set, std::span<const RecordedOrder> orders, const GroupLists* groups)
      : set_(set), orders_(orders), whole_(set, groups) {}

  Relaxation run() {
    nodes_ = rules::nodes_on_cycles(whole_);
    if (nodes_.empty()) return {};
    Relaxation out{.cycles = true, .breakable = true, .cuts = {}, .pairs = {}};
    find_early(out.pairs);
    list_edges();
    const std::vector<std::uint32_t> order = likely_order();
    out.breakable = order.size() == nodes_.size();
    if (out.breakable) cut(order, out.cuts);
    return out;
  }

 private:
  // Edges are added by ascending weight, so the heaviest are removed first.
  enum class Weight : std::uint8_t { needed, explicit_wait, implicit_order, early_call, overlap, early_receive };
  static Cut::Contradicted contradicted(Weight weight) {
    switch (weight) {
      case Weight::early_call: return Cut::Contradicted::call;
      case Weight::overlap: return Cut::Contradicted::order;
      case Weight::early_receive: return Cut::Contradicted::message;
      case Weight::needed:
      case Weight::explicit_wait:
      case Weight::implicit_order: break;
    }
    return Cut::Contradicted::nothing;
  }
  struct Info {
    Weight weight;
    Rank rank;
    const RecordedOrder::Edge* order;  // null: cannot be removed
  };

  [[nodiscard]] std::pair<Rank, std::uint32_t> place(std::uint32_t node) const {
    const Rank rank = whole_.rank_of(node);
    return {rank, node - whole_.base(rank)};
  }
  [[nodiscard]] std::int64_t begin_of(std::uint32_t node) const {
    const auto [rank, index] = place(node);
    return orders_[rank].begin_ns[index];
  }
  [[nodiscard]] bool has_base(std::uint32_t node) const { return orders_[whole_.rank_of(node)].has_base; }
  [[nodiscard]] std::int64_t end_of(std::uint32_t node) const {
    const auto [rank, index] = place(node);
    return orders_[rank].end_ns[index];
  }
  // Returns the time from the end of `node` to the start of `other`, of another rank; 0 if negative or unknown.
  [[nodiscard]] std::int64_t ended_before(std::uint32_t node, std::uint32_t other) const {
    if (has_base(node) != has_base(other)) return 0;
    const std::int64_t end = end_of(node), begin = begin_of(other);
    return end == unknown_time || begin == unknown_time || end >= begin ? 0 : begin - end;
  }

  // Finds receives and calls that ended before an event they seem to depend on.
  void find_early(std::vector<ContradictedPair>& pairs) {
    early_.assign(whole_.size(), false);
    std::vector<bool> on_cycles(whole_.size());
    for (const std::uint32_t node : nodes_) on_cycles[node] = true;
    for (const std::uint32_t node : nodes_) {
      if (whole_.is_meeting(node)) {
        find_early_calls(node);
        continue;
      }
      const std::uint32_t receive = whole_.receive_of(node);
      if (receive == no_index || !on_cycles[receive]) continue;
      const std::int64_t by = ended_before(receive, node);
      if (by == 0) continue;
      early_[receive] = true;
      const auto [source, send_index] = place(node);
      const auto [destination, receive_index] = place(receive);
      pairs.push_back({source, set_[source].id(send_index), destination, set_[destination].id(receive_index), by});
    }
  }
  void find_early_calls(std::uint32_t meeting) {
    const auto members = whole_.members(meeting);
    std::uint32_t last[2] = {no_index, no_index};  // last member to begin, among ranks without and with a time base
    for (const std::uint32_t m : members) {
      std::uint32_t& l = last[has_base(m) ? 1 : 0];
      if (begin_of(m) != unknown_time && (l == no_index || begin_of(m) > begin_of(l))) l = m;
    }
    for (const std::uint32_t m : members) {
      const std::uint32_t l = last[has_base(m) ? 1 : 0];
      if (l != no_index && ended_before(m, l) != 0) early_[m] = true;
    }
  }

  void list_edges() {
    std::vector<std::uint32_t> local(whole_.size(), no_index);
    for (std::uint32_t i = 0; i < nodes_.size(); ++i) local[nodes_[i]] = i;
    for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
      whole_.for_waiting(nodes_[i], [&](std::uint32_t waiting, std::uint32_t dependent) {
        if (local[waiting] == no_index) return;
        edges_.push_back({i, local[waiting]});
        infos_.push_back(dependent == no_index ? Info{Weight::needed, 0, nullptr} : info(nodes_[i], dependent));
      });
    }
  }
  [[nodiscard]] Info info(std::uint32_t parent, std::uint32_t child) const {
    const auto [rank, index] = place(child);
    const RecordedOrder::Edge* order = orders_[rank].find(index, parent - whole_.base(rank));
    if (order == nullptr) return {Weight::needed, rank, nullptr};
    const std::int64_t end = end_of(parent), begin = begin_of(child);
    const bool overlap = end != unknown_time && begin != unknown_time && end > begin;
    if (early_[parent]) return {whole_.is_call(parent) ? Weight::early_call : Weight::early_receive, rank, order};
    if (overlap) return {Weight::overlap, rank, order};
    const bool explicit_wait =
        order->rule == DepRule::launch || order->rule == DepRule::event || order->rule == DepRule::synchronisation;
    return {explicit_wait ? Weight::explicit_wait : Weight::implicit_order, rank, order};
  }

  // Returns the nodes in an order in which few edges, and no needed edge, lead backwards. Ready nodes go first; if
  // there are none, the earliest node that is held back only by order. The result is incomplete if needed edges
  // close a cycle.
  [[nodiscard]] std::vector<std::uint32_t> likely_order() const {
    const auto count = static_cast<std::uint32_t>(nodes_.size());
    std::vector<std::uint32_t> open(count), needed(count);
    for (std::size_t e = 0; e < edges_.size(); ++e) {
      ++open[edges_[e].to];
      if (infos_[e].order == nullptr) ++needed[edges_[e].to];
    }
    using Held = std::pair<std::int64_t, std::uint32_t>;
    std::priority_queue<Held, std::vector<Held>, std::greater<>> held;
    std::vector<std::uint32_t> order;
    order.reserve(count);
    std::vector<bool> done(count);
    const auto offer = [&](std::uint32_t i) {
      if (done[i] || needed[i] != 0) return;
      if (open[i] == 0) {
        done[i] = true;
        order.push_back(i);
      } else {
        held.emplace(likely_begin(nodes_[i]), i);
      }
    };
    for (std::uint32_t i = 0; i < count; ++i) offer(i);
    const Rows out = rows_by_key(edges_.size(), count, [&](std::size_t e) { return edges_[e].from; });
    std::size_t next = 0;
    while (true) {
      for (; next < order.size(); ++next) {
        for (const std::uint32_t e : out[order[next]]) {
          const std::uint32_t to = edges_[e].to;
          --open[to];
          const bool freed = infos_[e].order == nullptr && --needed[to] == 0;
          if (freed || open[to] == 0) offer(to);
        }
      }
      while (!held.empty() && done[held.top().second]) held.pop();
      if (held.empty()) return order;
      done[held.top().second] = true;
      order.push_back(held.top().second);
    }
  }
  [[nodiscard]] std::int64_t likely_begin(std::uint32_t node) const {
    if (!whole_.is_meeting(node)) return begin_of(node);
    std::int64_t latest = unknown_time;
    for (const std::uint32_t m : whole_.members(node)) latest = std::max(latest, begin_of(m));
    return latest;
  }

  void cut(const std::vector<std::uint32_t>& order, Cuts& cuts) const {
    std::vector<std::uint32_t> places(order.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) places[order[i]] = i;
    std::vector<std::uint32_t> sequence(edges_.size());
    std::iota(sequence.begin(), sequence.end(), 0U);
    const auto key = [&](std::uint32_t e) {
      return std::tuple(infos_[e].weight, places[edges_[e].to], places[edges_[e].from], e);
    };
    std::sort(sequence.begin(), sequence.end(), [&](std::uint32_t a, std::uint32_t b) { return key(a) < key(b); });
    IncrementalOrder kept(order, edges_);
    for (const std::uint32_t e : sequence) {
      if (kept.add(e)) continue;
      const Info& i = infos_[e];
      cuts[i.rank].push_back({.node = set_[i.rank].id(i.order->child),
                              .dependency = set_[i.rank].id(i.order->parent),
                              .rule = i.order->rule,
                              .contradicted = contradicted(i.weight)});
    }
    for (auto& [rank, of] : cuts) {
      std::sort(of.begin(), of.end(), [](const Cut& a, const Cut& b) {
        return std::tie(a.node, a.dependency) < std::tie(b.node, b.dependency);
      });
    }
  }

  std::span<const TraceSummary> set_;
  std::span<const RecordedOrder> orders_;
  WholeSet whole_;
  std::vector<std::uint32_t> nodes_;  // nodes on or between cycles; edges name them by their position here
  std::vector<bool> early_;           // by node of the set
  std::vector<IncrementalOrder::Edge> edges_;
  std::vector<Info> infos_;  // by edge
};

}  // namespace

const RecordedOrder::Edge* RecordedOrder::find(std::uint32_t child, std::uint32_t parent) const {
  const auto at = std::lower_bound(edges.begin(), edges.end(), std::pair(child, parent),
                                   [](const Edge& e, auto key) { return std::pair(e.child, e.parent) < key; });
  return at != edges.end() && at->child == child && at->parent == parent ? &*at : nullptr;
}

RecordedOrder recorded_order(const Trace& trace) {
  RecordedOrder out;
  const IntValue base = int_value(find(trace.metadata.table.attrs, attr::base_time_nanos));
  out.has_base = base && base.value >= 0;
  add_times(trace.nodes, out.has_base ? base.value : 0, out);
  add_edges(trace.nodes, out);
  return out;
}

Relaxation relax(std::span<const TraceSummary> set, std::span<const RecordedOrder> orders,
                 const GroupLists* groups) {
  return Relaxer(set, orders, groups).run();
}

void cut_dependencies(NodeTable& table, std::span<const Cut> cuts) {
  for (Node& node : table.nodes) {
    const auto own = std::ranges::equal_range(cuts, node.id, {}, &Cut::node);
    if (own.empty()) continue;
    const auto goes = [&](NodeId id) { return std::ranges::find(own, id, &Cut::dependency) != own.end(); };
    const Attr* rules = dep_rules_of(table, node);
    std::string letters;
    std::uint32_t kept = 0;
    for (std::uint32_t i = 0; i < node.data_deps.count; ++i) {
      NodeId* const deps = table.deps.data() + node.data_deps.begin;
      if (goes(deps[i])) continue;
      deps[kept++] = deps[i];
      if (rules != nullptr) letters.push_back(table.string(*rules)[i]);
    }
    node.data_deps.count = kept;
    if (rules == nullptr) continue;
    const auto place = static_cast<std::size_t>(rules - table.attrs.data());
    const Text text = table.add_text(letters);
    table.attrs[place].size = text.size;
    table.attrs[place].bits = text.offset;
  }
}

}  // namespace convert
