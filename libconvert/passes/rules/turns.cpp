// SPDX-License-Identifier: MIT
// Finds cycles of link order (link_seq, link_via) on the network of a schedule.
#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "core/units.h"
#include "passes/rules/rules.h"
#include "passes/rules/whole_set/whole_set.h"

namespace convert::rules {
namespace {

constexpr std::size_t most_links_told = 100;
constexpr std::size_t most_notes = 16;

// One link on the route of a send: a message at this link waits for the previous message.
struct Turn {
  std::uint32_t node = 0;  // the send, numbered over the set
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::uint32_t next = no_index;  // the next send on the link
  std::int64_t number = 0;
  std::int64_t scope = 0;
  // A trace that repeats a collective repeats its sends; each repetition has its own link order.
  std::uint32_t repetition = 0;
};

// Extends the waits of a set by link order: a send waits at each link of its route, and its dependents wait for its
// last link.
class TurnGraph {
 public:
  TurnGraph(std::span<const TraceSummary> set, WholeSet& whole) : set_(set), whole_(whole) {
    first_turn_.assign(whole.size(), no_index);
    for (std::uint32_t rank = 0; rank < set.size(); ++rank) add(rank);
    order();
  }

  [[nodiscard]] std::uint32_t size() const { return whole_.size() + static_cast<std::uint32_t>(turns_.size()); }
  [[nodiscard]] const Turn* turn(std::uint32_t at) const {
    return at < whole_.size() ? nullptr : &turns_[at - whole_.size()];
  }
  // Entries by link; each link's entries by repetition and sequence number.
  [[nodiscard]] const std::vector<std::uint32_t>& ordered() const { return ordered_; }
  [[nodiscard]] const std::vector<Turn>& turns() const { return turns_; }
  [[nodiscard]] static auto link_of(const Turn& t) { return std::tuple(t.scope, t.from, t.to); }

  template <typename Visit>
  void for_children(std::uint32_t at, const Visit& visit) const {
    const Turn* const t = turn(at);
    if (t == nullptr) {
      if (first_turn_[at] != no_index) return visit(whole_.size() + first_turn_[at]);
      return whole_.for_children(at, visit);
    }
    if (t->next != no_index) visit(whole_.size() + t->next);
    const std::uint32_t behind = at - whole_.size() + 1;
    if (behind < turns_.size() && turns_[behind].node == t->node) return visit(at + 1);
    whole_.for_children(t->node, [&](std::uint32_t child) {
      if (!keeps_order(t->node, child)) visit(child);
    });
  }

 private:
  void add(std::uint32_t rank) {
    const SummaryWays& ways = set_[rank].ways;
    std::map<std::tuple<std::int64_t, std::uint32_t, std::int64_t>, std::uint32_t> seen;
    for (std::size_t i = 0; i < ways.sends.size(); ++i) {
      const SummaryWays::Send& send = ways.sends[i];
      const std::size_t end = i + 1 < ways.sends.size() ? ways.sends[i + 1].first_hop : ways.hops.size();
      const SummaryWays::Hop& first = ways.hops[send.first_hop];
      const std::uint32_t repetition = seen[{send.scope, first.to, first.turn}]++;
      const std::uint32_t node = whole_.base(rank) + send.node;
      first_turn_[node] = static_cast<std::uint32_t>(turns_.size());
      std::uint32_t from = rank;
      for (std::size_t h = send.first_hop; h < end; ++h) {
        const SummaryWays::Hop& hop = ways.hops[h];
        turns_.push_back({.node = node,
                          .from = from,
                          .to = hop.to,
                          .number = hop.turn,
                          .scope = send.scope,
                          .repetition = repetition});
        from = hop.to;
      }
    }
  }

  void order() {
    ordered_.resize(turns_.size());
    for (std::uint32_t i = 0; i < turns_.size(); ++i) ordered_[i] = i;
    const auto key = [&](std::uint32_t i) {
      const Turn& t = turns_[i];
      return std::tuple(t.scope, t.from, t.to, t.repetition, t.number, i);
    };
    std::ranges::sort(ordered_, {}, key);
    for (std::size_t k = 1; k < ordered_.size(); ++k) {
      Turn& before = turns_[ordered_[k - 1]];
      const Turn& t = turns_[ordered_[k]];
      if (link_of(before) == link_of(t) && before.repetition == t.repetition) before.next = ordered_[k];
    }
  }

  [[nodiscard]] bool keeps_order(std::uint32_t node, std::uint32_t child) const {
    if (child >= first_turn_.size() || first_turn_[child] == no_index) return false;
    const Rank rank = whole_.rank_of(node);
    const std::uint32_t base = whole_.base(rank);
    return child >= base &&
           std::ranges::binary_search(set_[rank].ways.kept, SummaryWays::Kept{child - base, node - base});
  }

