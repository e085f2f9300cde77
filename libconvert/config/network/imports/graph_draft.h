// SPDX-License-Identifier: MIT
// Collects the links of a graph that a format of another tool describes, within the limits of networks.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "config/network/wire_graph.h"
#include "core/diagnostic.h"

namespace convert {

class GraphDraft {
 public:
  // Throws Error(input) at a network with fewer than two NPUs, or too large.
  GraphDraft(std::uint64_t npus, std::uint64_t switches, Location where);

  // Names the switches by as_switch_name(); one that has been gets a '_' more.
  void set_switch_names(const std::vector<std::string>& names);
  void set_participants(std::vector<Device> participants) { graph_.participants = std::move(participants); }
  // Adds a link. Throws Error(input) at one from a device to itself, a second of a pair, and one too many.
  void add(const GraphWire& wire, const Location& at);
  // Adds a link; one that the pair has gets the sum of the bandwidths, and the lower latency and weight. Returns
  // whether the pair had one.
  bool add_up(const GraphWire& wire, const Location& at);

  // Returns the graph. Throws Error(input) if an NPU cannot reach another; the message ends with `hint`.
  [[nodiscard]] WireGraph finish(const std::string& hint = {});

 private:
  [[nodiscard]] std::size_t find_or_add(const GraphWire& wire, const Location& at);

  WireGraph graph_;
  Location where_;
  std::unordered_map<std::uint64_t, std::uint32_t> index_;  // of each (from, to), into wires
};

// Returns a text with what a switch's name may not have replaced by '_'.
[[nodiscard]] std::string as_switch_name(std::string_view text);

}  // namespace convert
