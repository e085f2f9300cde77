// SPDX-License-Identifier: MIT
// Builds a network graph from the format of another tool, within the limits of networks.
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
  // Throws Error(input) if the network has fewer than two NPUs or is too large.
  GraphDraft(std::uint64_t npus, std::uint64_t switches, Location where);

  // Names the switches by as_switch_name(); a repeated name gets an additional '_'.
  void set_switch_names(const std::vector<std::string>& names);
  void set_participants(std::vector<Device> participants) { graph_.participants = std::move(participants); }
  // Adds a link. Throws Error(input) for a link from a device to itself, a repeated pair, and too many links.
  void add(const GraphWire& wire, const Location& at);
  // Adds a link, or merges it into an existing link of the pair: sum of the bandwidths, lower latency and weight.
  // Returns whether the link was merged.
  bool add_up(const GraphWire& wire, const Location& at);

  // Returns the graph. Throws Error(input), with `hint` appended, if an NPU cannot reach another.
  [[nodiscard]] WireGraph finish(const std::string& hint = {});

 private:
  [[nodiscard]] std::size_t find_or_add(const GraphWire& wire, const Location& at);

  WireGraph graph_;
  Location where_;
  std::unordered_map<std::uint64_t, std::uint32_t> index_;  // from (from, to) to the index of the link
};

// Returns a text with all characters that a switch name may not contain replaced by '_'.
[[nodiscard]] std::string as_switch_name(std::string_view text);

}  // namespace convert
