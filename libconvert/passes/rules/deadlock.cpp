// SPDX-License-Identifier: MIT
#include <algorithm>
#include <limits>

#include "graph/algorithms.h"
#include "passes/rules/collective_groups.h"
#include "passes/rules/issue_order.h"
#include "passes/rules/rules.h"

namespace convert::rules {
namespace {

constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

// Whether no rank can end its part before all others have begun theirs. A broadcast's root could.
bool needs_everyone(const CollectiveNode& c, const GroupUse& use, std::size_t call) {
  switch (static_cast<CollectiveType>(c.type)) {
    case CollectiveType::barrier: return true;
    case CollectiveType::all_reduce:
    case CollectiveType::all_gather:
    case CollectiveType::reduce_scatter:
    case CollectiveType::reduce_scatter_block: return c.size > 0;
    case CollectiveType::all_to_all: break;
    default: return false;
  }
  const CollectiveDetails d = use.details_of(static_cast<std::uint32_t>(call));
  const auto some_nothing = [](std::span<const std::int64_t> list) {
    return std::find(list.begin(), list.end(), 0) != list.end();
  };
  return c.size > 0 && !some_nothing(use.list(d.recv_splits));
}

// All nodes of all ranks in one numbering. Edges: dependencies, and from the k-th send to the k-th receive, which
// completes only after its send was issued. Receives without a send are the business of rule pairs.
// The k-th collective of a group is a further node, the meeting: it waits for all that its ranks' nodes depend on,
// and they for nothing but it. From where ranks disagree on (rule collectives), there are none.
class WholeSet {
 public:
  WholeSet(std::span<const TraceSummary> set, const GroupLists* groups) : set_(set) {
    std::uint64_t total = 0;
    for (const TraceSummary& s : set) {
      base_.push_back(static_cast<std::uint32_t>(total));
      total += s.size;
      if (total >= none) throw too_large();
    }
    base_.push_back(static_cast<std::uint32_t>(total));
    other_.assign(total, none);
    for_each_message_group(messages_by_rank(set), [&](const MessageGroup& g) {
      for (std::size_t k = 0; k < std::min(g.sends.size(), g.recvs.size()); ++k) {
        const std::uint32_t send = base_[g.src] + set[g.src].messages.sends[g.sends[k]].node;
        const std::uint32_t recv = base_[g.dst] + set[g.dst].messages.recvs[g.recvs[k]].node;
        if (send != recv) other_[send] = recv;
      }
    });
    for (const CollectiveGroup& g : collective_groups(set, groups)) add_meetings(g);
  }

  // From now on each rank also runs the collectives that meet one after the other, in the order of issue. Those of
  // one group have one order on all ranks: false if no rank runs those of several, and nothing has changed.
  bool one_at_a_time() {
    bool several = false;
    for (const TraceSummary& s : set_) several = several || s.collectives.size() > 1;
    if (!several || meetings() == 0) return false;
    next_.assign(nodes(), none);
    for (std::uint32_t r = 0; r < set_.size(); ++r) {
      std::uint32_t before = none;
      for (const std::uint32_t index : collectives_in_order(r)) {
        if (before != none) next_[before] = other_[base_[r] + index];
        before = base_[r] + index;
      }
    }
    return true;
  }

  // Which waits between ranks count; all at first.
  void count(bool messages, bool collectives) {
    messages_ = messages;
    collectives_ = collectives;
  }
  [[nodiscard]] bool has_meetings() const { return meetings() != 0; }
  // Nodes and meetings; the meetings come last.
  [[nodiscard]] std::uint32_t size() const { return nodes() + meetings(); }
  [[nodiscard]] bool is_meeting(std::uint32_t node) const { return node >= nodes(); }
  // What each rank contributes to a meeting, ascending.
  [[nodiscard]] std::span<const std::uint32_t> members(std::uint32_t meeting) const {
    const std::uint32_t m = meeting - nodes();
    return std::span(members_).subspan(member_begin_[m], member_begin_[m + 1] - member_begin_[m]);
  }
  [[nodiscard]] std::uint32_t rank_of(std::uint32_t node) const {
    const auto after = std::upper_bound(base_.begin(), base_.end(), node);
    return static_cast<std::uint32_t>(after - base_.begin()) - 1;
  }
  [[nodiscard]] std::uint32_t base(std::uint32_t rank) const { return base_[rank]; }

