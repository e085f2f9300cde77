// SPDX-License-Identifier: MIT
// Determines the order of a rank's work: its CPU threads, cut into stretches, its device operations, and the
// dependencies of both.
//
// All calls that order work on a device (launches, records of events, waits, synchronisations) run on some CPU
// thread. All threads are therefore visited at once in order of time, and a node depends only on nodes visited
// before it: the result is acyclic by construction. A stretch of a thread ends where something else depends on it:
// at an operator's begin and end, at a launch, at a wait. A replay that keeps the stretches thus starts everything
// at its recorded time. If something depends on a thread that has just waited, a stretch of zero length is
// inserted.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/profile.h"
#include "core/trace.h"
#include "passes/link/communication.h"
#include "passes/link/operators.h"
#include "passes/link/report.h"

namespace convert {

struct OrderOptions {
  // make delay nodes of a thread's time outside the first stretches of its operators
  bool keep_gaps = true;
  bool data_deps = false;  // add dependencies of operations on the last writer of each storage that they use
  // Make nodes of announcements of process groups. If false, these are omitted, and their dependents get their
  // dependencies.
  bool announcements = false;
};

struct OrderedNode {
  enum class Kind : std::uint8_t {
    cpu,
    delay,
    device,
    join,  // takes no time; replaces many dependencies on the same nodes
  };
  Kind kind = Kind::cpu;
  bool lacks_communication = false;  // it calls a collective whose communication is not recorded
  std::uint32_t dep_count = 0;
  std::size_t first_dep = 0;
  std::uint32_t source = 0;         // operator or device operation; for a delay the operator around it, or none
  std::uint32_t thread = 0;         // CPU thread; for a device operation the number of its stream
  std::uint32_t caller = no_index;  // node of the calling operator
  std::uint32_t comm = 0;           // 1 + index into Order::comms; 0: no communication
  std::int64_t start_ns = 0;
  std::int64_t duration_ns = 0;
  std::int64_t start_delay_ns = 0;  // device operation: from the end of all its dependencies to its begin
};

struct OrderedDep {
  std::uint32_t node = 0;
  DepRule rule{};
};

struct Order {
  std::vector<OrderedNode> nodes;  // parents before children
  std::vector<OrderedDep> deps;
  std::vector<CommFacts> comms;
  std::vector<char> comm_texts;  // texts of comms, as the host trace's texts move when nodes are built
  [[nodiscard]] std::span<const OrderedDep> deps_of(const OrderedNode& n) const {
    return {deps.data() + n.first_dep, n.dep_count};
  }
};

// Returns the nodes and dependencies of a rank's work, and adds its counts to `report`. `device` is null if there
// is no profile.
[[nodiscard]] Order find_order(const Trace& host, const Profile* device, const Operators& operators,
                               const OrderOptions& options, LinkReport& report);

// Removes the dependencies that others imply, also from the report's counts by reason. Takes time linear in
// dependencies × min(threads + streams, 256).
void reduce(Order& order, LinkReport& report);

}  // namespace convert
