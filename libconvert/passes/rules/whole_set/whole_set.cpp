// SPDX-License-Identifier: MIT
#include "passes/rules/whole_set/whole_set.h"

#include <algorithm>
#include <utility>

#include "passes/rules/rules.h"
#include "passes/rules/whole_set/collective_groups.h"
#include "passes/rules/whole_set/rank_order.h"

namespace convert::rules {
namespace {

// Returns whether no rank can finish its call before all others have begun. The root of a broadcast could.
bool needs_everyone(const CollectiveNode& c, const GroupUse& use, std::size_t call) {
  switch (collective_of(c.type)) {
    case Collective::barrier: return use.details_of(static_cast<std::uint32_t>(call)).dims_left_out == 0;
    case Collective::all_reduce:
    case Collective::all_gather:
    case Collective::reduce_scatter:
    case Collective::reduce_scatter_block:
    case Collective::all_to_all: break;
    default: return false;
  }
  const CollectiveDetails d = use.details_of(static_cast<std::uint32_t>(call));
  if (d.dims_left_out != 0) return false;
  const auto some_nothing = [](std::span<const std::int64_t> list) {
    return std::ranges::find(list, 0) != list.end();
  };
  return c.size > 0 && !some_nothing(use.list(d.recv_splits));
}

Error too_large() { return input_error({}, "more than 4294967294 nodes in one set", "deadlock"); }

// Interchangeable nodes of one rank: sends with the same destination and tag, equivalent receives, and calls of one
// group.
class Interchangeable {
 public:
  explicit Interchangeable(std::span<const TraceSummary> set) : set_(set), pairs_(set.size()) {}

  // `nodes` (indices in the rank): in the order of issue. `use`: flags that they can get.
  void add(Rank rank, std::vector<std::uint32_t> nodes, std::uint8_t use) {
    runs_.push_back({.rank = rank, .use = use, .nodes = std::move(nodes), .first_pair = pairs_[rank].size()});
    const std::vector<std::uint32_t>& all = runs_.back().nodes;
    for (std::size_t k = 1; k < all.size(); ++k) pairs_[rank].emplace_back(all[k - 1], all[k]);
  }

  // Calls mark(rank, node, flag): `waiting` for nodes that start after all earlier ones, `awaited` for nodes that
  // start before all later ones.
  template <typename Mark>
  void find_forced(std::uint8_t waiting, std::uint8_t awaited, const Mark& mark) const {
    std::vector<std::vector<bool>> in_order;
    for (std::size_t r = 0; r < set_.size(); ++r) in_order.push_back(depend_on(set_[r], pairs_[r]));
    for (const Run& run : runs_) {
      const auto linked = [&](std::size_t k) { return in_order[run.rank][run.first_pair + k]; };
      const std::size_t last = run.nodes.size() - 1;
      for (std::size_t k = 0; (run.use & waiting) != 0 && (k == 0 || (k <= last && linked(k - 1))); ++k)
        mark(run.rank, run.nodes[k], waiting);
      for (std::size_t k = last; (run.use & awaited) != 0 && (k == last || linked(k)); --k) {
        mark(run.rank, run.nodes[k], awaited);
        if (k == 0) break;
      }
    }
  }

