// SPDX-License-Identifier: MIT
// Parses and writes a network as a list of its links, in the format of et-networks(5).
#pragma once

#include <string>
#include <vector>

#include "config/network/wire_graph.h"
#include "config/yaml_tree.h"

namespace convert {

// Maximum numbers of switches and links of a list, in any format.
inline constexpr std::int64_t max_switches = 1 << 20;
inline constexpr std::size_t max_listed_wires = 1 << 20;

inline const std::vector<std::string> wire_list_keys = {"npus", "switches", "participants", "defaults", "links"};

// Parses the document of a network file. Throws Error(input) [network] with the location.
[[nodiscard]] WireGraph parse_wire_list(const std::string& file, const YamlNode& root);

// Appends a graph as such a document. parse_wire_list() returns the same links, in another order and with
// bandwidths rounded to six digits, and the same names. Both directions of a link, and links from a device to
// several others, share a line if they are equal.
void append_wire_list(const WireGraph& graph, std::string& out);

}  // namespace convert
