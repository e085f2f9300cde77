// SPDX-License-Identifier: MIT
// Plan of a collective: its chunks, and the phases of each chunk.
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
#include "machine/chosen.h"
#include "simulate/astra/rules.h"
#include "simulate/networks/call_flow.h"

namespace convert {

// Which waiting message a link sends first: in order of arrival; of the collective that was called last (lifo) or
// first (fifo); of the highest comm_priority; or of the collective with the fewest bytes (smallest).
enum class WirePolicy : std::uint8_t { arrival, lifo, fifo, priority, smallest };
[[nodiscard]] std::string_view name(WirePolicy policy);

// Configuration of the collective engine of every NPU, for one network.
struct SystemModel {
  std::vector<std::uint32_t> dims{};  // number of NPUs by dimension
  std::uint32_t npus = 0;
  std::uint32_t queues = 1;         // of each dimension and NPU
  std::uint32_t active_chunks = 1;  // at once per dimension and NPU
  Picoseconds endpoint_delay = 10 * ps_per_ns;
  std::optional<std::int64_t> splits{};
  std::optional<CollectiveOptimization> optimization{};
  WirePolicy policy = WirePolicy::arrival;  // not in ASTRA-sim
  double local_mem_bytes_per_s = 0;
  std::optional<SharedBusConfig> shared_bus{};
  std::int64_t local_reduction_delay = 1;  // in ns per 100 bytes that the shared bus reduces
  std::array<CollectiveChoice, listed_collectives.size()> collectives{};
  std::vector<std::vector<AlgorithmChoice>> lists{};  // replace `collectives`; see CollectiveCall::list
  Rules rules{true};
  bool balanced = false;                      // not in ASTRA-sim: each chunk uses the dimensions in its own order
  std::vector<double> bytes_per_ns_by_dim{};  // of a link; for balanced orders
  std::vector<Topology> topology_by_dim{};    // for balanced orders
  std::vector<std::vector<std::int64_t>> parts{};  // see CollectiveCall::parts; bytes by index in the group

  // Returns the time to reduce `bytes` in local memory: a write and two reads. Throws Error(input) above 35 days.
  [[nodiscard]] Picoseconds reduction(std::int64_t bytes) const;
  // Returns the number of streams that a queue runs at once.
  [[nodiscard]] std::uint32_t streams_per_queue() const { return (active_chunks + queues - 1) / queues; }
};

// The ranks of a process group, in the order of their ring.
struct SystemGroup {
  std::int64_t id = 0;
  std::vector<Rank> ranks{};                             // empty: all
  std::vector<std::pair<Rank, std::uint32_t>> places{};  // rank → index in `ranks`, ascending by rank
  [[nodiscard]] std::uint32_t size(const SystemModel& model) const {
    return ranks.empty() ? model.npus : static_cast<std::uint32_t>(ranks.size());
  }
  [[nodiscard]] Rank rank(std::uint32_t at) const { return ranks.empty() ? at : ranks[at]; }
  // Returns the index of a member; for another rank, the number of ranks.
  [[nodiscard]] std::uint32_t place(Rank npu) const;
  // Returns the number of members with lower ranks than `npu`, a member.
  [[nodiscard]] std::uint32_t number(Rank npu) const;
};

// A collective that the members of a group call together.
struct CollectiveCall {
  Collective op = Collective::all_reduce;
  std::int64_t bytes = 0;  // comm_size of the node; for unequal shards: the largest
  std::uint32_t group = 0;
  std::uint64_t dims = ~std::uint64_t{0};  // bit per dimension that takes part
  std::uint32_t custom = 0;                // 1 + index of a custom algorithm; 0: native
  std::uint32_t list = 0;     // 1 + index in SystemModel::lists; 0: the algorithms in the system's configuration
  std::uint32_t root = 0;     // index in the group, for collectives with a root
  bool names_root = false;    // the node declares the root; else it is the first rank of the group
  std::uint32_t parts = 0;    // 1 + index in SystemModel::parts if members' shards are unequal; else 0
  std::int32_t priority = 0;  // higher goes first, with explicit priorities
  friend bool operator==(const CollectiveCall&, const CollectiveCall&) = default;
};

// Round-robin counter of an NPU's dimension that selects a phase's queue.
enum class QueueUse : std::uint8_t { next, first, last };

// A chunk's phase in one dimension, or in the ring of a group.
struct PhasePlan {
  NativeAlgorithm algorithm = NativeAlgorithm::ring;
  Collective op = Collective::all_reduce;
  QueueUse use = QueueUse::next;
  bool group_ring = false;  // members are the group's ranks; else base + index × stride
  bool unequal = false;     // all-gather, gather, scatter: see CollectiveCall::parts
  std::uint32_t dim = 0;    // dimension whose queues it uses
  std::uint32_t members = 0;
  std::uint32_t stride = 1;
  std::uint32_t cell_stride = 1;   // between the Meeting::streams of neighbours
  std::uint32_t window = 1;        // bundles at once
  std::uint64_t cycle = 1;         // number of bundles after which the pattern of reductions repeats
  std::uint64_t steps = 0;         // number of messages of each NPU
  std::int64_t data_bytes = 0;     // size of the phase's data
  std::int64_t message_bytes = 0;  // size of the first message
  Picoseconds endpoint_delay = 0;
  Picoseconds reduction = 0;     // of a message; halving doubling computes its own
  std::uint32_t trees = 0;       // double binary tree: number of phases of a chunk on this dimension's trees
  std::uint32_t tree_turn = 0;   // double binary tree: number of this phase among these
  std::uint32_t root = 0;        // trees and stars: an index
  bool closed = false;           // representatives: all members have one representative; see ClosedPhase
  std::uint32_t class_ring = 0;  // representatives: number of the ring, see ClassRings; 0: not such a ring
};

// A call on a machine, which runs as one flow of all members.
struct CallOnMachine {
  CallFlow flow{};
  std::uint32_t nodes = 1;
  MachineCost cost{};
};

// Returns a call that takes `cost`.
[[nodiscard]] CallOnMachine call_on_machine(const Machine& machine, const MachineCall& call,
                                            const MachineCost& cost);

struct CollectivePlan {
  CollectiveCall call{};
  std::optional<CallOnMachine> on_machine{};  // instead of chunks and phases
  std::uint64_t chunks = 0;
  std::int64_t chunk_bytes = 0;
  std::vector<std::vector<PhasePlan>> orders{};  // orders of the phases of a chunk; empty: a custom algorithm
  std::vector<std::uint32_t> order_of{};         // by chunk; empty: all use the first
  bool rounded = false;                          // shards that differ by a byte have the size of the larger

  [[nodiscard]] const std::vector<PhasePlan>& phases(std::uint64_t chunk) const {
    return orders[order_of.empty() ? 0 : order_of[chunk]];
  }
  // Returns the exact size of a chunk.
  [[nodiscard]] std::int64_t bytes_of(std::uint64_t chunk) const {
    return part_bytes(call.bytes, static_cast<std::int64_t>(chunks), static_cast<std::int64_t>(chunk));
  }
};

// Returns the size of a call of `npus` members as nccl-tests counts it, S of bus_bandwidth_factor()
// (core/collective.h): the larger buffer of a member; at most 2^63-1, and 0 for a barrier.
[[nodiscard]] std::int64_t larger_buffer(const SystemModel& model, const CollectiveCall& call, std::uint32_t npus);

// Returns the plan of a call. Throws Error(input), without a location, with the reason if the model cannot run it.
[[nodiscard]] CollectivePlan plan_collective(const SystemModel& model, const SystemGroup& group,
                                             const CollectiveCall& call);

}  // namespace convert
