// SPDX-License-Identifier: MIT
#include "passes/split/split.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "core/units.h"

namespace convert {
namespace {

// A message to all children of a node on another NPU.
struct CrossMessage {
  std::uint32_t from = 0;  // index of the producer
  Rank to = 0;
  bool data = false;  // some child has a data dependency
};

// A node of a rank: a node of the system, or an end of a message.
struct RankEntry {
  std::uint32_t index = 0;  // of the node or the message
  bool message = false;
  bool receives = false;
};

bool is_message_edge(const NodeTable& table, const Node& from, const Node& to) {
  if (from.type != NodeType::comm_send || to.type != NodeType::comm_recv) return false;
  const auto same = [&](Name name) {
    const IntValue a = int_value(table.attributes(from), name);
    const IntValue b = int_value(table.attributes(to), name);
    return a && b && a.value == b.value;
  };
  return same(attr::comm_src) && same(attr::comm_dst) && same(attr::comm_tag);
}

}  // namespace

struct SystemSplit::State {
  State(Trace trace, std::vector<NodePlace> node_places, CrossEdges cross_edges,
        std::optional<JoinedRanks> joined_ranks)
      : system(std::move(trace)),
        places(std::move(node_places)),
        cross(cross_edges),
        joined(std::move(joined_ranks)),
        ids(system.nodes) {
    find_ranks();
    find_messages();
    number_messages();
    list_nodes();
  }

  void find_ranks() {
    if (!joined) {
      for (const NodePlace& p : places) {
        ranks.push_back(p.ranks.rank);
        if (p.ranks.is_transfer()) ranks.push_back(p.ranks.peer);
      }
      std::ranges::sort(ranks);
      ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
      return check_gaps();
    }
    ranks = joined->ranks;
    for (std::uint32_t i = 0; i < places.size(); ++i) {
      const std::size_t at = index_of(places[i].ranks.rank);
      if (at == ranks.size() || ranks[at] != places[i].ranks.rank)
        throw error(i, "belongs to no rank of the joined set");
      if (!joined->holds(at, system.nodes.nodes[i].id)) {
        throw error(i, "does not belong to the joined set: the ids of that rank are from " +
                           std::to_string(joined->first_ids[at]) + " to below " +
                           std::to_string(joined->first_ids[at + 1]));
      }
    }
  }

  void check_gaps() const {
    for (std::size_t r = 0; r < ranks.size(); ++r) {
      if (ranks[r] == r) continue;
      const auto runs = [&](const NodePlace& p) { return p.ranks.runs_on(ranks[r]); };
      const auto at = std::ranges::find_if(places, runs);
      throw error(static_cast<std::uint32_t>(at - places.begin()),
                  "exists, but no node of NPU " + std::to_string(r) + "; NPUs must be 0…" +
                      std::to_string(ranks.back()) + " without gaps");
    }
  }

  void find_messages() {
    const NodeTable& table = system.nodes;
    for (std::uint32_t i = 0; i < table.nodes.size(); ++i) {
      for (const NodeId id : table.data_deps(table.nodes[i])) look_at_edge(i, id, true);
      for (const NodeId id : table.ctrl_deps(table.nodes[i])) look_at_edge(i, id, false);
    }
    counts.messages = messages.size();
  }

  void look_at_edge(std::uint32_t child, NodeId parent_id, bool data) {
    const std::uint32_t parent = ids.find(parent_id);
    if (parent == IdIndex::none || is_carried(places[parent].ranks, places[child].ranks)) return;
    const NodeTable& table = system.nodes;
    if (is_message_edge(table, table.nodes[parent], table.nodes[child])) return;
    ++counts.edges;
    if (cross == CrossEdges::drop) {
      ++counts.dropped;
      return;
    }
    const bool transfer = places[parent].ranks.is_transfer() || places[child].ranks.is_transfer();
    if (cross == CrossEdges::error || transfer) {
      throw error(child, "depends on " + describe(parent) +
                             (cross == CrossEdges::error
                                  ? "; use --cross pair to make it a message, or --cross drop to omit it"
                                  : ", but a transfer joins only tasks of its own NPUs"));
    }
    const auto next = static_cast<std::uint32_t>(messages.size());
    const Rank to = places[child].ranks.rank;
    const auto [at, added] = message_of.try_emplace(key(parent, to), next);
    if (added) messages.push_back({.from = parent, .to = to});
    if (data) messages[at->second].data = true;
  }

