// SPDX-License-Identifier: MIT
// Says what the nodes of one rank do, compiled for the simulator.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/algorithm/algorithm.h"
#include "core/trace.h"
#include "feeder/feeder.h"
#include "simulate/networks/link_order.h"
#include "simulate/program/roofline.h"
#include "util/huge_pages.h"

namespace convert {

struct IssueOrder;
struct TensorTable;

// Says what a node does: nothing (invalid), work of a known time (timed), access remote memory, or communicate.
enum class OpType : std::uint8_t { invalid, timed, memory, send, recv, collective };

// Names the resource of an NPU that a node occupies; any number of receives may wait.
enum class Slot : std::uint8_t { cpu, compute, communication, recv };

// Holds what is needed of a node when it ends, in three bytes that travel with its event: the node itself has left
// the cache by then, and fetching it would take longer than the rest of the event.
class NodeEnd {
 public:
  NodeEnd() = default;
  explicit NodeEnd(std::uint32_t bits) : bits_(bits) {}
  // Packs these facts. `to_child`: how far behind this node the only one stands that waits for it, or, with
  // `pair`, the first of two such that stand side by side; 0: none of these.
  NodeEnd(OpType type, Slot slot, bool is_compute, bool is_leaf, std::uint32_t to_child, bool pair)
      : bits_(static_cast<std::uint32_t>(type) | static_cast<std::uint32_t>(slot) << 3U | (is_compute ? 32U : 0U) |
              (is_leaf ? 64U : 0U) | (to_child <= 0xffffU ? to_child << 8U | (pair ? 128U : 0U) : 0U)) {}

  [[nodiscard]] std::uint32_t bits() const { return bits_; }
  [[nodiscard]] OpType type() const { return static_cast<OpType>(bits_ & 7U); }
  [[nodiscard]] Slot slot() const { return static_cast<Slot>(bits_ >> 3U & 3U); }
  [[nodiscard]] std::uint32_t type_and_slot() const { return bits_ & 31U; }  // type | slot << 3
  [[nodiscard]] bool is_compute() const { return (bits_ & 32U) != 0; }
  [[nodiscard]] bool is_leaf() const { return (bits_ & 64U) != 0; }     // no node waits for it
  [[nodiscard]] std::uint32_t to_child() const { return bits_ >> 8U; }  // 0: not known here
  [[nodiscard]] bool has_pair() const { return (bits_ & 128U) != 0; }   // of children, the first at to_child()
  // Returns whether others wait for the node that are not known here.
  [[nodiscard]] bool needs_list() const { return !is_leaf() && to_child() == 0; }
  friend bool operator==(const NodeEnd&, const NodeEnd&) = default;

 private:
  std::uint32_t bits_ = 0;
};

// What differs between ranks that do the same is numbered in a ReplayProgram, and named in a LinkedProgram.
struct Op {
  std::int64_t value = 0;     // timed: ps; memory, send, recv, collective: bytes
  std::uint32_t channel = 0;  // linked: of a send or recv, or a collective's plan; else its message or call
  Rank peer = 0;              // linked: to or from which it goes; collective: its number among those of its group
  OpType type = OpType::invalid;
  Slot slot = Slot::communication;
  bool is_compute = false;  // its time counts as computation
  NodeEnd end{};            // set when the feeder is known
  friend bool operator==(const Op&, const Op&) = default;
};

// Holds the ways of sends that a schedule made for this network gives, or network devices that they name, by node.
struct SendWays {
  struct Hop {
    std::uint32_t to = 0;  // the device at the end of a link; of the last one none: the message's destination
    std::int64_t turn = 0;
    friend bool operator==(const Hop&, const Hop&) = default;
  };
  struct Way {
    std::uint32_t node = 0;
    std::uint32_t first_hop = 0;  // into hops
    std::uint32_t hops = 0;
    std::int64_t scope = 0;  // of its turns, see turn_scope()
    // Without hops: the network devices that the send names, of the sender's host and of the receiver's; -1: none.
    std::int64_t net = -1;
    std::int64_t net_to = -1;
    friend bool operator==(const Way&, const Way&) = default;
  };
  std::vector<Way> ways{};
  std::vector<Hop> hops{};
  friend bool operator==(const SendWays&, const SendWays&) = default;
};

// Counts the threadblocks of a rank of an MSCCL program that send.
struct ThreadblockUse {
  Protocol protocol = Protocol::simple;
  std::uint32_t senders = 0;  // 0: of no such program, or none of its ranks sends
  friend bool operator==(const ThreadblockUse&, const ThreadblockUse&) = default;
};

// Holds what one rank does, or all ranks that do the same.
struct RankCode {
  Feeder feeder{};            // at the start; to be copied
  HugeVector<Op> ops{};       // by node
  std::vector<NodeId> ids{};  // by node; empty if they are 0, 1, 2, …
  std::string names{};        // for timelines, memory traces, explanations
  std::vector<std::uint32_t> name_ends{};
  std::shared_ptr<const TensorTable> tensors{};  // where local memory is tracked
  ThreadblockUse threadblocks{};
  RooflineUse roofline{};                           // with the roofline model
  std::shared_ptr<const IssueOrder> issue_order{};  // of a custom algorithm by ASTRA-sim's rules
  std::shared_ptr<const SendWays> ways{};           // null: none
  // Linked, of a custom algorithm: the way of each node, null: none.
  std::shared_ptr<const std::vector<ScheduledWay>> way_of{};
  // Where it is not linked:
  std::vector<std::int64_t> tags{};  // by message, of which each send and recv has one
  std::uint64_t hash = 0;            // of the nodes

  [[nodiscard]] NodeId id(std::uint32_t node) const { return ids.empty() ? node : ids[node]; }
  [[nodiscard]] std::string_view node_name(std::uint32_t node) const;
};

}  // namespace convert
