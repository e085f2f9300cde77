// SPDX-License-Identifier: MIT
// Reads of a node what profiles are made of.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/trace.h"
#include "profile/workload_profile.h"

namespace convert {

// Returns what a node costs. What is negative or of a wrong kind counts as not told.
[[nodiscard]] NodeCost cost_of(const NodeTable& table, const Node& node);

// Returns type, place of computation and of memory: all of a class that is no communication but the name.
[[nodiscard]] ProfileClass plain_class(const NodeTable& table, const Node& node);

// A communication as its node tells it.
struct CallFacts {
  ProfileClass node_class{};  // without slot, offset and root
  std::string group{};        // pg_name of a collective; empty: all ranks
  std::int64_t peer = -1;     // of a message
  std::int64_t root = -1;     // the rank that comm_src or comm_dst of a collective names
  // Of an all-to-all with unequal parts: for how many ranks, what is sent and received in all, bytes.
  std::size_t parts = 0;
  std::int64_t sent = 0, received = 0;
  friend auto operator<=>(const CallFacts&, const CallFacts&) = default;
};
[[nodiscard]] CallFacts call_facts(const NodeTable& table, const Node& node);
// Returns the tag of a message; 0 if it has none.
[[nodiscard]] std::int64_t message_tag(const NodeTable& table, const Node& node);

// Returns whether a node communicates in a way that can be told: a message names its peer, a collective its type.
[[nodiscard]] bool is_communication(const NodeTable& table, const Node& node);

// Returns the name with each number in it replaced by '#', or the number of the iteration alone.
[[nodiscard]] std::string without_numbers(std::string_view name);
[[nodiscard]] std::string without_iteration(std::string_view name);

}  // namespace convert
