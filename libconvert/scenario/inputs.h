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

// Asks for no groups, not even the trace set's, as the value of an option; unless there is such a file.
inline constexpr const char* no_groups_file = "empty";

class SetSource;

// Holds what the command line says about the NPUs besides their traces and the network; files are paths.
struct SystemInputs : SystemChoices {
  std::optional<std::string> system{};  // ASTRA-sim's system.json
  std::optional<std::string> memory{};  // ASTRA-sim's memory.json
  std::optional<std::string> groups{};  // ASTRA-sim's comm_group.json
  Rules compat{false};
};

// Reads the files; without a system's file uses the defaults for the network. Throws Error(input) with the place,
// Error(system) if a file is missing.
[[nodiscard]] std::shared_ptr<ReplaySystem> load_system(const SystemInputs& inputs, const NetworkConfig& network);

// Returns whether there are traces of this name: a file, a folder or a prefix.
[[nodiscard]] bool trace_set_exists(const std::string& prefix);
// Returns the files that such a name stands for. With `any_ranks` a set may have gaps.
[[nodiscard]] std::vector<std::string> files_of_set(const std::string& path, bool any_ranks = false);
// Throws Error(usage) if a rule for collectives names neither an algorithm nor traces.
void check_algorithm_path(const std::string& path);
// Throws Error(usage) if policy, balanced or synthesized algorithms do not go with ASTRA-sim's rules or with the
// network's model.
void check_system_choices(const ReplaySystem& system, Rules rules, NetworkModel model);
// Returns whether a system has an algorithm that is synthesized for the network.
[[nodiscard]] bool uses_synthesis(const ReplaySystem& system);

// Adds the groups that come with a trace set (TraceSource::groups()), for a replay that was not given any. Throws
// Error(input) with the place.
void add_groups(ReplaySystem& system, const std::optional<InputSet::Groups>& groups, const NetworkConfig& network);

// Returns the algorithms that a system names, each once: prefixes of trace sets, in the working folder or else
// beside the system's file.
[[nodiscard]] std::vector<std::string> custom_prefixes(const ReplaySystem& system);

// Returns the nodes that have an algorithm of their own by the system's file, and all that is in custom_prefixes():
// what to call it, and the traces.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> custom_uses(const ReplaySystem& system);

// Returns the files that say what a system is: its own, those of memory and groups, and the map of nodes.
[[nodiscard]] std::vector<std::string> configuration_files(const SystemInputs& inputs, const SystemConfig& config);
// Returns all files that load_system() and the custom algorithms are read from.
[[nodiscard]] std::vector<std::string> system_files(const SystemInputs& inputs, const ReplaySystem& system);

// Reads the custom algorithms and then all ranks of the workload; returns nothing if there were errors to report.
// With `issue_by_trace` the first rank decides on ReplayOptions::issue, unless by ASTRA-sim's rules: there
// everything is a workload.
[[nodiscard]] std::optional<ReplayProgram> load_program(SetSource& workload, const NetworkConfig& network,
                                                        ReplayOptions options, bool issue_by_trace, unsigned jobs,
                                                        Diagnostics& diagnostics);
// Does the same with traces in memory.
[[nodiscard]] std::optional<ReplayProgram> load_program(std::span<const Trace> workload,
                                                        const NetworkConfig& network, ReplayOptions options,
                                                        bool issue_by_trace, unsigned jobs,
                                                        Diagnostics& diagnostics);

// Reads and replays each rank by itself, as recorded, `jobs` at a time; returns nothing if there were errors.
[[nodiscard]] std::optional<ReplayResult> replay_recorded(SetSource& workload, const ReplayOptions& options,
                                                          unsigned jobs, Diagnostics& diagnostics);

}  // namespace convert
