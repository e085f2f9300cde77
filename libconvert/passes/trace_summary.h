// SPDX-License-Identifier: MIT
// What rules across ranks need of a trace, without its text and attributes: about 48 bytes per node
// of one dependency.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/trace.h"
#include "graph/graph.h"
#include "graph/messages.h"

namespace convert {

struct TraceSummary {
  Rank rank = 0;
  std::string name;              // for messages: "ring.3.et"
  bool positions_known = false;  // Message::position means something
  bool positions_are_lines = false;
  std::uint32_t size = 0;   // nodes
  std::vector<NodeId> ids;  // by index; empty if each id is its index
  RankMessages messages;
  std::vector<std::uint32_t> child_begin;  // size + 1: dependencies without those on a cycle inside the rank
  std::vector<std::uint32_t> children;

  [[nodiscard]] NodeId id(std::uint32_t index) const { return ids.empty() ? index : ids[index]; }
  [[nodiscard]] std::span<const std::uint32_t> children_of(std::uint32_t index) const {
    return std::span(children).subspan(child_begin[index], child_begin[index + 1] - child_begin[index]);
  }
  [[nodiscard]] Location location(const Message& message) const;
};

[[nodiscard]] TraceSummary summarise(const Trace& trace);
// With the trace's graph, where it is there already.
[[nodiscard]] TraceSummary summarise(const Trace& trace, const Graph& graph);

}  // namespace convert