  std::span<const TraceSummary> set_;
  WholeSet& whole_;
  std::vector<std::uint32_t> first_turn_;  // by node; no_index: not a send with sequence numbers
  std::vector<Turn> turns_;                // the entries of a send are adjacent
  std::vector<std::uint32_t> ordered_;
};

// Returns for each element that is never reached the element that it waits for; no_index for the others.
std::vector<std::uint32_t> find_blockers(const TurnGraph& graph) {
  std::vector<std::uint32_t> waits(graph.size(), 0);
  for (std::uint32_t at = 0; at < graph.size(); ++at) graph.for_children(at, [&](std::uint32_t c) { ++waits[c]; });
  std::vector<std::uint32_t> ready;
  for (std::uint32_t at = 0; at < graph.size(); ++at) {
    if (waits[at] == 0) ready.push_back(at);
  }
  for (std::size_t k = 0; k < ready.size(); ++k) {
    graph.for_children(ready[k], [&](std::uint32_t child) {
      if (--waits[child] == 0) ready.push_back(child);
    });
  }
  std::vector<std::uint32_t> blockers;
  if (ready.size() == graph.size()) return blockers;
  blockers.assign(graph.size(), no_index);
  for (std::uint32_t at = 0; at < graph.size(); ++at) {
    if (waits[at] != 0) graph.for_children(at, [&](std::uint32_t c) { blockers[c] = at; });
  }
  return blockers;
}

// Returns a cycle in which each element waits for the next; it contains a link entry that waits for another one, or
// is empty.
std::vector<std::uint32_t> circle_of(const TurnGraph& graph, const std::vector<std::uint32_t>& blockers) {
  std::vector<std::uint8_t> seen(blockers.size(), 0);
  for (std::uint32_t start = 0; start < blockers.size(); ++start) {
    std::uint32_t at = start;
    for (; at != no_index && seen[at] == 0; at = blockers[at]) seen[at] = 1;
    // Elements from an earlier start are done; otherwise `at` closes a cycle.
    if (at != no_index && seen[at] == 1) {
      std::vector<std::uint32_t> circle;
      for (std::uint32_t i = at; circle.empty() || i != at; i = blockers[i]) circle.push_back(i);
      const auto waits_for_turn = [&](std::uint32_t i) {
        const Turn* const before = graph.turn(blockers[i]);
        return before != nullptr && before->next != no_index && graph.turn(i) == &graph.turns()[before->next];
      };
      if (std::ranges::any_of(circle, waits_for_turn)) return circle;
    }
    for (std::uint32_t i = start; i != no_index && seen[i] == 1; i = blockers[i]) seen[i] = 2;
  }
  return {};
}

class TurnReport {
 public:
  TurnReport(std::span<const TraceSummary> set, const WholeSet& whole, const TurnGraph& graph,
             Diagnostics& diagnostics)
      : set_(set), whole_(whole), graph_(graph), diagnostics_(diagnostics) {}

  void add(const std::vector<std::uint32_t>& circle, Severity severity) {
    Diagnostic d{.severity = severity, .where = {}, .rule = "turns", .message = {}, .notes = {}};
    std::vector<std::string> entries;
    for (std::size_t i = 0; i < circle.size(); ++i) {
      const Turn* const t = graph_.turn(circle[i]);
      const Turn* const before = graph_.turn(circle[(i + 1) % circle.size()]);
      if (t == nullptr && whole_.is_meeting(circle[i])) continue;
      const std::uint32_t node = t != nullptr ? t->node : circle[i];
      std::string entry = place_text(node);
      if (entries.empty() || entries.back() != entry) entries.push_back(std::move(entry));
      if (t == nullptr || before == nullptr || before->node == t->node) continue;
      if (d.notes.empty()) d.where = where(t->node);
      if (d.notes.size() < most_notes)
        d.notes.push_back(named(t->node) + " waits for its sequence number " + std::to_string(t->number) +
                          " on the link from " + device(t->from) + " to " + device(t->to) +
                          ", after sequence number " + std::to_string(before->number) + " of " +
                          named(before->node));
    }
    if (entries.size() > 1 && entries.front() == entries.back()) entries.pop_back();
    entries.push_back(entries.front());
    d.message = std::string("link order ") + (severity == Severity::error ? "deadlocks: " : "may deadlock: ") +
                chain_text(entries) + " (rank:node; each waits for the next)";
    d.notes.emplace_back(
        "hint: no replay finishes on the schedule's network; number the sends in an order in which they can start, "
        "or omit the numbers with et-convert -t chakra,order=ctrl");
    diagnostics_.add(std::move(d));
  }

