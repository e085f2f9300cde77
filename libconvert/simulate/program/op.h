// SPDX-License-Identifier: MIT
// Operations of the nodes of one rank, compiled for the simulator.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
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

// Operation of a node: nothing (invalid), work of a known time (timed), access to remote memory, or communication.
enum class OpType : std::uint8_t { invalid, timed, memory, send, recv, collective };

// Resource of an NPU that a node occupies; any number of receives may wait.
enum class Slot : std::uint8_t { cpu, compute, communication, recv };

// Data that the end of a node needs, in three bytes that travel with its event. The node itself has left the cache
// by then, and fetching it would take longer than the rest of the event.
class NodeEnd {
 public:
  NodeEnd() = default;
  explicit NodeEnd(std::uint32_t bits) : bits_(bits) {}
  // `to_child`: distance to the node's only dependent, or, with `pair`, to the first of two adjacent dependents; 0:
  // neither.
  NodeEnd(OpType type, Slot slot, bool is_compute, bool is_leaf, std::uint32_t to_child, bool pair)
      : bits_(static_cast<std::uint32_t>(type) | static_cast<std::uint32_t>(slot) << 3U | (is_compute ? 32U : 0U) |
              (is_leaf ? 64U : 0U) | (to_child <= 0xffffU ? to_child << 8U | (pair ? 128U : 0U) : 0U)) {}

  [[nodiscard]] std::uint32_t bits() const { return bits_; }
  [[nodiscard]] OpType type() const { return static_cast<OpType>(bits_ & 7U); }
  [[nodiscard]] Slot slot() const { return static_cast<Slot>(bits_ >> 3U & 3U); }
  [[nodiscard]] std::uint32_t type_and_slot() const { return bits_ & 31U; }  // type | slot << 3
  [[nodiscard]] bool is_compute() const { return (bits_ & 32U) != 0; }
  [[nodiscard]] bool is_leaf() const { return (bits_ & 64U) != 0; }     // no node depends on it
  [[nodiscard]] std::uint32_t to_child() const { return bits_ >> 8U; }  // 0: not stored here
  [[nodiscard]] bool has_pair() const { return (bits_ & 128U) != 0; }   // two dependents, the first at to_child()
  // Returns whether the node has dependents that are not stored here.
  [[nodiscard]] bool needs_list() const { return !is_leaf() && to_child() == 0; }
  friend bool operator==(const NodeEnd&, const NodeEnd&) = default;

 private:
  std::uint32_t bits_ = 0;
};

// Role of a node in a collective algorithm (a program), on machines.
class ProgramPart {
 public:
  ProgramPart() = default;  // none
  explicit ProgramPart(std::optional<Protocol> protocol)
      : bits_(static_cast<std::uint8_t>(protocol ? 3U + 2U * static_cast<unsigned>(*protocol) : 1U)) {}
  void set_first() { bits_ |= first_bit; }

  [[nodiscard]] bool of_program() const { return bits_ != 0; }
  [[nodiscard]] bool is_first() const { return (bits_ & first_bit) != 0; }  // of a rank's nodes in a call
  // Returns the protocol of the program, if it states one.
  [[nodiscard]] std::optional<Protocol> protocol() const {
    const unsigned number = (bits_ & ~first_bit) / 2U;
    return number == 0 ? std::nullopt : std::optional(static_cast<Protocol>(number - 1));
  }
  friend bool operator==(const ProgramPart&, const ProgramPart&) = default;

 private:
  static constexpr std::uint8_t first_bit = 128;
  std::uint8_t bits_ = 0;
};

// Fields that differ between equal ranks are numbers in a ReplayProgram, and resolved in a LinkedProgram.
struct Op {
  std::int64_t value = 0;     // timed: ps; memory, send, recv, collective: bytes
  std::uint32_t channel = 0;  // resolved: channel of a send or recv, or a collective's plan; else message or call
  Rank peer = 0;  // resolved: other end of a message; collective: its number among its group's collectives
  OpType type = OpType::invalid;
  Slot slot = Slot::communication;
  bool is_compute = false;  // its time counts as computation
  ProgramPart program{};
  NodeEnd end{};  // set when the feeder is known
  friend bool operator==(const Op&, const Op&) = default;
};

// Routes of sends from a schedule for this network, or network devices that sends name, by node.
struct SendWays {
  struct Hop {
    std::uint32_t to = 0;  // device at the end of the link; unused for the last hop
    std::int64_t turn = 0;
    friend bool operator==(const Hop&, const Hop&) = default;
  };
  struct Way {
    std::uint32_t node = 0;
    std::uint32_t first_hop = 0;  // into hops
    std::uint32_t hops = 0;
    std::int64_t scope = 0;  // scope of its sequence numbers; see turn_scope()
    // Without hops: the named network devices of the sender's host and of the receiver's host; -1: none.
    std::int64_t net = -1;
    std::int64_t net_to = -1;
    friend bool operator==(const Way&, const Way&) = default;
  };
  std::vector<Way> ways{};
  std::vector<Hop> hops{};
  friend bool operator==(const SendWays&, const SendWays&) = default;
};

// Number of sending threadblocks of a rank of an MSCCL program.
struct ThreadblockUse {
  Protocol protocol = Protocol::simple;
  std::uint32_t senders = 0;  // 0: no such program, or no rank of it sends
  friend bool operator==(const ThreadblockUse&, const ThreadblockUse&) = default;
};

// Code of one rank, or of all ranks with equal code.
struct RankCode {
  Feeder feeder{};            // initial state, for copying
  HugeVector<Op> ops{};       // by node
  std::vector<NodeId> ids{};  // by node; empty if they are 0, 1, 2, …
  std::string names{};        // for timelines, memory traces, explanations
  std::vector<std::uint32_t> name_ends{};
  std::shared_ptr<const TensorTable> tensors{};  // set if local memory is tracked
  ThreadblockUse threadblocks{};
  RooflineUse roofline{};                           // with the roofline model
  std::shared_ptr<const IssueOrder> issue_order{};  // of a custom algorithm by ASTRA-sim's rules
  std::shared_ptr<const SendWays> ways{};           // null: none
  // Resolved, for a custom algorithm: the route of each node; null: none.
  std::shared_ptr<const std::vector<ScheduledWay>> way_of{};
  // Unresolved:
  std::vector<std::int64_t> tags{};  // by message; each send and recv has one
  std::uint64_t hash = 0;            // of the nodes

  [[nodiscard]] NodeId id(std::uint32_t node) const { return ids.empty() ? node : ids[node]; }
  [[nodiscard]] std::string_view node_name(std::uint32_t node) const;
};

}  // namespace convert