  // Gives messages ids and tags after all used ones.
  void number_messages() {
    const NodeTable& table = system.nodes;
    NodeId last = 0;
    std::int64_t highest = -1;
    for (std::uint32_t i = 0; i < table.nodes.size(); ++i) {
      const Node& n = table.nodes[i];
      last = std::max(last, n.id);
      if (places[i].ranks.is_transfer()) {
        const auto number = static_cast<std::uint32_t>(transfer_number.size());
        transfer_number.emplace(i, number);
      }
      if (n.type != NodeType::comm_send && n.type != NodeType::comm_recv) continue;
      if (const IntValue tag = int_value(table.attributes(n), attr::comm_tag))
        highest = std::max(highest, tag.value);
    }
    for (const NodeId id : table.deps) last = std::max(last, id);
    if (joined) last = std::max(last, joined->first_ids.back());
    const std::uint64_t fresh = transfer_number.size() + messages.size();
    if (fresh == 0) return;
    if (highest >= largest_tag || fresh > static_cast<std::uint64_t>(largest_tag - highest))
      throw input_error({.file = system.name},
                        "no tags are left after " + std::to_string(highest) + " for " + counted(fresh, "message"),
                        "split");
    first_tag = highest + 1;
    if (last > std::numeric_limits<NodeId>::max() - 1 - messages.size())
      throw input_error({.file = system.name}, "no ids are left after " + std::to_string(last), "split");
    first_new_id = last + 1;
  }

  // Lists each rank's nodes in the order of the system, new ones last.
  void list_nodes() {
    std::vector<std::size_t> count(ranks.size());
    const auto each = [&](const auto& visit) {
      for (std::uint32_t i = 0; i < places.size(); ++i) {
        const TaskRanks& r = places[i].ranks;
        visit(index_of(r.rank), RankEntry{.index = i});
        if (r.is_transfer()) visit(index_of(r.peer), RankEntry{.index = i, .receives = true});
      }
      for (std::uint32_t m = 0; m < messages.size(); ++m) {
        visit(index_of(places[messages[m].from].ranks.rank), RankEntry{.index = m, .message = true});
        visit(index_of(messages[m].to), RankEntry{.index = m, .message = true, .receives = true});
      }
    };
    each([&](std::size_t rank, const RankEntry&) { ++count[rank]; });
    begin.assign(1, 0);
    for (const std::size_t n : count) begin.push_back(begin.back() + n);
    entries.resize(begin.back());
    std::vector<std::size_t> next(begin.begin(), begin.end() - 1);
    each([&](std::size_t rank, const RankEntry& e) { entries[next[rank]++] = e; });
  }

  [[nodiscard]] std::string describe(std::uint32_t i) const {
    const TaskRanks& r = places[i].ranks;
    const Node& n = system.nodes.nodes[i];
    return "node " + std::to_string(n.id) + " (" + std::string(system.nodes.name(n)) + ") of NPU " +
           std::to_string(r.rank) + (r.is_transfer() ? " and NPU " + std::to_string(r.peer) : "");
  }

  [[nodiscard]] Error error(std::uint32_t i, const std::string& what) const {
    return input_error(location_of(system, i), describe(i) + " " + what, "split");
  }
  [[nodiscard]] std::size_t index_of(Rank r) const {
    return static_cast<std::size_t>(std::lower_bound(ranks.begin(), ranks.end(), r) - ranks.begin());
  }

  [[nodiscard]] NodeId own_id(std::uint32_t i, std::size_t rank) const {
    const Node& n = system.nodes.nodes[i];
    if (!joined) return n.id;
    if (!joined->keeps_ids[rank]) return n.id - joined->first_ids[rank];
    const Attr* const a = find(system.nodes.attributes(n), attr::joined_id);
    if (a == nullptr || a->kind != Kind::uint64_val)
      throw error(i, "lacks the attribute joined_id (its original id)");
    return a->bits;
  }

  [[nodiscard]] static std::uint64_t key(std::uint32_t from, Rank to) { return std::uint64_t{from} << 32U | to; }

  void add_deps(const RankEntry& e, std::size_t rank, bool data, NodeTable& out) const {
    const Node& n = system.nodes.nodes[e.index];
    const auto add = [&](NodeId id) { data ? out.add_data_dep(id) : out.add_ctrl_dep(id); };
    for (const NodeId id : data ? system.nodes.data_deps(n) : system.nodes.ctrl_deps(n)) {
      const std::uint32_t parent = ids.find(id);
      if (parent == IdIndex::none) {
        if (joined && (!joined->holds(rank, id) || joined->keeps_ids[rank]))
          throw error(e.index,
                      "depends on node " + std::to_string(id) + ", which belongs to no rank of the joined set");
        add(joined ? id - joined->first_ids[rank] : id);
      } else if (awaited(places[parent].ranks, ranks[rank], e.receives) != Awaited::nothing) {
        add(own_id(parent, rank));
      } else if (const auto at = message_of.find(key(parent, ranks[rank]));
                 at != message_of.end() && !places[e.index].ranks.is_transfer()) {
        add(first_new_id + at->second);
      }
    }
  }

  void add_node(const RankEntry& e, std::size_t rank, NodeTable& out) const {
    const NodeTable& table = system.nodes;
    const Node& from = table.nodes[e.index];
    const bool transfer = places[e.index].ranks.is_transfer();
    const NodeType type = !transfer ? from.type : e.receives ? NodeType::comm_recv : NodeType::comm_send;
    out.begin_copy(table, from, own_id(e.index, rank), type);
    add_deps(e, rank, true, out);
    add_deps(e, rank, false, out);
    add_attributes(e, out);
    out.end_copy(table, from);
  }

