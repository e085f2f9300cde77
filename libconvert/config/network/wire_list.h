// SPDX-License-Identifier: MIT
// Parses and writes a network given as a list of its wires; the format is described in et-networks(5).
#pragma once

#include <string>
#include <vector>

#include "config/network/wire_graph.h"
#include "config/yaml_tree.h"

namespace convert {

// The most switches and links of a list, of whatever format.
inline constexpr std::int64_t max_switches = 1 << 20;
inline constexpr std::size_t max_listed_wires = 1 << 20;

inline const std::vector<std::string> wire_list_keys = {"npus", "switches", "participants", "defaults", "links"};

// Parses the document of a network file. Throws Error(input) [network] with the place.
[[nodiscard]] WireGraph parse_wire_list(const std::string& file, const YamlNode& root);

// Appends a graph as such a document. What parse_wire_list() makes of it has the same links, to the bit, in another
// order, and the same names. Links of both directions, and of a device to several, are one line where they are
// alike.
void append_wire_list(const WireGraph& graph, std::string& out);

}  // namespace convert
