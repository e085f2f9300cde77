// SPDX-License-Identifier: MIT
#include <algorithm>
#include <optional>
#include <utility>

#include "core/collective.h"
#include "core/run/waiting_text.h"
#include "core/units.h"
#include "passes/rules/rules.h"
#include "passes/rules/whole_set/collective_groups.h"
#include "passes/rules/whole_set/cycles.h"
#include "passes/rules/whole_set/trial_run.h"
#include "passes/rules/whole_set/whole_set.h"

namespace convert::rules {
namespace {

// Returns a cycle without its meetings. Each is replaced by the previous rank's call if the next node is on another
// rank.
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

// Finds the details of nodes that communicate.
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

  // Returns "rank 0 node 5 'SendRecv' receives from rank 1 node 7 (tag 0, 8 bytes), which has not started"
  [[nodiscard]] std::string text(const WholeSet& whole, const Blocked& blocked) {
    const auto place = [&](std::uint32_t node) {
      const Rank rank = whole.rank_of(node);
      return std::pair(rank, node - whole.base(rank));
    };
    const auto [rank, node] = place(blocked.node);
    const auto [other, other_node] = place(blocked.on);
    const std::string on = "node " + std::to_string(set_[other].id(other_node));
    const Entry* e = find(rank, node);
    if (e == nullptr) return {};
    const std::string on_rank = "rank " + std::to_string(other);
    if (e->call == nullptr)
      return receive_text(subject(rank, *e), on_rank + ' ' + on, e->message->tag, bytes(*e->message));
    return text(rank, node) + ", which " + missing_text(other, blocked.missing) + "; " + next_call_text(other, on);
  }

  // Returns "rank 0 node 5 'SendRecv' receives from rank 1 (tag 0)"; empty for other nodes.
  [[nodiscard]] std::string text(Rank rank, std::uint32_t node) {
    const Entry* e = find(rank, node);
    if (e == nullptr) return {};
    if (e->message != nullptr) {
      return subject(rank, *e) + (e->sends ? " sends to rank " : " receives from rank ") +
             std::to_string(e->message->peer) + " (" + tag_text(e->message->tag, bytes(*e->message)) + ')';
    }
    std::string call(name(collective_of(e->call->type)));
    if (call.empty()) call = "a collective";
    if (e->call->size >= 0) call += " of " + format_bytes(e->call->size);
    return call_text(subject(rank, *e), call, e->number, group_text(e->use->group));
  }

 private:
  struct Entry {
    std::uint32_t node;
    std::size_t number = 0;  // of a collective: its number in its group
    bool sends = false;
    const Message* message = nullptr;
    const CollectiveNode* call = nullptr;
    const GroupUse* use = nullptr;
  };

  [[nodiscard]] std::string subject(Rank rank, const Entry& e) const {
    const TraceSummary& s = set_[rank];
    return "rank " + std::to_string(rank) + ' ' + (e.message != nullptr ? s.named(*e.message) : s.named(*e.call));
  }
  static std::int64_t bytes(const Message& m) {
    return m.size_unit() == SizeUnit::bytes ? static_cast<std::int64_t>(m.size) : -1;
  }

  const Entry* find(Rank rank, std::uint32_t node) {
    std::vector<Entry>& entries = by_node_[rank];
    if (entries.empty()) {
      const TraceSummary& s = set_[rank];
      for (const Message& m : s.messages.sends) entries.push_back({.node = m.node, .sends = true, .message = &m});
      for (const Message& m : s.messages.recvs) entries.push_back({.node = m.node, .message = &m});
      for (const GroupUse& use : s.collectives) {
        std::size_t number = 0;
        for (const CollectiveNode& c : use.calls)
          entries.push_back({.node = c.node, .number = number++, .call = &c, .use = &use});
      }
      std::ranges::sort(entries, {}, &Entry::node);
    }
    const auto at = std::ranges::lower_bound(entries, node, {}, &Entry::node);
    return at != entries.end() && at->node == node ? &*at : nullptr;
  }

