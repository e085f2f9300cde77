// SPDX-License-Identifier: MIT
// A run: the record of what ran, when and why. Replays produce it, recordings are read into it, and the format
// `run` stores it (et-formats(5)). Statistics, timelines, diffs and pages are made from it.
//
// An empty table means that the run does not record it. Times are picoseconds from the start of the run; -1 if
// absent.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/collective.h"
#include "core/text_set.h"
#include "core/timeline.h"
#include "core/trace.h"
#include "core/units.h"

namespace convert {

enum class RunStatus : std::uint8_t {
  complete,
  unmatched,  // every node has run, but some messages were never received
  deadlock,
  stopped,  // at --until
};
inline constexpr std::array<std::string_view, 4> run_status_names = {"complete", "unmatched", "deadlock",
                                                                     "stopped"};
[[nodiscard]] constexpr std::string_view name(RunStatus status) {
  return run_status_names[static_cast<std::size_t>(status)];
}

struct Run {
  // Name of a process group.
  struct Group {
    std::int64_t group = 0;  // its id
    std::uint32_t name = 0;  // in texts: "tp", "default_pg"
  };
  // Totals of one NPU.
  struct Npu {
    Rank rank = 0;
    Picoseconds finish_ps = -1;  // end of its last node; -1: not reached
    Picoseconds astra_exposed_ps =
        -1;                      // ASTRA-sim's exposed communication; -1: not a run by its rules, or not finished
    Picoseconds compute_ps = 0;  // sum of the durations of nodes that compute
    std::uint64_t sends = 0;
    std::int64_t bytes_sent = 0;
    std::uint64_t nodes = 0;
    std::uint64_t nodes_done = 0;
    std::int64_t peak_memory_bytes = -1;
  };

  // A collective call of a group.
  struct Call {
    Collective op = Collective::all_reduce;
    std::int64_t group = 0;    // its id; 0: all ranks
    std::uint32_t number = 0;  // sequence number among the group's collectives, from 0
    std::uint32_t npus = 0;
    std::int64_t size_bytes = -1;        // as nccl-tests count it: see bus_bandwidth_factor()
    std::uint32_t algorithm = no_index;  // in texts
    std::uint32_t type = no_index;       // in texts: type of its elements in the trace
    std::uint32_t source = no_index;     // in texts: on a machine, origin of its time, see CallSource
    double error_pct = -1;               // on a machine, expected mean error of its time; -1: unknown
    std::int64_t root = -1;              // rank of the root; -1: unknown, or it has none
    Picoseconds bound_ps = -1;           // lower bound of its time in the network
    Picoseconds begin_ps = 0;            // when the first NPU calls it
    Picoseconds last_begin_ps = 0;       // when the last NPU calls it
    Picoseconds end_ps = -1;             // when the last NPU has finished it
    Rank first_npu = 0;
    NodeId first_node = 0;
  };
  // Participation of an NPU in a call. Sorted by call, then by NPU.
  struct CallNpu {
    std::uint32_t call = 0;
    Rank npu = 0;
    Picoseconds begin_ps = 0;
    Picoseconds end_ps = -1;
  };

  // A step of the critical path. Each step ends where the next one in the list begins, from 0 to the end of the
  // run.
  enum class StepKind : std::uint8_t {
    compute,
    cpu,
    memory,
    recorded,     // communication that takes its recorded time
    message,      // of a send
    receive,      // takes no time: the message had already arrived
    request,      // with rendezvous: a message to the sender
    requested,    // of a send; takes no time
    collective,   // a segment of one collective, perhaps on several NPUs
    delay,        // recorded idle time before a node
    unexplained,  // no dependency explains why `node` did not begin earlier
  };
  struct Step {
    StepKind kind = StepKind::compute;
    Rank npu = 0;
    NodeId node = 0;
    std::uint32_t name = no_index;  // in Timeline::names
    Picoseconds begin_ps = 0;
    Picoseconds time_ps = 0;
    std::uint32_t call = no_index;  // of a collective
    std::int64_t bytes = -1;        // of messages
    std::int32_t peer = -1;         // of a message: its destination
    std::uint32_t then = no_index;  // in texts: how its end led to the next step
  };

