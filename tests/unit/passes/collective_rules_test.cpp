// SPDX-License-Identifier: MIT
// Rule collectives.
#include <gtest/gtest.h>

#include "trace_builder.h"

namespace convert {
namespace {

using namespace test;
using Type = Collective;

constexpr const char* rule = "collectives";

// Runs each type once, with 8 bytes, in a chain of ids from 1.
void chain(TraceBuilder& b, const std::vector<Type>& types, std::string_view group = {}) {
  for (NodeId i = 1; i <= types.size(); ++i)
    b.collective(i, types[i - 1], 8, group, i == 1 ? std::vector<NodeId>{} : std::vector<NodeId>{i - 1});
}

TEST(Collectives, TheSameOnAllRanksAreClean) {
  auto set = trace_builders(4);
  for (TraceBuilder& b : set) {
    b.collective(1, Type::all_reduce, 8).collective(2, Type::all_gather, 4, "0").collective(3, Type::barrier, -1);
    b.collective(4, Type::all_to_all, 8).collective(5, Type::broadcast, 8).set(attr::comm_src, 2);
    b.collective(6, static_cast<Type>(99), 1);
  }
  set[0].collective(7, Type::reduce_scatter, 8);
  for (Rank r = 1; r < 4; ++r) set[r].collective(7, Type::reduce_scatter_block, 8);
  for (Rank r = 2; r < 4; ++r) set[r].collective(8, Type::all_reduce, 8, "tp").set(attr::group_size, 2);
  EXPECT_EQ(findings(set, rule), Lines{});
  const GroupLists groups = {{"tp", {3, 2}}, {"9", {0, 1}}};
  EXPECT_EQ(findings(set, rule, &groups), Lines{});
}

TEST(Collectives, AnotherTypeAtTheSamePlace) {
  auto set = trace_builders(3);
  for (Rank r = 0; r < 3; ++r) set[r].collective(5, Type::all_reduce, 1, "3").comp(6, {5});
  for (Rank r = 0; r < 3; ++r) set[r].collective(7, r == 0 ? Type::all_gather : Type::all_reduce, 1024, "3", {6});
  EXPECT_EQ(
      findings(set, rule),
      Lines{"t.0.et:@0x20: error: rank 0 node 7 'n' is the 2nd collective of group 3: all_gather of 1024 bytes; "
            "rank 1 node 7 'n': all_reduce of 1024 bytes [collectives]\n"
            "t.0.et:@0x20: note: rank 0 has 2 collectives of group 3, rank 1 has 2 collectives of group 3\n"
            "t.0.et:@0x20: note: hint: all ranks of a group must run the same collectives"});
}

TEST(Collectives, OtherSizeAndRoot) {
  auto set = trace_builders(2);
  set[0].collective(1, Type::all_reduce, 8);
  set[1].collective(9, Type::all_reduce, 1);
  set[0].collective(11, Type::reduce, 8, "1").set(attr::comm_dst, 0);
  set[1].collective(11, Type::reduce, 8, "1").set(attr::comm_dst, 1);
  EXPECT_EQ(
      findings(set, rule),
      (Lines{
          "t.1.et:@0x0: error: rank 1 node 9 'n' is the 1st collective of all ranks: all_reduce of 1 byte; rank 0 "
          "node 1 'n': all_reduce of 8 bytes [collectives]\n"
          "t.1.et:@0x0: note: rank 1 has 1 collective of all ranks, rank 0 has 1 collective of all ranks\n"
          "t.1.et:@0x0: note: hint: all ranks must give all_reduce the same size",
          "t.1.et:@0x10: error: rank 1 node 11 'n' is the 1st collective of group 1: reduce of 8 bytes with root "
          "1; "
          "rank 0 node 11 'n': reduce of 8 bytes with root 0 [collectives]\n"
          "t.1.et:@0x10: note: rank 1 has 1 collective of group 1, rank 0 has 1 collective of group 1\n"
          "t.1.et:@0x10: note: hint: all ranks must give reduce the same root"}));
}

TEST(Collectives, SizesThatMayDifferAreNotFound) {
  auto set = trace_builders(2);
  for (Rank r = 0; r < 2; ++r) {
    const std::int64_t own = 8 + r;
    set[r].collective(1, Type::all_gather, own).set(attr::comm_bytes_out, 17).set(attr::group_size, 2);
    set[r].collective(2, Type::gather, own).collective(3, Type::scatter, own);
    set[r].collective(4, Type::barrier, own);
    set[r].collective(5, Type::all_reduce, r == 0 ? -1 : 8);
  }
  EXPECT_EQ(findings(set, rule), Lines{});
  for (Rank r = 0; r < 2; ++r)
    set[r].collective(6, Type::all_gather, 8 + r).set(attr::comm_bytes_out, 16 + 2 * r).set(attr::group_size, 2);
  ASSERT_EQ(findings(set, rule).size(), 1U);  // each states that the shards are equal
  EXPECT_NE(findings(set, rule)[0].find("6th collective of all ranks: all_gather of 9 bytes"), std::string::npos);
}

TEST(Collectives, PartsOfAnAllGatherAreEqualUnlessItSaysOtherwise) {
  auto set = trace_builders(2);
  for (Rank r = 0; r < 2; ++r) set[r].collective(1, Type::all_gather, 8 + r);
  EXPECT_EQ(
      findings(set, rule),
      Lines{"t.1.et:@0x0: error: rank 1 node 1 'n' is the 1st collective of all ranks: all_gather of 9 bytes; rank "
            "0 node 1 'n': all_gather of 8 bytes [collectives]\n"
            "t.1.et:@0x0: note: rank 1 has 1 collective of all ranks, rank 0 has 1 collective of all ranks\n"
            "t.1.et:@0x0: note: hint: all ranks must give all_gather the same size"});
}

TEST(Collectives, FewerOrMore) {
  auto set = trace_builders(3);
  chain(set[0], {Type::all_reduce, Type::barrier});
  chain(set[1], {Type::all_reduce});
  chain(set[2], {Type::all_reduce, Type::barrier});
  EXPECT_EQ(
      findings(set, rule),
      Lines{"t.1.et:@0x0: error: rank 1 has 1 collective of all ranks (last: node 1 'n'), rank 0 has 2: rank 0 "
            "node 2 'n', barrier, waits forever [collectives]\n"
            "t.1.et:@0x0: note: hint: 1 collective missing on rank 1, or too many on rank 0"});
  auto more = trace_builders(2);
  chain(more[0], {Type::all_reduce});
  chain(more[1], {Type::all_reduce, Type::reduce});
  EXPECT_EQ(
      findings(more, rule),
      Lines{"t.1.et:@0x10: error: rank 1 has 2 collectives of all ranks, rank 0 has 1 (last: node 1 'n'): rank "
            "1 node 2 'n', reduce of 8 bytes, waits forever [collectives]\n"
            "t.1.et:@0x10: note: hint: 1 collective missing on rank 0, or too many on rank 1"});
}

std::string last_note(const Lines& found) {
  return found.empty() ? "" : found[0].substr(found[0].rfind("note: ") + 6);
}

TEST(Collectives, OneIsMissingInTheMiddle) {
  auto set = trace_builders(2);
  chain(set[0], {Type::all_reduce, Type::barrier, Type::all_gather, Type::all_reduce});
  chain(set[1], {Type::all_reduce, Type::all_gather, Type::all_reduce});
  const Lines found = findings(set, rule);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_NE(
      found[0].find("rank 1 node 2 'n' is the 2nd collective of all ranks: all_gather of 8 bytes; rank 0 node 2 "
                    "'n': barrier"),
      std::string::npos);
  EXPECT_EQ(last_note(found), "hint: 1 collective is missing on rank 1, or too many on rank 0, from node 2 on");
}

TEST(Collectives, OrderHints) {
  auto set = trace_builders(2);
  chain(set[0], {Type::all_reduce, Type::all_gather});
  chain(set[1], {Type::all_gather, Type::all_reduce});
  EXPECT_EQ(last_note(findings(set, rule)),
            "hint: rank 1 runs the collective of rank 0 later, as node 2; all ranks of a group must run its "
            "collectives in the same order");
  auto free = trace_builders(2);
  chain(free[0], {Type::all_reduce, Type::all_gather});
  free[1].collective(1, Type::all_gather, 8).collective(2, Type::all_reduce, 8);
  EXPECT_EQ(last_note(findings(free, rule)),
            "hint: nothing orders node 1 and node 2 of rank 1; without a dependency the lower id runs first");
  // The same type in two sizes.
  auto sizes = trace_builders(2);
  sizes[0].collective(1, Type::all_reduce, 8).collective(2, Type::all_reduce, 16, "", {1});
  sizes[1].collective(1, Type::all_reduce, 16).collective(2, Type::all_reduce, 8, "", {1});
  EXPECT_EQ(last_note(findings(sizes, rule)),
            "hint: rank 1 runs the collective of rank 0 later, as node 2; all ranks of a group must run its "
            "collectives in the same order");
}

TEST(Collectives, OrderFollowsDependenciesNotIds) {
  auto set = trace_builders(2);
  set[0].collective(2, Type::all_reduce, 8).collective(1, Type::barrier, -1, "", {2});
  set[1].collective(1, Type::all_reduce, 8).collective(2, Type::barrier, -1, "", {1});
  EXPECT_EQ(findings(set, rule), Lines{});
}

TEST(Collectives, OneWrongRankOfManyIsNamedOnce) {
  auto set = trace_builders(8);
  for (Rank r = 0; r < 8; ++r) {
    for (NodeId i = 0; i < 100; ++i) set[r].collective(i, r == 0 && i > 11 ? Type::reduce : Type::all_reduce, 8);
  }
  const Lines found = findings(set, rule);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_TRUE(
      found[0].starts_with("t.0.et:@0xc0: error: rank 0 node 12 'n' is the 13th collective of all ranks: "
                           "reduce of 8 bytes; rank 1 node 12 'n': all_reduce of 8 bytes [collectives]"))
      << found[0];
}

TEST(Collectives, Members) {
  auto set = trace_builders(5);
  for (Rank r = 1; r < 4; ++r) set[r].collective(r, Type::barrier, -1, "1");
  const GroupLists groups = {{"1", {0, 1, 2, 4}}};
  EXPECT_EQ(
      findings(set, rule, &groups),
      (Lines{"t.3.et:@0x0: error: rank 3 node 3 'n' is a collective of group 1, but rank 3 is not a member "
             "[collectives]\n"
             "t.3.et:@0x0: note: group 1 has the ranks 0, 1, 2, 4\n"
             "t.3.et:@0x0: note: hint: add the rank to the group in PREFIX.groups.json, or correct the pg_name of "
             "the collective",
             "t.0.et: error: the ranks 0, 4 have no collective of group 1, but rank 1 has 1 collective of group "
             "1, the first is node 1 'n' [collectives]\n"
             "t.0.et: note: hint: a collective waits for all members of its group"}));
  auto world = trace_builders(2);
  world[1].collective(4, Type::barrier, -1, "0");
  EXPECT_EQ(findings(world, rule), Lines{"t.0.et: error: rank 0 has no collective of all ranks, but rank 1 has 1 "
                                         "collective of all ranks, the first is node 4 'n' [collectives]\n"
                                         "t.0.et: note: hint: a collective waits for all members of its group"});
}

TEST(Collectives, UndefinedGroup) {
  auto set = trace_builders(2);
  for (TraceBuilder& b : set) b.collective(1, Type::barrier, -1, "mp").collective(2, Type::barrier, -1, "10");
  for (TraceBuilder& b : set) b.collective(3, Type::barrier, -1, "9");
  EXPECT_EQ(findings(set, rule), Lines{});
  const GroupLists groups = {{"10", {0, 1}}};
  EXPECT_EQ(
      findings(set, rule, &groups),
      (Lines{"t.0.et:@0x20: error: rank 0 node 3 'n' is a collective of group 9, which the groups file does not "
             "define [collectives]\n"
             "t.0.et:@0x20: note: the ranks 0, 1 use it\n"
             "t.0.et:@0x20: note: hint: list its ranks in PREFIX.groups.json, under its pg_name",
             "t.0.et:@0x0: error: rank 0 node 1 'n' is a collective of group mp, which the groups file does not "
             "define [collectives]\n"
             "t.0.et:@0x0: note: the ranks 0, 1 use it\n"
             "t.0.et:@0x0: note: hint: list its ranks in PREFIX.groups.json, under its pg_name"}));
}

TEST(Collectives, StatedGroupSize) {
  auto set = trace_builders(3);
  for (Rank r = 0; r < 3; ++r) set[r].collective(1, Type::barrier, -1).set(attr::group_size, r == 2 ? 4 : 3);
  for (Rank r = 0; r < 2; ++r) set[r].collective(2, Type::barrier, -1, "1").set(attr::group_size, 3);
  EXPECT_EQ(
      findings(set, rule),
      (Lines{"t.2.et:@0x0: error: rank 2 node 1 'n' states a group_size of 4 for the group of all ranks, but the "
             "set has 3 [collectives]\n"
             "t.2.et:@0x0: note: hint: are all ranks in the set?",
             "t.0.et:@0x10: error: rank 0 node 2 'n' states a group_size of 3 for group 1, but 2 use it "
             "[collectives]\n"
             "t.0.et:@0x10: note: the ranks 0, 1 use it\n"
             "t.0.et:@0x10: note: hint: are all ranks in the set?"}));
  const GroupLists groups = {{"1", {0, 1}}};
  const Lines listed = findings(set, rule, &groups);
  ASSERT_EQ(listed.size(), 2U);
  EXPECT_EQ(
      listed[1],
      "t.0.et:@0x10: error: rank 0 node 2 'n' states a group_size of 3 for group 1, but it has 2 [collectives]");
}

TEST(Collectives, OneNameForTwoGroups) {
  auto set = trace_builders(4);
  for (Rank r = 0; r < 4; ++r)
    set[r].collective(1, r < 2 ? Type::barrier : Type::all_reduce, 8, "1").set(attr::group_size, 2);
  EXPECT_EQ(
      findings(set, rule),
      Lines{
          "t.0.et:@0x0: error: rank 0 node 1 'n' states a group_size of 2 for group 1, but 4 use it [collectives]\n"
          "t.0.et:@0x0: note: the ranks 0, 1, 2, 3 use it\n"
          "t.0.et:@0x0: note: hint: the name may denote several groups; give each its own name, and list their "
          "ranks in PREFIX.groups.json"});
}

TEST(Collectives, SplitsMeetEachOther) {
  auto set = trace_builders(3);
  set[0].collective(1, Type::all_to_all, 6, "1").splits({1, 2, 3}, {1, 4, 0});
  set[1].collective(1, Type::all_to_all, 9, "1").splits({4, 5, 0}, {2, 5, 2});
  set[2].collective(1, Type::all_to_all, 6, "1").splits({0, 2, 4}, {3, 0, 4});
  EXPECT_EQ(findings(set, rule), Lines{});
  const GroupLists other_order = {{"1", {1, 0, 2}}};
  const std::string note =
      "t.%.et:@0x0: note: hint: send_splits of one rank and recv_splits of the other must agree; both are in group "
      "order";
  EXPECT_EQ(
      findings(set, rule, &other_order),
      Lines{"t.1.et:@0x0: error: rank 1 node 1 'n' is the 1st collective of group 1: all_to_all, sends 4 bytes to "
            "rank 1; rank 1 node 1 'n' expects 2 bytes from rank 1 [collectives]\n" +
            std::string(note).replace(2, 1, "1")});
  auto mixed = trace_builders(2);  // one rank has no splits: equal shards
  mixed[0].collective(1, Type::all_to_all, 8).splits({4, 4}, {4, 5});
  mixed[1].collective(1, Type::all_to_all, 8);
  EXPECT_EQ(
      findings(mixed, rule),
      Lines{"t.1.et:@0x0: error: rank 1 node 1 'n' is the 1st collective of all ranks: all_to_all, sends 4 bytes "
            "to rank 0; rank 0 node 1 'n' expects 5 bytes from rank 1 [collectives]\n" +
            std::string(note).replace(2, 1, "1")});
}

TEST(Collectives, SplitsForOtherRanks) {
  auto set = trace_builders(2);
  set[0].collective(1, Type::all_to_all, 8).splits({4, 4}, {4, 4, 4});
  set[1].collective(1, Type::all_to_all, 8).splits({4, 4}, {4, 4});
  EXPECT_EQ(findings(set, rule),
            Lines{"t.0.et:@0x0: error: rank 0 node 1 'n' has recv_splits for 3 ranks, but all ranks are 2 "
                  "[collectives]"});
  set[0].collective(2, Type::all_reduce, 8, "7").set(attr::group_size, 2);
  set[1].collective(2, Type::all_reduce, 8, "7");
  const GroupLists groups = {{"7", {0, 1, 5}}};  // rank 5 is not in the set: reported by rule groups
  EXPECT_EQ(findings(set, rule, &groups).size(), 2U);
}

// Without splits, sizes cannot differ, for any result.
TEST(Collectives, AnAllToAllWithoutSplitsHasOneSize) {
  auto set = trace_builders(2);
  for (Rank r = 0; r < 2; ++r) set[r].collective(1, Type::all_to_all, 8 + r).set(attr::comm_bytes_out, 9 - r);
  EXPECT_EQ(findings(set, rule).size(), 1U);
}

TEST(Collectives, ARootThatOneRankStates) {
  auto set = trace_builders(2);
  set[0].collective(1, Type::broadcast, 8).set(attr::comm_src, 1);
  set[1].collective(1, Type::broadcast, 8);
  const Lines found = findings(set, rule);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_NE(found[0].find("broadcast of 8 bytes without a root"), std::string::npos);
}

TEST(Collectives, ARootThatIsNoMember) {
  auto set = trace_builders(2);
  for (Rank r = 0; r < 2; ++r) set[r].collective(1, Type::gather, 8).set(attr::comm_dst, 7);
  EXPECT_EQ(findings(set, rule).size(), 2U);
}

TEST(Collectives, OverSomeDimensions) {
  const auto some_dims = [](auto& rank) {
    rank.table().add_ints(attr::involved_dim, Kind::bool_list, std::vector<std::int64_t>{1, 0});
  };
  auto set = trace_builders(3);
  for (Rank r = 0; r < 2; ++r) {
    set[r].collective(1, Type::all_reduce, 8);
    some_dims(set[r]);
  }
  // The participating ranks depend on the network.
  EXPECT_EQ(findings(set, "collectives,deadlock"), Lines{});
  set[2].collective(1, Type::all_reduce, 8);
  EXPECT_EQ(findings(set, rule).size(), 1U);
}

TEST(Collectives, ALongGroupOfNoSenseEnds) {
  auto set = trace_builders(2);
  const std::string name(1000, 'g');
  set[0].collective(1, Type::barrier, -1, name).set(attr::group_size, 7);
  const Lines found = findings(set, rule);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_LT(found[0].size(), 300U);
}

}  // namespace
}  // namespace convert
