// SPDX-License-Identifier: MIT
// Runs the traces of all ranks on a network; by ASTRA-sim's rules cycle-exactly as its analytical backends.
//
//   ReplayBuilder builder(network, options, diagnostics);
// ranks in order, one at a time
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
  deadlock,   // there are no further events, and some nodes have not run
  stopped,    // at ReplayOptions::until
};
[[nodiscard]] std::string_view name(ReplayStatus status);

struct NpuResult {
  std::optional<Picoseconds> finish_ps;  // end of its last node (0 without nodes); nothing if not finished
  // Time in which the NPU communicates and does not compute; by ASTRA-sim's rules astra_exposed_ps. Both times are
  // 0 if the NPU has not finished. RecordedReplay sets both to the former in all cases.
  Picoseconds exposed_communication_ps = 0;
  // finish_ps minus compute_ps: negative if computing nodes overlap. With IssueMode::algorithm finish_ps.
  Picoseconds astra_exposed_ps = 0;
  Picoseconds compute_ps = 0;  // sum of the durations, up to reached_ps, of COMP nodes other than CPU operations
  ActivityTimes times{};
  std::uint64_t sends = 0;  // number of started messages
  std::int64_t bytes_sent = 0;
  std::uint64_t nodes = 0;
  std::uint64_t nodes_done = 0;
  std::optional<PeakMemory> peak_memory{};  // if local memory is tracked
  std::optional<RooflineUse> roofline{};    // with the roofline model
};

// Result of one collective of a group, on all its NPUs.
struct CollectiveResult {
  std::int64_t group = 0;    // its id; 0: all ranks
  std::uint32_t number = 0;  // among the group's collectives, from 0
  std::uint32_t plan = 0;    // in ReplayProgram::plans
  std::uint32_t npus = 0;
  Rank first_npu = 0;  // the first caller
  NodeId first_node = 0;
  Picoseconds begin_ps = 0;             // call by the first NPU
  Picoseconds last_begin_ps = 0;        // call by the last NPU
  std::optional<Picoseconds> end_ps{};  // end on the last NPU; nothing if it has not ended on all
  // Time in which an NPU was in it and computed nothing: mean and maximum of its NPUs, if end_ps is set.
  Picoseconds exposed_mean_ps = 0;
  Picoseconds exposed_max_ps = 0;
  std::uint32_t alike = 1;  // number of equal groups for which it is listed; see ReplayOptions::list_all_up_to
};

// A collective of a group.
struct SliceCall {
  std::int64_t group = 0;
  std::uint32_t number = 0;
};

struct ReplayResult {
  ReplayStatus status = ReplayStatus::complete;
  NetworkModel model = NetworkModel::unaware;
  std::optional<Forwarding> forwarding{};  // of the model links
  std::optional<RouteSpread> spread{};     // of messages that had routes of equal cost
  bool ideal_network = false;              // instead of a model
  std::string machine{};                   // its name; empty: the network is no machine
  std::uint32_t machine_nodes = 0;
  IssueMode issue = IssueMode::algorithm;
  bool recorded_communication = false;  // instead of a model
  Picoseconds total_ps = 0;             // end of the last node of all NPUs
  Picoseconds reached_ps = 0;  // simulated time: of the last event, or ReplayOptions::until if stopped there
  std::vector<NpuResult> npus;
  std::vector<Rank> ranks;                    // ranks of `npus`; empty: 0, 1, 2, …
  std::vector<CollectiveResult> collectives;  // by begin_ps, then by first_npu
  std::vector<CollectiveKind> kinds;          // see collective_kinds(); for reports of collectives
  std::optional<CollectiveKind> whole{};      // see algorithm_kind(); for reports of algorithms
  std::vector<WireUse> wires;                 // with NetworkOptions::count_wires
  // With NetworkOptions::bin_wires: the width of a bin, the number of bins per link, and by link and bin the
  // fraction in which the link was busy; 255 is fully busy.
  Picoseconds wire_bin_ps = 0;
  std::uint32_t wire_bins_each = 0;
  std::vector<std::uint8_t> wire_bins;
  std::vector<PairTraffic> traffic;      // with ReplayOptions::traffic; by source, then by destination
  std::optional<PortLoad> worst_port{};  // with NetworkOptions::watch_ports, if a port was exceeded
  bool whole_rings = false;              // rings were run as wholes; see ReplayOptions::whole_rings
  std::uint64_t closed_phases = 0;     // number of phases run as closed phases, by representatives; see ClosedPhase
  std::size_t classes = 0;             // number of rank classes, each simulated once; 0: every rank was simulated
  WaitReport waits;                    // for status deadlock and unmatched
  AstraGaps gaps;                      // by ASTRA-sim's rules
  std::vector<std::string> notes;      // deviations from the requested run
  std::vector<std::string> no_time;    // see without_time(); already reported as warnings by the compiler
  Timeline timeline;                   // calls are indices in `collectives`
  std::vector<SliceCall> slice_calls;  // during the replay, calls of the timeline are indices in these
  std::optional<Explanation> explanation;   // for ReplayOptions::explain; nothing if the node never started
  std::optional<PeakTensors> peak_tensors;  // with MemoryTracking
  std::vector<NodeSpans> spans;             // by rank, with MemoryTracking::trace
  // Classes of simulated ranks: a timeline contains only representatives. Null: every rank was simulated.
  std::shared_ptr<const Equivalence> equivalence;
  // Reason, for people, why ranks were not represented by others; empty: no reason, or not requested.
  std::string no_symmetry;
  // Maximum difference of times from a replay with exact shards; 0: no difference. See ReplayOptions::exact_up_to.
  Picoseconds error_bound_ps = 0;

  [[nodiscard]] Rank rank(std::size_t npu) const { return ranks.empty() ? static_cast<Rank>(npu) : ranks[npu]; }
};

// Runs the program. May be called again with the same program, for the same result. Throws Error if simulated time
// overflows, and Error(usage) if there is no node to explain.
[[nodiscard]] ReplayResult replay(const ReplayProgram& program);

// Adds notes on data that the replay has omitted.
void add_notes(const Omissions& omitted, ReplayResult& result);
// Adds a note if the threadblocks of a GPU send faster in the replay of an MSCCL program than measured. The program
// is the workload itself, or an algorithm of its collectives. Adds no note for an ideal network.
void note_threadblock_rates(const ReplayProgram& program, ReplayResult& result);

}  // namespace convert
