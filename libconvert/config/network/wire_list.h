// SPDX-License-Identifier: MIT
// Parses a network given as a list of its wires; the format is described in et-networks(5).
#pragma once

#include <string>
#include <vector>

#include "config/network/wire_graph.h"
#include "config/yaml_tree.h"

namespace convert {

inline const std::vector<std::string> wire_list_keys = {"npus", "switches", "defaults", "links"};

// Parses the document of a network file. Throws Error(input) [network] with the place.
[[nodiscard]] WireGraph parse_wire_list(const std::string& file, const YamlNode& root);

}  // namespace convert
