// SPDX-License-Identifier: MIT
#include "graph/messages.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace convert {
namespace {

void add_message(NodeTable& t, NodeId id, NodeType type, int peer, int tag, std::int64_t bytes,
                 std::vector<NodeId> deps = {}) {
  t.add_node(id, type, "m");
  for (const NodeId d : deps) t.add_data_dep(d);
  t.add_int(type == NodeType::comm_send ? attr::comm_dst : attr::comm_src, Kind::int32_val, peer);
  t.add_int(attr::comm_tag, Kind::int32_val, tag);
  if (bytes >= 0) t.add_int(attr::comm_size, Kind::int64_val, bytes);
  t.end_node();
}

std::vector<std::uint32_t> nodes_of(const std::vector<Message>& messages) {
  std::vector<std::uint32_t> out;
  for (const Message& m : messages) out.push_back(m.node);
  return out;
}

TEST(Messages, OneTakesAtMost32Bytes) { EXPECT_LE(sizeof(Message), 32U); }

TEST(Messages, ReadsPeerTagAndSize) {
  NodeTable t;
  add_message(t, 0, NodeType::comm_send, 3, 7, 4096);
  t.add_node(1, NodeType::comm_recv, "chunks");
  t.add_int(attr::comm_src, Kind::int64_val, 2);
  t.add_int(attr::comm_tag, Kind::uint32_val, 9);
  t.add_int(attr::msg_chunk_cnt, Kind::int32_val, 5);
  t.end_node();
  t.add_node(2, NodeType::comm_recv, "no tag");
  t.add_int(attr::comm_src, Kind::int64_val, 2);
  t.end_node();
  const RankMessages m = messages_of(t, build_graph(t));
  ASSERT_EQ(m.sends.size(), 1U);
  EXPECT_EQ(m.sends[0].peer, 3);
  EXPECT_EQ(m.sends[0].tag, 7);
  EXPECT_EQ(m.sends[0].size, 4096U);
  EXPECT_EQ(m.sends[0].size_unit(), SizeUnit::bytes);
  ASSERT_EQ(m.recvs.size(), 1U);
  EXPECT_EQ(m.recvs[0].size, 5U);
  EXPECT_EQ(m.recvs[0].size_unit(), SizeUnit::chunks);
}

TEST(Messages, OrderIsDependenciesThenIds) {
  NodeTable t;
  add_message(t, 5, NodeType::comm_send, 1, 0, 1, {9});
  add_message(t, 9, NodeType::comm_send, 1, 0, 1);
  add_message(t, 7, NodeType::comm_send, 1, 0, 1);
  EXPECT_EQ(nodes_of(messages_of(t, build_graph(t)).sends), (std::vector<std::uint32_t>{2, 1, 0}));
}

TEST(Messages, NodesOnACycleFollowById) {
  NodeTable t;
  add_message(t, 2, NodeType::comm_send, 1, 0, 1, {1});
  add_message(t, 1, NodeType::comm_send, 1, 0, 1, {2});
  add_message(t, 3, NodeType::comm_send, 1, 0, 1);
  EXPECT_EQ(nodes_of(messages_of(t, build_graph(t)).sends), (std::vector<std::uint32_t>{2, 1, 0}));
}

TEST(Messages, GroupsBySourceDestinationTag) {
  NodeTable a;
  add_message(a, 0, NodeType::comm_send, 1, 5, 1);
  add_message(a, 1, NodeType::comm_send, 1, 4, 1);
  add_message(a, 2, NodeType::comm_send, 1, 5, 1);
  add_message(a, 3, NodeType::comm_send, 8, 5, 1);  // outside the set
  add_message(a, 4, NodeType::comm_recv, 1, 0, 1);
  NodeTable b;
  add_message(b, 0, NodeType::comm_recv, 0, 5, 1);
  add_message(b, 1, NodeType::comm_recv, 0, 6, 1);
  const RankMessages ma = messages_of(a, build_graph(a));
  const RankMessages mb = messages_of(b, build_graph(b));
  const std::vector<const RankMessages*> ranks = {&ma, &mb};
  std::string seen;
  for_each_message_group(ranks, [&](const MessageGroup& g) {
    seen += std::to_string(g.src) + '>' + std::to_string(g.dst) + '#' + std::to_string(g.tag) + " s";
    for (const std::uint32_t s : g.sends) seen += std::to_string(s);
    seen += " r";
    for (const std::uint32_t r : g.recvs) seen += std::to_string(r);
    seen += ";";
  });
  EXPECT_EQ(seen, "0>1#4 s1 r;0>1#5 s02 r0;0>1#6 s r1;1>0#0 s r0;");
}

TEST(Messages, GroupsWithTagsFarApart) {
  constexpr std::int64_t tags[] = {std::numeric_limits<std::int64_t>::max(), -1,
                                   std::numeric_limits<std::int64_t>::min(), -1};
  RankMessages sender;
  RankMessages receiver;
  for (const std::int64_t tag : tags) {
    const auto node = static_cast<std::uint32_t>(sender.sends.size());
    sender.sends.push_back({.node = node, .peer = 1, .tag = tag});
    receiver.recvs.push_back({.node = node, .peer = 0, .tag = tag});
  }
  const std::vector<const RankMessages*> ranks = {&sender, &receiver};
  std::string seen;
  for_each_message_group(ranks, [&](const MessageGroup& g) {
    ASSERT_EQ(g.sends.size(), g.recvs.size());
    for (std::size_t k = 0; k < g.sends.size(); ++k) {
      EXPECT_EQ(g.sends[k], g.recvs[k]);
      EXPECT_EQ(sender.sends[g.sends[k]].tag, g.tag);
      seen += std::to_string(g.sends[k]);
    }
    seen += ';';
  });
  EXPECT_EQ(seen, "2;13;0;");
}

}  // namespace
}  // namespace convert
