// SPDX-License-Identifier: MIT
#include "passes/rules/whole_set/trial_run.h"

#include <algorithm>
#include <functional>
#include <map>
#include <queue>
#include <utility>

#include "passes/rules/rules.h"
#include "passes/rules/whole_set/collective_groups.h"
#include "passes/rules/whole_set/rank_order.h"

namespace convert::rules {
namespace {

// Data shared by all runs.
struct Plan {
  enum class Role : std::uint8_t { other, send, receive, call };
  std::vector<Role> roles;          // by node of the set
  std::vector<std::uint32_t> keys;  // of a message: equal for exchangeable messages; of a call: its group
  std::uint32_t message_keys = 0;
  std::vector<std::uint32_t> ranks_of_group;  // by key of calls
  std::vector<std::uint32_t> numbers;         // of a call: its position among the calls of its group, by id
  std::vector<std::uint32_t> open;            // number of dependencies of each node
  bool is_sound = true;                       // all messages and calls have partners
  bool has_choice = false;                    // between messages with the same key
  bool has_slot_choice = false;               // between sends and calls of one rank
};

using Pairs = std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>>;  // by rank

void add_neighbours(const std::vector<std::uint32_t>& nodes,
                    std::vector<std::pair<std::uint32_t, std::uint32_t>>& to) {
  for (std::size_t k = 1; k < nodes.size(); ++k) to.emplace_back(nodes[k - 1], nodes[k]);
}

bool all_ordered(std::span<const TraceSummary> set, const Pairs& pairs) {
  for (std::size_t r = 0; r < set.size(); ++r) {
    const std::vector<bool> ordered = depend_on(set[r], pairs[r]);
    if (std::ranges::find(ordered, false) != ordered.end()) return false;
  }
  return true;
}

class Planner {
 public:
  Planner(const WholeSet& whole, std::span<const TraceSummary> set) : whole_(whole), set_(set), pairs_(set.size()) {
    const std::uint32_t last = static_cast<std::uint32_t>(set.size());
    const std::uint32_t size = whole.base(last - 1) + set[last - 1].size;
    plan_.roles.resize(size);
    plan_.keys.resize(size, no_index);
    plan_.numbers.resize(size);
    plan_.open.resize(size);
    for (std::uint32_t r = 0; r < last; ++r) {
      for (const std::uint32_t child : set[r].children) ++plan_.open[whole.base(r) + child];
    }
  }

  Plan plan(const GroupLists* groups) {
    for_each_message_group(messages_by_rank(set_), [&](const MessageGroup& g) { add_messages(g); });
    for (const CollectiveGroup& g : collective_groups(set_, groups)) add_calls(g);
    plan_.has_choice = plan_.is_sound && !all_ordered(set_, pairs_);
    plan_.has_slot_choice =
        plan_.is_sound && !plan_.ranks_of_group.empty() && (plan_.has_choice || !all_ordered(set_, slot_pairs()));
    return std::move(plan_);
  }

 private:
  void add_messages(const MessageGroup& g) {
    std::map<std::pair<SizeUnit, std::uint64_t>, std::pair<std::vector<std::uint32_t>, std::vector<std::uint32_t>>>
        by_size;
    for (const std::uint32_t i : g.sends) {
      const Message& m = set_[g.src].messages.sends[i];
      by_size[{m.size_unit(), m.size}].first.push_back(m.node);
    }
    for (const std::uint32_t i : g.recvs) {
      const Message& m = set_[g.dst].messages.recvs[i];
      by_size[{m.size_unit(), m.size}].second.push_back(m.node);
    }
    for (const auto& [size, ends] : by_size) {
      const auto& [sends, recvs] = ends;
      if (sends.size() != recvs.size()) plan_.is_sound = false;
      for (const std::uint32_t node : sends) set_role(g.src, node, Plan::Role::send, plan_.message_keys);
      for (const std::uint32_t node : recvs) set_role(g.dst, node, Plan::Role::receive, plan_.message_keys);
      add_neighbours(sends, pairs_[g.src]);
      add_neighbours(recvs, pairs_[g.dst]);
      ++plan_.message_keys;
    }
  }

  void add_calls(const CollectiveGroup& g) {
    std::size_t calls = no_index;
    const auto key = static_cast<std::uint32_t>(plan_.ranks_of_group.size());
    std::uint32_t ranks = 0;
    for (const CollectiveGroup::Member& m : g.members) {
      if (m.use == nullptr) continue;
      std::vector<std::uint32_t> nodes;
      for (const CollectiveNode& c : m.use->calls) {
        if (whole_.is_call(whole_.base(m.rank) + c.node)) nodes.push_back(c.node);
      }
      if (nodes.empty()) continue;
      if (calls != no_index && calls != nodes.size()) plan_.is_sound = false;
      calls = nodes.size();
      ++ranks;
      for (std::uint32_t k = 0; k < calls; ++k) {
        set_role(m.rank, nodes[k], Plan::Role::call, key);
        plan_.numbers[whole_.base(m.rank) + nodes[k]] = k;
      }
    }
    if (ranks != 0) plan_.ranks_of_group.push_back(ranks);
  }

