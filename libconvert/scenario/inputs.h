// SPDX-License-Identifier: MIT
// Reads the files of a replay (network, system, memory, groups, traces, custom algorithms) into a program.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/diagnostic.h"
#include "io/input_set.h"
#include "simulate/astra/rules.h"
#include "simulate/engine/replay.h"
#include "simulate/program/program.h"

namespace convert {

// Option value that excludes all groups, also the groups of the trace set, unless there is a file of this name.
inline constexpr const char* no_groups_file = "empty";

class SetSource;

// Settings of the NPUs besides their traces and the network; files are paths.
struct SystemInputs : SystemChoices {
  std::optional<std::string> system{};  // ASTRA-sim's system.json
  std::optional<std::string> memory{};  // ASTRA-sim's memory.json
  std::optional<std::string> groups{};  // ASTRA-sim's comm_group.json
  Rules compat{false};
};

// Reads the files; without a system file, uses the defaults for the network. Throws Error(input) with the position,
// Error(system) if a file is missing.
[[nodiscard]] std::shared_ptr<ReplaySystem> load_system(const SystemInputs& inputs, const NetworkConfig& network);

// Returns whether there are traces of this name: a file, a folder or a prefix.
[[nodiscard]] bool trace_set_exists(const std::string& prefix);
// Returns the files of such a name. With `any_ranks` a set may have gaps.
[[nodiscard]] std::vector<std::string> files_of_set(const std::string& path, bool any_ranks = false);
// Throws Error(usage) if a path in a rule for collectives is neither an algorithm nor traces.
void check_algorithm_path(const std::string& path);
// Throws Error(usage) if policy, balanced or synthesized algorithms cannot be combined with ASTRA-sim's rules or
// with the network model.
void check_system_choices(const ReplaySystem& system, Rules rules, NetworkModel model);
// Returns whether a system has an algorithm that is synthesized for the network.
[[nodiscard]] bool uses_synthesis(const ReplaySystem& system);

// Adds the groups of a trace set (TraceSource::groups()), for a replay without groups of its own. Throws
// Error(input) with the position.
void add_groups(ReplaySystem& system, const std::optional<InputSet::Groups>& groups, const NetworkConfig& network);

// Returns the trace sets of the algorithms that a system names, each once: prefixes in the working folder or else
// in the folder of the system file.
[[nodiscard]] std::vector<std::string> custom_prefixes(const ReplaySystem& system);

// Returns the custom algorithms that a system uses, as labels and traces: nodes with their own algorithm in the
// system file, and all of custom_prefixes().
[[nodiscard]] std::vector<std::pair<std::string, std::string>> custom_uses(const ReplaySystem& system);

// Returns the configuration files of a system: system, memory, groups, and the map of nodes.
[[nodiscard]] std::vector<std::string> configuration_files(const SystemInputs& inputs, const SystemConfig& config);
// Returns all files that load_system() and the custom algorithms read.
[[nodiscard]] std::vector<std::string> system_files(const SystemInputs& inputs, const ReplaySystem& system);

// Reads the custom algorithms and then all ranks of the workload; returns nothing if errors were reported. With
// `issue_by_trace` the first rank decides ReplayOptions::issue, except by ASTRA-sim's rules, by which everything is
// a workload.
[[nodiscard]] std::optional<ReplayProgram> load_program(SetSource& workload, const NetworkConfig& network,
                                                        ReplayOptions options, bool issue_by_trace, unsigned jobs,
                                                        Diagnostics& diagnostics);
// Does the same with traces in memory.
[[nodiscard]] std::optional<ReplayProgram> load_program(std::span<const Trace> workload,
                                                        const NetworkConfig& network, ReplayOptions options,
                                                        bool issue_by_trace, unsigned jobs,
                                                        Diagnostics& diagnostics);

// Reads and replays each rank on its own, as recorded, `jobs` at a time; returns nothing if there were errors.
[[nodiscard]] std::optional<ReplayResult> replay_recorded(SetSource& workload, const ReplayOptions& options,
                                                          unsigned jobs, Diagnostics& diagnostics);

}  // namespace convert
