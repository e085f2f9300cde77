// SPDX-License-Identifier: MIT
#include "scenario/inputs.h"

#include <algorithm>
#include <filesystem>

#include "io/input.h"
#include "load/source.h"
#include "simulate/system/default_system.h"

namespace convert {
namespace {

namespace fs = std::filesystem;

std::string beside(const std::string& file, const std::string& path) {
  return (fs::path(file).parent_path() / path).string();
}

// Configuration files are small: each parser refuses what exceeds its limit.
std::string read_text(const std::string& path) {
  const auto input = open_input(path);
  constexpr std::size_t most = (1 << 20) + 1;
  std::string text(input->peek(most));
  return text;
}

// A set of traces is where its rank 0 is.
bool set_exists(const std::string& prefix) { return fs::exists(prefix + ".0.et") || fs::exists(prefix); }

std::string find_set(const std::string& system_file, const std::string& prefix) {
  if (set_exists(prefix) || !set_exists(beside(system_file, prefix))) return prefix;
  return beside(system_file, prefix);
}

std::string find_file(const std::string& system_file, const std::string& path) {
  return fs::exists(path) || !fs::exists(beside(system_file, path)) ? path : beside(system_file, path);
}

std::vector<CommGroup> groups_for(const NetworkConfig& network, const std::string& file, std::string_view json) {
  return parse_groups(file, json,
                      network.ideal ? std::nullopt : std::optional(static_cast<std::uint32_t>(network.npus())));
}

// Before the first rank of the workload: what it decides, and the custom algorithms.
void begin_program(std::optional<ReplayBuilder>& builder, const Trace& first, const NetworkConfig& network,
                   ReplayOptions& options, bool issue_by_trace, unsigned jobs, Diagnostics& diagnostics) {
  if (issue_by_trace) options.issue = default_issue_mode(first);
  builder.emplace(network, options, diagnostics);
  if (options.system == nullptr) return;
  for (const std::string& prefix : custom_prefixes(*options.system)) {
    TraceSource source({.operands = {prefix}, .hash = false}, diagnostics);
    if (source.prepare(false))
      source.for_each_trace(jobs, [&](Trace&& trace) { builder->add_custom(prefix, trace); });
  }
}

}  // namespace

std::shared_ptr<ReplaySystem> load_system(const SystemInputs& inputs, const NetworkConfig& network) {
  auto system = std::make_shared<ReplaySystem>();
  if (inputs.system) {
    const std::string& file = *inputs.system;
    system->config = parse_system(file, read_text(file));
    if (const std::string& map = system->config.per_node_map; !map.empty()) {
      const std::string path = find_file(file, map);
      system->per_node_custom = parse_per_node_map(path, read_text(path));
    }
    for (auto& [node, prefix] : system->per_node_custom) prefix = find_set(file, prefix);
    for (CollectiveChoice& c : system->config.collectives) {
      if (!c.custom.empty()) c.custom = find_set(file, c.custom);
    }
  }
  if (!inputs.system) system->config = default_system(network);
  if (inputs.memory) system->memory = parse_memory(*inputs.memory, read_text(*inputs.memory));
  if (inputs.groups) system->groups = groups_for(network, *inputs.groups, read_text(*inputs.groups));
  system->rules = inputs.rules;
  for (const CollectiveRule& r : system->rules) {
    if (!r.choice.custom.empty() && !set_exists(r.choice.custom)) {
      throw usage_error(
          "'" + r.choice.custom +
          "' is neither an algorithm (ring, direct, halvingDoubling, "
          "doubleBinaryTree, oneRing, …; one for each dimension, joined by +) nor a file or set of traces");
    }
  }
  system->policy = inputs.policy;
  system->balanced = inputs.balanced;
  system->queues_per_dim = inputs.queues_per_dim;
  system->injection_scale = inputs.injection_scale;
  system->rendezvous = inputs.rendezvous;
  return system;
}

void add_groups(ReplaySystem& system, const std::optional<InputSet::Groups>& groups, const NetworkConfig& network) {
  if (groups) system.groups = groups_for(network, groups->name, groups->json);
}

std::vector<std::string> custom_prefixes(const ReplaySystem& system) {
  std::vector<std::string> prefixes;
  for (const CollectiveChoice& c : system.config.collectives) prefixes.push_back(c.custom);
  for (const auto& [node, prefix] : system.per_node_custom) prefixes.push_back(prefix);
  for (const CollectiveRule& r : system.rules) prefixes.push_back(r.choice.custom);
  std::sort(prefixes.begin(), prefixes.end());
  prefixes.erase(std::unique(prefixes.begin(), prefixes.end()), prefixes.end());
  std::erase(prefixes, "");
  return prefixes;
}

std::optional<ReplayProgram> load_program(TraceSource& workload, const NetworkConfig& network,
                                          ReplayOptions options, bool issue_by_trace, unsigned jobs,
                                          Diagnostics& diagnostics) {
  std::optional<ReplayBuilder> builder;
  workload.for_each_trace(jobs, [&](Trace&& trace) {
    if (!builder) begin_program(builder, trace, network, options, issue_by_trace, jobs, diagnostics);
    builder->add(trace);
  });
  return builder ? builder->finish() : std::nullopt;
}

std::optional<ReplayProgram> load_program(std::span<const Trace> workload, const NetworkConfig& network,
                                          ReplayOptions options, bool issue_by_trace, unsigned jobs,
                                          Diagnostics& diagnostics) {
  std::optional<ReplayBuilder> builder;
  for (const Trace& trace : workload) {
    if (!builder) begin_program(builder, trace, network, options, issue_by_trace, jobs, diagnostics);
    builder->add(trace);
  }
  return builder ? builder->finish() : std::nullopt;
}

}  // namespace convert