  std::span<const TraceSummary> set_;
  std::vector<std::vector<Entry>> by_node_;  // by rank; ascending
};

// Kinds of waits in a cycle, besides dependencies.
struct Kinds {
  bool messages = false;
  bool collectives = false;
  bool recorded = false;  // some of its ranks were recorded
  bool tells_order = true;
};

Kinds kinds_of(std::span<const TraceSummary> set, const WholeSet& whole, const std::vector<std::uint32_t>& cycle) {
  Kinds kinds;
  for (std::size_t i = 0; i < cycle.size(); ++i) {
    if (whole.is_meeting(cycle[i])) {
      kinds.collectives = true;
      continue;
    }
    const std::uint32_t before = cycle[(i + cycle.size() - 1) % cycle.size()];
    const TraceSummary& rank = set[whole.rank_of(cycle[i])];
    kinds.messages = kinds.messages || (!whole.is_meeting(before) && whole.receive_of(before) == cycle[i]);
    kinds.recorded = kinds.recorded || rank.recorded;
    kinds.tells_order = kinds.tells_order && rank.tells_order;
  }
  return kinds;
}

std::string certain_hint(const Kinds& kinds) {
  const std::string ended =
      "hint: the recording finished, so some recorded order was not needed, or unrelated messages are paired; ";
  if (kinds.recorded && kinds.tells_order)
    return ended + "use et-validate --fix or et-link --relax to remove such order";
  if (kinds.recorded) {
    return ended +
           "no dep_rules mark the dependencies that are order: link the recordings again with et-link, or run each "
           "rank alone with et-replay --comm recorded";
  }
  if (!kinds.collectives) return "hint: let one of the ranks send before it receives";
  if (!kinds.messages) {
    return "hint: ranks must run their common collectives in the same order, across all groups";
  }
  return "hint: a collective of a rank must not depend on a message that another rank sends after that collective";
}

std::string possible_hint(const Kinds& kinds) {
  const char* what = !kinds.messages ? "collectives" : kinds.collectives ? "messages and collectives" : "messages";
  return std::string("hint: the order of issue decides which ") + what +
         " are matched here: order them by dependencies" +
         (kinds.messages ? ", or give each message its own comm_tag" : "");
}

constexpr const char* one_at_a_time_hint =
    "hint: without a dependency the lower id starts first; systems that run one collective at a time, such as "
    "et-replay --compat astra and NCCL on one stream, wait forever; use one order on all ranks";

class Report {
 public:
  Report(std::span<const TraceSummary> set, const WholeSet& whole, Diagnostics& diagnostics)
      : set_(set), whole_(whole), diagnostics_(diagnostics), finder_(set) {}

  // Records where each rank is blocked in the current set; the first cycle reports it.
  void find_blocked() {
    constexpr std::size_t most_told = 8;
    blocked_ = first_blocked(whole_, most_told);
  }

  // Reports disjoint cycles among these nodes.
  template <typename Hint>
  void add(std::vector<std::uint32_t> nodes, Severity severity, const Hint& hint) {
    constexpr std::size_t most_cycles = 100;
    const auto cycles = cycles_among(whole_, std::move(nodes), most_cycles);
    for (const auto& cycle : cycles) {
      Diagnostic d{.severity = severity, .where = {}, .rule = "deadlock", .message = {}, .notes = {}};
      const std::vector<std::uint32_t> told = add_blocked(d);
      add_cycle(cycle, told, d);
      if (cycles.size() >= most_cycles && &cycle == &cycles.back())
        d.notes.emplace_back("there may be more cycles; the search stopped here");
      d.notes.emplace_back(hint(kinds_of(set_, whole_, cycle)));
      diagnostics_.add(std::move(d));
    }
  }

  // Reports a run that does not finish although the order of ids has no cycle.
  void add(const Stuck& stuck) {
    constexpr std::size_t shown = 16;
    Diagnostic d{.severity = Severity::warning, .where = {}, .rule = "deadlock", .message = {}, .notes = {}};
    d.message = "deadlock is possible: " + counted(stuck.left, "node") + " never " +
                (stuck.left == 1 ? "runs" : "run") + " to the end " + stuck.how;
    for (const std::uint32_t node : stuck.waiting) {
      const Rank rank = whole_.rank_of(node);
      const std::uint32_t index = node - whole_.base(rank);
      if (d.notes.empty()) d.where = finder_.where(rank, index);
      if (d.notes.size() < shown) d.notes.push_back(finder_.text(rank, index) + ", and waits");
    }
    d.notes.emplace_back(
        "hint: the order in which they start decides which messages and collectives match: order them by "
        "dependencies, or give each message its own comm_tag");
    diagnostics_.add(std::move(d));
  }

