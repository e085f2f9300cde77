// SPDX-License-Identifier: MIT
// Builds the graph of who waits for whom when nothing can happen any more.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "simulate/engine/messages.h"
#include "simulate/program/channel_index.h"
#include "simulate/system/state.h"
#include "simulate/waits/deadlock.h"

namespace convert {

// Has as its first size() vertices the nodes that have not ended: those of the ranks, ascending, then those inside
// custom algorithms. The others are collectives under way: the nodes that call one wait for it, and it waits for
// the ranks that have not called it; so a collective of n ranks has n edges, not n².
class WaitGraph {
 public:
  enum class Kind : std::uint8_t { dependency, slot, receive, send, collective, refused, turn };

  explicit WaitGraph(const ReplayRemains& remains);

  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(nodes_.size()); }
  [[nodiscard]] std::uint32_t vertices() const { return static_cast<std::uint32_t>(begin_.size() - 1); }
  // Returns the vertices for which `v` waits, ascending.
  [[nodiscard]] std::span<const std::uint32_t> waits_for(std::uint32_t v) const {
    return {targets_.data() + begin_[v], begin_[v + 1] - begin_[v]};
  }

  // Say what a node is and how far it has come.
  [[nodiscard]] Kind kind(std::uint32_t v) const { return nodes_[v].kind; }
  [[nodiscard]] bool started(std::uint32_t v) const { return kind(v) >= Kind::receive; }
  [[nodiscard]] bool inner(std::uint32_t v) const { return nodes_[v].part >= ranks_; }
  [[nodiscard]] Rank rank(std::uint32_t v) const { return parts_[nodes_[v].part].rank; }
  // Returns the node, of a rank as LinkedProgram::op() does.
  [[nodiscard]] Op op(std::uint32_t v) const {
    if (!inner(v)) return program_.op({rank(v), nodes_[v].node});
    return parts_[nodes_[v].part].code->ops[nodes_[v].node];
  }
  [[nodiscard]] NodeRef ref(std::uint32_t v) const;
  // Returns the number of a collective in SystemState::runs(); for Kind::refused, of the one that is at its place.
  [[nodiscard]] std::uint32_t run(std::uint32_t v) const { return runs_of_nodes_[nodes_[v].index]; }

  // Says who holds up a collective under way: how many ranks have not called it, how many of these have no such
  // call left, and how many have no call of the group left at all.
  struct Callers {
    std::uint32_t run = 0;
    std::uint32_t missing = 0;
    std::uint32_t no_such_call = 0;
    std::uint32_t no_call_left = 0;
    std::uint32_t next_call = 0;  // node with which the first missing rank will call it; size() if there is none
    Rank first_no_such_call = 0;
    Rank first_no_call_left = 0;
  };
  [[nodiscard]] const Callers& callers(std::uint32_t v) const { return callers_[v - size()]; }
  [[nodiscard]] std::uint32_t vertex_of_run(std::uint32_t run) const;
  // Returns the lowest node that waits in the collective; size() if there is none.
  [[nodiscard]] std::uint32_t first_waiting(std::uint32_t run) const;
  // Returns a node of the rank, not started, that calls the collective of this plan; size() if there is none.
  [[nodiscard]] std::uint32_t later_call(Rank rank, std::uint32_t plan) const;
  // Returns the nodes of the rank that wait in collectives.
  [[nodiscard]] std::span<const UnendedCollectives::Part> calls_of(Rank rank) const;

  // Returns whether a node of a rank's trace has not ended.
  [[nodiscard]] bool has(Rank rank, std::uint32_t node) const { return number(rank, node) != 0xffffffff; }

  // Returns the channel of a node that sends or receives. Those of the program come first, then those of runs of
  // custom algorithms whose messages are matched apart.
  [[nodiscard]] std::uint32_t channel(std::uint32_t v) const { return nodes_[v].index; }
  [[nodiscard]] const ChannelKey& key(std::uint32_t channel) const {
    return channel < program_.channels.size() ? program_.channels[channel]
                                              : run_channels_[channel - program_.channels.size()];
  }
  // Returns the last node of v's custom algorithm that sends or receives on a channel; its `node` is 0.
  [[nodiscard]] std::optional<NodeRef> last_inside(std::uint32_t v, std::uint32_t channel, bool send) const;

