// SPDX-License-Identifier: MIT
#include "graph/lanes.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace convert {
namespace {

TEST(NodeLanes, OfThreadblocksStreamsThreadsAndTypes) {
  NodeTable t;
  const auto add = [&](NodeType type, auto... attrs) {
    t.add_node(t.nodes.size(), type, "n");
    (attrs(), ...);
    t.end_node();
  };
  const auto number = [&](Name name, int value) {
    return [&t, name, value] { t.add_int(name, Kind::int64_val, value); };
  };
  const auto on_cpu = [&](bool cpu) { return [&t, cpu] { t.add_bool(attr::is_cpu_op, cpu); }; };
  add(NodeType::comm_send);
  add(NodeType::comp, on_cpu(false), number(attr::stream, 7), number(attr::tid, 3));
  add(NodeType::comp, on_cpu(true), number(attr::stream, 0), number(attr::tid, 3));
  add(NodeType::comm_send, number(attr::tb_id, 12));
  add(NodeType::comm_recv, number(attr::tb_id, 2));
  add(NodeType::comp, on_cpu(true));
  add(NodeType{99});
  const RankLanes lanes = lanes_of(t);
  std::vector<std::string> labels;
  for (const NodeLane& lane : lanes.lanes) labels.push_back(label(lane));
  EXPECT_EQ(labels, (std::vector<std::string>{"tb 2", "tb 12", "thread 3", "stream 7", "CPU", "send", "other"}));
  EXPECT_EQ(lanes.of_node, (std::vector<std::uint32_t>{5, 3, 2, 1, 0, 4, 6}));
}

}  // namespace
}  // namespace convert
