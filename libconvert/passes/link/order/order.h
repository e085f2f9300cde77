// SPDX-License-Identifier: MIT
// Finds the order in which a rank's work happened: its CPU threads cut into stretches, its device operations, and
// what each of them had to wait for.
//
// Everything that orders work on a device (launches, records of events, waits, synchronisations) is a call of some
// CPU thread. So all threads are walked through at once in the order of time, and a node depends only on nodes met
// before it: the result is acyclic by construction. A stretch of a thread ends where something else depends on it:
// at an operator's begin and end, at a launch, at a wait. So a replay that keeps the stretches starts everything
// when it started. Where something depends on a thread that has just waited, a stretch without time stands between.
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
  bool keep_gaps = true;   // time of a thread outside the first stretch of its operators becomes delay nodes
  bool data_deps = false;  // also from the operation that wrote a storage to those that use it
  // Makes nodes of announcements of process groups. If false they are left out, and what would depend on one
  // depends on what that one itself would depend on.
  bool announcements = false;
};

struct OrderedNode {
  enum class Kind : std::uint8_t {
    cpu,
    delay,
    device,
    join,  // takes no time: stands for many dependencies on the same nodes
  };
  Kind kind = Kind::cpu;
  bool lacks_communication = false;  // it calls a collective whose communication is not recorded
  std::uint32_t dep_count = 0;
  std::size_t first_dep = 0;
  std::uint32_t source = 0;         // operator or device operation; for a delay the operator around it, or none
  std::uint32_t thread = 0;         // CPU thread; of a device operation a number of its stream
  std::uint32_t caller = no_index;  // node that is the calling operator
  std::uint32_t comm = 0;           // 1 + index into Order::comms; 0: no communication
  std::int64_t start_ns = 0;
  std::int64_t duration_ns = 0;
  std::int64_t start_delay_ns = 0;  // device operation: from the end of all it waits for to its begin
};

struct OrderedDep {
  std::uint32_t node = 0;
  DepRule rule{};
};

struct Order {
  std::vector<OrderedNode> nodes;  // parents before children
  std::vector<OrderedDep> deps;
  std::vector<CommFacts> comms;
  std::vector<char> comm_texts;  // texts of comms; the host trace's texts move when nodes are made
  [[nodiscard]] std::span<const OrderedDep> deps_of(const OrderedNode& n) const {
    return {deps.data() + n.first_dep, n.dep_count};
  }
};

// Returns the nodes and dependencies of a rank's work, and adds what it counts to `report`. `device` is null if
// there is no profile.
[[nodiscard]] Order find_order(const Trace& host, const Profile* device, const Operators& operators,
                               const OrderOptions& options, LinkReport& report);

// Removes the dependencies that others imply, also from the report's counts by rule. Takes time linear in
// dependencies × (threads + streams), of which it considers at most 256.
void reduce(Order& order, LinkReport& report);

}  // namespace convert
