// SPDX-License-Identifier: MIT
#include "config/network/imports/graph_draft.h"

#include <algorithm>
#include <unordered_set>

#include "config/network/network.h"
#include "config/network/routes.h"
#include "config/network/wire_list.h"

namespace convert {

GraphDraft::GraphDraft(std::uint64_t npus, std::uint64_t switches, Location where) : where_(std::move(where)) {
  if (npus < 2)
    throw input_error(where_, "a network requires at least two NPUs, not " + std::to_string(npus), "network");
  if (npus > static_cast<std::uint64_t>(max_npus))
    throw input_error(where_, std::to_string(npus) + " NPUs; the limit is " + std::to_string(max_npus) + "",
                      "network");
  if (switches > static_cast<std::uint64_t>(max_switches))
    throw input_error(where_, std::to_string(switches) + " switches; the limit is 2^20", "network");
  graph_.npus = static_cast<std::uint32_t>(npus);
  graph_.switches = static_cast<std::uint32_t>(switches);
  if (npus * graph_.devices() > max_route_entries) throw input_error(where_, too_many_routes(graph_), "network");
}

void GraphDraft::set_switch_names(const std::vector<std::string>& names) {
  std::unordered_set<std::string> taken;
  graph_.switch_names.reserve(names.size());
  for (const std::string& text : names) {
    std::string name = as_switch_name(text);
    while (!taken.insert(name).second) name += '_';
    graph_.switch_names.push_back(std::move(name));
  }
}

std::size_t GraphDraft::find_or_add(const GraphWire& wire, const Location& at) {
  if (wire.from == wire.to)
    throw input_error(at, "a link from " + graph_.device_name(wire.from) + " to itself", "network");
  const auto next = static_cast<std::uint32_t>(graph_.wires.size());
  const auto [found, is_new] = index_.emplace(std::uint64_t{wire.from} << 32 | wire.to, next);
  if (is_new) {
    if (next == max_listed_wires) throw input_error(at, "more than 2^20 links", "network");
    graph_.wires.push_back(wire);
  }
  return found->second;
}

void GraphDraft::add(const GraphWire& wire, const Location& at) {
  const std::size_t before = graph_.wires.size();
  if (find_or_add(wire, at) == before) return;
  throw input_error(
      at, "a second link from " + graph_.device_name(wire.from) + " to " + graph_.device_name(wire.to), "network");
}

bool GraphDraft::add_up(const GraphWire& wire, const Location& at) {
  const std::size_t before = graph_.wires.size();
  const std::size_t i = find_or_add(wire, at);
  if (i == before) return false;
  GraphWire& sum = graph_.wires[i];
  sum.bytes_per_ns += wire.bytes_per_ns;
  sum.latency_ps = std::min(sum.latency_ps, wire.latency_ps);
  sum.weight = std::min(sum.weight, wire.weight);
  return true;
}

WireGraph GraphDraft::finish(const std::string& hint) {
  if (const auto pair = find_unreachable(graph_)) {
    throw input_error(where_,
                      "there is no route from " + graph_.device_name(pair->first) + " to " +
                          graph_.device_name(pair->second) + hint,
                      "network");
  }
  return std::move(graph_);
}

std::string as_switch_name(std::string_view text) {
  std::string name;
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  for (const char c : text) {
    const bool point = c == '.' && !name.ends_with('.');  // two points would be a range
    name += is_letter(c) || (c >= '0' && c <= '9') || point ? c : '_';
  }
  const bool is_npu = name.starts_with("npu") && name.find_first_not_of("0123456789", 3) == std::string::npos;
  return name.empty() || !is_letter(name[0]) || is_npu ? "s_" + name : name;
}

}  // namespace convert
