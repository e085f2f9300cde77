// SPDX-License-Identifier: MIT
// Properties of a node that profiles use.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/trace.h"
#include "profile/workload_profile.h"

namespace convert {

// Returns the cost of a node. Negative values and values of a wrong kind count as missing.
[[nodiscard]] NodeCost cost_of(const NodeTable& table, const Node& node);

// Returns type, device and memory location: all properties, except the name, of a class that is not a
// communication.
[[nodiscard]] ProfileClass plain_class(const NodeTable& table, const Node& node);

// Properties of a communication node.
struct CallFacts {
  ProfileClass node_class{};  // without slot, offset and root
  std::string group{};        // pg_name of a collective; empty: all ranks
  std::int64_t peer = -1;     // of a message
  std::int64_t root = -1;     // rank that comm_src or comm_dst of a collective names
  // Of an all-to-all with unequal shards: number of ranks; total bytes sent and received.
  std::size_t parts = 0;
  std::int64_t sent = 0, received = 0;
  friend auto operator<=>(const CallFacts&, const CallFacts&) = default;
};
[[nodiscard]] CallFacts call_facts(const NodeTable& table, const Node& node);
// Returns the tag of a message; 0 if it has none.
[[nodiscard]] std::int64_t message_tag(const NodeTable& table, const Node& node);

// Returns whether a node is a communication with known properties: a message with a peer, a collective with a type.
[[nodiscard]] bool is_communication(const NodeTable& table, const Node& node);

// Return the name with '#' instead of every number, or instead of the iteration number only.
[[nodiscard]] std::string without_numbers(std::string_view name);
[[nodiscard]] std::string without_iteration(std::string_view name);

}  // namespace convert
