// SPDX-License-Identifier: MIT
// Scenarios: the settings of a replay, with the files that they name.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "config/network/network.h"
#include "core/diagnostic.h"
#include "core/trace.h"
#include "io/input_set.h"
#include "scenario/settings.h"
#include "sets/source.h"
#include "simulate/engine/replay.h"

namespace convert {

// Settings of a replay after their files are read. `options.system` is never null.
struct Scenario {
  std::string workload;
  NetworkConfig network;
  ReplayOptions options;  // `recorded` is everything if each rank is replayed on its own
  std::optional<std::string> from{};
  bool issue_by_trace = false;
  bool has_groups = false;

  [[nodiscard]] bool by_rank() const { return options.recorded == Recorded::everything; }
};
// Reads the files. Throws Error.
[[nodiscard]] Scenario make_scenario(const RunSettings& settings);

// Throws Error if the settings cannot be combined.
void check_scenario(const Scenario& scenario);

// Adds the groups of the traces if the settings name none.
void add_groups(Scenario& scenario, const std::optional<InputSet::Groups>& groups);

// Checks traces before they are loaded; returns false if errors were reported. Throws Error(input) about the file
// `name` if the traces are one rank, but `whole` requires the whole set.
[[nodiscard]] bool prepare(TraceSource& traces, bool whole, const std::string& name);

// Traces that are ready to be replayed: compiled or, if each rank is replayed on its own, the result.
struct LoadedReplay {
  std::optional<ReplayProgram> program{};
  std::optional<ReplayResult> recorded{};

  [[nodiscard]] explicit operator bool() const { return program || recorded; }
};
// Reads the traces; returns neither member if errors were reported.
[[nodiscard]] LoadedReplay load_replay(SetSource& traces, const Scenario& scenario, unsigned jobs,
                                       Diagnostics& diagnostics);
// Does the same with traces in memory.
[[nodiscard]] LoadedReplay load_replay(std::span<const Trace> traces, const Scenario& scenario, unsigned jobs,
                                       Diagnostics& diagnostics);

// Returns the message of a result: nodes that never complete, the exceeded port, or why ASTRA-sim has no comparable
// time.
[[nodiscard]] std::string result_message(const ReplayResult& result);

// Returns the collective size of an algorithm's traces: the size in its messages (`told`), or the size of the
// settings if messages have no sizes (0).
[[nodiscard]] std::int64_t algorithm_bytes(const Scenario& scenario, std::int64_t told);

// Sets the kind and size of the whole algorithm in the result of its traces. Adds a note if no runtime completes a
// call of this size with the program.
void describe_algorithm(const TraceSource& traces, const Scenario& scenario, ReplayResult& result);

// Returns all files that make_scenario() and the custom algorithms read.
[[nodiscard]] std::vector<std::string> scenario_files(const RunSettings& settings, const Scenario& scenario);

// Returns the properties of the network that matter for compiling. Two scenarios compile to the same program if
// this text is equal and they differ only in the network and in how messages share its links: model, bandwidth,
// latency, occupancy, forwarding, routing, failed links. Contains bandwidths if they balance the chunks.
[[nodiscard]] std::string network_shape(const Scenario& scenario);

}  // namespace convert