  void add_attributes(const RankEntry& e, NodeTable& out) const {
    const NodeTable& table = system.nodes;
    const NodePlace& place = places[e.index];
    const Node& from = table.nodes[e.index];
    const auto attrs = table.attributes(from);
    const bool task = place.ranks.is_transfer() || (place.bytes >= 0 && is_task_transfer(attrs));
    if (place.ranks.is_transfer()) {
      add_end(out.nodes.back().type, place.ranks, first_tag + transfer_number.at(e.index), place.bytes, out);
    } else if (task) {  // within the NPU: a copy
      out.add_bool(attr::is_cpu_op, false);
      if (place.bytes >= 0) out.add_int(attr::tensor_size, Kind::int64_val, place.bytes);
    }
    const Attr* const npu = find(attrs, attr::npu);
    const bool keeps = joined && joined->keeps_ids[index_of(place.ranks.rank)];
    const Attr* const before = keeps ? find(attrs, attr::joined_id) : nullptr;
    for (const Attr& a : attrs) {
      if (&a == npu || &a == before) continue;
      const bool said = a.name == attr::is_cpu_op || a.name == attr::comm_src || a.name == attr::comm_dst ||
                        a.name == attr::comm_size || a.name == attr::comm_task || a.name == attr::comm_type ||
                        a.name == attr::comm_tag;
      if (!(task && said)) out.add_copy(table, a);
    }
  }

  void add_message(const RankEntry& e, std::size_t rank, NodeTable& out) const {
    const CrossMessage& m = messages[e.index];
    const NodeTable& table = system.nodes;
    const Node& producer = table.nodes[m.from];
    const NodeType type = e.receives ? NodeType::comm_recv : NodeType::comm_send;
    (void)out.add_node(first_new_id + e.index, type,
                       std::string(table.name(producer)) + " -> npu " + std::to_string(m.to));
    if (!e.receives) m.data ? out.add_data_dep(own_id(m.from, rank)) : out.add_ctrl_dep(own_id(m.from, rank));
    const IntValue size = int_value(table.attributes(producer), attr::tensor_size);
    const std::int64_t bytes = m.data && size ? std::max<std::int64_t>(0, size.value) : 0;
    add_end(type, {.rank = places[m.from].ranks.rank, .peer = m.to},
            first_tag + static_cast<std::int64_t>(transfer_number.size() + e.index), bytes, out);
    out.end_node();
  }

  static void add_end(NodeType type, const TaskRanks& ends, std::int64_t tag, std::int64_t bytes, NodeTable& out);

  Trace system;
  std::vector<NodePlace> places;
  CrossEdges cross;
  std::optional<JoinedRanks> joined;
  IdIndex ids;
  SplitCounts counts;
  std::vector<Rank> ranks;
  std::vector<CrossMessage> messages;
  std::unordered_map<std::uint64_t, std::uint32_t> message_of;       // by key()
  std::unordered_map<std::uint32_t, std::uint32_t> transfer_number;  // by node
  NodeId first_new_id = 0;
  std::int64_t first_tag = 0;
  std::vector<std::size_t> begin;  // by rank, and one more: index into entries
  std::vector<RankEntry> entries;
};

void SystemSplit::State::add_end(NodeType type, const TaskRanks& ends, std::int64_t tag, std::int64_t bytes,
                                 NodeTable& out) {
  out.add_bool(attr::is_cpu_op, false);
  out.add_int(attr::comm_type, Kind::int64_val, static_cast<std::int64_t>(type));
  out.add_int(attr::comm_src, Kind::int32_val, ends.rank);
  out.add_int(attr::comm_dst, Kind::int32_val, ends.peer);
  out.add_int(attr::comm_tag, Kind::int32_val, tag);
  out.add_int(attr::comm_size, Kind::int64_val, bytes);
}

SystemSplit::SystemSplit(Trace system, std::vector<NodePlace> places, CrossEdges cross,
                         std::optional<JoinedRanks> joined)
    : state_(std::make_unique<State>(std::move(system), std::move(places), cross, std::move(joined))) {}
SystemSplit::~SystemSplit() = default;
SystemSplit::SystemSplit(SystemSplit&&) noexcept = default;

const SplitCounts& SystemSplit::counts() const { return state_->counts; }
const Trace& SystemSplit::system() const { return state_->system; }
const std::optional<JoinedRanks>& SystemSplit::joined() const { return state_->joined; }
const std::vector<Rank>& SystemSplit::ranks() const { return state_->ranks; }

NodeTable SystemSplit::nodes(std::size_t i) const {
  const State& s = *state_;
  NodeTable out;
  for (std::size_t k = s.begin[i]; k < s.begin[i + 1]; ++k) {
    const RankEntry& e = s.entries[k];
    e.message ? s.add_message(e, i, out) : s.add_node(e, i, out);
  }
  return out;
}

}  // namespace convert
