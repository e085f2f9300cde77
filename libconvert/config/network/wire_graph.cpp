// SPDX-License-Identifier: MIT
#include "config/network/wire_graph.h"

#include <algorithm>

#include "config/network/network.h"
#include "config/network/wire_numbers.h"
#include "core/algorithm/network_id.h"
#include "core/diagnostic.h"
#include "core/rows.h"
#include "core/words.h"

namespace convert {
namespace {

// Returns the devices reachable from NPU 0 along the links, or against their direction.
std::vector<char> reach(const WireGraph& graph, bool against) {
  const std::vector<GraphWire>& wires = graph.wires;
  const Rows targets = rows_by_key(
      wires.size(), graph.devices(), [&](std::size_t i) { return against ? wires[i].to : wires[i].from; },
      [&](std::size_t i) { return against ? wires[i].from : wires[i].to; });
  std::vector<char> reached(graph.devices(), 0);
  std::vector<Device> open = {0};
  reached[0] = 1;
  while (!open.empty()) {
    const Device d = open.back();
    open.pop_back();
    for (const Device target : targets[d]) {
      if (std::exchange(reached[target], 1) == 0) open.push_back(target);
    }
  }
  return reached;
}

template <typename Wires>
void write_wires(const NetworkConfig& config, const Wires& numbers, WireGraph& graph) {
  graph.npus = numbers.npus();
  graph.switches = numbers.switches();
  if (numbers.wires() > max_graph_wires) {
    throw input_error({.file = config.source}, "shortest routes and failed links require a network of at most " +
                                                   std::to_string(max_graph_wires) + " links; this one has up to " +
                                                   std::to_string(numbers.wires()));
  }
  for (std::uint32_t l = 0; l < numbers.wires(); ++l) {
    const auto [from, to] = numbers.ends(l);
    if (from != to) graph.wires.push_back({.from = from, .to = to});
  }
}

WireGraph graph_of_product(const NetworkConfig& config) {
  WireGraph graph;
  const ProductWires numbers(config);
  write_wires(config, numbers, graph);
  std::size_t at = 0;
  for (std::uint32_t l = 0; l < numbers.wires(); ++l) {
    const auto [from, to] = numbers.ends(l);
    if (from == to) continue;
    const ProductWires::Dim& d = numbers.dim_of(l);
    graph.wires[at].bytes_per_ns = d.bytes_per_ns;
    graph.wires[at++].latency_ps = d.latency_ps;
  }
  return graph;
}

WireGraph graph_of_tree(const NetworkConfig& config) {
  WireGraph graph;
  const TreeWires numbers(config);
  write_wires(config, numbers, graph);
  for (std::uint32_t l = 0; l < numbers.wires(); ++l) {
    graph.wires[l].bytes_per_ns = numbers.level_of(l).bytes_per_ns;
    graph.wires[l].latency_ps = numbers.level_of(l).latency_ps;
  }
  return graph;
}

Error bad_link(const std::string& what, const std::string& spec, const std::string& why) {
  return usage_error(what + " '" + spec + "': " + why);
}

Device named_device(const WireGraph& graph, const std::string& what, const std::string& spec,
                    std::string_view name) {
  if (const std::optional<Device> device = graph.find_device(name)) return *device;
  std::vector<std::string> known = graph.switch_names;
  if (known.empty() && graph.switches != 0) known = {graph.device_name(graph.npus)};
  throw bad_link(what, spec, "the network has no device '" + std::string(name) + "'" + did_you_mean(name, known));
}

}  // namespace

std::string plain_device_name(Device device, std::uint32_t npus) {
  return device < npus ? "npu" + std::to_string(device) : "switch" + std::to_string(device - npus);
}

std::string WireGraph::device_name(Device device) const {
  const bool named = device >= npus && !switch_names.empty();
  return named ? switch_names[device - npus] : plain_device_name(device, npus);
}

std::optional<Device> WireGraph::find_device(std::string_view text) const {
  const auto numbered = [text](std::string_view prefix, std::uint32_t count) -> std::optional<Device> {
    if (text.substr(0, prefix.size()) != prefix) return std::nullopt;
    const std::optional<std::int64_t> n = parse_int(text.substr(prefix.size()));
    return n && *n >= 0 && *n < count ? std::optional(static_cast<Device>(*n)) : std::nullopt;
  };
  if (const auto npu = numbered("", npus)) return npu;
  if (const auto npu = numbered("npu", npus)) return npu;
  if (switch_names.empty()) {
    const auto found = numbered("switch", switches);
    return found ? std::optional(*found + npus) : std::nullopt;
  }
  const auto found = std::find(switch_names.begin(), switch_names.end(), text);
  if (found == switch_names.end()) return std::nullopt;
  return npus + static_cast<Device>(found - switch_names.begin());
}

WireGraph build_wire_graph(const NetworkConfig& config) {
  if (config.machine != nullptr && config.dims.empty())
    throw usage_error(config.source + ": links require a number of nodes, such as " + config.source + ",nodes=2");
  if (config.graph.npus != 0) return config.graph;
  try {
    return config.is_product() ? graph_of_product(config) : graph_of_tree(config);
  } catch (const Error& e) {  // a time that exceeds the range of the clock
    if (e.kind() != Error::Kind::input || !e.where().file.empty()) throw;
    throw input_error({.file = config.source}, e.what(), "network");
  }
}

std::uint64_t count_wires(const NetworkConfig& config, const std::vector<std::string>& failed) {
  if (config.ideal) return 0;
  if (!failed.empty()) {
    WireGraph graph = build_wire_graph(config);
    remove_failed_wires(graph, failed);
    return graph.wires.size();
  }
  if (!config.is_product()) return config.levels.empty() ? config.graph.wires.size() : TreeWires(config).wires();
  const auto npus = static_cast<std::uint64_t>(config.npus());
  std::uint64_t count = 0;
  for (const NetworkDim& d : config.dims) {
    const auto n = static_cast<std::uint32_t>(d.npus);
    count += npus / n * with(d.topology, [n](auto t) {
               if (t.has_switch) return std::uint64_t{2} * n;
               std::uint64_t of_line = 0;
               for (std::uint32_t at = 0; n > 1 && at < n; ++at) of_line += t.wires(at, n);
               return of_line;
             });
  }
  return count;
}

std::optional<std::pair<Device, Device>> find_unreachable(const WireGraph& graph) {
  const std::vector<char> from_0 = reach(graph, false);
  const std::vector<char> to_0 = reach(graph, true);
  for (Device d = 1; d < graph.npus; ++d) {
    if (from_0[d] == 0) return std::pair{Device{0}, d};
  }
  for (Device d = 1; d < graph.npus; ++d) {
    if (to_0[d] == 0) return std::pair{d, Device{0}};
  }
  return std::nullopt;
}

std::string network_id(const WireGraph& graph) {
  std::vector<IdentifiedLink> links;
  for (const GraphWire& w : graph.wires) links.push_back({w.from, w.to, w.bytes_per_ns, w.latency_ps});
  return network_id(graph.npus, graph.switches, std::move(links));
}

std::vector<std::pair<Device, Device>> find_links(const WireGraph& graph, const std::vector<std::string>& specs,
                                                  const std::string& what) {
  std::vector<std::pair<Device, Device>> found;
  for (const std::string& spec : specs) {
    const std::size_t mark = spec.find_first_of("->");
    const bool alone = mark == std::string::npos;
    const Device a = named_device(graph, what, spec, std::string_view(spec).substr(0, mark));
    const Device b = alone ? a : named_device(graph, what, spec, std::string_view(spec).substr(mark + 1));
    const bool both = alone || spec[mark] == '-';
    const std::size_t before = found.size();
    for (const GraphWire& l : graph.wires) {
      const bool is_it =
          alone ? l.from == a || l.to == a : (l.from == a && l.to == b) || (both && l.from == b && l.to == a);
      if (is_it) found.emplace_back(l.from, l.to);
    }
    if (found.size() != before) continue;
    throw bad_link(what, spec,
                   alone ? graph.device_name(a) + " has no links"
                         : "no link from " + graph.device_name(a) + " to " + graph.device_name(b));
  }
  std::sort(found.begin(), found.end());
  return found;
}

void erase_failed_wires(WireGraph& graph, const std::vector<std::string>& failed) {
  for (const std::string& spec : failed) {
    if (spec.find_first_of("->") == std::string::npos)
      throw bad_link("failed link", spec, "requires two devices, such as 3-4 or npu3-switch0, or 3>4");
  }
  const std::vector<std::pair<Device, Device>> gone = find_links(graph, failed, "failed link");
  std::erase_if(graph.wires, [&](const GraphWire& l) {
    return std::binary_search(gone.begin(), gone.end(), std::pair{l.from, l.to});
  });
}

void remove_failed_wires(WireGraph& graph, const std::vector<std::string>& failed) {
  erase_failed_wires(graph, failed);
  if (const auto pair = find_unreachable(graph)) {
    throw input_error({}, "without the failed links there is no route from " + graph.device_name(pair->first) +
                              " to " + graph.device_name(pair->second));
  }
}

Picoseconds round_to_ps(double ns) {
  constexpr double limit_ns = 9.2e15;
  if (!(ns < limit_ns)) throw Error("the delay of a message exceeds 106 days; check bandwidth, latency and size");
  // Called for each message, where std::llround would be a call; times are never negative.
  return static_cast<Picoseconds>(ns * 1000 + 0.5);  // NOLINT(bugprone-incorrect-roundings)
}

}  // namespace convert
