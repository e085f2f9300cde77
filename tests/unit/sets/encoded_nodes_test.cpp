// SPDX-License-Identifier: MIT
// Bytes that match another rank's bytes decode to that rank's nodes with the recorded replacement values.
#include "sets/classes/encoded_nodes.h"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <string>

#include "common/batches.h"
#include "formats/chakra/stream.h"
#include "formats/format.h"
#include "sanitized.h"

namespace convert {
namespace {

std::string encoded(const NodeTable& table) {
  std::string bytes;
  ChakraEncoder().nodes(table, bytes);
  return bytes;
}

NodeTable decoded(const std::string& nodes) {
  std::string bytes;
  ChakraEncoder().metadata({}, bytes);
  bytes += nodes;
  const auto input = memory_input("f", bytes);
  Diagnostics diagnostics;
  const auto reader = find_format("chakra").read({*input, std::nullopt, {}, diagnostics});
  Trace trace;
  (void)reader->next_rank(trace);
  NodeTable all;
  while (reader->next_nodes(trace, 1000)) all.append(trace.nodes);
  return all;
}

void apply(const RankChanges::Change& change, NodeTable& to) {
  constexpr std::array names = {attr::comm_src, attr::comm_dst, attr::comm_tag, attr::pg_name};
  const Node& n = to.nodes[change.node];
  for (std::uint32_t i = n.attrs.begin; i < n.attrs.begin + n.attrs.count; ++i) {
    Attr& a = to.attrs[i];
    if (a.name != names.at(static_cast<std::size_t>(change.what))) continue;
    if (change.what == RankChanges::What::group) {
      const Text t = to.add_text(change.group);
      a.bits = t.offset;
      a.size = t.size;
    } else {
      a.bits = static_cast<std::uint64_t>(change.number);
    }
    return;
  }
  ADD_FAILURE() << "node " << change.node << " has no such attribute";
}

// Expects bytes to match their claim; returns whether they match the nodes of the table.
bool check(const NodeTable& table, const std::string& bytes) {
  const EncodedNodes known(table);
  RankChanges changes;
  std::size_t compared = 0;
  const bool like = known.compare(bytes, 100, changes, compared);
  EXPECT_LE(compared, known.nodes());
  if (!like) return false;
  NodeTable expected = decoded(encoded(table));
  for (const RankChanges::Change& c : changes.changes) apply(c, expected);
  const NodeTable found = decoded(bytes);
  EXPECT_EQ(encoded(found), encoded(expected));
  const std::size_t metadata = found.positions.empty() ? 0 : found.positions.front();
  for (std::size_t i = 0; i < found.positions.size(); ++i)
    EXPECT_EQ(changes.positions[i], found.positions[i] - metadata + 100);
  return true;
}

TEST(EncodedNodes, OtherValuesOfPeersTagsAndGroupsAreTold) {
  for (std::uint32_t seed = 0; seed < test::rounds(200U); ++seed) {
    const Trace trace = test::odd_trace(0, seed, seed % 2 == 0);
    EXPECT_TRUE(check(trace.nodes, encoded(trace.nodes)));
    std::mt19937 random(seed);
    NodeTable other = trace.nodes;
    for (Node& n : other.nodes) {
      for (std::uint32_t i = n.attrs.begin; i < n.attrs.begin + n.attrs.count; ++i) {
        Attr& a = other.attrs[i];
        const bool counts = a.name == attr::comm_src || a.name == attr::comm_dst || a.name == attr::comm_tag;
        if (counts && a.kind == Kind::int64_val)
          a.bits = random() % 2 == 0 ? random() : 0 - std::uint64_t{random()};
        if (a.name != attr::pg_name) continue;
        const Text t = other.add_text(std::to_string(random()));
        a.bits = t.offset;
        a.size = t.size;
      }
    }
    bool twice = false;  // irregular nodes have text attributes instead of numbers
    for (const Attr& a : other.attrs) twice = twice || (a.kind == Kind::string_val && a.name != attr::pg_name);
    EXPECT_TRUE(check(trace.nodes, encoded(other)) || twice) << seed;
  }
}

TEST(EncodedNodes, AnyOtherByteMakesADifferenceOrIsTold) {
  std::size_t like = 0;
  for (std::uint32_t seed = 0; seed < test::rounds(200U); ++seed) {
    const Trace trace = test::odd_trace(0, seed, true);
    const std::string bytes = encoded(trace.nodes);
    std::mt19937 random(seed);
    for (int round = 0; round < 200 && !bytes.empty(); ++round) {
      std::string other = bytes;
      const std::size_t at = random() % other.size();
      switch (random() % 4) {
        case 0: other.erase(at, 1 + random() % 3); break;
        case 1: other.insert(at, 1, static_cast<char>(random())); break;
        case 2: other[at] = static_cast<char>(other[at] ^ 1 << random() % 8); break;
        default: other[at] = static_cast<char>(random());
      }
      like += check(trace.nodes, other) ? 1 : 0;
    }
  }
  EXPECT_GT(like, test::rounds(80U));
}

TEST(EncodedNodes, TheFirstOfTwoAttributesCounts) {
  NodeTable table;
  table.add_node(0, NodeType::comm_send, "n");
  table.add_int(attr::comm_dst, Kind::int32_val, 1);
  table.add_int(attr::comm_dst, Kind::int32_val, 2);
  table.end_node();
  NodeTable first = table, second = table;
  first.attrs[0].bits = 7;
  second.attrs[1].bits = 7;
  EXPECT_TRUE(check(table, encoded(first)));
  EXPECT_FALSE(check(table, encoded(second)));
}

TEST(EncodedNodes, NoNodesAreLikeNoNodes) {
  EXPECT_TRUE(check({}, ""));
  EXPECT_FALSE(check({}, "x"));
}

}  // namespace
}  // namespace convert