 private:
  struct Run {
    Rank rank;
    std::uint8_t use;
    std::vector<std::uint32_t> nodes;
    std::size_t first_pair;
  };
  std::span<const TraceSummary> set_;
  std::vector<Run> runs_;
  std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>> pairs_;  // by rank: neighbours in a run
};

bool same_size(const Message& a, const Message& b) { return a.unit == b.unit && a.size == b.size; }

}  // namespace

WholeSet::WholeSet(std::span<const TraceSummary> set, const GroupLists* groups) : set_(set) {
  std::uint64_t total = 0;
  for (const TraceSummary& s : set) {
    base_.push_back(static_cast<std::uint32_t>(total));
    total += s.size;
    if (total >= no_index) throw too_large();
  }
  base_.push_back(static_cast<std::uint32_t>(total));
  other_.assign(total, no_index);
  for_each_message_group(messages_by_rank(set), [&](const MessageGroup& g) {
    for (std::size_t k = 0; k < std::min(g.sends.size(), g.recvs.size()); ++k) {
      const std::uint32_t send = base_[g.src] + set[g.src].messages.sends[g.sends[k]].node;
      const std::uint32_t recv = base_[g.dst] + set[g.dst].messages.recvs[g.recvs[k]].node;
      if (send != recv) other_[send] = recv;
    }
  });
  for (const CollectiveGroup& g : collective_groups(set, groups)) add_meetings(g);
}

std::uint32_t WholeSet::rank_of(std::uint32_t node) const {
  const auto after = std::upper_bound(base_.begin(), base_.end(), node);
  return static_cast<std::uint32_t>(after - base_.begin()) - 1;
}

bool WholeSet::one_at_a_time() {
  bool several = false;
  for (const TraceSummary& s : set_) several = several || s.collectives.size() > 1;
  if (!several || meetings() == 0) return false;
  next_.assign(nodes(), no_index);
  for (std::uint32_t r = 0; r < set_.size(); ++r) {
    std::uint32_t before = no_index;
    for (const std::uint32_t index : collectives_in_order(r)) {
      if (before != no_index) next_[before] = other_[base_[r] + index];
      before = base_[r] + index;
    }
  }
  return true;
}

// Returns the collectives of a rank that meet.
std::vector<std::uint32_t> WholeSet::collectives_in_order(std::uint32_t rank) const {
  std::vector<std::uint32_t> found;
  for (const GroupUse& use : set_[rank].collectives) {
    for (const CollectiveNode& c : use.calls) {
      if (is_call(base_[rank] + c.node)) found.push_back(c.node);
    }
  }
  if (set_[rank].collectives.size() > 1) sort_by_issue(set_[rank], found);
  return found;
}

void WholeSet::add_meetings(const CollectiveGroup& g) {
  std::size_t calls = no_index;
  for (const auto& m : g.members) calls = std::min(calls, m.use == nullptr ? 0 : m.use->calls.size());
  if (g.members.size() < 2) return;
  for (std::size_t k = 0; k < calls; ++k) {
    const auto call = [&](const auto& m) -> const CollectiveNode& { return m.use->calls[k]; };
    const bool meets =
        std::ranges::all_of(g.members, [&](const auto& m) { return needs_everyone(call(m), *m.use, k); });
    for (const auto& m : g.members) {
      if (!same_type(call(m), call(g.members.front()))) return;
    }
    if (!meets) continue;
    if (std::uint64_t{size()} + 1 >= no_index || members_.items.size() + g.members.size() >= no_index)
      throw too_large();
    for (const auto& m : g.members) members_.items.push_back(base_[m.rank] + call(m).node);
    const auto added = std::span(members_.items).subspan(members_.begin.back());
    std::ranges::sort(added);
    for (const std::uint32_t node : added) other_[node] = size();
    members_.end_row();
  }
}

// The k-th send certainly meets the k-th receive if all earlier receives must have started, and no later send can
// have started. With any other order of issue, this receive lacks a message until that send has started. The same
// holds for meetings. Systems that also match by size find the same pairs if all sizes agree.
void WholeSet::keep_forced(const std::vector<bool>& in_question, const GroupLists* groups) {
  forced_.assign(nodes(), 0);
  Interchangeable runs(set_);
  for_each_message_group(messages_by_rank(set_), [&](const MessageGroup& g) {
    const std::vector<Message>& sends = set_[g.src].messages.sends;
    const std::vector<Message>& recvs = set_[g.dst].messages.recvs;
    bool asked = false;
    for (std::size_t k = 0; k < std::min(g.sends.size(), g.recvs.size()); ++k) {
      const Message& send = sends[g.sends[k]];
      const Message& recv = recvs[g.recvs[k]];
      if (!same_size(send, recv)) return;
      asked = asked || (in_question[base_[g.src] + send.node] && in_question[base_[g.dst] + recv.node]);
    }
    if (!asked) return;
    std::vector<std::uint32_t> nodes;
    for (const std::uint32_t i : g.sends) nodes.push_back(sends[i].node);
    runs.add(g.src, std::exchange(nodes, {}), awaited);
    for (const std::uint32_t i : g.recvs) nodes.push_back(recvs[i].node);
    runs.add(g.dst, std::move(nodes), waiting);
  });
  for (const CollectiveGroup& g : collective_groups(set_, groups)) {
    const auto asked = [&](const CollectiveGroup::Member& m) {
      return m.use != nullptr && std::ranges::any_of(m.use->calls, [&](const CollectiveNode& c) {
               const std::uint32_t node = base_[m.rank] + c.node;
               return is_call(node) && in_question[other_[node]];
             });
    };
    if (std::ranges::none_of(g.members, asked)) continue;
    for (const CollectiveGroup::Member& m : g.members) {
      if (m.use == nullptr) continue;
      std::vector<std::uint32_t> nodes;
      for (const CollectiveNode& c : m.use->calls) nodes.push_back(c.node);
      runs.add(m.rank, std::move(nodes), awaited | waiting);
    }
  }
  runs.find_forced(waiting, awaited,
                   [&](Rank rank, std::uint32_t node, std::uint8_t flag) { forced_[base_[rank] + node] |= flag; });
}

}  // namespace convert::rules
