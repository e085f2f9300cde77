// SPDX-License-Identifier: MIT
#include "replay/options.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include "common/source.h"
#include "config/yaml_tree.h"
#include "scenario/option_values.h"
#include "util/log.h"

namespace tools {
namespace {

using convert::usage_error;

double number(const std::string& option, const std::string& text) {
  if (const auto value = convert::parse_scale(text)) return *value;
  throw usage_error(option + ": '" + text + "' is not a number from 0 to 1e9");
}

bool truth(const std::string& option, const std::string& text) {
  if (const auto value = convert::parse_truth(text)) return *value;
  throw usage_error(option + ": '" + text + "' is neither true nor false");
}

// The errors of `parse` as those of an option.
template <typename Parse>
auto option_value(const std::string& option, const Parse& parse) {
  try {
    return parse();
  } catch (const convert::Error& e) {
    throw usage_error(option + ": " + e.what());
  }
}

// The choice of an option, which has been checked, or what it is by default.
template <typename T, std::size_t n>
T chosen(const std::optional<std::string>& text, const std::array<T, n>& all, T by_default) {
  return convert::find_named(all, text.value_or("")).value_or(by_default);
}

}  // namespace

convert::NetworkModel ReplayInputOptions::network_model() const {
  return chosen(model, convert::network_models, convert::default_network_model(astra()));
}

bool ReplayInputOptions::astra() const { return compat ? *compat == "astra" : astra_system.has_value(); }

void add_replay_options(App& app, ReplayInputOptions& to) {
  add_input_options(app, to.input);
  app.group("Simulation");
  app.add_option("-n,--network-file", to.network, "FILE|ideal|SPEC",
                 "network: ASTRA-sim's .yml, a list of links, or such as ring:8,bw=50GB/s,lat=500ns");
  app.add_choice("--network", to.model, {"unaware", "aware", "links"},
                 "model: without contention, with, with on any topology (default: links; unaware as ASTRA-sim)");
  app.add_choice("--occupancy", to.occupancy, {"beta", "alpha-beta"},
                 "links: a message keeps a link for its bytes, or for the latency too (default: beta)");
  app.add_choice("--forwarding", to.forwarding, {"switches", "store", "cut"},
                 "links: cut through at switches, store and forward, cut through (default: switches)");
  app.add_choice("--routing", to.routing, {"dimension", "shortest"},
                 "links: by dimension or fewest hops (default: by the topology)");
  app.add_list("--fail", to.failed, "LINK,...", "links: without these, such as 3-4 or npu3-switch0; 3>4: one way");
  app.add_choice("--compute", to.compute, {"recorded"},
                 "compute nodes take their recorded times, whatever the system says of a roofline");
  app.add_choice("--comm", to.comm, {"recorded"},
                 "communication takes its recorded times, without a network; with --compute each rank by itself");
  app.add_option("-s,--system", to.system, "FILE",
                 "ASTRA-sim's system.json (default: algorithms that fit the network)");
  app.add_texts(
      "--collective", to.collectives, "WHICH=ALGORITHM",
      "such as all_reduce=ring, all=direct+ring, broadcast=built:chain, all_gather:pg=3:size>=1MiB=ag.xml");
  app.add_choice("--policy", to.policy, {"arrival", "fifo", "lifo", "priority", "smallest"},
                 "links: which collective's messages go first where they wait (default: arrival)");
  app.add_flag("--balanced", to.balanced, "chunks take the dimensions each in its own order, least loaded first");
  app.add_option("--memory", to.memory, "FILE", "ASTRA-sim's memory.json");
  app.add_option("--groups", to.groups, "FILE", "process groups (default: those of the trace set)");
  app.add_choice("--compat", to.compat, {"astra", "none"},
                 "ASTRA-sim's rules, or a physical model (default: astra with --system-configuration)");
  app.add_choice(
      "--issue", to.issue, {"algorithm", "workload", "unlimited"},
      "all free nodes at once, or one per resource, or a workload without limits (default: by the trace; workload "
      "with --compat astra)");
  app.add_list("--slow", to.slow, "RANK=FACTORx,...", "stragglers: computing takes longer there, such as 3=1.5x");
  app.add_bytes("--size", to.size, "BYTES", "size of the collective, for traces without sizes");
  app.add_time("--until", to.until, "TIME", "stop at this simulated time, such as 1.5us");
  app.add_flag("--no-symmetry", to.no_symmetry, "simulate every rank, also where ranks are equivalent");
  app.group("As ASTRA-sim");
  app.add_option("--workload-configuration", to.astra_workload, "PREFIX", "INPUT");
  app.add_option("--system-configuration", to.astra_system, "FILE", "--system, and the default of --compat");
  app.add_option("--network-configuration", to.astra_network, "FILE", "-n");
  app.add_option("--remote-memory-configuration", to.astra_memory, "FILE", "--memory");
  app.add_option("--comm-group-configuration", to.astra_groups, "FILE", "--groups; empty: none");
  app.add_integer("--num-queues-per-dim", to.queues_per_dim, 1, 65'535, "N",
                  "queues of each dimension (default: 1)");
  app.add_option("--injection-scale", to.injection_scale, "X",
                 "factor for the system's endpoint-delay (default: 1)");
  app.add_option("--rendezvous-protocol", to.rendezvous, "BOOL",
                 "messages wait for their receiver (default: false)");
  app.add_option("--comm-scale", to.comm_scale, "X", "no effect, as there");
  app.add_option("--compute-scale", to.compute_scale, "X", "no effect, as there");
  app.add_option("--logging-configuration", to.logging_configuration, "FILE", "no effect; see --format astra");
  app.add_option("--logging-folder", to.logging_folder, "PATH", "no effect; see --format astra");
}

void check_replay_options(ReplayInputOptions& o) {
  const auto merge = [](std::optional<std::string>& to, const std::optional<std::string>& alias,
                        const std::string& names) {
    if (to && alias) throw usage_error(names + " say the same; give one");
    if (alias) to = alias;
  };
  // Before the operands: an option without its value takes what follows, and leaves that one's value behind.
  if (o.rendezvous) (void)truth("--rendezvous-protocol", *o.rendezvous);
  merge(o.network, o.astra_network, "-n and --network-configuration");
  merge(o.system, o.astra_system, "--system and --system-configuration");
  merge(o.memory, o.astra_memory, "--memory and --remote-memory-configuration");
  merge(o.groups, o.astra_groups, "--groups and --comm-group-configuration");
  if (!o.network && o.comm) o.network = "ideal";
  if (!o.network) {
    throw usage_error(o.astra_workload || o.astra_system || o.astra_memory || o.astra_groups
                          ? "no network; give --network-configuration FILE"
                          : "no network; give -n FILE, -n ideal or such as -n ring:8,bw=50GB/s,lat=500ns");
  }
  if (o.astra_workload) {
    if (!o.input.operands.empty()) throw usage_error("INPUT and --workload-configuration say the same; give one");
    o.input.operands = {*o.astra_workload};
  }
  std::vector<std::string> inputs = {o.input.operands.empty() ? "-" : o.input.operands.front()};
  for (const auto& file : {o.network, o.system, o.memory, o.groups}) inputs.push_back(file.value_or(""));
  require_one_standard_input(inputs);
  // ASTRA-sim's way to say that there are none.
  std::error_code ignored;
  if (o.groups && *o.groups == "empty" && !std::filesystem::exists(*o.groups, ignored)) {
    o.groups.reset();
    o.no_groups = true;
  }
  std::vector<std::string> unused;
  const auto no_effect = [&](const char* name, const std::optional<std::string>& value) {
    if (value) unused.emplace_back(name);
  };
  no_effect("--comm-scale", o.comm_scale);
  no_effect("--compute-scale", o.compute_scale);
  no_effect("--logging-configuration", o.logging_configuration);
  no_effect("--logging-folder", o.logging_folder);
  if (!unused.empty())
    convert::log_note(convert::join(unused) + (unused.size() == 1 ? " has" : " have") + " no effect");
  if (o.comm_scale) (void)number("--comm-scale", *o.comm_scale);
  if (o.compute_scale) (void)number("--compute-scale", *o.compute_scale);
}

void note_missing_latency(const std::string& network) {
  if (!convert::is_short_network(network) || network == "ideal") return;
  for (std::size_t begin = 0; begin <= network.size();) {
    const std::size_t end = std::min(network.find('+', begin), network.size());
    const std::string part = network.substr(begin, end - begin);
    if (part.find(",lat=") == std::string::npos)
      return convert::log_note(part + " has no lat: its links have no latency");
    begin = end + 1;
  }
}

convert::SystemInputs system_inputs(const ReplayInputOptions& o) {
  convert::SystemInputs inputs{.system = o.system, .memory = o.memory, .groups = o.groups};
  inputs.queues_per_dim = static_cast<std::uint32_t>(o.queues_per_dim.value_or(1));
  if (o.injection_scale) inputs.injection_scale = number("--injection-scale", *o.injection_scale);
  for (const std::string& text : o.collectives) {
    inputs.rules.push_back(option_value("--collective", [&] {
      convert::SystemRule rule = convert::parse_system_rule(text);
      if (!rule.choice.custom.empty()) convert::check_algorithm_path(rule.choice.custom);
      return rule;
    }));
  }
  inputs.policy = chosen(o.policy, convert::wire_policies, inputs.policy);
  inputs.balanced = o.balanced;
  inputs.astra = o.astra();
  if (o.rendezvous) inputs.rendezvous = truth("--rendezvous-protocol", *o.rendezvous);
  return inputs;
}

std::vector<std::string> input_files(const ReplayInputOptions& o, const convert::ReplaySystem& system,
                                     const convert::InputSet& workload) {
  std::vector<std::string> files = files_of(system_inputs(o), system);
  files.push_back(*o.network);
  for (std::string& file : files_of(o.input.operands, workload)) files.push_back(std::move(file));
  return files;
}

convert::NetworkOptions network_options(const ReplayInputOptions& o) {
  convert::NetworkOptions options;
  options.model = o.network_model();
  options.occupancy = chosen(o.occupancy, convert::occupancies, options.occupancy);
  if (o.forwarding) options.forwarding = convert::find_named(convert::forwardings, *o.forwarding);
  if (o.routing) options.routing = convert::find_named(convert::routings, *o.routing);
  options.failed = o.failed;
  return options;
}

convert::ReplayOptions replay_options(const ReplayInputOptions& o) {
  convert::ReplayOptions options;
  options.network = network_options(o);
  for (const std::string& slow : o.slow)
    option_value("--slow", [&] { convert::add_straggler(slow, options.slow); });
  if (o.comm) options.recorded = convert::Recorded::communication;
  options.astra = o.astra();
  options.astra_names = o.astra_names();
  options.issue = chosen(o.issue, convert::issue_modes, options.issue);
  options.size_bytes = o.size;
  options.until = o.until;
  options.symmetry = !o.no_symmetry;
  return options;
}

}  // namespace tools