  void set_role(Rank rank, std::uint32_t node, Plan::Role role, std::uint32_t key) {
    plan_.roles[whole_.base(rank) + node] = role;
    plan_.keys[whole_.base(rank) + node] = key;
  }

  [[nodiscard]] Pairs slot_pairs() const {
    Pairs pairs(set_.size());
    for (std::uint32_t r = 0; r < set_.size(); ++r) {
      std::vector<std::uint32_t> nodes;
      for (std::uint32_t i = 0; i < set_[r].size; ++i) {
        const Plan::Role role = plan_.roles[whole_.base(r) + i];
        if (role == Plan::Role::send || role == Plan::Role::call) nodes.push_back(i);
      }
      sort_by_issue(set_[r], nodes);
      add_neighbours(nodes, pairs[r]);
    }
    return pairs;
  }

  const WholeSet& whole_;
  std::span<const TraceSummary> set_;
  Plan plan_;
  Pairs pairs_;
};

enum class Pace : std::uint8_t { even, at_once, slow };

class Run {
 public:
  Run(const WholeSet& whole, std::span<const TraceSummary> set, const Plan& plan, Pace pace, bool one_at_a_time)
      : whole_(whole),
        set_(set),
        plan_(plan),
        pace_(pace),
        one_at_a_time_(one_at_a_time),
        open_(plan.open),
        state_(plan.roles.size()),
        ready_(set.size()),
        ready_for_slot_(set.size()),
        busy_(set.size()),
        arrived_(plan.message_keys),
        posted_(plan.message_keys),
        behind_(plan.message_keys == 0 ? 0 : plan.roles.size(), no_index),
        calls_(plan.ranks_of_group.size()),
        made_(set.size()),
        is_awake_(set.size()) {}

  // Runs until no node can start. Returns the number of remaining nodes.
  std::uint64_t run() {
    for (std::uint32_t r = 0; r < set_.size(); ++r) {
      for (std::uint32_t i = 0; i < set_[r].size; ++i) {
        if (open_[whole_.base(r) + i] == 0) make_ready(whole_.base(r) + i, r);
      }
      wake(r);
    }
    for (;;) {
      std::ranges::sort(awake_);
      for (const std::uint32_t r : std::exchange(awake_, {})) issue_ready(r);
      if (next_.empty()) next_.swap(slow_);
      if (next_.empty()) return state_.size() - ended_;
      for (const std::uint32_t node : std::exchange(next_, {})) end(node, whole_.rank_of(node));
    }
  }

  // Returns for each rank the lowest id that has started and not ended. Omits ranks that only wait for themselves.
  [[nodiscard]] std::vector<std::uint32_t> waiting() const {
    std::vector<std::uint32_t> found;
    for (std::uint32_t r = 0; r < set_.size(); ++r) {
      std::uint32_t first = no_index;
      for (std::uint32_t i = 0; i < set_[r].size; ++i) {
        if (state_[whole_.base(r) + i] != State::started) continue;
        if (first == no_index || set_[r].id(i) < set_[r].id(first)) first = i;
      }
      if (first != no_index) found.push_back(whole_.base(r) + first);
    }
    return found;
  }

 private:
  enum class State : std::uint8_t { before, started, ended };
  using Entry = std::pair<NodeId, std::uint32_t>;
  using Queue = std::priority_queue<Entry, std::vector<Entry>, std::greater<>>;
  struct Waiting {
    std::uint32_t first = no_index, last = no_index;
  };

  void wake(std::uint32_t rank) {
    if (is_awake_[rank]) return;
    is_awake_[rank] = true;
    awake_.push_back(rank);
  }

  // Issues the ready nodes of a rank, and nodes that become ready without time passing.
  void issue_ready(std::uint32_t rank) {
    for (;;) {
      Queue* from = &ready_[rank];
      Queue& slotted = ready_for_slot_[rank];
      if (!slotted.empty() && !busy_[rank] && (from->empty() || slotted.top() < from->top())) from = &slotted;
      if (from->empty()) break;
      const std::uint32_t node = from->top().second;
      busy_[rank] = busy_[rank] || from == &slotted;
      from->pop();
      issue(node, rank, plan_.roles[node]);
    }
    is_awake_[rank] = false;
  }