  template <typename Visit>
  void for_children(std::uint32_t node, const Visit& visit) const {
    if (is_meeting(node)) {
      for (const std::uint32_t member : members(node)) visit(member);
      return;
    }
    const std::uint32_t rank = rank_of(node);
    const std::uint32_t base = base_[rank];
    if (!collectives_ || meetings() == 0) {
      for (const std::uint32_t child : set_[rank].children_of(node - base)) visit(base + child);
    } else {
      for (const std::uint32_t child : set_[rank].children_of(node - base)) {
        const std::uint32_t meeting = other_[base + child];
        visit(meeting != none && is_meeting(meeting) ? meeting : base + child);
      }
    }
    if (messages_ && other_[node] != none && !is_meeting(other_[node])) visit(other_[node]);
    if (!next_.empty() && next_[node] != none) visit(next_[node]);
  }

 private:
  // The collectives of a rank that meet.
  [[nodiscard]] std::vector<std::uint32_t> collectives_in_order(std::uint32_t rank) const {
    std::vector<std::uint32_t> found;
    for (const GroupUse& use : set_[rank].collectives) {
      for (const CollectiveNode& c : use.calls) {
        if (is_meeting_place(base_[rank] + c.node)) found.push_back(c.node);
      }
    }
    if (set_[rank].collectives.size() > 1) sort_by_issue(set_[rank], found);
    return found;
  }
  [[nodiscard]] bool is_meeting_place(std::uint32_t node) const {
    return other_[node] != none && is_meeting(other_[node]);
  }

  [[nodiscard]] std::uint32_t nodes() const { return base_.back(); }
  [[nodiscard]] std::uint32_t meetings() const { return static_cast<std::uint32_t>(member_begin_.size() - 1); }
  static Error too_large() { return input_error({}, "more than 4294967294 nodes in one set", "deadlock"); }

  void add_meetings(const CollectiveGroup& g) {
    std::size_t calls = none;
    for (const auto& m : g.members) calls = std::min(calls, m.use == nullptr ? 0 : m.use->calls.size());
    if (g.members.size() < 2) return;
    for (std::size_t k = 0; k < calls; ++k) {
      const auto call = [&](const auto& m) -> const CollectiveNode& { return m.use->calls[k]; };
      const bool meets = std::all_of(g.members.begin(), g.members.end(),
                                     [&](const auto& m) { return needs_everyone(call(m), *m.use, k); });
      for (const auto& m : g.members) {
        if (!same_type(call(m), call(g.members.front()))) return;
      }
      if (!meets) continue;
      if (std::uint64_t{size()} + 1 >= none || members_.size() + g.members.size() >= none) throw too_large();
      for (const auto& m : g.members) members_.push_back(base_[m.rank] + call(m).node);
      std::sort(members_.begin() + member_begin_.back(), members_.end());
      for (std::size_t i = member_begin_.back(); i < members_.size(); ++i) other_[members_[i]] = size();
      member_begin_.push_back(static_cast<std::uint32_t>(members_.size()));
    }
  }