  // Returns the link where a node of Kind::turn waits.
  [[nodiscard]] const HeldMessage& held(std::uint32_t v) const;

  // Returns, by channel, how many messages came and were not received.
  [[nodiscard]] const std::vector<std::uint32_t>& unclaimed() const { return unclaimed_; }
  [[nodiscard]] const ReplayRemains& remains() const { return remains_; }

 private:
  struct Part {  // a rank's trace, or a custom algorithm under way
    const RankCode* code;
    const Feeder* feeder;
    Rank rank;
    std::size_t first;         // number of its node 0
    std::uint32_t call;        // custom algorithms: the node of the rank
    std::uint32_t collective;  // see CustomState::Run
  };
  struct WaitingOp {
    std::uint32_t part;
    std::uint32_t node;
    Kind kind;
    std::uint32_t index = 0;  // into runs_of_nodes_; of a message: its channel
  };
  struct Message {
    std::uint32_t channel;
    std::size_t number;  // of the node among those of all parts
  };
  using Edge = std::pair<std::uint32_t, std::uint32_t>;
  struct Call {
    Rank rank;
    std::uint32_t what;  // plan or group
    std::uint32_t node;
    friend auto operator<=>(const Call&, const Call&) = default;
  };

  void collect_parts();
  void mark_started();
  std::uint32_t channel_of(const ChannelKey& key);
  void number_nodes();
  void list_calls();
  void add_dependencies();
  void add_messages(const std::vector<Message>& waiting, OpType partner);
  void add_slots();
  void mark_held();
  [[nodiscard]] std::size_t number_of(const HeldSend& held) const;
  void add_turns();
  void add_collectives();
  void add_missing(std::uint32_t vertex, std::uint32_t run);
  void arrange_edges();
  [[nodiscard]] bool all_called(std::uint32_t run) const;
  [[nodiscard]] std::uint32_t number(Rank rank, std::uint32_t op) const {
    return numbers_[parts_[rank].first + op];
  }
  [[nodiscard]] std::uint32_t find_call(const std::vector<Call>& calls, Rank rank, std::uint32_t what) const;

  const ReplayRemains& remains_;
  const LinkedProgram& program_;
  const UnendedCollectives unended_;
  std::uint32_t ranks_;
  std::vector<Part> parts_;
  std::vector<std::uint32_t> part_of_custom_run_;
  std::vector<std::uint32_t> numbers_;  // by part and node
  std::vector<WaitingOp> nodes_;
  std::vector<std::uint32_t> runs_of_nodes_;
  ChannelKeys run_channels_;
  ChannelIndex run_channel_index_;
  std::vector<std::uint32_t> unclaimed_;
  std::vector<Message> posted_;       // receives without a message, by channel and then in order
  std::vector<Message> asked_;        // sends without a receiver, likewise
  std::vector<Call> calls_by_plan_;   // not started
  std::vector<Call> calls_by_group_;  // not started
  std::vector<Call> refused_;         // by rank and the run at whose place they stand
  std::vector<UnendedCollectives::Part> parts_by_run_;
  std::vector<Callers> callers_;
  std::vector<Edge> edges_;
  std::vector<std::size_t> begin_;
  std::vector<std::uint32_t> targets_;
};

// Returns at most so many cycles of nodes, no node in two of them: first the shortest that a bounded search finds,
// or some cycle if there is one; then the shortest of what is left, and so on. Each begins with its lowest node.
[[nodiscard]] std::vector<std::vector<std::uint32_t>> separate_cycles(const WaitGraph& graph, std::size_t most);

// Returns "all_reduce of 1 MiB".
[[nodiscard]] std::string describe_call(Collective op, std::int64_t bytes);
// Returns "all ranks" or "group 5".
[[nodiscard]] std::string describe_group(std::int64_t id);
// Returns "rank 0 node 5" or "rank 0 node 5 inner node 2".
[[nodiscard]] std::string describe(const NodeRef& node);
// Returns what to change so that the replay runs to its end; few lines.
[[nodiscard]] std::vector<std::string> find_hints(const WaitGraph& graph, const std::vector<std::uint32_t>& cycle);
// Returns the same for messages that are never received, when all nodes have ended.
[[nodiscard]] std::vector<std::string> find_hints(const WaitGraph& graph,
                                                  const std::vector<UnmatchedSend>& unmatched);

}  // namespace convert
