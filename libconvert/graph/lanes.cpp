// SPDX-License-Identifier: MIT
#include "graph/lanes.h"

#include <array>
#include <map>
#include <string_view>

#include "core/found_attrs.h"

namespace convert {
namespace {

constexpr std::array lane_attrs = {attr::tb_id, attr::stream, attr::tid, attr::is_cpu_op};

// Labels of the rows of node types, in row order.
constexpr std::array<std::string_view, 8> type_labels = {"CPU",     "compute",    "memory",   "send",
                                                         "receive", "collective", "metadata", "other"};

std::int64_t type_row(NodeType type, bool on_cpu) {
  switch (type) {
    case NodeType::comp: return on_cpu ? 0 : 1;
    case NodeType::mem_load:
    case NodeType::mem_store: return 2;
    case NodeType::comm_send: return 3;
    case NodeType::comm_recv: return 4;
    case NodeType::comm_coll: return 5;
    case NodeType::metadata: return 6;
    default: return 7;
  }
}

}  // namespace

std::string label(const NodeLane& lane) {
  switch (lane.kind) {
    case NodeLane::Kind::threadblock: return "tb " + std::to_string(lane.number);
    case NodeLane::Kind::thread: return "thread " + std::to_string(lane.number);
    case NodeLane::Kind::stream: return "stream " + std::to_string(lane.number);
    default: return std::string(type_labels.at(static_cast<std::size_t>(lane.number)));
  }
}

NodeLane lane_of(const NodeTable& table, const Node& node) {
  using LaneKind = NodeLane::Kind;
  const FoundAttrs<lane_attrs> found(table.attributes(node));
  if (const IntValue block = int_value(found[attr::tb_id])) return {LaneKind::threadblock, block.value};
  const IntValue cpu = int_value(found[attr::is_cpu_op]);
  const bool on_cpu = cpu && cpu.value != 0;
  if (const IntValue stream = int_value(found[attr::stream]); stream && !on_cpu)
    return {LaneKind::stream, stream.value};
  if (const IntValue thread = int_value(found[attr::tid])) return {LaneKind::thread, thread.value};
  return {LaneKind::type, type_row(node.type, on_cpu)};
}

RankLanes lanes_of(const NodeTable& table) {
  RankLanes result;
  std::map<NodeLane, std::uint32_t> found;  // lane → its number in order of first use
  std::vector<std::uint32_t>& of_node = result.of_node;
  of_node.reserve(table.nodes.size());
  for (const Node& n : table.nodes) {
    of_node.push_back(found.try_emplace(lane_of(table, n), static_cast<std::uint32_t>(found.size())).first->second);
  }
  std::vector<std::uint32_t> row(found.size());
  for (const auto& [lane, first_use] : found) {
    row[first_use] = static_cast<std::uint32_t>(result.lanes.size());
    result.lanes.push_back(lane);
  }
  for (std::uint32_t& lane : of_node) lane = row[lane];
  return result;
}

}  // namespace convert
