// SPDX-License-Identifier: MIT
// Reads the way that a schedule gives a SEND over the links of its network, and its turn on each of them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/trace.h"

namespace convert {

// The attribute of the metadata that names the network of a schedule, see network_id().
inline const Name scheduled_network{std::string_view("ten.network")};
// The attribute for the forwarding of switches in the schedule: "store", "switches" or "cut".
inline const Name scheduled_forwarding{std::string_view("ten.forwarding")};

// Holds the attributes link_seq and link_via of a SEND. Of the sends of one scope over one link, that with the next
// higher number goes behind it.
struct LinkWay {
  std::vector<std::int64_t> turns;  // by link of the way
  std::vector<std::uint32_t> via;   // the devices between the links: one fewer
  std::string problem{};            // what is wrong with the attributes; empty: nothing
};
// Returns nothing where a node has neither of the attributes.
[[nodiscard]] std::optional<LinkWay> link_way(const AttrTable& table, std::span<const Attr> attrs);

// Returns the scope of a send's turns: link_scope, which collectives share that take turns with each other; without
// it merged_instance, the collective itself; else 0.
[[nodiscard]] std::int64_t turn_scope(std::span<const Attr> attrs);

// Returns whether a control dependency of node `index` only keeps the order of links, which link_seq tells too:
// both nodes are sends of one schedule to the same NPU.
[[nodiscard]] bool keeps_link_order(const NodeTable& table, const Node& node, const Node& parent);

}  // namespace convert
