// SPDX-License-Identifier: MIT
// Reasons for idle times of device streams, for recorded and linked traces.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "core/trace.h"
#include "core/units.h"

namespace convert {

// A gap of at most this length between two launched operations is a delay of the device.
inline constexpr std::int64_t kernel_delay_ns = 30;

// Gaps of one stream, in the categories of Holistic Trace Analysis. A gap lies between the latest end so far and
// the next begin.
struct StreamIdle {
  std::uint64_t operations = 0;
  std::int64_t busy_ns = 0;         // an operation runs
  std::int64_t host_wait_ns = 0;    // the next operation was launched after the start of the gap
  std::int64_t kernel_wait_ns = 0;  // launched before; the gap is at most kernel_delay_ns
  std::int64_t other_wait_ns = 0;   // launched before or at an unknown time: waits for events, other streams, …
  std::uint64_t unlaunched = 0;     // operations without a launch dependency
};

// Finds the gaps of a rank, node by node. Considers nodes with the attribute `stream` and a start time that do not
// run on the CPU. The launch time of an operation is the end of the node that its dependency with the reason
// "launch" names (dep_rules, et-formats(5)).
class IdleSearch {
 public:
  struct NodeFacts {
    std::int64_t begin_ns = -1;  // -1: unknown
    Picoseconds time_ps = -1;    // -1: unknown
    IntValue stream{};
    bool on_cpu = false;
    const Attr* dep_rules = nullptr;  // may be null
  };
  // Adds the next node of the rank; the node belongs to `table`.
  void add(const NodeTable& table, const Node& node, const NodeFacts& facts);
  // Returns the streams by number. `nodes`: all added nodes, with their ids.
  [[nodiscard]] std::map<std::int64_t, StreamIdle> finish(const NodeTable& nodes);

 private:
  struct Operation {
    std::int64_t stream;
    std::int64_t begin_ns;
    std::int64_t end_ns;
    std::int64_t launched_ns;  // -1: unknown
  };
  struct Launch {
    std::size_t operation;
    NodeId by;
  };
  void find_launches(const NodeTable& nodes);

  std::uint32_t nodes_ = 0;
  std::vector<std::int64_t> ends_ns_;  // by node, up to the last node with an end; -1: unknown
  std::vector<Operation> operations_;
  std::vector<Launch> launches_;
};

// Returns the streams of a trace.
[[nodiscard]] std::map<std::int64_t, StreamIdle> idle_of(const Trace& trace);

}  // namespace convert