  std::span<const TraceSummary> set_;
  std::vector<std::uint32_t> base_;   // number of the first node of each rank, then of all
  std::vector<std::uint32_t> other_;  // of a send: its receive; of a collective: its meeting
  std::vector<std::uint32_t> member_begin_ = {0};
  std::vector<std::uint32_t> members_;
  std::vector<std::uint32_t> next_;  // of a collective: the meeting of its rank's next one; empty: not considered
  bool messages_ = true;
  bool collectives_ = true;
};

// Nodes that can never complete: on a cycle or behind one, ascending.
std::vector<std::uint32_t> stuck_nodes(const WholeSet& whole) {
  std::vector<std::uint32_t> open(whole.size());
  for (std::uint32_t i = 0; i < whole.size(); ++i) whole.for_children(i, [&](std::uint32_t c) { ++open[c]; });
  std::vector<std::uint32_t> ready;
  std::uint32_t done = 0;
  for (std::uint32_t i = 0; i < whole.size(); ++i) {
    if (open[i] != 0) continue;
    ready.push_back(i);
    while (!ready.empty()) {
      const std::uint32_t at = ready.back();
      ready.pop_back();
      open[at] = none;  // done: the outer loop passes it over
      ++done;
      whole.for_children(at, [&](std::uint32_t c) {
        if (--open[c] == 0) ready.push_back(c);
      });
    }
  }
  std::vector<std::uint32_t> stuck;
  if (done == whole.size()) return stuck;
  for (std::uint32_t i = 0; i < whole.size(); ++i) {
    if (open[i] != none) stuck.push_back(i);
  }
  return stuck;
}

// The parents of the stuck nodes among themselves, by position in `stuck`.
struct StuckParents {
  std::vector<std::uint32_t> begin;
  std::vector<std::uint32_t> parents;
  [[nodiscard]] std::span<const std::uint32_t> of(std::size_t i) const {
    return std::span(parents).subspan(begin[i], begin[i + 1] - begin[i]);
  }
};

StuckParents parents_of(const WholeSet& whole, const std::vector<std::uint32_t>& stuck) {
  const auto position = [&](std::uint32_t node) {
    return static_cast<std::size_t>(std::lower_bound(stuck.begin(), stuck.end(), node) - stuck.begin());
  };
  StuckParents p;
  p.begin.resize(stuck.size() + 2);
  for (const std::uint32_t node : stuck) {
    whole.for_children(node, [&](std::uint32_t child) { ++p.begin[position(child) + 2]; });
  }
  for (std::size_t i = 1; i < p.begin.size(); ++i) p.begin[i] += p.begin[i - 1];
  p.parents.resize(p.begin.back());
  for (std::uint32_t i = 0; i < stuck.size(); ++i) {
    whole.for_children(stuck[i], [&](std::uint32_t child) { p.parents[p.begin[position(child) + 1]++] = i; });
  }
  p.begin.pop_back();
  return p;
}

// Keeps what lies on a cycle or between cycles: a deadlock blocks all that comes after it, often the whole set.
// Node ids are positions in `stuck`.
NodeTable core_of(const StuckParents& parents, std::size_t count) {
  std::vector<std::uint32_t> children(count);
  for (const std::uint32_t p : parents.parents) ++children[p];
  std::vector<std::uint32_t> ends;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (children[i] == 0) ends.push_back(i);
  }
  std::vector<bool> dropped(count);
  while (!ends.empty()) {
    const std::uint32_t at = ends.back();
    ends.pop_back();
    dropped[at] = true;
    for (const std::uint32_t p : parents.of(at)) {
      if (--children[p] == 0) ends.push_back(p);
    }
  }
  NodeTable core;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (dropped[i]) continue;
    core.add_node(i, NodeType::invalid, {});
    for (const std::uint32_t p : parents.of(i)) core.add_data_dep(p);
    core.end_node();
  }
  return core;
}

// A cycle as the reader of the traces sees it: nodes of ranks. Where a rank waits in a collective for another, both
// ranks' nodes stand.
std::vector<std::uint32_t> without_meetings(const WholeSet& whole, const std::vector<std::uint32_t>& cycle) {
  std::vector<std::uint32_t> nodes;
  for (std::size_t i = 0; i < cycle.size(); ++i) {
    if (!whole.is_meeting(cycle[i])) {
      nodes.push_back(cycle[i]);
      continue;
    }
    const std::uint32_t before = whole.rank_of(cycle[(i + cycle.size() - 1) % cycle.size()]);
    for (const std::uint32_t member : whole.members(cycle[i])) {
      if (whole.rank_of(member) == before && member != cycle[(i + 1) % cycle.size()]) nodes.push_back(member);
    }
  }
  return nodes;
}

// Finds what is known of nodes that communicate.
class Finder {
 public:
  explicit Finder(std::span<const TraceSummary> set) : set_(set), by_node_(set.size()) {}

  [[nodiscard]] Location where(Rank rank, std::uint32_t node) {
    const TraceSummary& s = set_[rank];
    if (const Entry* e = find(rank, node))
      return e->message != nullptr ? s.location(*e->message) : s.location(*e->call);
    Location where{.file = s.name, .rank = static_cast<std::int64_t>(rank)};
    where.node = static_cast<std::int64_t>(s.id(node));
    return where;
  }

  // "rank 0 node 5 'SendRecv' receives from rank 1 (tag 0)"; empty of others.
  [[nodiscard]] std::string text(Rank rank, std::uint32_t node) {
    const Entry* e = find(rank, node);
    if (e == nullptr) return {};
    const TraceSummary& s = set_[rank];
    const std::string subject = "rank " + std::to_string(rank) + ' ';
    if (e->message != nullptr) {
      return subject + s.named(*e->message) + (e->number != 0 ? " sends to rank " : " receives from rank ") +
             std::to_string(e->message->peer) + " (tag " + std::to_string(e->message->tag) + ')';
    }
    return subject + s.named(*e->call) + " is number " + std::to_string(e->number) + " of the collectives of " +
           group_text(e->use->group);
  }

 private:
  struct Entry {
    std::uint32_t node;
    std::size_t number;  // of a collective of its group, from 1; of messages: 1 if it is a send
    const Message* message = nullptr;
    const CollectiveNode* call = nullptr;
    const GroupUse* use = nullptr;
  };

