// SPDX-License-Identifier: MIT
// Says why the streams of a device were idle between what they ran, of recorded and linked traces.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "core/trace.h"
#include "core/units.h"

namespace convert {

// Gaps of at most this length between two operations that were both launched are the delay of the device itself.
inline constexpr std::int64_t kernel_delay_ns = 30;

// The gaps of one stream, by what Holistic Trace Analysis calls them. A gap lies between the latest end so far and
// the next begin.
struct StreamIdle {
  std::uint64_t operations = 0;
  std::int64_t busy_ns = 0;         // in which an operation runs
  std::int64_t host_wait_ns = 0;    // the next operation was launched after the gap had begun
  std::int64_t kernel_wait_ns = 0;  // launched before; the gap is not longer than kernel_delay_ns
  std::int64_t other_wait_ns = 0;   // launched before, or nobody knows when: waits for events, other streams, …
  std::uint64_t unlaunched = 0;     // operations of which no dependency tells the launch
};

// Finds the gaps of a rank, node by node: of nodes with the attribute stream that do not run on the CPU and tell
// when they started. An operation is launched when the node ends that its dependency of the rule "launch"
// (dep_rules, et-formats(5)) names.
class IdleSearch {
 public:
  struct NodeFacts {
    std::int64_t begin_ns = -1;  // -1: not told
    Picoseconds time_ps = -1;    // -1: not told
    IntValue stream{};
    bool on_cpu = false;
    const Attr* dep_rules = nullptr;  // may be null
  };
  // Adds the next node of the rank, which is of `table`.
  void add(const NodeTable& table, const Node& node, const NodeFacts& facts);
  // Returns the streams by number. `nodes`: all that were added, with their ids.
  [[nodiscard]] std::map<std::int64_t, StreamIdle> finish(const NodeTable& nodes);

 private:
  struct Operation {
    std::int64_t stream;
    std::int64_t begin_ns;
    std::int64_t end_ns;
    std::int64_t launched_ns;  // -1: nobody tells
  };
  struct Launch {
    std::size_t operation;
    NodeId by;
  };
  void find_launches(const NodeTable& nodes);

  std::uint32_t nodes_ = 0;
  std::vector<std::int64_t> ends_ns_;  // by node, up to the last that tells its end; -1: not told
  std::vector<Operation> operations_;
  std::vector<Launch> launches_;
};

// Returns the streams of a trace.
[[nodiscard]] std::map<std::int64_t, StreamIdle> idle_of(const Trace& trace);

}  // namespace convert
