// SPDX-License-Identifier: MIT
// Graph of waits across the ranks of a set; a cycle is a deadlock.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "core/rows.h"
#include "passes/trace_summary.h"
#include "passes/validate.h"

namespace convert::rules {

// Numbers all nodes of all ranks, rank by rank. Edges are dependencies, and edges from the k-th send to the k-th
// receive, which completes only after its send was issued; the rule pairs reports receives without a send. The k-th
// collective of a group is an additional node, the meeting. The meeting depends on all dependencies of its ranks'
// nodes, and these nodes depend only on the meeting. A group has no meetings from the first call on whose type
// ranks disagree (rule collectives).
class WholeSet {
 public:
  // Throws Error(input) [deadlock] if there are too many nodes for one numbering. `groups` may be null.
  WholeSet(std::span<const TraceSummary> set, const GroupLists* groups);

  // Orders the meeting collectives of each rank by order of issue. Returns false and changes nothing if there are
  // no meetings, or if no rank runs collectives of several groups: one group has one order on all ranks.
  bool one_at_a_time();

  // Restricts waits for other ranks to waits that exist in every order of issue, and to nodes `in_question`.
  void keep_forced(const std::vector<bool>& in_question, const GroupLists* groups);
  // Restores all waits.
  void keep_all() { forced_.clear(); }

  // Returns the number of nodes and meetings; meetings have the highest numbers.
  [[nodiscard]] std::uint32_t size() const { return nodes() + meetings(); }
  [[nodiscard]] bool is_meeting(std::uint32_t node) const { return node >= nodes(); }
  // Returns the nodes of the ranks that meet, ascending.
  [[nodiscard]] std::span<const std::uint32_t> members(std::uint32_t meeting) const {
    return members_[meeting - nodes()];
  }
  // Returns the node of a rank in a meeting, or no_index.
  [[nodiscard]] std::uint32_t member_of(std::uint32_t meeting, std::uint32_t rank) const {
    const auto all = members(meeting);
    const auto at = std::lower_bound(all.begin(), all.end(), base_[rank]);
    return at != all.end() && *at < base_[rank + 1] ? *at : no_index;
  }
  [[nodiscard]] std::uint32_t rank_of(std::uint32_t node) const;
  [[nodiscard]] std::uint32_t base(std::uint32_t rank) const { return base_[rank]; }
  // Returns whether a node of a rank (not a meeting) is a collective that meets others.
  [[nodiscard]] bool is_call(std::uint32_t node) const {
    return other_[node] != no_index && is_meeting(other_[node]);
  }
  // Returns the receive that waits for a send; no_index for other nodes and unpaired sends.
  [[nodiscard]] std::uint32_t receive_of(std::uint32_t node) const {
    return is_call(node) ? no_index : other_[node];
  }

  // Calls visit(waiting, dependent) for all nodes that wait for `node`. `dependent` is the node with that
  // dependency, or the member if `waiting` is a meeting; no_index if the wait is for another rank instead of a
  // dependency.
  template <typename Visit>
  void for_waiting(std::uint32_t node, const Visit& visit) const {
    if (is_meeting(node)) {
      for (const std::uint32_t member : members(node)) {
        if (waits(member)) visit(member, no_index);
      }
      return;
    }
    const std::uint32_t rank = rank_of(node);
    const std::uint32_t base = base_[rank];
    const bool no_meetings = meetings() == 0;
    for (const std::uint32_t index : set_[rank].children_of(node - base)) {
      const std::uint32_t child = base + index;
      if (no_meetings) {
        visit(child, child);
        continue;
      }
      const std::uint32_t meeting = other_[child];
      const bool meets = meeting != no_index && is_meeting(meeting) && is_awaited(child);
      if (meets) visit(meeting, child);
      if (!meets || !waits(child)) visit(child, child);
    }
    const std::uint32_t receive = receive_of(node);
    if (receive != no_index && is_awaited(node) && waits(receive)) visit(receive, no_index);
    if (!next_.empty() && next_[node] != no_index) visit(next_[node], no_index);
  }
  template <typename Visit>
  void for_children(std::uint32_t node, const Visit& visit) const {
    for_waiting(node, [&](std::uint32_t other, std::uint32_t) { visit(other); });
  }

 private:
  enum : std::uint8_t { awaited = 1, waiting = 2 };
  // Return whether, in every order of issue, other nodes wait for exactly this send or call, and whether this
  // receive or call waits for exactly its counterpart. True while all waits count.
  [[nodiscard]] bool is_awaited(std::uint32_t node) const {
    return forced_.empty() || (forced_[node] & awaited) != 0;
  }
  [[nodiscard]] bool waits(std::uint32_t node) const { return forced_.empty() || (forced_[node] & waiting) != 0; }
  [[nodiscard]] std::vector<std::uint32_t> collectives_in_order(std::uint32_t rank) const;
  [[nodiscard]] std::uint32_t nodes() const { return base_.back(); }
  [[nodiscard]] std::uint32_t meetings() const { return static_cast<std::uint32_t>(members_.begin.size() - 1); }
  void add_meetings(const struct CollectiveGroup& g);

  std::span<const TraceSummary> set_;
  std::vector<std::uint32_t> base_;   // number of the first node of each rank, then of all
  std::vector<std::uint32_t> other_;  // of a send: its receive; of a collective: its meeting
  Rows members_;                      // by meeting
  std::vector<std::uint32_t> next_;   // of a collective: meeting of its rank's next one; empty: unused
  std::vector<std::uint8_t> forced_;  // by node; empty: all waits count
};

}  // namespace convert::rules
