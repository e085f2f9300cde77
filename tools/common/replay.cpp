// SPDX-License-Identifier: MIT
#include "common/replay.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>

#include "core/units.h"
#include "util/log.h"

namespace tools {
namespace {

using convert::usage_error;

double number(const std::string& option, const std::string& text) {
  double value = 0;
  const auto [end, bad] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (bad != std::errc{} || end != text.data() + text.size() || !(value >= 0) || value > 1e9)
    throw usage_error(option + ": '" + text + "' is not a number from 0 to 1e9");
  return value;
}

bool truth(const std::string& option, const std::string& text) {
  for (const char* yes : {"true", "1", "on", "yes"}) {
    if (text == yes) return true;
  }
  for (const char* no : {"false", "0", "off", "no"}) {
    if (text == no) return false;
  }
  throw usage_error(option + ": '" + text + "' is neither true nor false");
}

// "3=1.5x"
void add_straggler(const std::string& text, std::map<convert::Rank, double>& to) {
  const std::size_t equals = text.find('=');
  const auto rank = convert::parse_int(text.substr(0, equals));
  std::string factor = equals == std::string::npos ? "" : text.substr(equals + 1);
  if (factor.ends_with('x')) factor.pop_back();
  if (!rank || *rank < 0 || *rank >= convert::max_npus || factor.empty())
    throw usage_error("--slow: '" + text + "' is not such as 3=1.5x");
  const double by = number("--slow", factor);
  if (by == 0) throw usage_error("--slow: a factor of 0 in '" + text + "'");
  if (!to.emplace(static_cast<convert::Rank>(*rank), by).second)
    throw usage_error("--slow: rank " + std::to_string(*rank) + " is given twice");
}

// What a rule is for: "all_reduce:pg=3:size>=1MiB:size<64MiB", all that stands before its algorithm.
void parse_conditions(const std::string& text, std::string_view which, convert::CollectiveRule& rule) {
  const auto wrong = [&](const std::string& why) {
    return usage_error("--collective: " + why + " in '" + text + "'");
  };
  const auto next = [&] {
    const std::size_t end = which.find(':');
    const std::string_view part = which.substr(0, end);
    which = end == std::string_view::npos ? std::string_view() : which.substr(end + 1);
    return part;
  };
  const std::string_view type = next();
  for (std::size_t op = 0; op < convert::collective_ops; ++op) {
    const auto known = static_cast<convert::CollectiveOp>(op);
    if (type == name(known)) rule.op = known;
  }
  if (!rule.op && type != "all") {
    throw wrong("'" + std::string(type) + "' is not all_reduce, all_gather, reduce_scatter, all_to_all or all");
  }
  while (!which.empty()) {
    const std::string_view part = next();
    const auto value = [&](std::string_view key) { return part.substr(key.size()); };
    const auto bytes = [&](std::string_view key) {
      const auto n = convert::parse_bytes(value(key));
      if (!n) throw wrong("'" + std::string(value(key)) + "' is no size");
      return *n;
    };
    if (part.starts_with("pg=")) {
      rule.group = convert::parse_int(value("pg="));
      if (!rule.group) throw wrong("'" + std::string(value("pg=")) + "' is no process group");
    } else if (part.starts_with("size>=")) {
      rule.min_bytes = bytes("size>=");
    } else if (part.starts_with("size<")) {
      rule.end_bytes = bytes("size<");
    } else {
      throw wrong("'" + std::string(part) + "' is not pg=GROUP, size>=BYTES or size<BYTES");
    }
  }
}

// "WHICH=ring+direct", one algorithm a dimension, or "WHICH=PATH" of an algorithm.
convert::CollectiveRule parse_rule(const std::string& text) {
  convert::CollectiveRule rule;
  const std::size_t equals = text.rfind('=');
  if (equals == std::string::npos || equals + 1 == text.size() || text[equals - 1] == '>')
    throw usage_error("--collective: '" + text + "' is not such as all_reduce=ring");
  parse_conditions(text, std::string_view(text).substr(0, equals), rule);
  const std::string value = text.substr(equals + 1);
  for (std::size_t at = 0; at <= value.size();) {
    const std::size_t end = std::min(value.find('+', at), value.size());
    const auto algorithm = convert::parse_algorithm(std::string_view(value).substr(at, end - at));
    if (!algorithm) {
      rule.choice = {.per_dim = {}, .custom = value};
      return rule;
    }
    rule.choice.per_dim.push_back(*algorithm);
    at = end + 1;
  }
  return rule;
}

}  // namespace

bool ReplayInputOptions::astra() const { return compat ? *compat == "astra" : astra_system.has_value(); }

void add_replay_options(App& app, ReplayInputOptions& to) {
  add_input_options(app, to.input);
  app.group("Simulation");
  app.add_option("-n,--network-file", to.network, "FILE|ideal|SPEC",
                 "network: ASTRA-sim's .yml, a list of links, or such as ring:8,bw=50GB/s,lat=500ns");
  app.add_choice("--network", to.model, {"unaware", "aware", "links"},
                 "model: without contention, with, with on any topology");
  app.add_choice("--occupancy", to.occupancy, {"beta", "alpha-beta"},
                 "links: a message keeps a link for its bytes, or for the latency too");
  app.add_choice("--forwarding", to.forwarding, {"store", "cut"}, "links: store and forward, or cut through");
  app.add_choice("--routing", to.routing, {"dimension", "shortest"},
                 "links: by dimension or fewest hops (default: by the topology)");
  app.add_list("--fail", to.failed, "LINK,...", "links: without these, such as 3-4 or npu3-switch0; 3>4: one way");
  app.add_option("-s,--system", to.system, "FILE",
                 "ASTRA-sim's system.json (default: algorithms that fit the network)");
  app.add_texts("--collective", to.collectives, "WHICH=ALGORITHM",
                "such as all_reduce=ring, all=direct+ring, all_gather:pg=3:size>=1MiB=ag.xml");
  app.add_choice("--policy", to.policy, {"arrival", "fifo", "lifo", "priority", "smallest"},
                 "links: which collective's messages go first where they wait");
  app.add_flag("--balanced", to.balanced, "chunks take the dimensions each in its own order, least loaded first");
  app.add_option("--memory", to.memory, "FILE", "ASTRA-sim's memory.json");
  app.add_option("--groups", to.groups, "FILE", "process groups (default: those of the trace set)");
  app.add_choice("--compat", to.compat, {"astra", "none"},
                 "ASTRA-sim's rules, or a physical model (default: astra with --system-configuration)");
  app.add_choice("--issue", to.issue, {"algorithm", "workload"},
                 "all free nodes at once, or one per resource (default: by the trace)");
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
  merge(o.network, o.astra_network, "-n and --network-configuration");
  merge(o.system, o.astra_system, "--system and --system-configuration");
  merge(o.memory, o.astra_memory, "--memory and --remote-memory-configuration");
  merge(o.groups, o.astra_groups, "--groups and --comm-group-configuration");
  if (!o.network) throw usage_error("no network; give -n FILE, -n ideal or such as -n ring:8,bw=50GB/s,lat=500ns");
  if (o.astra_workload) {
    if (!o.input.operands.empty()) throw usage_error("INPUT and --workload-configuration say the same; give one");
    o.input.operands = {*o.astra_workload};
  }
  // ASTRA-sim's way to say that there are none.
  if (o.groups && *o.groups == "empty" && !std::filesystem::exists(*o.groups)) {
    o.groups.reset();
    o.no_groups = true;
  }
  const auto no_effect = [](const char* name, const std::optional<std::string>& value) {
    if (value) convert::log_info(std::string(name) + " has no effect");
  };
  no_effect("--comm-scale", o.comm_scale);
  no_effect("--compute-scale", o.compute_scale);
  no_effect("--logging-configuration", o.logging_configuration);
  no_effect("--logging-folder", o.logging_folder);
  if (o.comm_scale) (void)number("--comm-scale", *o.comm_scale);
  if (o.compute_scale) (void)number("--compute-scale", *o.compute_scale);
}

convert::SystemInputs system_inputs(const ReplayInputOptions& o) {
  if (o.astra() && (o.balanced || o.policy != "arrival"))
    throw usage_error("--balanced and --policy are not ASTRA-sim's; give --compat none");
  if (o.policy != "arrival" && o.model != "links")
    throw usage_error("--policy decides where messages wait for links; give --network links");
  convert::SystemInputs inputs{.system = o.system, .memory = o.memory, .groups = o.groups};
  inputs.queues_per_dim = static_cast<std::uint32_t>(o.queues_per_dim);
  if (o.injection_scale) inputs.injection_scale = number("--injection-scale", *o.injection_scale);
  for (const std::string& rule : o.collectives) inputs.rules.push_back(parse_rule(rule));
  for (const auto policy : {convert::LinkPolicy::fifo, convert::LinkPolicy::lifo, convert::LinkPolicy::priority,
                            convert::LinkPolicy::smallest}) {
    if (o.policy == name(policy)) inputs.policy = policy;
  }
  inputs.balanced = o.balanced;
  if (o.rendezvous) inputs.rendezvous = truth("--rendezvous-protocol", *o.rendezvous);
  return inputs;
}

convert::NetworkOptions network_options(const ReplayInputOptions& o) {
  convert::NetworkOptions options;
  if (o.model == "aware") options.model = convert::NetworkModel::aware;
  if (o.model == "links") options.model = convert::NetworkModel::links;
  if (o.occupancy == "alpha-beta") options.occupancy = convert::Occupancy::alpha_beta;
  if (o.forwarding == "cut") options.forwarding = convert::Forwarding::cut;
  if (o.routing)
    options.routing = *o.routing == "shortest" ? convert::Routing::shortest : convert::Routing::dimension;
  options.failed = o.failed;
  return options;
}

convert::ReplayOptions replay_options(const ReplayInputOptions& o) {
  convert::ReplayOptions options;
  options.network = network_options(o);
  for (const std::string& slow : o.slow) add_straggler(slow, options.slow);
  options.astra = o.astra();
  if (o.issue)
    options.issue = *o.issue == "algorithm" ? convert::IssueMode::algorithm : convert::IssueMode::workload;
  options.size_bytes = o.size;
  options.until = o.until;
  options.symmetry = !o.no_symmetry;
  return options;
}

}  // namespace tools
