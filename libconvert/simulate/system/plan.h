// SPDX-License-Identifier: MIT
// Plans a collective: its chunks, and the phases through which each of them goes.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "config/network/topology.h"
#include "config/system.h"
#include "core/algorithm/chunk_bytes.h"
#include "core/trace.h"
#include "core/units.h"
#include "simulate/astra/rules.h"

namespace convert {

// Says which of the messages that wait for a wire goes first: the one that came first (arrival), or one of the
// collective that was called last, that was called first, of the highest comm_priority, or of the fewest bytes.
enum class WirePolicy : std::uint8_t { arrival, lifo, fifo, priority, smallest };
[[nodiscard]] std::string_view name(WirePolicy policy);

// Describes the system layer of every NPU, for one network.
struct SystemModel {
  std::vector<std::uint32_t> dims{};  // NPUs by dimension
  std::uint32_t npus = 0;
  std::uint32_t queues = 1;         // of each dimension and NPU
  std::uint32_t active_chunks = 1;  // at once per dimension and NPU
  Picoseconds endpoint_delay = 10 * ps_per_ns;
  std::optional<std::int64_t> splits{};
  std::optional<CollectiveOptimization> optimization{};
  WirePolicy policy = WirePolicy::arrival;  // not ASTRA-sim's
  double local_mem_bytes_per_s = 0;
  std::optional<SharedBusConfig> shared_bus{};
  std::int64_t local_reduction_delay = 1;  // ns for each 100 bytes that the shared bus reduces
  std::array<CollectiveChoice, listed_collectives.size()> collectives{};
  std::vector<std::vector<AlgorithmChoice>> lists{};  // in place of these; see CollectiveCall::list
  Rules rules{true};
  bool balanced = false;                      // not ASTRA-sim's: each chunk takes the dimensions in its own order
  std::vector<double> bytes_per_ns_by_dim{};  // of a link; what a balanced order weighs with
  std::vector<Topology> topology_by_dim{};    // likewise
  std::vector<std::vector<std::int64_t>> parts{};  // see CollectiveCall::parts; bytes by place in the group

  // Returns the time to reduce `bytes` in local memory: a write and two reads. Throws Error(input) above 35 days.
  [[nodiscard]] Picoseconds reduction(std::int64_t bytes) const;
  // Returns how many streams a queue runs at once.
  [[nodiscard]] std::uint32_t streams_per_queue() const { return (active_chunks + queues - 1) / queues; }
};

// Holds the ranks that take part, in the order of their ring.
struct SystemGroup {
  std::int64_t id = 0;
  std::vector<Rank> ranks{};                             // empty: all
  std::vector<std::pair<Rank, std::uint32_t>> places{};  // rank → place in `ranks`, ascending by rank
  [[nodiscard]] std::uint32_t size(const SystemModel& model) const {
    return ranks.empty() ? model.npus : static_cast<std::uint32_t>(ranks.size());
  }
  [[nodiscard]] Rank rank(std::uint32_t at) const { return ranks.empty() ? at : ranks[at]; }
  // Returns the place of a member; for another rank, the number of ranks.
  [[nodiscard]] std::uint32_t place(Rank npu) const;
  // Returns how many members have lower ranks than `npu`, a member.
  [[nodiscard]] std::uint32_t number(Rank npu) const;
};

// Holds what the members of a group call together.
struct CollectiveCall {
  Collective op = Collective::all_reduce;
  std::int64_t bytes = 0;  // comm_size of the node; of unequal parts: the largest
  std::uint32_t group = 0;
  std::uint64_t dims = ~std::uint64_t{0};  // bit per dimension that takes part
  std::uint32_t custom = 0;                // 1 + index of a custom algorithm; 0: native
  std::uint32_t list = 0;     // 1 + index into SystemModel::lists; 0: the algorithms that the system lists
  std::uint32_t root = 0;     // place in the group, for collectives that have one
  bool names_root = false;    // the node states it; else it is the first of the group
  std::uint32_t parts = 0;    // 1 + index into SystemModel::parts, if members' parts are unequal; else 0
  std::int32_t priority = 0;  // the higher the sooner, with explicit priorities
  friend bool operator==(const CollectiveCall&, const CollectiveCall&) = default;
};

// Says which of an NPU's round-robin counters of a dimension gives a phase its queue.
enum class QueueUse : std::uint8_t { next, first, last };

// Says how a chunk goes through one dimension, or through the ring of a group.
struct PhasePlan {
  NativeAlgorithm algorithm = NativeAlgorithm::ring;
  Collective op = Collective::all_reduce;
  QueueUse use = QueueUse::next;
  bool group_ring = false;  // members are the group's ranks; else base + place × stride
  bool unequal = false;     // all-gather, gather, scatter: see CollectiveCall::parts
  std::uint32_t dim = 0;    // whose queues it uses
  std::uint32_t members = 0;
  std::uint32_t stride = 1;
  std::uint32_t cell_stride = 1;   // between the Meeting::streams of neighbours
  std::uint32_t window = 1;        // bundles at once
  std::uint64_t cycle = 1;         // after so many bundles the pattern of reductions repeats
  std::uint64_t steps = 0;         // messages of each NPU
  std::int64_t data_bytes = 0;     // what the phase works on
  std::int64_t message_bytes = 0;  // of the first message
  Picoseconds endpoint_delay = 0;
  Picoseconds reduction = 0;     // of a message; halving doubling computes its own
  std::uint32_t trees = 0;       // double binary tree: phases of a chunk on this dimension's trees
  std::uint32_t tree_turn = 0;   // … and which of them this is
  std::uint32_t root = 0;        // trees and stars: a place
  bool closed = false;           // representatives: all members have one, see ClosedPhase
  std::uint32_t class_ring = 0;  // representatives: number of the ring, see ClassRings; 0: it is none of those
};

struct CollectivePlan {
  CollectiveCall call{};
  std::uint64_t chunks = 0;
  std::int64_t chunk_bytes = 0;
  std::vector<std::vector<PhasePlan>> orders{};  // of the phases of a chunk; empty: a custom algorithm
  std::vector<std::uint32_t> order_of{};         // by chunk; empty: all take the first
  bool rounded = false;                          // parts that differ by a byte have the size of the larger

  [[nodiscard]] const std::vector<PhasePlan>& phases(std::uint64_t chunk) const {
    return orders[order_of.empty() ? 0 : order_of[chunk]];
  }
  // Returns the exact size of a chunk.
  [[nodiscard]] std::int64_t bytes_of(std::uint64_t chunk) const {
    return part_bytes(call.bytes, static_cast<std::int64_t>(chunks), static_cast<std::int64_t>(chunk));
  }
};

// Returns the plan of a call. Throws Error(input), without a place, that says why the model cannot run it.
[[nodiscard]] CollectivePlan plan_collective(const SystemModel& model, const SystemGroup& group,
                                             const CollectiveCall& call);

}  // namespace convert
