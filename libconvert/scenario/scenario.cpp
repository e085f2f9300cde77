// SPDX-License-Identifier: MIT
#include "scenario/scenario.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "core/units.h"
#include "machine/chosen.h"
#include "passes/lower/call_range.h"
#include "scenario/system_keys.h"
#include "sets/schedules.h"
#include "simulate/engine/recorded.h"
#include "simulate/report/collective_kind.h"

namespace convert {
namespace {

void apply(const WireSetting& setting, double& bytes_per_ns, double& latency_ns) {
  double& value = setting.latency ? latency_ns : bytes_per_ns;
  value = setting.factor ? value * setting.value : setting.value;
}

void apply(const WireSetting& setting, NetworkConfig& network) {
  const std::string key = setting.latency ? "latency" : "bandwidth";
  const auto bad = [](const std::string& message) { return input_error({}, message, "sweep"); };
  if (network.ideal) throw bad("an ideal network has no " + key + " to set");
  const std::size_t count = network.dims.size() + network.levels.size();
  if (setting.dim && *setting.dim >= count) {
    throw bad(key + "." + std::to_string(*setting.dim) + ": the network " + network.source + " has " +
              (count == 0 ? "no" : std::to_string(count)) + (count == 1 ? " dimension" : " dimensions") +
              "; numbering starts at 0");
  }
  for (std::size_t d = 0; d < network.dims.size(); ++d) {
    if (setting.dim.value_or(d) == d) apply(setting, network.dims[d].bytes_per_ns, network.dims[d].latency_ns);
  }
  for (std::size_t d = 0; d < network.levels.size(); ++d) {
    if (setting.dim.value_or(d) == d) apply(setting, network.levels[d].bytes_per_ns, network.levels[d].latency_ns);
  }
  for (GraphWire& wire : network.graph.wires) {
    double latency_ns = static_cast<double>(wire.latency_ps) / static_cast<double>(ps_per_ns);
    apply(setting, wire.bytes_per_ns, latency_ns);
    if (setting.latency) wire.latency_ps = round_to_ps(latency_ns);
  }
}

// Recorded communication uses no network, even if the settings name one.
void forget_network(RunSettings& s) {
  s.network = "ideal";
  s.options.network = {};
  s.model.reset();
  s.wires.clear();
  s.system.rules.clear();
  s.system.policy = WirePolicy::arrival;
  s.system.balanced = false;
}

void set_system_keys(SystemConfig& to, std::vector<RunSettings::SystemKey> keys, std::size_t dims) {
  std::stable_sort(keys.begin(), keys.end(), [](const auto& a, const auto& b) {
    return system_key_precedence(a.key) < system_key_precedence(b.key);
  });
  for (const RunSettings::SystemKey& k : keys) set_system_key(to, k.key, k.config, dims);
}

// Refuses keys about native collectives with the network model fair.
void check_system_keys(const SystemConfig& config, const std::vector<RunSettings::SystemKey>& keys,
                       const NetworkConfig& network) {
  if (network.machine == nullptr) return;  // reported by check_network_options()
  const auto text = [&](const std::string& key) {
    return key + " does not apply to machine " + network.machine->machine().name +
           ", whose library runs the collectives; remove it, or use --model links";
  };
  if (config.of_collectives)
    throw input_error(config.of_collectives->where, text(config.of_collectives->name), "system");
  for (const RunSettings::SystemKey& k : keys) {
    if (k.config.of_collectives) throw located(input_error({}, text(k.key), "system"), k.setting, k.value);
  }
}

// Returns a hash of all links and their rates.
std::string rates_text(const WireGraph& graph) {
  std::uint64_t hash = graph.devices();
  const auto mix = [&](std::uint64_t value) {
    hash = (hash ^ value) * 0x9e3779b97f4a7c15U;
    hash ^= hash >> 29U;
  };
  for (const GraphWire& w : graph.wires) {
    mix(std::uint64_t{w.from} << 32U | w.to);
    mix(std::bit_cast<std::uint64_t>(w.bytes_per_ns));
    mix(static_cast<std::uint64_t>(w.latency_ps));
  }
  return std::to_string(hash);
}

}  // namespace

Scenario make_scenario(const RunSettings& settings) {
  RunSettings s = settings;
  if (s.comm_recorded) forget_network(s);
  if (!s.network) throw usage_error("no network is given; give -n, a base with network, or an axis of networks");
  if (!s.workload) throw usage_error("no traces are given; name INPUT, or give a base with workload");
  const std::string network = *s.network + (s.nodes ? ",nodes=" + std::to_string(*s.nodes) : "");
  Scenario scenario{.workload = *s.workload, .network = find_network(network), .options = s.options};
  for (const bool per_dim : {false, true}) {  // first the values for all links
    for (const WireSetting& wire : s.wires) {
      if (wire.dim.has_value() != per_dim) continue;
      if (scenario.network.machine != nullptr) {
        throw usage_error("bandwidth and latency of a machine are keys of -n, such as " +
                          settings.network.value_or("") + ",port=900GB/s");
      }
      apply(wire, scenario.network);
    }
  }
  if (s.options.comm_scale != 1 && !s.comm_recorded)
    throw usage_error("comm.scale changes recorded times of communication; it requires --comm recorded");
  ReplayOptions& options = scenario.options;
  options.astra = s.astra.value_or(false);
  const Rules rules(options.astra);
  s.system.compat = rules;
  options.network.model = s.model.value_or(!rules.messages_share_wires()         ? NetworkModel::unaware
                                           : scenario.network.machine != nullptr ? NetworkModel::fair
                                                                                 : NetworkModel::wires);
  options.network.watch_ports = options.network.model == NetworkModel::unaware && !rules.ports_have_no_limit();
  if (s.comm_recorded) options.recorded = s.compute_recorded ? Recorded::everything : Recorded::communication;
  scenario.from = s.from;
  scenario.has_groups = s.no_groups || s.system.groups.has_value();
  scenario.issue_by_trace = !s.issue;
  options.issue = s.issue.value_or(options.issue);
  const auto system = load_system(s.system, scenario.network);
  if (options.network.model == NetworkModel::fair)
    check_system_keys(system->config, s.system_keys, scenario.network);
  set_system_keys(system->config, std::move(s.system_keys), scenario.network.dims.size());
  if (s.compute_recorded) system->config.roofline = false;
  options.system = system;
  return scenario;
}

namespace {

// Collectives of a machine take its times: neither ASTRA-sim's rules nor its native algorithms apply.
void check_fair(const Scenario& scenario) {
  const ReplaySystem& system = *scenario.options.system;
  const auto is_native = [](const SystemRule& r) { return !r.choice.per_dim.empty(); };
  const std::string where = "on machine " + scenario.network.machine->machine().name;
  if (scenario.options.astra) throw usage_error("compat astra requires another network model than fair");
  if (const auto native = std::ranges::find_if(system.rules, is_native); native != system.rules.end()) {
    throw usage_error("native algorithms such as " + native->text + " do not run " + where +
                      ", whose library chooses the algorithms; use --model links, or an algorithm of et-generate "
                      "--list");
  }
  if (system.queues_per_dim != 1 || system.injection_scale != 1 || system.balanced || system.rendezvous)
    throw usage_error("settings of ASTRA-sim's collectives do not apply " + where + "; use --model links");
}

}  // namespace

void check_scenario(const Scenario& scenario) {
  const NetworkOptions& network = scenario.options.network;
  if (scenario.network.machine != nullptr && network.model != NetworkModel::fair && scenario.network.npus() == 0) {
    throw usage_error(scenario.network.source + ": the network model " + std::string(name(network.model)) +
                      " requires a number of nodes, such as " + scenario.network.source + ",nodes=2");
  }
  check_network_options(scenario.network, network);
  check_system_choices(*scenario.options.system, Rules(scenario.options.astra), network.model);
  if (network.model == NetworkModel::fair) check_fair(scenario);
  if (scenario.network.ideal && uses_synthesis(*scenario.options.system))
    throw usage_error("synthesized algorithms require links; an ideal network has none");
  if (!network.failed.empty()) (void)make_router(scenario.network, network.routing, network.failed);
}

void add_groups(Scenario& scenario, const std::optional<InputSet::Groups>& groups) {
  if (!groups || scenario.has_groups || scenario.by_rank()) return;
  auto system = std::make_shared<ReplaySystem>(*scenario.options.system);
  add_groups(*system, groups, scenario.network);
  scenario.options.system = std::move(system);
}

bool prepare(TraceSource& traces, bool whole, const std::string& name) {
  if (!traces.prepare(false)) return false;
  if (!whole || traces.whole_set()) return true;
  throw input_error({.file = name}, "a single rank cannot be replayed; name the whole set: " + traces.base_name());
}

LoadedReplay load_replay(SetSource& traces, const Scenario& s, unsigned jobs, Diagnostics& diagnostics) {
  if (s.by_rank()) return {.recorded = replay_recorded(traces, s.options, jobs, diagnostics)};
  return {.program = load_program(traces, s.network, s.options, s.issue_by_trace, jobs, diagnostics)};
}

LoadedReplay load_replay(std::span<const Trace> traces, const Scenario& s, unsigned jobs,
                         Diagnostics& diagnostics) {
  if (!s.by_rank())
    return {.program = load_program(traces, s.network, s.options, s.issue_by_trace, jobs, diagnostics)};
  RecordedReplay replay(s.options, diagnostics);
  for (const Trace& trace : traces) replay.add(replay.run(trace));
  return {.recorded = replay.finish()};
}

std::string result_message(const ReplayResult& result) {
  const WaitReport& waits = result.waits;
  if (result.status == ReplayStatus::deadlock)
    return counted(waits.waiting_total, "node") +
           (waits.waiting_total == 1 ? " never completes" : " never complete") +
           "; et-validate prints the cause and a remedy";
  if (result.status == ReplayStatus::unmatched && waits.unmatched_total == 0)
    return counted(waits.blocked_total, "collective") + " not called by all members";
  if (result.status == ReplayStatus::unmatched)
    return counted(waits.unmatched_total, "message") +
           (waits.unmatched_total == 1 ? " is never received" : " are never received");
  if (result.worst_port) return port_text(*result.worst_port);
  std::string text;
  for (const AstraGap gap : result.gaps.list()) {
    text += text.empty() ? astra_gap_text : std::string_view("; ");
    text += cause(gap);
  }
  for (const std::string& note : result.notes) text += (text.empty() ? "" : "; ") + note;
  return text;
}

std::vector<std::string> scenario_files(const RunSettings& settings, const Scenario& scenario) {
  std::vector<std::string> files = system_files(settings.system, *scenario.options.system);
  if (settings.network && !names_machine(*settings.network))
    files.push_back(split_file_argument(*settings.network).path);
  return files;
}

std::string network_shape(const Scenario& scenario) {
  const NetworkConfig& n = scenario.network;
  std::string shape = n.ideal ? "ideal" : std::to_string(n.npus());
  for (const NetworkDim& d : n.dims) shape += ' ' + std::string(name(d.topology)) + std::to_string(d.npus);
  // Routes of schedules name links; names of network devices name switches.
  if (!n.graph.wires.empty()) {
    const std::string id = network_id(n.graph);
    shape += ' ' + id.substr(0, id.rfind('-'));  // without rates
  }
  for (const std::string& name : n.graph.switch_names) shape += ' ' + name;
  if (n.machine != nullptr) {  // plans have the times of its calls
    shape += " machine " + n.source + ' ' + std::string(name(scenario.options.network.model));
  }
  if (can_send_to_self(n, scenario.options.network.model)) shape += " self";
  if (!n.ideal && uses_synthesis(*scenario.options.system)) {
    shape += ' ' + rates_text(build_wire_graph(n)) + ' ' + std::string(name(scenario.options.network.occupancy)) +
             ' ' + std::string(name(scenario.options.network.forwarding.value_or(Forwarding::switches)));
    for (const std::string& link : scenario.options.network.failed) shape += ' ' + link;
  }
  if (scenario.options.network.model == NetworkModel::wires)
    shape += " no shortest time";  // of work that takes none
  // Balanced chunks order the dimensions by load, which weighs bytes by bandwidth.
  for (const NetworkDim& d : n.dims) {
    if (scenario.options.system->balanced)
      shape += ' ' + std::to_string(std::bit_cast<std::uint64_t>(d.bytes_per_ns));
  }
  return shape;
}

std::int64_t algorithm_bytes(const Scenario& scenario, std::int64_t told) {
  return told > 0 ? told : scenario.options.size_bytes.value_or(0);
}

void describe_algorithm(const TraceSource& traces, const Scenario& scenario, ReplayResult& result) {
  const std::int64_t bytes = algorithm_bytes(scenario, traces.algorithm_bytes());
  if (const auto metadata = traces.metadata()) result.whole = algorithm_kind(*metadata, bytes);
  if (traces.algorithm() == nullptr || result.ideal_network) return;
  std::string note = call_note(*traces.algorithm(), traces.declares_calls(), bytes);
  if (!note.empty()) result.notes.push_back(std::move(note));
}

}  // namespace convert
