// SPDX-License-Identifier: MIT
// The route that a schedule gives a SEND over the links of its network, and its sequence number on each link.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/trace.h"

namespace convert {

// Metadata attribute with the id of a schedule's network, see network_id().
inline const Name scheduled_network{std::string_view("ten.network")};
// Metadata attribute for the forwarding of switches in the schedule: "store", "switches" or "cut".
inline const Name scheduled_forwarding{std::string_view("ten.forwarding")};

// Attributes link_seq and link_via of a SEND. Sends of one scope use a link in ascending order of their sequence
// numbers.
struct LinkWay {
  std::vector<std::int64_t> turns;  // sequence number by link of the route
  std::vector<std::uint32_t> via;   // devices between the links: one fewer than links
  std::string problem{};            // error in the attributes; empty if they are valid
};
// Returns nothing if a node has neither of the attributes.
[[nodiscard]] std::optional<LinkWay> link_way(const AttrTable& table, std::span<const Attr> attrs);

// Returns the scope of a send's sequence numbers: link_scope, which is shared by collectives with a common link
// order; else merged_instance, the collective itself; else 0.
[[nodiscard]] std::int64_t turn_scope(std::span<const Attr> attrs);

// Returns whether a control dependency of node `index` only keeps the link order, which link_seq records too: both
// nodes are sends of one schedule to the same NPU.
[[nodiscard]] bool keeps_link_order(const NodeTable& table, const Node& node, const Node& parent);

}  // namespace convert
