// SPDX-License-Identifier: MIT
// The options of a replay: network, system, memory, groups, by our names and by ASTRA-sim's.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/options.h"
#include "common/tool.h"
#include "config/network/network.h"
#include "scenario/inputs.h"
#include "simulate/program/program.h"

namespace tools {

struct ReplayInputOptions {
  InputOptions input;
  std::optional<std::string> network;
  std::optional<std::string> model;
  std::optional<std::string> occupancy;
  std::optional<std::string> forwarding;
  std::optional<std::string> routing;
  std::vector<std::string> failed;
  std::optional<std::string> compute;
  std::optional<std::string> comm;
  std::optional<std::string> system;
  std::optional<std::string> memory;
  std::optional<std::string> groups;
  bool no_groups = false;  // those of the trace set are not wanted either
  std::optional<std::string> compat;
  std::optional<std::string> issue;
  std::optional<std::int64_t> size;
  std::optional<std::int64_t> until;  // ps
  std::vector<std::string> collectives;
  std::optional<std::string> policy;
  bool balanced = false;
  std::vector<std::string> slow;
  bool no_symmetry = false;
  // ASTRA-sim's names of the operand and of the options above.
  std::optional<std::string> astra_workload;
  std::optional<std::string> astra_system;
  std::optional<std::string> astra_network;
  std::optional<std::string> astra_memory;
  std::optional<std::string> astra_groups;
  std::optional<std::int64_t> queues_per_dim;
  std::optional<std::string> injection_scale;
  std::optional<std::string> rendezvous;
  // Accepted as ASTRA-sim accepts them: without effect.
  std::optional<std::string> comm_scale;
  std::optional<std::string> compute_scale;
  std::optional<std::string> logging_configuration;
  std::optional<std::string> logging_folder;

  [[nodiscard]] bool astra() const;
  [[nodiscard]] convert::NetworkModel network_model() const;
  [[nodiscard]] bool astra_names() const {
    return astra_workload || astra_system || astra_network || astra_memory || astra_groups;
  }
  // Compute and communication.
  [[nodiscard]] bool all_recorded() const { return compute && comm; }
};

void add_replay_options(App& app, ReplayInputOptions& to);
// Takes ASTRA-sim's names for ours, says what has no effect. Throws Error(usage).
void check_replay_options(ReplayInputOptions& options);
// Says that a network in short form leaves the latency out.
void note_missing_latency(const std::string& network);
[[nodiscard]] convert::SystemInputs system_inputs(const ReplayInputOptions& options);
// All files that the replay reads, `workload` among them.
[[nodiscard]] std::vector<std::string> input_files(const ReplayInputOptions& options,
                                                   const convert::ReplaySystem& system,
                                                   const convert::InputSet& workload);
[[nodiscard]] convert::NetworkOptions network_options(const ReplayInputOptions& options);
// All but `timeline`; the issue mode is a default if it was not given.
[[nodiscard]] convert::ReplayOptions replay_options(const ReplayInputOptions& options);

}  // namespace tools