  // Reports sequence numbers that two sends have, or, if `is_whole`, that are missing.
  void add_numbers(bool is_whole) {
    const std::vector<std::uint32_t>& ordered = graph_.ordered();
    const std::vector<Turn>& turns = graph_.turns();
    std::size_t told = 0;
    for (std::size_t begin = 0, end = 0; begin < ordered.size() && told < most_links_told; begin = end) {
      const auto link = TurnGraph::link_of(turns[ordered[begin]]);
      while (end < ordered.size() && TurnGraph::link_of(turns[ordered[end]]) == link) ++end;
      if (add_link({ordered.data() + begin, end - begin}, is_whole)) ++told;
    }
  }

 private:
  // Reports the first finding of a link, given its entries. Returns whether there is one.
  bool add_link(std::span<const std::uint32_t> link, bool is_whole) {
    const auto turn = [&](std::size_t i) -> const Turn& { return graph_.turns()[link[i]]; };
    std::size_t first_run = 0;  // number of sends of the first repetition
    while (first_run < link.size() && turn(first_run).repetition == turn(0).repetition) ++first_run;
    std::size_t begin = 0;  // of the repetition
    for (std::size_t i = 0; i < link.size(); ++i) {
      if (turn(i).repetition != turn(begin).repetition) begin = i;
      if (i > begin && turn(i).number == turn(i - 1).number) return twice(turn(i - 1), turn(i));
      const std::int64_t due = i == begin ? 0 : turn(i - 1).number + 1;
      if (is_whole && begin == 0 && turn(i).number != due) return missing(turn(i), due);
    }
    if (link.size() % first_run == 0) return false;
    // The last repetition is incomplete: its sends have sequence numbers that other sends have too.
    const Turn& again = turn(begin);
    for (std::size_t i = 0; i < first_run; ++i) {
      if (turn(i).number == again.number) return twice(turn(i), again);
    }
    return false;
  }

  bool twice(const Turn& a, const Turn& b) {
    diagnostics_.warning(where(b.node), "turns",
                         named(b.node) + " has sequence number " + std::to_string(b.number) + " on the link from " +
                             device(b.from) + " to " + device(b.to) + ", which " + named(a.node) + " has too");
    return true;
  }
  bool missing(const Turn& t, std::int64_t due) {
    diagnostics_.warning(where(t.node), "turns",
                         "no send has sequence number " + std::to_string(due) + " on the link from " +
                             device(t.from) + " to " + device(t.to) + "; " + named(t.node) +
                             " has sequence number " + std::to_string(t.number));
    return true;
  }

  [[nodiscard]] std::string device(std::uint32_t d) const {
    return (d < set_.size() ? "NPU " : "device ") + std::to_string(d);
  }
  [[nodiscard]] const Message* message(std::uint32_t node) const {
    const Rank rank = whole_.rank_of(node);
    const auto& sends = set_[rank].messages.sends;
    const auto at = std::ranges::find(sends, node - whole_.base(rank), &Message::node);
    return at == sends.end() ? nullptr : &*at;
  }
  [[nodiscard]] Location where(std::uint32_t node) const {
    return set_[whole_.rank_of(node)].location(*message(node));
  }
  [[nodiscard]] std::string named(std::uint32_t node) const {
    const Rank rank = whole_.rank_of(node);
    return "rank " + std::to_string(rank) + ' ' + set_[rank].named(*message(node));
  }
  [[nodiscard]] std::string place_text(std::uint32_t node) const {
    const Rank rank = whole_.rank_of(node);
    return std::to_string(rank) + ':' + std::to_string(set_[rank].id(node - whole_.base(rank)));
  }

  std::span<const TraceSummary> set_;
  const WholeSet& whole_;
  const TurnGraph& graph_;
  Diagnostics& diagnostics_;
};

}  // namespace

// Reports a cycle as an error if it exists for all pairings of messages, and as a warning if it depends on the
// order of issue.
void check_turns(std::span<const TraceSummary> set, const GroupLists* groups, std::size_t world,
                 Diagnostics& diagnostics) {
  if (std::ranges::all_of(set, [](const TraceSummary& s) { return s.ways.sends.empty(); })) return;
  WholeSet whole(set, groups);
  const TurnGraph graph(set, whole);
  TurnReport report(set, whole, graph, diagnostics);
  report.add_numbers(world <= set.size());
  const std::vector<std::uint32_t> blockers = find_blockers(graph);
  if (blockers.empty()) return;
  const std::vector<std::uint32_t> possible = circle_of(graph, blockers);
  whole.keep_forced(std::vector<bool>(whole.size(), true), groups);
  const std::vector<std::uint32_t> certain = circle_of(graph, find_blockers(graph));
  if (!certain.empty()) return report.add(certain, Severity::error);
  if (!possible.empty()) report.add(possible, Severity::warning);
}

}  // namespace convert::rules
