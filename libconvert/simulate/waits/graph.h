// SPDX-License-Identifier: MIT
// Wait-for graph of a replay without further events.
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

// The first size() vertices are the nodes that have not ended: nodes of the ranks, ascending, then nodes inside
// custom algorithms. The other vertices are collectives under way. The nodes that call a collective wait for its
// vertex, and the vertex waits for the ranks that have not called it. A collective of n ranks thus has n edges, not
// n².
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

  // State of a node.
  [[nodiscard]] Kind kind(std::uint32_t v) const { return nodes_[v].kind; }
  [[nodiscard]] bool started(std::uint32_t v) const { return kind(v) >= Kind::receive; }
  [[nodiscard]] bool inner(std::uint32_t v) const { return nodes_[v].part >= ranks_; }
  [[nodiscard]] Rank rank(std::uint32_t v) const { return parts_[nodes_[v].part].rank; }
  // Returns the node; for a node of a rank, as LinkedProgram::op() does.
  [[nodiscard]] Op op(std::uint32_t v) const {
    if (!inner(v)) return program_.op({rank(v), nodes_[v].node});
    return parts_[nodes_[v].part].code->ops[nodes_[v].node];
  }
  [[nodiscard]] NodeRef ref(std::uint32_t v) const;
  // Returns the number of a collective in SystemState::runs(); for Kind::refused, the number of the collective at
  // its position.
  [[nodiscard]] std::uint32_t run(std::uint32_t v) const { return runs_of_nodes_[nodes_[v].index]; }

  // Missing callers of a collective under way: ranks that have not called it, the number of these without such a
  // call, and the number of these without any call of the group.
  struct Callers {
    std::uint32_t run = 0;
    std::uint32_t missing = 0;
    std::uint32_t no_such_call = 0;
    std::uint32_t no_call_left = 0;
    std::uint32_t next_call = 0;  // the first missing rank's node that will call it; size() if none exists
    Rank first_no_such_call = 0;
    Rank first_no_call_left = 0;
  };
  [[nodiscard]] const Callers& callers(std::uint32_t v) const { return callers_[v - size()]; }
  [[nodiscard]] std::uint32_t vertex_of_run(std::uint32_t run) const;
  // Returns the lowest node that waits in the collective; size() if none exists.
  [[nodiscard]] std::uint32_t first_waiting(std::uint32_t run) const;
  // Returns a node of the rank that calls the collective of this plan and has not started; size() if none exists.
  [[nodiscard]] std::uint32_t later_call(Rank rank, std::uint32_t plan) const;
  // Returns the nodes of the rank that wait in collectives.
  [[nodiscard]] std::span<const UnendedCollectives::Part> calls_of(Rank rank) const;

  // Returns whether a node of a rank's trace has not ended.
  [[nodiscard]] bool has(Rank rank, std::uint32_t node) const { return number(rank, node) != 0xffffffff; }

  // Returns the channel of a node that sends or receives. Channels of the program come first, then channels of runs
  // of custom algorithms whose messages are matched separately.
  [[nodiscard]] std::uint32_t channel(std::uint32_t v) const { return nodes_[v].index; }
  [[nodiscard]] const ChannelKey& key(std::uint32_t channel) const {
    return channel < program_.channels.size() ? program_.channels[channel]
                                              : run_channels_[channel - program_.channels.size()];
  }
  // Returns the last node of v's custom algorithm that sends or receives on a channel; its `node` is 0.
  [[nodiscard]] std::optional<NodeRef> last_inside(std::uint32_t v, std::uint32_t channel, bool send) const;

  // Returns the link where a node of Kind::turn waits.
  [[nodiscard]] const HeldMessage& held(std::uint32_t v) const;

  // Returns by channel the number of messages that arrived and were not received.
  [[nodiscard]] const std::vector<std::uint32_t>& unclaimed() const { return unclaimed_; }
  [[nodiscard]] const ReplayRemains& remains() const { return remains_; }

 private:
  struct Part {  // a rank's trace, or a custom algorithm under way
    const RankCode* code;
    const Feeder* feeder;
    Rank rank;
    std::size_t first;         // number of its node 0
    std::uint32_t call;        // custom algorithms: the calling node of the rank
    std::uint32_t collective;  // see CustomState::Run
  };
  struct WaitingOp {
    std::uint32_t part;
    std::uint32_t node;
    Kind kind;
    std::uint32_t index = 0;  // in runs_of_nodes_; for a message: its channel
  };
  struct Message {
    std::uint32_t channel;
    std::size_t number;  // of the node among the nodes of all parts
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
  std::vector<Message> posted_;       // receives without a message, by channel, then in order
  std::vector<Message> asked_;        // sends without a receiver, by channel, then in order
  std::vector<Call> calls_by_plan_;   // not started
  std::vector<Call> calls_by_group_;  // not started
  std::vector<Call> refused_;         // by rank and the run at their position
  std::vector<UnendedCollectives::Part> parts_by_run_;
  std::vector<Callers> callers_;
  std::vector<Edge> edges_;
  std::vector<std::size_t> begin_;
  std::vector<std::uint32_t> targets_;
};

// Returns at most `most` cycles of nodes that share no node. The first is the shortest cycle that a bounded search
// finds, or any cycle; the next is the shortest among the remaining nodes, and so on. Each begins with its lowest
// node.
[[nodiscard]] std::vector<std::vector<std::uint32_t>> separate_cycles(const WaitGraph& graph, std::size_t most);

// Returns "all_reduce of 1 MiB".
[[nodiscard]] std::string describe_call(Collective op, std::int64_t bytes);
// Returns "all ranks" or "group 5".
[[nodiscard]] std::string describe_group(std::int64_t id);
// Returns "rank 0 node 5" or "rank 0 node 5 inner node 2".
[[nodiscard]] std::string describe(const NodeRef& node);
// Returns hints for changes with which the replay runs to its end; few lines.
[[nodiscard]] std::vector<std::string> find_hints(const WaitGraph& graph, const std::vector<std::uint32_t>& cycle);
// Returns such hints for messages that are never received, if all nodes have ended.
[[nodiscard]] std::vector<std::string> find_hints(const WaitGraph& graph,
                                                  const std::vector<UnmatchedSend>& unmatched);

}  // namespace convert