  const Entry* find(Rank rank, std::uint32_t node) {
    std::vector<Entry>& entries = by_node_[rank];
    if (entries.empty()) {
      const TraceSummary& s = set_[rank];
      for (const Message& m : s.messages.sends) entries.push_back({.node = m.node, .number = 1, .message = &m});
      for (const Message& m : s.messages.recvs) entries.push_back({.node = m.node, .number = 0, .message = &m});
      for (const GroupUse& use : s.collectives) {
        std::size_t number = 0;
        for (const CollectiveNode& c : use.calls)
          entries.push_back({.node = c.node, .number = ++number, .call = &c, .use = &use});
      }
      std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.node < b.node; });
    }
    const auto at = std::lower_bound(entries.begin(), entries.end(), node,
                                     [](const Entry& e, std::uint32_t n) { return e.node < n; });
    return at != entries.end() && at->node == node ? &*at : nullptr;
  }

  std::span<const TraceSummary> set_;
  std::vector<std::vector<Entry>> by_node_;  // by rank; ascending
};

// The circles among stuck nodes, one of each knot.
void report_circles(std::span<const TraceSummary> set, const WholeSet& whole,
                    const std::vector<std::uint32_t>& stuck, Severity severity, std::string_view possible,
                    const std::string& hint, Diagnostics& diagnostics) {
  constexpr std::size_t shown = 16;
  Finder finder(set);
  const NodeTable core = core_of(parents_of(whole, stuck), stuck.size());
  for (std::vector<std::uint32_t>& cycle : find_cycles(build_graph(core))) {
    for (std::uint32_t& i : cycle) i = stuck[core.nodes[i].id];
    const std::vector<std::uint32_t> nodes = without_meetings(whole, cycle);
    std::vector<std::string> links;
    Diagnostic d{.severity = severity, .where = {}, .rule = "deadlock", .message = {}, .notes = {}};
    for (const std::uint32_t node : nodes) {
      const Rank rank = whole.rank_of(node);
      const std::uint32_t index = node - whole.base(rank);
      links.push_back(std::to_string(rank) + ':' + std::to_string(set[rank].id(index)));
      if (links.size() == 1) d.where = finder.where(rank, index);
      if (d.notes.size() == shown) continue;
      if (std::string text = finder.text(rank, index); !text.empty()) d.notes.push_back(std::move(text));
      if (d.notes.size() == shown && links.size() < nodes.size())
        d.notes.back() += "; " + std::to_string(nodes.size() - links.size()) + " more nodes follow";
    }
    links.push_back(links.front());
    d.message =
        "deadlock " + std::string(possible) + chain_text(links) + " (rank:node; each waits for the one before it)";
    d.notes.push_back(hint);
    diagnostics.add(std::move(d));
  }
}

}  // namespace

// Circles of messages alone and of collectives alone are errors. One that needs both is a warning: what was
// recorded did end, and can be replayed as recorded, though not simulated. Where there is none, but would be if
// each rank ran one collective at a time, that is a warning too.
void check_deadlock(std::span<const TraceSummary> set, const GroupLists* groups, Diagnostics& diagnostics) {
  WholeSet whole(set, groups);
  std::vector<std::uint32_t> stuck = stuck_nodes(whole);
  if (stuck.empty()) {
    if (whole.one_at_a_time()) {
      report_circles(
          set, whole, stuck_nodes(whole), Severity::warning, "is possible: ",
          "hint: without a dependency the lower id starts first; who runs one collective at a time, as "
          "et-replay --compat astra and NCCL on one stream, waits for ever; give them one order on all ranks",
          diagnostics);
    }
    return;
  }
  const std::vector<std::uint32_t> all_stuck = stuck;
  bool found = false;
  if (whole.has_meetings()) {
    whole.count(false, true);
    stuck = stuck_nodes(whole);
    found = !stuck.empty();
    report_circles(set, whole, stuck, Severity::error, {},
                   "hint: ranks must run the collectives that they share in one order, whatever the group",
                   diagnostics);
    whole.count(true, false);
    stuck = stuck_nodes(whole);
  }
  found = found || !stuck.empty();
  report_circles(set, whole, stuck, Severity::error, {}, "hint: let one of the ranks send before it receives",
                 diagnostics);
  if (found) return;
  whole.count(true, true);
  report_circles(set, whole, all_stuck, Severity::warning, {},
                 "hint: simulated, these ranks wait for ever; et-replay --comm recorded runs each by itself",
                 diagnostics);
}

}  // namespace convert::rules
