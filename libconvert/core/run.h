// SPDX-License-Identifier: MIT
// Holds a run: what ran when and why. A replay makes one, recordings are read as one; the format `run` keeps it
// (et-formats(5)); statistics, timelines, diffs and pages are made of it.
//
// Each table may be empty: then the run does not tell. Times are picoseconds from the begin of the run; -1 where
// there is none.
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
  // A process group that has a name.
  struct Group {
    std::int64_t group = 0;  // its id
    std::uint32_t name = 0;  // in texts: "tp", "default_pg"
  };
  // What an NPU did in all.
  struct Npu {
    Rank rank = 0;
    Picoseconds finish_ps = -1;         // end of its last node; -1: it did not get there
    Picoseconds astra_exposed_ps = -1;  // ASTRA-sim's exposed communication; -1: not by its rules, or not finished
    Picoseconds compute_ps = 0;         // sum of the durations of nodes that compute
    std::uint64_t sends = 0;
    std::int64_t bytes_sent = 0;
    std::uint64_t nodes = 0;
    std::uint64_t nodes_done = 0;
    std::int64_t peak_memory_bytes = -1;
  };

  // A collective that a group ran.
  struct Call {
    Collective op = Collective::all_reduce;
    std::int64_t group = 0;    // its id; 0: all ranks
    std::uint32_t number = 0;  // among the group's collectives, from 0
    std::uint32_t npus = 0;
    std::int64_t size_bytes = -1;        // as nccl-tests count it: see bus_bandwidth_factor()
    std::uint32_t algorithm = no_index;  // in texts
    std::uint32_t type = no_index;       // in texts: of its elements, as the trace calls it
    std::int64_t root = -1;              // the rank that it comes from or goes to; -1: unknown, or it has none
    Picoseconds bound_ps = -1;           // the least time in which the network can do it
    Picoseconds begin_ps = 0;            // the first NPU calls it
    Picoseconds last_begin_ps = 0;       // the last does
    Picoseconds end_ps = -1;             // the last has ended it
    Rank first_npu = 0;
    NodeId first_node = 0;
  };
  // The part of an NPU in a call; by call, then by NPU.
  struct CallNpu {
    std::uint32_t call = 0;
    Rank npu = 0;
    Picoseconds begin_ps = 0;
    Picoseconds end_ps = -1;
  };

  // A step of the critical path. Each ends where the one behind it in the list begins, from 0 to the end of the
  // run.
  enum class StepKind : std::uint8_t {
    compute,
    cpu,
    memory,
    recorded,     // communication for the time that the trace says
    message,      // of a send
    receive,      // takes no time: the message was there already
    request,      // with rendezvous: a message to the sender
    requested,    // of a send; takes no time
    collective,   // a part of one collective, perhaps on several NPUs
    delay,        // nothing of what was recorded before
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
    std::int32_t peer = -1;         // of a message: where it goes
    std::uint32_t then = no_index;  // in texts: how its end led to the next step
  };

  // A directed link and what it carried; links that carried nothing may be missing.
  struct Link {
    std::uint32_t from = 0;  // in texts: "npu3", "switch0", or the name of a device
    std::uint32_t to = 0;
    std::int32_t dim = -1;  // the dimension or level of the network, from 0; -1: none
    double gb_per_s = 0;    // of 10^9 bytes; 0: no limit, or unknown
    double latency_ns = 0;
    std::int64_t bytes = 0;
    std::uint32_t messages = 0;
    Picoseconds busy_ps = 0;
    std::uint32_t peak_queue = 0;  // most messages that waited at once
  };
  // A dimension of the network, or a level of a tree of switches from the NPUs up.
  struct Dim {
    std::uint32_t topology = 0;  // in texts: as -n names it, "ring", "switch", "tree"
    std::uint32_t npus = 0;
    double gb_per_s = 0;
    double latency_ns = 0;
  };
  // What one NPU sent another.
  struct Traffic {
    Rank src = 0;
    Rank dst = 0;
    std::int64_t bytes = 0;
    std::uint64_t messages = 0;
    double latency_ns = 0;  // of all links on the way of one of them, as far as the network's dimensions tell
  };
  // One more replay with one thing changed.
  enum class Change : std::uint8_t {
    like_median,  // the stragglers with NPU `subject` first compute like the median NPU
    bandwidth,    // twice the bandwidth in dimension `subject`; -1: everywhere
    latency,      // no latency
    free_call,    // collectives `subject` (Collective) of group `group` take no time
    algorithm,    // collectives `subject` by another native algorithm
    balanced,     // chunks take the dimensions in a balanced order
    no_network,   // an ideal network
    no_compute,   // computing takes no time
  };
  struct WhatIf {
    Change change = Change::like_median;
    std::int32_t subject = -1;
    std::int64_t group = 0;
    std::uint32_t what = 0;     // in texts: "NPU 5 computes like the median NPU"
    std::uint32_t setting = 0;  // in texts: the options of et-replay that ask for it
    Picoseconds total_ps = -1;  // -1: it does not complete
  };
  // A slice that waits for another to end, as a trace or a file says: their places in Timeline::slices.
  struct Dep {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    friend auto operator<=>(const Dep&, const Dep&) = default;
  };
  // An NPU that did, at the same times, what another did for which there are slices.
  struct Class {
    Rank npu = 0;
    Rank like = 0;
  };
  // What waits for ever.
  struct Wait {
    Rank npu = 0;
    NodeId node = 0;
    std::uint32_t name = no_index;  // in Timeline::names
    Picoseconds since_ps = -1;      // when it began; -1: it has not
    std::uint32_t text = 0;         // in texts: what it waits for
  };
  // Local memory in use from a time on.
  struct Memory {
    Rank npu = 0;
    Picoseconds time_ps = 0;
    std::int64_t bytes = 0;
  };
  // What the NPU with the highest mark of local memory had in use at that time; the largest ones.
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
  bool recorded = false;  // measured, or taken from recorded times; else simulated
  RunStatus status = RunStatus::complete;
  Picoseconds total_ps = 0;    // end of the last node
  Picoseconds reached_ps = 0;  // how far time came
  // How it was made, in this order: "tool", "command", "network", "model", …; et-formats(5) lists them.
  std::vector<Setting> settings;
  std::vector<Setting> inputs;      // base name, SHA-256 (empty: unknown)
  std::vector<std::string> limits;  // sentences: what the model does not know, what was estimated
  std::vector<std::string> hints;   // with status deadlock or unmatched: what to change

  TextSet texts;
  Timeline timeline;
  std::vector<Picoseconds> slack_ps;  // of each slice: how much longer it may take while the order stays
  std::vector<Dep> deps;              // by from; messages and collectives are none
  std::vector<Npu> npus;              // by rank
  std::vector<Group> groups;          // by id
  std::vector<Call> calls;            // by begin_ps, then by first_npu
  std::vector<CallNpu> call_npus;
  std::vector<Step> path;
  std::vector<Link> links;
  std::uint64_t network_links = 0;      // of the network, whether used or not; 0: unknown
  Picoseconds link_bin_ps = 0;          // the length of a bin
  std::uint32_t link_bins_each = 0;     // from 0 to reached_ps
  std::vector<std::uint8_t> link_bins;  // by link, then by time: share in which it was busy, 255 is all
  std::vector<Dim> dims;
  std::vector<Traffic> matrix;  // by src, then by dst
  std::vector<WhatIf> whatif;
  std::vector<Class> classes;
  std::vector<Wait> waits;
  std::vector<Memory> memory;  // by NPU, then by time
  std::vector<Alive> alive;    // the largest first
};

}  // namespace convert
