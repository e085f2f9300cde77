// SPDX-License-Identifier: MIT
// Makes scenarios: the settings of a replay with the files that they name.
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

// Holds the settings as they are replayed. `options.system` is never null.
struct Scenario {
  std::string workload;
  NetworkConfig network;
  ReplayOptions options;  // recorded: everything, if each rank is played by itself
  std::optional<std::string> from{};
  bool issue_by_trace = false;
  bool has_groups = false;

  [[nodiscard]] bool by_rank() const { return options.recorded == Recorded::everything; }
};
// Reads the files. Throws Error.
[[nodiscard]] Scenario make_scenario(const RunSettings& settings);

// Throws Error if the settings do not go together.
void check_scenario(const Scenario& scenario);

// Adds the groups that come with the traces, where the settings name none.
void add_groups(Scenario& scenario, const std::optional<InputSet::Groups>& groups);

// Checks traces before they are loaded; returns false if there are errors to report. Throws Error(input) about the
// file `name` if they are one rank and the `whole` set is wanted.
[[nodiscard]] bool prepare(TraceSource& traces, bool whole, const std::string& name);

// Holds traces that are ready to be replayed: compiled, or, where each rank is replayed by itself, the result.
struct LoadedReplay {
  std::optional<ReplayProgram> program{};
  std::optional<ReplayResult> recorded{};

  [[nodiscard]] explicit operator bool() const { return program || recorded; }
};
// Reads the traces; returns neither of the two if there were errors to report.
[[nodiscard]] LoadedReplay load_replay(SetSource& traces, const Scenario& scenario, unsigned jobs,
                                       Diagnostics& diagnostics);
// Does the same with traces in memory.
[[nodiscard]] LoadedReplay load_replay(std::span<const Trace> traces, const Scenario& scenario, unsigned jobs,
                                       Diagnostics& diagnostics);

// Returns what a result has to say besides its times: what waits for ever, the port that it exceeds, why ASTRA-sim
// has none to compare with.
[[nodiscard]] std::string result_message(const ReplayResult& result);

// Returns the collective size of traces of an algorithm: `told` by the messages, or from the settings if messages
// have no sizes (0).
[[nodiscard]] std::int64_t algorithm_bytes(const Scenario& scenario, std::int64_t told);

// Sets what the result of traces of an algorithm states of the whole algorithm, and notes if no runtime ends a
// call of this size with the program.
void describe_algorithm(const TraceSource& traces, const Scenario& scenario, ReplayResult& result);

// Returns all files that make_scenario() and the custom algorithms are read from.
[[nodiscard]] std::vector<std::string> scenario_files(const RunSettings& settings, const Scenario& scenario);

// Returns what of the network matters for compiling: scenarios that differ in nothing but the network and how
// messages share its wires (model, bandwidth, latency, occupancy, forwarding, routing, failed wires) compile to the
// same program if this text is the same. It has bandwidths if chunks are balanced by them.
[[nodiscard]] std::string network_shape(const Scenario& scenario);

}  // namespace convert
