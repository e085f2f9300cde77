// SPDX-License-Identifier: MIT
// Runs the traces of all ranks on a network; by ASTRA-sim's rules to the cycle as its analytical backends do.
//
//   ReplayBuilder builder(network, options, diagnostics);
//   while (…) builder.add(trace);                                   // ranks in order, one at a time
//   if (auto program = builder.finish()) result = replay(*program);
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/diagnostic.h"
#include "core/timeline.h"
#include "simulate/astra/gaps.h"
#include "simulate/engine/activity.h"
#include "simulate/engine/local_memory.h"
#include "simulate/engine/traffic.h"
#include "simulate/explain/explain.h"
#include "simulate/program/program.h"
#include "simulate/program/roofline.h"
#include "simulate/report/collective_kind.h"
#include "simulate/waits/deadlock.h"

namespace convert {

struct Equivalence;

enum class ReplayStatus : std::uint8_t {
  complete,   // every node has run and every message was received
  unmatched,  // every node has run, but messages were not received, or collectives not called by all members
  deadlock,   // nothing can happen any more, and nodes have not run
  stopped,    // at ReplayOptions::until
};
[[nodiscard]] std::string_view name(ReplayStatus status);

struct NpuResult {
  std::optional<Picoseconds> finish_ps;  // end of its last node (0 if it has none); nothing if it did not get there
  // The time in which it communicates and does not compute; by ASTRA-sim's rules astra_exposed_ps. Both times are 0
  // if it has not finished, except by RecordedReplay, which sets both to the former.
  Picoseconds exposed_communication_ps = 0;
  // finish_ps less compute_ps: below 0 where nodes that compute overlap. With IssueMode::algorithm finish_ps.
  Picoseconds astra_exposed_ps = 0;
  Picoseconds compute_ps = 0;  // sum of the durations, up to reached_ps, of COMP nodes that are not CPU operations
  ActivityTimes times{};
  std::uint64_t sends = 0;  // started
  std::int64_t bytes_sent = 0;
  std::uint64_t nodes = 0;
  std::uint64_t nodes_done = 0;
  std::optional<PeakMemory> peak_memory{};  // where local memory is tracked
  std::optional<RooflineUse> roofline{};    // with the roofline model
};

// Says how one collective of a group went, on all its NPUs.
struct CollectiveResult {
  std::int64_t group = 0;    // its id; 0: all ranks
  std::uint32_t number = 0;  // among the group's collectives, from 0
  std::uint32_t plan = 0;    // in ReplayProgram::plans
  std::uint32_t npus = 0;
  Rank first_npu = 0;  // that called it
  NodeId first_node = 0;
  Picoseconds begin_ps = 0;             // the first NPU calls it
  Picoseconds last_begin_ps = 0;        // the last does
  std::optional<Picoseconds> end_ps{};  // the last has ended it; nothing if one has not
  // How long an NPU was in it and computed nothing, mean and highest of its NPUs; where end_ps is there.
  Picoseconds exposed_mean_ps = 0;
  Picoseconds exposed_max_ps = 0;
  std::uint32_t alike = 1;  // groups that run it so, see ReplayOptions::list_all_up_to
};

// Names the collective of a group.
struct SliceCall {
  std::int64_t group = 0;
  std::uint32_t number = 0;
};

struct ReplayResult {
  ReplayStatus status = ReplayStatus::complete;
  NetworkModel model = NetworkModel::unaware;
  std::optional<Forwarding> forwarding{};  // of the model wires
  std::optional<RouteSpread> spread{};     // of messages that had routes of equal cost
  bool ideal_network = false;              // in place of a model
  IssueMode issue = IssueMode::algorithm;
  bool recorded_communication = false;  // in place of a model
  Picoseconds total_ps = 0;             // end of the last node of all
  Picoseconds reached_ps = 0;  // how far time came: the last event, or ReplayOptions::until if stopped there
  std::vector<NpuResult> npus;
  std::vector<Rank> ranks;                    // of npus; empty: 0, 1, 2, …
  std::vector<CollectiveResult> collectives;  // by begin_ps, then by first_npu
  std::vector<CollectiveKind> kinds;          // see collective_kinds(); for reports of collectives
  std::optional<CollectiveKind> whole{};      // see algorithm_kind(); for reports of algorithms
  std::vector<WireUse> wires;                 // with NetworkOptions::count_wires
  // With NetworkOptions::bin_wires: the length of a bin, their number, and by wire and bin the share in which the
  // wire was busy, 255 is all.
  Picoseconds wire_bin_ps = 0;
  std::uint32_t wire_bins_each = 0;
  std::vector<std::uint8_t> wire_bins;
  std::vector<PairTraffic> traffic;      // with ReplayOptions::traffic; by source, then by destination
  std::optional<PortLoad> worst_port{};  // with NetworkOptions::watch_ports, if it was exceeded
  bool whole_rings = false;              // rings were run as wholes, see ReplayOptions::whole_rings
  std::uint64_t closed_phases = 0;       // run at once for their messages, by representatives; see ClosedPhase
  std::size_t classes = 0;             // of equivalent ranks, of each of which one was simulated; 0: every rank was
  WaitReport waits;                    // for status deadlock and unmatched
  AstraGaps gaps;                      // by ASTRA-sim's rules
  std::vector<std::string> notes;      // what ran otherwise than it was told to
  std::vector<std::string> no_time;    // see without_time(); the compiler has warned already
  Timeline timeline;                   // calls are indices of `collectives`
  std::vector<SliceCall> slice_calls;  // while it runs calls of the timeline are indices of these
  std::optional<Explanation> explanation;   // for ReplayOptions::explain; nothing if the node never started
  std::optional<PeakTensors> peak_tensors;  // with MemoryTracking
  std::vector<NodeSpans> spans;             // by rank, with MemoryTracking::trace
  // Which ranks were simulated for others: a timeline has these alone. Null: every rank was simulated.
  std::shared_ptr<const Equivalence> equivalence;
  // What kept ranks from standing for others, for people; empty: nothing did, or nobody asked.
  std::string no_symmetry;
  // By how much times may differ at most from those of exact parts; 0: not at all. See ReplayOptions::exact_up_to.
  Picoseconds error_bound_ps = 0;

  [[nodiscard]] Rank rank(std::size_t npu) const { return ranks.empty() ? static_cast<Rank>(npu) : ranks[npu]; }
};

// Runs the program; may be called again with the same one, for the same result. Throws Error if simulated time
// overflows, and Error(usage) if there is no node to explain.
[[nodiscard]] ReplayResult replay(const ReplayProgram& program);

// Adds the statements on what the replay has left out.
void add_notes(const Omissions& omitted, ReplayResult& result);
// Adds a note if the threadblocks of a GPU send faster in the replay of an MSCCL program than was measured: of the
// workload itself, and of algorithms of its collectives. None on an ideal network.
void note_threadblock_rates(const ReplayProgram& program, ReplayResult& result);

}  // namespace convert