 private:
  // Adds the first blocked node of each rank, once. Returns the nodes that it described.
  std::vector<std::uint32_t> add_blocked(Diagnostic& d) {
    const BlockedRanks blocked = std::exchange(blocked_, {});
    std::vector<std::uint32_t> told;
    for (const Blocked& b : blocked.first) {
      d.notes.push_back(finder_.text(whole_, b));
      told.push_back(b.node);
    }
    if (blocked.more != 0) {
      d.notes.push_back("… and " + counted(blocked.more, "more rank") + (blocked.more == 1 ? " is" : " are") +
                        " blocked");
    }
    return told;
  }

  // Nodes in the second list need no note.
  void add_cycle(const std::vector<std::uint32_t>& cycle, const std::vector<std::uint32_t>& told, Diagnostic& d) {
    constexpr std::size_t shown = 16;
    const std::vector<std::uint32_t> nodes = without_meetings(whole_, cycle);
    std::vector<std::string> entries;
    std::size_t notes = 0;
    for (const std::uint32_t node : nodes) {
      const Rank rank = whole_.rank_of(node);
      const std::uint32_t index = node - whole_.base(rank);
      entries.push_back(std::to_string(rank) + ':' + std::to_string(set_[rank].id(index)));
      if (entries.size() == 1) d.where = finder_.where(rank, index);
      if (notes == shown || std::ranges::binary_search(told, node)) continue;
      if (std::string text = finder_.text(rank, index); !text.empty()) d.notes.push_back(std::move(text)), ++notes;
      if (notes == shown && entries.size() < nodes.size())
        d.notes.back() += "; " + std::to_string(nodes.size() - entries.size()) + " more nodes follow";
    }
    entries.push_back(entries.front());
    d.message = std::string("deadlock ") + (d.severity == Severity::warning ? "is possible: " : "") +
                chain_text(entries) + " (rank:node; each waits for the previous one)";
  }

  std::span<const TraceSummary> set_;
  const WholeSet& whole_;
  Diagnostics& diagnostics_;
  Finder finder_;
  BlockedRanks blocked_;  // not reported yet
};

}  // namespace

// Reports a cycle of waits as an error if no order of issue avoids it, else as a warning. Also warns if there is no
// cycle, but would be one if each rank ran one collective at a time.
void check_deadlock(std::span<const TraceSummary> set, const GroupLists* groups, Diagnostics& diagnostics) {
  WholeSet whole(set, groups);
  Report report(set, whole, diagnostics);
  const std::vector<std::uint32_t> on_cycles = nodes_on_cycles(whole);
  if (on_cycles.empty()) {
    const std::optional<Stuck> stuck = find_stuck_run(whole, set, groups);
    if (whole.one_at_a_time()) {
      report.find_blocked();
      const std::vector<std::uint32_t> one_by_one = nodes_on_cycles(whole);
      report.add(one_by_one, Severity::warning, [](const Kinds&) { return one_at_a_time_hint; });
      if (!one_by_one.empty()) return;
    }
    if (stuck) report.add(*stuck);
    return;
  }
  report.find_blocked();
  std::vector<bool> in_question(whole.size());
  for (const std::uint32_t node : on_cycles) in_question[node] = true;
  whole.keep_forced(in_question, groups);
  const std::vector<std::uint32_t> certain = nodes_on_cycles(whole);
  report.add(certain, Severity::error, certain_hint);
  whole.keep_all();
  std::vector<std::uint32_t> rest;
  std::set_difference(on_cycles.begin(), on_cycles.end(), certain.begin(), certain.end(), std::back_inserter(rest));
  report.add(std::move(rest), Severity::warning, possible_hint);
}

}  // namespace convert::rules
