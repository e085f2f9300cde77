// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <random>

#include "core/master/builder.h"
#include "core/master/master_set.h"

namespace convert {
namespace {

TEST(NumberRuns, NumbersOfEqualStepsAreARun) {
  NumberRuns runs;
  const std::vector<std::uint64_t> values = {0, 8, 16, 24, 5, 5, 5, 4, 3, ~std::uint64_t{0}, 0, 1};
  for (const std::uint64_t v : values) runs.add(v);
  ASSERT_EQ(runs.size(), values.size());
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_EQ(runs[i], values[i]) << i;
  EXPECT_EQ(runs.runs().size(), 4U);  // 0 8 16 24; 5 5 5; 4 3; -1 0 1
}

TEST(PackedText, NumbersAreRulesOtherTextsAreNumbered) {
  TextSet texts;
  EXPECT_EQ(packed_text("7", texts), packed_number(7));
  EXPECT_EQ(packed_text("0", texts), packed_number(0));
  EXPECT_EQ(packed_text("999999999999999999", texts), packed_number(largest_packed_number));
  EXPECT_EQ(texts.size(), 0U);
  for (const char* text : {"", "07", "1000000000000000000", "-1", "1 ", "tp"}) {
    const std::uint32_t next = texts.size();
    EXPECT_EQ(packed_text(text, texts), std::uint64_t{2} * next) << text;
    EXPECT_EQ(packed_text(text, texts), std::uint64_t{2} * next) << text;
  }
}

// Any lists are restored, with any differences.
TEST(DifferenceFinder, GivesTheListsBack) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    const std::size_t size = random() % 30, lists = 1 + random() % 9, kinds = 1 + random() % 5;
    std::vector<std::vector<std::uint64_t>> all(lists, std::vector<std::uint64_t>(size));
    for (std::size_t i = 0; i < size; ++i) {
      const std::size_t kind = random() % kinds;
      const std::uint64_t base = random();
      for (std::size_t l = 0; l < lists; ++l)
        all[l][i] = kind == 0 ? base : kind < 3 ? base + kind * l : kind == 3 ? base + (l % 3) : random();
    }
    DifferenceFinder finder(all[0]);
    for (std::size_t l = 1; l < lists; ++l) finder.add(all[l]);
    const RankValues values = finder.finish();
    std::vector<std::uint64_t> got;
    for (std::size_t l = 0; l < lists; ++l) {
      values.get(l, got);
      EXPECT_EQ(got, all[l]);
    }
  }
}

TEST(DifferenceFinder, ValuesThatDifferAlikeShareARule) {
  DifferenceFinder finder({10, 20, 30, 40, 50});
  finder.add({10, 21, 31, 47, 50});
  finder.add({10, 22, 32, 41, 50});
  finder.add({10, 23, 33, 99, 50});
  const RankValues values = finder.finish();
  ASSERT_EQ(values.rules.size(), 1U);
  EXPECT_EQ(values.rules[0].runs().size(), 1U);
  EXPECT_EQ(values.varying, (std::vector<RankValues::Varying>{{1, 0}, {2, 0}}));
  EXPECT_EQ(values.own, (std::vector<std::uint32_t>{3}));
  EXPECT_EQ(values.own_differences, (std::vector<std::uint64_t>{7, 1, 59}));
}

Trace small_trace(Rank rank, std::int64_t bytes) {
  Trace t;
  t.rank = rank;
  t.metadata.version = schema_version;
  t.nodes.add_node(3, NodeType::comp, "a");
  t.nodes.add_int(attr::tensor_size, Kind::uint64_val, bytes);
  t.nodes.end_node();
  t.nodes.add_node(5, NodeType::comm_send, "to the next");
  t.nodes.add_data_dep(3);
  t.nodes.add_int(attr::comm_dst, Kind::int32_val, rank + 1);
  t.nodes.end_node();
  return t;
}

TEST(MasterBuilder, RanksOfOneShapeAreOneClass) {
  MasterBuilder builder;
  for (const Rank rank : {4U, 0U, 9U}) {
    const Trace t = small_trace(rank, rank == 9 ? 7 : 64);
    builder.begin_rank(rank, t.metadata);
    builder.nodes(t.nodes);
    builder.end_rank();
  }
  Trace other = small_trace(2, 64);
  other.nodes.nodes[1].type = NodeType::comm_recv;
  builder.begin_rank(2, other.metadata);
  builder.nodes(other.nodes);
  builder.end_rank();
  const MasterSet set = builder.finish();
  ASSERT_EQ(set.classes.size(), 2U);
  EXPECT_EQ(set.ranks(), 4U);
  EXPECT_EQ(set.node_count(), 8U);
  std::vector<Rank> order;
  for (std::uint64_t i = 0; i < set.ranks(); ++i) order.push_back(set.rank(set.place(i)));
  EXPECT_EQ(order, (std::vector<Rank>{4, 0, 9, 2}));
  NodeTable nodes;
  set.nodes(set.place(2), "f", nodes);
  EXPECT_EQ(int_value(nodes.attributes(nodes.nodes[0]), attr::tensor_size).value, 7);
  EXPECT_EQ(int_value(nodes.attributes(nodes.nodes[1]), attr::comm_dst).value, 10);
  EXPECT_EQ(nodes.nodes[1].id, 5U);
  EXPECT_EQ(nodes.data_deps(nodes.nodes[1])[0], 3U);
}

TEST(MasterSet, EditedMetadataKeepsWhatDiffers) {
  MasterBuilder builder;
  for (Rank rank = 0; rank < 3; ++rank) {
    Trace t = small_trace(rank, 64);
    t.metadata.table.add_int(Name("mine"), Kind::int64_val, rank * rank);
    builder.begin_rank(rank, t.metadata);
    builder.nodes(t.nodes);
    builder.end_rank();
  }
  MasterSet set = builder.finish();
  set.edit_metadata([](Metadata& m) { m.table.add_string(Name("note"), "edited"); });
  ASSERT_EQ(set.classes.size(), 1U);
  for (Rank rank = 0; rank < 3; ++rank) {
    const Trace head = set.head(set.place(rank), "f");
    EXPECT_EQ(int_value(head.metadata.table.attrs, Name("mine")).value, rank * rank);
    EXPECT_EQ(string_value(head.metadata.table, head.metadata.table.attrs, Name("note")), "edited");
  }
}

}  // namespace
}  // namespace convert