  // A directed link and its load. Idle links may be missing.
  struct Link {
    std::uint32_t from = 0;  // in texts: "npu3", "switch0", or the name of a device
    std::uint32_t to = 0;
    std::int32_t dim = -1;  // the dimension or level of the network, from 0; -1: none
    double gb_per_s = 0;    // in 10^9 bytes per second; 0: no limit, or unknown
    double latency_ns = 0;
    std::int64_t bytes = 0;
    std::uint32_t messages = 0;
    Picoseconds busy_ps = 0;
    std::uint32_t peak_queue = 0;  // maximum number of messages that waited at once
  };
  // A dimension of the network, or a level of a tree of switches, counted from the NPUs up.
  struct Dim {
    std::uint32_t topology = 0;  // in texts: as -n names it, "ring", "switch", "tree"
    std::uint32_t npus = 0;
    double gb_per_s = 0;
    double latency_ns = 0;
  };
  // Messages from one NPU to another.
  struct Traffic {
    Rank src = 0;
    Rank dst = 0;
    std::int64_t bytes = 0;
    std::uint64_t messages = 0;
    double latency_ns = 0;  // of all links on the route of a message, if the dimensions determine it
  };
  // Kind of change in a what-if replay.
  enum class Change : std::uint8_t {
    like_median,  // the stragglers with first NPU `subject` compute like the median NPU
    bandwidth,    // twice the bandwidth in dimension `subject`; -1: in all dimensions
    latency,      // no latency
    free_call,    // collectives `subject` (Collective) of group `group` take no time
    algorithm,    // collectives `subject` use another native algorithm
    balanced,     // chunks use the dimensions in a balanced order
    no_network,   // an ideal network
    no_compute,   // computing takes no time
    adapters,     // nodes of a machine have twice the adapters
    no_nvls,      // the library of a machine has no in-switch reduction
  };
  struct WhatIf {
    Change change = Change::like_median;
    std::int32_t subject = -1;
    std::int64_t group = 0;
    std::uint32_t what = 0;     // in texts: "NPU 5 computes like the median NPU"
    std::uint32_t setting = 0;  // in texts: the options of et-replay that make this change
    Picoseconds total_ps = -1;  // -1: the replay does not complete
  };
  // A dependency of a slice on another, from the trace or file, as indices into Timeline::slices.
  struct Dep {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    friend auto operator<=>(const Dep&, const Dep&) = default;
  };
  // An NPU that did the same at the same times as the NPU `like`, which has the slices.
  struct Class {
    Rank npu = 0;
    Rank like = 0;
  };
  // A node that waits forever.
  struct Wait {
    Rank npu = 0;
    NodeId node = 0;
    std::uint32_t name = no_index;  // in Timeline::names
    Picoseconds since_ps = -1;      // when it began; -1: it has not begun
    std::uint32_t text = 0;         // in texts: what it waits for
  };
  // Local memory in use from this time on.
  struct Memory {
    Rank npu = 0;
    Picoseconds time_ps = 0;
    std::int64_t bytes = 0;
  };
  // Largest tensors in memory at the peak of the NPU with the highest local memory use.
  struct Alive {
    Rank npu = 0;
    std::uint32_t tensor = 0;  // in texts
    std::int64_t bytes = 0;
  };
  struct Setting {
    std::string key;
    std::string value;
  };

  std::string title;      // the name of the workload
  bool recorded = false;  // measured, or made from recorded times; else simulated
  RunStatus status = RunStatus::complete;
  Picoseconds total_ps = 0;    // end of the last node
  Picoseconds reached_ps = 0;  // simulated time reached
  // How the run was made, in this order: "tool", "command", "network", "model", …; et-formats(5) lists them.
  std::vector<Setting> settings;
  std::vector<Setting> inputs;      // base name, SHA-256 (empty: unknown)
  std::vector<std::string> limits;  // sentences: limits of the model, and estimated values
  std::vector<std::string> hints;   // with status deadlock or unmatched: what to change

  TextSet texts;
  Timeline timeline;
  std::vector<Picoseconds> slack_ps;  // by slice: how much longer it may take without delaying the run if the order
                                      // stays
  std::vector<Dep> deps;              // by from; without messages and collectives
  std::vector<Npu> npus;              // by rank
  std::vector<Group> groups;          // by id
  std::vector<Call> calls;            // by begin_ps, then by first_npu
  std::vector<CallNpu> call_npus;
  std::vector<Step> path;
  std::vector<Link> links;
  std::uint64_t network_links = 0;      // number in the network, whether used or not; 0: unknown
  Picoseconds link_bin_ps = 0;          // length of a bin
  std::uint32_t link_bins_each = 0;     // bins per link, from 0 to reached_ps
  std::vector<std::uint8_t> link_bins;  // by link, then by time: busy share of the bin, 255 is all
  std::vector<Dim> dims;
  std::vector<Traffic> matrix;  // by src, then by dst
  std::vector<WhatIf> whatif;
  std::vector<Class> classes;
  std::vector<Wait> waits;
  std::vector<Memory> memory;  // by NPU, then by time
  std::vector<Alive> alive;    // largest first
};

}  // namespace convert
