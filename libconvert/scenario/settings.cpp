// SPDX-License-Identifier: MIT
#include "scenario/settings.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <filesystem>

#include "config/network/bandwidth_hint.h"
#include "config/yaml_tree.h"
#include "core/units.h"
#include "scenario/option_values.h"
#include "scenario/system_keys.h"
#include "sets/schedules.h"

namespace convert {
namespace {

namespace fs = std::filesystem;

Error bad(const std::string& message) { return input_error({}, message, "sweep"); }

Error wants(const std::string& key, const std::string& what, const std::string& value) {
  return bad(key + " wants " + what + ", not '" + value + "'");
}

std::optional<double> parse_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

// "x0.5"
std::optional<double> parse_factor(std::string_view text) {
  if (!text.starts_with('x')) return std::nullopt;
  const std::optional<double> factor = parse_number(text.substr(1));
  return factor && *factor >= 0 && *factor <= 1e9 ? factor : std::nullopt;
}

Error unknown(const std::string& key, const std::string& value, const std::vector<std::string>& known) {
  const std::string near = nearest(value, known);
  return bad("unknown " + key + " '" + value + "'; " +
             (near.empty() ? "known: " + join(known) : "did you mean " + near + "?"));
}

// The one of `all` that has this name.
template <typename T, std::size_t n>
T choice(const std::string& key, const std::string& value, const std::array<T, n>& all) {
  if (const std::optional<T> found = find_named(all, value)) return *found;
  std::vector<std::string> names;
  for (const T v : all) names.emplace_back(name(v));
  throw unknown(key, value, names);
}

bool truth(const std::string& key, const std::string& value) {
  if (const std::optional<bool> found = parse_truth(value)) return *found;
  throw wants(key, "true or false", value);
}

bool is_astra(const std::string& key, const std::string& value) {
  if (value != "astra" && value != "none") throw unknown(key, value, {"astra", "none"});
  return value == "astra";
}

// In the working folder, or else beside the sweep's file.
std::string find_path(const std::string& folder, const std::string& path) {
  if (folder.empty() || trace_set_exists(path) || fs::path(path).is_absolute()) return path;
  std::string beside = (fs::path(folder) / path).string();
  return trace_set_exists(beside) ? beside : path;
}

// The elements of a value that is a list: "a;b", or "none".
std::vector<std::string> elements(const std::string& value) {
  std::vector<std::string> all;
  if (value == no_elements) return all;
  for (std::size_t begin = 0; begin <= value.size();) {
    const std::size_t end = std::min(value.find(element_separator, begin), value.size());
    if (begin == end) throw bad("'" + value + "' has an empty element");
    all.push_back(value.substr(begin, end - begin));
    begin = end + 1;
  }
  return all;
}

std::string existing(const RunSettings& s, const std::string& path) {
  std::string found = find_path(s.folder, path);
  if (!fs::exists(found)) throw bad("there is no file " + path);
  if (!fs::is_regular_file(found)) throw bad(path + " is no regular file, which a sweep can read several times");
  return found;
}

WireSetting parse_wire_setting(const std::string& key, const std::string& value) {
  WireSetting setting{.latency = key.starts_with("latency")};
  if (const std::size_t dot = key.find('.'); dot != std::string::npos)
    setting.dim = static_cast<std::size_t>(parse_int(key.substr(dot + 1)).value_or(0));
  if (const std::optional<double> factor = parse_factor(value); factor && (setting.latency || *factor > 0)) {
    setting.factor = true;
    setting.value = *factor;
  } else if (setting.latency) {
    const std::optional<Picoseconds> ps = parse_time(value);
    if (!ps) throw wants(key, "a time such as 500ns or a factor such as x2", value);
    setting.value = static_cast<double>(*ps) / static_cast<double>(ps_per_ns);
  } else {
    const std::optional<double> rate = parse_bandwidth(value);
    if (!rate)
      throw bad(key + " wants a rate such as 50GB/s or a factor such as x0.5, not '" + value + "'" +
                bandwidth_hint(value));
    setting.value = *rate / 1e9;
  }
  return setting;
}

struct Key {
  const char* name;
  void (*set)(RunSettings& s, const std::string& key, const std::string& value);
};
using S = RunSettings;
using Text = const std::string&;

void set_network(S& s, Text, Text value) {
  s.network = is_short_network(value) ? value : find_path(s.folder, value);
  if (value == "-") throw bad("the network cannot be standard input: a sweep reads it several times");
  if (!is_short_network(value) && fs::exists(*s.network)) (void)existing(s, value);
  try {
    (void)find_network(*s.network);
  } catch (const Error& e) {  // a path that is not there is a mistake in the sweep
    if (e.where().line != 0 || e.where().offset >= 0) throw;
    throw bad(format_location(e.where()) + (e.where().file.empty() ? "" : ": ") + e.what());
  }
}
void set_size(S& s, Text key, Text value) {
  s.options.size_bytes = parse_bytes(value);
  if (s.options.size_bytes.value_or(0) < 1) throw wants(key, "a size such as 1MiB", value);
}
void set_until(S& s, Text key, Text value) {
  s.options.until = parse_time(value);
  if (!s.options.until) throw wants(key, "a time such as 1.5us", value);
}
void set_queues(S& s, Text key, Text value) {
  const std::optional<std::int64_t> n = parse_int(value);
  if (!n || *n < 1 || *n > 65'535) throw wants(key, "a whole number from 1 to 65535", value);
  s.system.queues_per_dim = static_cast<std::uint32_t>(*n);
}
void set_injection(S& s, Text key, Text value) {
  const std::optional<double> x = parse_scale(value);
  if (!x) throw wants(key, "a number from 0 to 1e9", value);
  s.system.injection_scale = *x;
}
void set_groups(S& s, Text, Text value) {
  s.no_groups = value == no_groups_file && !fs::exists(find_path(s.folder, value));
  if (s.no_groups) return s.system.groups.reset();
  s.system.groups = existing(s, value);
}
// Each element, whose errors are the key's.
template <typename Take>
void for_each_element(const std::string& key, const std::string& value, const Take& take) {
  try {
    for (const std::string& element : elements(value)) take(element);
  } catch (const Error& e) {
    throw bad(key + ": " + e.what());
  }
}
void set_fail(S& s, Text key, Text value) {
  s.options.network.failed.clear();
  for_each_element(key, value, [&](Text wire) { s.options.network.failed.push_back(wire); });
}
void set_collective(S& s, Text key, Text value) {
  s.system.rules.clear();
  for_each_element(key, value, [&](Text text) {
    SystemRule rule = parse_system_rule(text);
    if (std::string& path = rule.choice.custom; !path.empty() && !is_builtin(path)) {
      path = find_path(s.folder, path);
      check_algorithm_path(path);
    }
    s.system.rules.push_back(std::move(rule));
  });
}
void set_slow(S& s, Text key, Text value) {
  s.options.slow.clear();
  for_each_element(key, value, [&](Text one) { add_straggler(one, s.options.slow); });
}

constexpr std::array<Key, 25> plain_keys = {{
    {"workload", [](S& s, Text, Text value) { s.workload = value == "-" ? value : find_path(s.folder, value); }},
    {"from", [](S& s, Text, Text value) { s.from = value; }},
    {"network", set_network},
    {"model", [](S& s, Text k, Text value) { s.model = choice(k, value, network_models); }},
    {"bandwidth", [](S& s, Text key, Text value) { s.wires.push_back(parse_wire_setting(key, value)); }},
    {"latency", [](S& s, Text key, Text value) { s.wires.push_back(parse_wire_setting(key, value)); }},
    {"occupancy", [](S& s, Text k, Text value) { s.options.network.occupancy = choice(k, value, occupancies); }},
    {"forwarding", [](S& s, Text k, Text value) { s.options.network.forwarding = choice(k, value, forwardings); }},
    {"routing", [](S& s, Text k, Text value) { s.options.network.routing = choice(k, value, routings); }},
    {"fail", set_fail},
    {"system", [](S& s, Text, Text value) { s.system.system = existing(s, value); }},
    {"collective", set_collective},
    {"policy", [](S& s, Text key, Text value) { s.system.policy = choice(key, value, wire_policies); }},
    {"balanced", [](S& s, Text key, Text value) { s.system.balanced = truth(key, value); }},
    {"memory", [](S& s, Text, Text value) { s.system.memory = existing(s, value); }},
    {"groups", set_groups},
    {"queues-per-dim", set_queues},
    {"injection-scale", set_injection},
    {"rendezvous", [](S& s, Text key, Text value) { s.system.rendezvous = truth(key, value); }},
    {"compat", [](S& s, Text key, Text value) { s.astra = is_astra(key, value); }},
    {"issue", [](S& s, Text key, Text value) { s.issue = choice(key, value, issue_modes); }},
    {"slow", set_slow},
    {"size", set_size},
    {"until", set_until},
    {"symmetry", [](S& s, Text key, Text value) { s.options.symmetry = truth(key, value); }},
}};

const Key* find(const std::string& key) {
  const std::string stem = key.substr(0, key.find('.'));
  const auto* const found =
      std::find_if(plain_keys.begin(), plain_keys.end(), [&](const Key& k) { return stem == k.name; });
  return found == plain_keys.end() ? nullptr : found;
}

SweepKeys make_keys() {
  SweepKeys keys{.keys = {}, .per_dimension = {"bandwidth", "latency"}, .lists = {"fail", "collective", "slow"}};
  for (const Key& k : plain_keys) keys.keys.emplace_back(k.name);
  for (std::string& name : system_key_names()) keys.keys.push_back(std::move(name));
  return keys;
}

void apply(const WireSetting& setting, double& bytes_per_ns, double& latency_ns) {
  double& value = setting.latency ? latency_ns : bytes_per_ns;
  value = setting.factor ? value * setting.value : setting.value;
}

void apply(const WireSetting& setting, NetworkConfig& network) {
  const std::string key = setting.latency ? "latency" : "bandwidth";
  if (network.ideal) throw bad("an ideal network has no " + key + " to set");
  const std::size_t count = network.dims.size() + network.levels.size();
  if (setting.dim && *setting.dim >= count) {
    throw bad(key + "." + std::to_string(*setting.dim) + ": the network " + network.source + " has " +
              (count == 0 ? "no" : std::to_string(count)) + (count == 1 ? " dimension" : " dimensions") +
              "; they count from 0");
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

}  // namespace

void RunSettings::set(const std::string& key, const std::string& value) {
  if (const Key* const plain = find(key)) return plain->set(*this, key, value);
  std::string resolved = value;
  if (key.ends_with("-custom")) resolved = find_path(folder, value);
  system_keys.push_back({key, parse_system_value(key, resolved)});
}

const SweepKeys& sweep_keys() {
  static const SweepKeys keys = make_keys();
  return keys;
}

std::string usual_value(const std::string& key, const std::string& value) {
  if (key != "collective") return takes_algorithms(key) ? usual_algorithms(value) : value;
  std::string usual;
  try {
    for (const std::string& rule : elements(value))
      usual += (usual.empty() ? "" : std::string(1, element_separator)) + usual_collective_rule(rule);
  } catch (const Error&) {
    return value;
  }
  return usual.empty() ? value : usual;
}

std::optional<Quantity> quantity(const std::string& key, const std::string& value) {
  const std::string stem = key.substr(0, key.find('.'));
  const auto is = [](const std::optional<double>& number, Unit unit) {
    return number ? std::optional(Quantity{*number, unit}) : std::nullopt;
  };
  if (stem == "bandwidth" || stem == "latency") {
    if (const std::optional<double> factor = parse_factor(value)) return Quantity{*factor, Unit::factor};
    if (stem == "bandwidth") return is(parse_bandwidth(value), Unit::bytes_per_s);
  }
  if (stem == "latency" || stem == "until") {
    const std::optional<Picoseconds> ps = parse_time(value);
    if (ps) return Quantity{static_cast<double>(*ps) / static_cast<double>(ps_per_ns), Unit::ns};
    return std::nullopt;
  }
  if (stem == "size") {
    const std::optional<std::int64_t> bytes = parse_bytes(value);
    if (bytes) return Quantity{static_cast<double>(*bytes), Unit::bytes};
    return std::nullopt;
  }
  const bool number = stem == "queues-per-dim" || stem == "injection-scale" || is_system_number(key);
  return number ? is(parse_number(value), Unit::number) : std::nullopt;
}

Scenario make_scenario(const RunSettings& s) {
  if (!s.network) throw usage_error("no network; give -n, a base with network, or an axis of networks");
  if (!s.workload) throw usage_error("no traces to replay; name them, or give a base with workload");
  Scenario scenario{.workload = *s.workload, .network = find_network(*s.network), .options = s.options};
  for (const bool per_dim : {false, true}) {  // what is for all comes first
    for (const WireSetting& wire : s.wires) {
      if (wire.dim.has_value() == per_dim) apply(wire, scenario.network);
    }
  }
  scenario.options.astra = s.astra.value_or(false);
  scenario.options.network.model = s.model.value_or(default_network_model(scenario.options.astra));
  scenario.options.network.watch_ports = may_exceed_ports(scenario.options.network.model, scenario.options.astra);
  scenario.from = s.from;
  scenario.has_groups = s.no_groups || s.system.groups.has_value();
  scenario.issue_by_trace = !s.issue;
  if (s.issue) scenario.options.issue = *s.issue;
  SystemInputs inputs = s.system;
  inputs.astra = scenario.options.astra;
  const auto system = load_system(inputs, scenario.network);
  std::vector<const RunSettings::SystemKey*> keys;
  for (const RunSettings::SystemKey& k : s.system_keys) keys.push_back(&k);
  std::stable_sort(keys.begin(), keys.end(),
                   [](const auto* a, const auto* b) { return system_key_rank(a->key) < system_key_rank(b->key); });
  for (const RunSettings::SystemKey* k : keys)
    set_system_key(system->config, k->key, k->config, scenario.network.dims.size());
  scenario.options.system = system;
  return scenario;
}

void check_scenario(const Scenario& scenario) {
  const NetworkOptions& network = scenario.options.network;
  check_network_options(scenario.network, network);
  check_system_choices(*scenario.options.system, scenario.options.astra, network.model);
  if (!network.failed.empty()) (void)make_router(scenario.network, network.routing, network.failed);
}

std::string network_shape(const Scenario& scenario) {
  const NetworkConfig& n = scenario.network;
  std::string shape = n.ideal ? "ideal" : std::to_string(n.npus());
  for (const NetworkDim& d : n.dims) shape += ' ' + std::string(name(d.topology)) + std::to_string(d.npus);
  if (can_send_to_self(n, scenario.options.network.model)) shape += " self";
  if (scenario.options.network.model == NetworkModel::wires) shape += " no shortest time";  // of what takes none
  // The order of dimensions of balanced chunks is that of their loads, which weigh bytes by bandwidth.
  for (const NetworkDim& d : n.dims) {
    if (scenario.options.system->balanced)
      shape += ' ' + std::to_string(std::bit_cast<std::uint64_t>(d.bytes_per_ns));
  }
  return shape;
}

std::vector<std::string> files_of(const std::string& key, const std::string& value, const std::string& folder) {
  const bool is_file = key == "system" || key == "memory" || (key == "groups" && value != no_groups_file) ||
                       (key == "network" && !is_short_network(value));
  if (!is_file) return {};
  return {find_path(folder, value)};
}

}  // namespace convert