  void post(std::uint32_t node, Waiting& line) {
    (line.first == no_index ? line.first : behind_[line.last]) = node;
    line.last = node;
  }

  void make_ready(std::uint32_t node, std::uint32_t rank) {
    const bool takes_slot =
        one_at_a_time_ && (plan_.roles[node] == Plan::Role::send || plan_.roles[node] == Plan::Role::call);
    (takes_slot ? ready_for_slot_ : ready_)[rank].emplace(set_[rank].id(node - whole_.base(rank)), node);
  }

  void issue(std::uint32_t node, std::uint32_t rank, Plan::Role role) {
    state_[node] = State::started;
    const std::uint32_t key = plan_.keys[node];
    switch (role) {
      case Plan::Role::other:
        if (pace_ == Pace::at_once) return end(node, rank);
        (pace_ == Pace::slow ? slow_ : next_).push_back(node);
        return;
      case Plan::Role::send: next_.push_back(node); return;
      case Plan::Role::receive:
        if (arrived_[key] == 0) {
          post(node, posted_[key]);
        } else {
          --arrived_[key];
          next_.push_back(node);
        }
        return;
      case Plan::Role::call: break;
    }
    // If a rank runs one at a time, calls meet in the order in which they start, else by their positions.
    const std::uint32_t number = one_at_a_time_ ? made_[rank][key]++ : plan_.numbers[node];
    auto& rounds = calls_[key];
    if (rounds.size() <= number) rounds.resize(number + std::size_t{1});
    std::vector<std::uint32_t>& together = rounds[number];
    together.push_back(node);
    if (together.size() < plan_.ranks_of_group[key]) return;
    next_.insert(next_.end(), together.begin(), together.end());
    together = {};
  }

  void end(std::uint32_t node, std::uint32_t rank) {
    state_[node] = State::ended;
    ++ended_;
    wake(rank);
    const Plan::Role role = plan_.roles[node];
    if (role == Plan::Role::send || role == Plan::Role::call) busy_[rank] = false;
    const std::uint32_t base = whole_.base(rank);
    for (const std::uint32_t index : set_[rank].children_of(node - base)) {
      if (--open_[base + index] == 0) make_ready(base + index, rank);
    }
    if (role != Plan::Role::send) return;
    const std::uint32_t key = plan_.keys[node];
    std::uint32_t& first = posted_[key].first;
    if (first == no_index) {
      ++arrived_[key];
      return;
    }
    next_.push_back(first);
    first = behind_[first];
  }

  const WholeSet& whole_;
  std::span<const TraceSummary> set_;
  const Plan& plan_;
  Pace pace_;
  bool one_at_a_time_;
  std::vector<std::uint32_t> open_;
  std::vector<State> state_;
  std::vector<Queue> ready_;            // by rank
  std::vector<Queue> ready_for_slot_;   // by rank: nodes that wait while another one is in progress
  std::vector<bool> busy_;              // by rank: a send or call is in progress
  std::vector<std::uint32_t> arrived_;  // by key: messages without a receive
  std::vector<Waiting> posted_;         // by key: receives that wait
  std::vector<std::uint32_t> behind_;   // by node: the receive that waits after it
  std::vector<std::vector<std::vector<std::uint32_t>>> calls_;  // by group and number: calls that wait
  std::vector<std::map<std::uint32_t, std::uint32_t>> made_;    // by rank and group: calls so far
  std::vector<bool> is_awake_;                                  // by rank
  std::vector<std::uint32_t> awake_;                            // ranks with new events
  std::vector<std::uint32_t> next_;
  std::vector<std::uint32_t> slow_;
  std::uint64_t ended_ = 0;
};

}  // namespace

std::optional<Stuck> find_stuck_run(const WholeSet& whole, std::span<const TraceSummary> set,
                                    const GroupLists* groups) {
  if (set.empty()) return std::nullopt;
  const Plan plan = Planner(whole, set).plan(groups);
  for (const bool one_at_a_time : {false, true}) {
    if (one_at_a_time ? !plan.has_slot_choice : !plan.has_choice) continue;
    for (const auto& [pace, how] : {std::pair(Pace::even, "if all nodes take equally long"),
                                    std::pair(Pace::at_once, "if computing takes no time"),
                                    std::pair(Pace::slow, "if computing takes long")}) {
      Run run(whole, set, plan, pace, one_at_a_time);
      const std::uint64_t left = run.run();
      if (left == 0) continue;
      return Stuck{
          .waiting = run.waiting(),
          .left = left,
          .how = how + std::string(one_at_a_time ? " and a rank runs one send or collective at a time" : "")};
    }
  }
  return std::nullopt;
}

}  // namespace convert::rules
