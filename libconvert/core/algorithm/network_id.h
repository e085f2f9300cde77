// SPDX-License-Identifier: MIT
// Identifies a network, so that a schedule is followed only on the network that it was made for.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/units.h"

namespace convert {

// A directed link between devices: NPUs 0 … npus-1, then switches.
struct IdentifiedLink {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  double bytes_per_ns = 0;
  Picoseconds latency_ps = 0;
};

// Returns "npus.switches.links-HHHHHHHHHHHHHHHH-RRRRRRRRRRRRRRRR" for a network, independent of the order of its
// links: a hash of the links, and a hash of their rates. The rates are rounded to six digits since files state them
// in different units.
[[nodiscard]] std::string network_id(std::uint32_t npus, std::uint32_t switches, std::vector<IdentifiedLink> links);

// Returns whether two non-empty ids belong to networks with the same devices and links, at any rates.
[[nodiscard]] bool same_links(std::string_view a, std::string_view b);

}  // namespace convert
