// SPDX-License-Identifier: MIT
#include "passes/merge/merge.h"

#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "algorithms.h"
#include "collectives/collective.h"
#include "common/expect_error.h"
#include "passes/lower/lower.h"
#include "passes/merge/chunk_flow.h"
#include "trace_builder.h"

namespace convert {
namespace {

using namespace test;

// One line per node, such as "7 COMM_SEND d:1,2 c:3 0>1 tag 4 8 B": id, type, data and control dependencies, sender
// and receiver, tag, size in bytes. Absent parts are omitted.
Lines dump(const Trace& trace) {
  Lines out;
  for (const Node& n : trace.nodes.nodes) {
    const auto attrs = trace.nodes.attributes(n);
    std::string line = std::to_string(n.id) + " ";
    line += node_type_name(n.type).substr(0, node_type_name(n.type).rfind('_'));
    const auto add = [&](const char* mark, std::span<const NodeId> ids) {
      for (std::size_t i = 0; i < ids.size(); ++i) line += (i == 0 ? mark : ",") + std::to_string(ids[i]);
    };
    add(" d:", trace.nodes.data_deps(n));
    add(" c:", trace.nodes.ctrl_deps(n));
    const IntValue tag = int_value(attrs, attr::comm_tag);
    if (tag && n.type != NodeType::comm_coll) {
      line += " " + std::to_string(int_value(attrs, attr::comm_src).value) + ">" +
              std::to_string(int_value(attrs, attr::comm_dst).value) + " tag " + std::to_string(tag.value);
    }
    if (const IntValue size = int_value(attrs, attr::comm_size)) line += " " + std::to_string(size.value) + " B";
    out.push_back(std::move(line));
  }
  return out;
}

// Two ranks that swap: a send and a receive, and a reduction after both. Tags are arbitrary.
std::vector<Trace> swap_of_two(std::int64_t bytes = -1) {
  std::vector<Trace> places;
  for (Rank p : {0U, 1U}) {
    TraceBuilder b(p);
    const auto sized = [&] {
      if (bytes < 0) b.set(attr::msg_chunk_cnt, 1, Kind::int32_val).set(attr::total_chunk_cnt, 2, Kind::int32_val);
    };
    b.send(10, 1 - p, 40 + p, bytes);
    sized();
    b.recv(20, 1 - p, 41 - p, bytes);
    sized();
    b.comp(30, {10}).control(20);
    places.push_back(b.trace());
  }
  return places;
}

MergeAlgorithm algorithm_of(std::vector<Trace> places, std::uint32_t tags = 1) {
  MergeAlgorithm a;
  a.source = "algo";
  a.places = static_cast<std::uint32_t>(places.size());
  a.tags = tags;
  for (const Trace& t : places) {
    for (const MergePlace::Node& n : read_merge_place(t, a.places).nodes)
      a.chunks = std::max(a.chunks, n.of_chunks);
  }
  a.load = [p = std::move(places)](std::uint32_t place) { return p.at(place); };
  return a;
}

MergeAlgorithm built(Collective collective, std::int32_t ranks, std::uint32_t tags = 32) {
  const Algorithm a = build_collective({.collective = collective, .ranks = ranks});
  Diagnostics diagnostics;
  const Lowering lowering(a, std::nullopt, diagnostics);
  std::vector<Trace> places(static_cast<std::size_t>(ranks));
  for (Rank p = 0; p < places.size(); ++p) lowering.lower(p, places[p]);
  return algorithm_of(std::move(places), tags);
}

// Replaces every collective by algorithm 0.
struct Plan : MergePlan {
  MergeChoice choice;
  explicit Plan(std::uint32_t of_ranks, MergeAlgorithm algorithm, std::uint32_t chunks = 1) {
    ranks = of_ranks;
    groups["0"];
    tags = algorithm.tags;
    algorithms.push_back(std::move(algorithm));
    most_chunks = choice.chunks = chunks;
    choose = [this](const MergeCall&) { return &choice; };
  }
};

Trace merged(const MergePlan& plan, TraceBuilder workload, std::size_t batch = 1000) {
  MergedRank rank(plan, workload.trace());
  Trace all;
  all.rank = workload.trace().rank;
  all.name = workload.trace().name;
  for (Trace part; rank.next(part, batch);) all.nodes.append(part.nodes);
  return all;
}

std::string merge_error(const MergePlan& plan, TraceBuilder workload) {
  return error_text([&] { (void)merged(plan, std::move(workload)); }, "merge");
}

// Findings of all rules on the merged set.
Lines problems(const MergePlan& plan, const std::vector<TraceBuilder>& workload) {
  Diagnostics diagnostics;
  std::vector<TraceSummary> summaries;
  for (const TraceBuilder& b : workload) {
    const Trace trace = merged(plan, b);
    check_trace(trace, RuleSet::all(), diagnostics);
    summaries.push_back(summarise(trace));
  }
  check_set(summaries, RuleSet::all(), diagnostics);
  return finding_lines(diagnostics);
}

TEST(Merge, RewiresParentsToRootsAndSinksToChildren) {
  const Plan plan(2, algorithm_of(swap_of_two()));
  TraceBuilder w(0);
  w.comp(1).comp(2, {1});
  w.collective(5, Collective::all_reduce, 100, "", {1}).control(2);
  w.comp(6, {1, 5}).comp(7, {2}).control(5);
  EXPECT_EQ(dump(merged(plan, w)), (Lines{
                                       "1 COMP",
                                       "2 COMP d:1",
                                       "6 COMP d:1,10",
                                       "7 COMP d:2 c:10",
                                       "8 COMM_SEND d:1 c:2 0>1 tag 0 50 B",
                                       "9 COMM_RECV d:1 c:2 1>0 tag 0 50 B",
                                       "10 COMP d:8 c:9",
                                   }));
}

TEST(Merge, CollectivesThatFollowEachOtherAreLinkedBySinksAndRoots) {
  const Plan plan(2, algorithm_of(swap_of_two(7)));
  TraceBuilder w(1);
  w.collective(0, Collective::all_reduce, 64).collective(1, Collective::all_reduce, 64, "", {0});
  EXPECT_EQ(dump(merged(plan, w)), (Lines{
                                       "2 COMM_SEND 1>0 tag 0 7 B",
                                       "3 COMM_RECV 0>1 tag 0 7 B",
                                       "4 COMP d:2 c:3",
                                       "5 COMM_SEND d:4 1>0 tag 1 7 B",
                                       "6 COMM_RECV d:4 0>1 tag 1 7 B",
                                       "7 COMP d:5 c:6",
                                   }));
}

TEST(Merge, ChunksAreInstancesSideBySide) {
  const Plan plan(2, algorithm_of(swap_of_two()), 3);
  TraceBuilder w(0);
  w.comp(0).collective(1, Collective::all_reduce, 20, "", {0}).comp(2, {1});
  EXPECT_EQ(dump(merged(plan, w)), (Lines{
                                       "0 COMP",
                                       "2 COMP d:5,8,11",
                                       "3 COMM_SEND d:0 0>1 tag 0 3 B",  // 7, 7 and 6 bytes
                                       "4 COMM_RECV d:0 1>0 tag 0 3 B",
                                       "5 COMP d:3 c:4",
                                       "6 COMM_SEND d:0 0>1 tag 1 3 B",
                                       "7 COMM_RECV d:0 1>0 tag 1 3 B",
                                       "8 COMP d:6 c:7",
                                       "9 COMM_SEND d:0 0>1 tag 2 3 B",
                                       "10 COMM_RECV d:0 1>0 tag 2 3 B",
                                       "11 COMP d:9 c:10",
                                   }));
}

TEST(Merge, BatchesMakeNoDifference) {
  const Plan plan(2, algorithm_of(swap_of_two()), 2);
  TraceBuilder w(0);
  w.comp(3).collective(1, Collective::all_reduce, 20, "", {3}).collective(2, Collective::all_reduce, 8);
  const Lines all = dump(merged(plan, w));
  EXPECT_EQ(dump(merged(plan, w, 1)), all);
  EXPECT_EQ(dump(merged(plan, w, 4)), all);
}

TEST(Merge, PlacesAreThePositionsInTheGroup) {
  Plan plan(6, algorithm_of(swap_of_two(7)));
  plan.groups["3"].ranks = {4, 2};
  const auto workload = [](Rank r) {
    TraceBuilder w(r);
    w.collective(0, Collective::all_reduce, 64, "3");
    return w;
  };
  EXPECT_EQ(dump(merged(plan, workload(4)))[0], "1 COMM_SEND 4>2 tag 0 7 B");
  EXPECT_EQ(dump(merged(plan, workload(2)))[1], "2 COMM_RECV 4>2 tag 0 7 B");
  EXPECT_EQ(merge_error(plan, workload(3)), "t.3.et:@0x0: node 0: rank 3 is not a member of process group '3'");
}

// Two instances that share a rank have no tag in common, even if they run at the same time.
TEST(Merge, TagsNeverMeet) {
  Plan plan(4, built(Collective::all_reduce, 4), 2);
  plan.algorithms.push_back(built(Collective::all_reduce, 2));
  plan.first_tag = 5;
  plan.groups["1"] = {.ranks = {3, 0}, .first_call = 3};
  plan.groups["2"] = {.ranks = {0, 3}, .first_call = 4};
  MergeChoice pairs{.algorithm = 1, .chunks = 1};
  plan.choose = [&](const MergeCall& c) { return c.members == 2 ? &pairs : &plan.choice; };
  std::vector<TraceBuilder> set;
  for (Rank r = 0; r < 4; ++r) {
    TraceBuilder w(r);
    w.send(100, (r + 1) % 4, 4, 256).recv(101, (r + 3) % 4, 4, 256);
    for (NodeId i = 0; i < 3; ++i) w.collective(i, Collective::all_reduce, 1024);
    if (r == 0 || r == 3) w.collective(3, Collective::all_reduce, 512, r == 0 ? "1" : "2");
    if (r == 0 || r == 3) w.collective(4, Collective::all_reduce, 512, r == 0 ? "2" : "1");
    set.push_back(w);
  }
  EXPECT_EQ(problems(plan, set), Lines{});
  std::map<std::pair<std::int64_t, std::int64_t>, std::uint64_t> instance_of;  // by peer and tag
  const Trace trace = merged(plan, set[0]);
  for (const Node& n : trace.nodes.nodes) {
    const auto attrs = trace.nodes.attributes(n);
    const IntValue instance = int_value(attrs, attr::merged_instance);
    if (!instance || n.type != NodeType::comm_send) continue;
    const std::int64_t tag = int_value(attrs, attr::comm_tag).value;
    EXPECT_GE(tag, 5);
    const auto [at, added] = instance_of.try_emplace({int_value(attrs, attr::comm_dst).value, tag}, instance.value);
    EXPECT_EQ(at->second, instance.value);
  }
  EXPECT_EQ(instance_of.size(), 8U);
}

TEST(Merge, AnAllGathersBytesAreOnePart) {
  const Plan plan(4, built(Collective::all_gather, 4));
  std::vector<TraceBuilder> set;
  for (Rank r = 0; r < 4; ++r) set.push_back(TraceBuilder(r).collective(0, Collective::all_gather, 100));
  EXPECT_EQ(problems(plan, set), Lines{});
  for (const std::string& line : dump(merged(plan, set[2])))
    EXPECT_NE(line.find(" 100 B"), std::string::npos) << line;
  const Plan reduce(4, built(Collective::all_reduce, 4));
  EXPECT_NE(dump(merged(reduce, TraceBuilder(0).collective(0, Collective::all_reduce, 100)))[0].find(" 25 B"),
            std::string::npos);
}

TEST(Merge, KeepsWhatNoRuleFits) {
  Plan plan(2, algorithm_of(swap_of_two()));
  plan.choose = [&](const MergeCall& c) { return c.name == "n" && c.bytes == 8 ? &plan.choice : nullptr; };
  TraceBuilder w(0);
  w.collective(0, Collective::all_reduce, 8).collective(1, Collective::barrier, -1, "77", {0});
  MergedRank rank(plan, w.trace());
  EXPECT_EQ(rank.counts().merged, 1U);
  EXPECT_EQ(rank.counts().kept, 1U);
  EXPECT_EQ(rank.counts().added, 3U);
  EXPECT_EQ(dump(merged(plan, w))[0], "1 COMM_COLL d:4");
}

TEST(Merge, TellsWhatTheCollectiveWas) {
  const Plan plan(2, algorithm_of(swap_of_two(7)));
  TraceBuilder w(0);
  w.collective(9, Collective::all_reduce, 64).set(attr::comm_priority, 3, Kind::int32_val);
  w.table().nodes.back().start_us = 11;
  w.table().nodes.back().duration_us = 12;
  const Trace trace = merged(plan, w);
  ASSERT_EQ(trace.nodes.nodes.size(), 3U);
  for (const Node& n : trace.nodes.nodes) {
    const auto attrs = trace.nodes.attributes(n);
    EXPECT_EQ(int_value(attrs, attr::merged_from).value, 9);
    EXPECT_EQ(string_value(trace.nodes, attrs, attr::merged_name), "n");
    EXPECT_EQ(int_value(attrs, attr::merged_instance).value, 0);
  }
  const auto first = trace.nodes.attributes(trace.nodes.nodes[0]);
  const Attr* const priority = find(first, Name("merged.comm_priority"));
  ASSERT_NE(priority, nullptr);
  EXPECT_EQ(priority->kind, Kind::int32_val);
  EXPECT_EQ(int_value(first, Name("merged.comm_size")).value, 64);
  EXPECT_EQ(int_value(first, Name("merged.start_time_micros")).value, 11);
  EXPECT_EQ(int_value(first, Name("merged.duration_micros")).value, 12);
  EXPECT_EQ(find(trace.nodes.attributes(trace.nodes.nodes[1]), Name("merged.comm_size")), nullptr);
}

// Chunk k of 4 of 103 bytes is 25 or, for the last three, 26 bytes; the ring forwards each chunk.
TEST(Merge, SpreadsARestOverTheChunks) {
  const Algorithm ring = build_collective({.collective = Collective::all_reduce, .ranks = 4});
  Plan plan(4, built(Collective::all_reduce, 4));
  std::vector<TraceBuilder> set;
  for (Rank r = 0; r < 4; ++r) set.push_back(TraceBuilder(r).collective(0, Collective::all_reduce, 103));
  MergedRank rounded(plan, set[0].trace());
  EXPECT_EQ(rounded.counts().rounded, 1U);
  EXPECT_EQ(rounded.counts().spread, 0U);

  plan.algorithms[0].flow = [flow = ChunkFlow::of(ring)] { return flow ? &*flow : nullptr; };
  EXPECT_EQ(problems(plan, set), Lines{});  // sizes are the same at both ends
  std::int64_t total = 0;
  for (TraceBuilder& b : set) {
    MergedRank rank(plan, b.trace());
    EXPECT_EQ(rank.counts().rounded, 0U);
    EXPECT_EQ(rank.counts().spread, 1U);
    const Trace trace = merged(plan, b);
    for (const Node& n : trace.nodes.nodes) {
      if (n.type == NodeType::comm_send) total += int_value(trace.nodes.attributes(n), attr::comm_size).value;
    }
  }
  EXPECT_EQ(total, 2 * 3 * 103);  // each chunk goes around twice, minus one hop
  EXPECT_EQ(ChunkFlow::of(ring)->chunks(), 4);
}

TEST(Merge, ChunksAreFollowedThroughAllBuffers) {
  for (const Collective c : {Collective::all_reduce, Collective::all_gather, Collective::reduce_scatter,
                             Collective::all_to_all, Collective::broadcast, Collective::reduce}) {
    for (const CollectiveAlgorithm& algorithm : collective_algorithms()) {
      if (!algorithm.offers(c)) continue;
      CollectiveRequest request{.collective = c, .algorithm = std::string(algorithm.name), .ranks = 6, .chunks = 2};
      if (algorithm.takes_dims) request.dims = {3, 2};
      const Algorithm a = build_collective(request);
      const auto flow = ChunkFlow::of(a);
      ASSERT_TRUE(flow);
      for (std::uint32_t p = 0; p < 6; ++p) {
        const auto tbs = a.threadblocks(a.gpus[p]);
        for (std::int32_t t = 0; t < static_cast<std::int32_t>(tbs.size()); ++t) {
          const auto steps = a.steps_of(tbs[static_cast<std::size_t>(t)]);
          for (std::int32_t s = 0; s < static_cast<std::int32_t>(steps.size()); ++s) {
            const Step& step = steps[static_cast<std::size_t>(s)];
            if (step.type == StepType::nop) continue;
            std::int32_t known = 0;
            for (const ChunkRun& run : flow->result(p, t, s)) known += run.first < 0 ? 0 : run.count;
            EXPECT_EQ(known, step.cnt) << a.name << " place " << p << " threadblock " << t << " step " << s;
          }
        }
      }
      EXPECT_TRUE(flow->result(6, 0, 0).empty());
      EXPECT_TRUE(flow->result(0, 1000, 0).empty());
      EXPECT_TRUE(flow->result(0, -1, 0).empty());
      EXPECT_TRUE(flow->received(0, 0, 1 << 20).empty());
    }
  }
}

// One byte for each chunk of each instance is enough; for an all-gather, the ranks' shards count together.
TEST(Merge, LeavesWhatIsTooSmall) {
  Plan plan(2, algorithm_of(swap_of_two()), 3);
  TraceBuilder w(0);
  w.comp(3).collective(17, Collective::all_reduce, 5, "", {3}).collective(18, Collective::all_reduce, 6, "", {17});
  w.collective(19, Collective::all_gather, 2, "", {18}).collective(20, Collective::all_gather, 3, "", {19});
  w.collective(21, Collective::all_reduce, 0, "", {20});
  const MergedRank rank(plan, w.trace());
  EXPECT_EQ(rank.counts().merged, 2U);
  EXPECT_EQ(rank.counts().kept, 3U);
  EXPECT_EQ(rank.counts().added, 18U);
  EXPECT_EQ(rank.counts().small, (std::map<std::pair<std::uint32_t, std::int64_t>, std::uint64_t>{{{0, 6}, 3}}));
  const Lines left = dump(merged(plan, w));
  EXPECT_EQ(
      Lines(left.begin(), left.begin() + 4),
      (Lines{"3 COMP", "17 COMM_COLL d:3 5 B", "19 COMM_COLL d:24,27,30 2 B", "21 COMM_COLL d:33,36,39 0 B"}));
  plan.require_all = true;
  EXPECT_EQ(merge_error(plan, w),
            "t.0.et:@0x10: node 17: its 5 bytes are too few for the 6 chunks of algo; --require-all requires it to "
            "be merged");
  TraceBuilder one(0);
  one.collective(17, Collective::all_reduce, 1);
  EXPECT_EQ(merge_error(plan, one),
            "t.0.et:@0x0: node 17: its 1 byte is too few for the 6 chunks of algo; --require-all requires it to be "
            "merged");
}

TEST(Merge, RefusesWhatCannotBe) {
  const auto coll = [](std::int64_t bytes, std::string_view group = {}) {
    TraceBuilder w(0);
    w.comp(3).collective(17, Collective::all_reduce, bytes, group, {3});
    return w;
  };
  const Plan plan(2, algorithm_of(swap_of_two()));
  EXPECT_EQ(merge_error(plan, coll(-1)), "t.0.et:@0x10: node 17: its comm_size is missing or invalid");
  EXPECT_EQ(merge_error(plan, coll(64, "5")),
            "t.0.et:@0x10: node 17: process group '5' is not defined; define it in PREFIX.groups.json");
  EXPECT_EQ(merge_error(Plan(3, algorithm_of(swap_of_two())), coll(64)),
            "t.0.et:@0x10: node 17: its group has 3 ranks, but algo is for 2");
  TraceBuilder gather(0);
  gather.collective(1, Collective::all_gather, std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(merge_error(plan, gather), "t.0.et:@0x0: node 1: the result of the all_gather exceeds 2^63 bytes");
  TraceBuilder last(0);
  last.comp(std::numeric_limits<NodeId>::max()).collective(1, Collective::all_reduce, 64);
  EXPECT_EQ(merge_error(plan, last), "t.0.et: no ids are left after 2^64-1");
  TraceBuilder near(0);
  near.comp(std::numeric_limits<NodeId>::max() - 2).collective(1, Collective::all_reduce, 64);
  EXPECT_EQ(merge_error(plan, near), "t.0.et:@0x10: node 1: there are not enough ids for its 3 nodes");
}

TEST(Merge, RefusesMisfits) {
  Plan plan(4, built(Collective::broadcast, 4));
  plan.groups["1"].ranks = {3, 1, 2, 0};
  plan.algorithms[0].collective = "broadcast";
  const Algorithm from_two = build_collective({.collective = Collective::broadcast, .ranks = 4, .root = 2});
  EXPECT_EQ(root_place(from_two), 2U);
  plan.algorithms[0].root = [&] { return root_place(from_two); };
  const auto broadcast = [](Rank root, std::string_view group) {
    TraceBuilder w(0);
    w.collective(7, Collective::broadcast, 64, group).set(attr::comm_src, root, Kind::int32_val);
    return w;
  };
  EXPECT_EQ(merge_error(plan, broadcast(2, "")), "");
  EXPECT_EQ(merge_error(plan, broadcast(2, "1")), "");
  EXPECT_EQ(merge_error(plan, broadcast(0, "1")),
            "t.0.et:@0x0: node 7: its root is member 3 of its group, but the root of algo is rank 2; use --misfits "
            "warn to merge it anyway");
  EXPECT_EQ(merge_error(plan, broadcast(9, "1")),
            "t.0.et:@0x0: node 7: its root, rank 9, is not a member of its group");

  Plan all(2, built(Collective::all_to_all, 2));
  TraceBuilder uneven(0);
  uneven.collective(7, Collective::all_to_all, 64).splits({48, 16}, {32, 32});
  EXPECT_EQ(merge_error(all, uneven),
            "t.0.et:@0x0: node 7: its split sizes differ (send_splits); algo requires equal sizes; use --misfits "
            "warn to merge it anyway");
  TraceBuilder even(0);
  even.collective(7, Collective::all_to_all, 64).splits({32, 32}, {32, 32});
  EXPECT_EQ(merge_error(all, even), "");
  TraceBuilder dims(0);
  dims.collective(7, Collective::all_to_all, 64);
  const std::int64_t some[] = {1, 0};
  dims.table().add_ints(attr::involved_dim, Kind::bool_list, some);
  EXPECT_EQ(merge_error(all, dims),
            "t.0.et:@0x0: node 7: it involves only some dimensions of the network (involved_dim); use a process "
            "group to define its ranks; use --misfits warn to merge it anyway");
  all.allow_misfits = true;
  EXPECT_EQ(MergedRank(all, uneven.trace()).counts().misfits, 1U);
}

TEST(Merge, RefusesAlgorithmsOfOtherCollectives) {
  Plan plan(2, built(Collective::all_reduce, 2));
  TraceBuilder w(0);
  w.collective(1, Collective::all_reduce, 64).collective(2, Collective::reduce_scatter, 64);
  plan.algorithms[0].collective = "allreduce";
  EXPECT_EQ(merge_error(plan, w),
            "t.0.et:@0x10: node 2: it is a collective of kind reduce_scatter, algo is an algorithm for allreduce; "
            "use --misfits warn to merge it anyway");
  plan.allow_misfits = true;
  EXPECT_EQ(MergedRank(plan, w.trace()).counts().misfits, 0U);
  const std::set<std::pair<std::uint32_t, Collective>> other = {{0, Collective::reduce_scatter}};
  EXPECT_EQ(MergedRank(plan, w.trace()).counts().others, other);
  plan.algorithms[0].collective = "custom";
  EXPECT_EQ(MergedRank(plan, w.trace()).counts().others.size(), 2U);
  plan.allow_misfits = false;
  EXPECT_EQ(merge_error(plan, w),
            "t.0.et:@0x0: node 1: it is a collective of kind all_reduce, algo is a custom algorithm, which "
            "declares no collective; use --misfits warn to merge it anyway");
  plan.algorithms[0].collective = "";
  EXPECT_EQ(MergedRank(plan, w.trace()).counts().merged, 2U) << "no declared collective";
  plan.algorithms[0].relays = {1};
  EXPECT_EQ(merge_error(plan, w),
            "t.0.et:@0x0: node 1: rank 1 of algo only relays messages; the workload's rank would neither "
            "contribute nor receive data; use --misfits warn to merge it anyway");
  plan.allow_misfits = true;
  EXPECT_EQ(MergedRank(plan, w.trace()).counts().misfits, 2U);
  plan.algorithms[0].relays.clear();
  plan.algorithms[0].collective = "reducescatter";
  EXPECT_EQ(MergedRank(plan, w.trace()).counts().others.begin()->second, Collective::all_reduce);
}

TEST(Merge, RootPlaces) {
  for (const Collective c : {Collective::broadcast, Collective::reduce}) {
    for (const CollectiveAlgorithm& algorithm : collective_algorithms()) {
      if (!algorithm.offers(c) || algorithm.takes_dims) continue;
      for (const std::int32_t root : {0, 2, 4}) {
        const Algorithm a =
            build_collective({.collective = c, .algorithm = std::string(algorithm.name), .ranks = 5, .root = root});
        EXPECT_EQ(root_place(a), static_cast<std::uint32_t>(root)) << a.name;
      }
    }
  }
  EXPECT_EQ(root_place(gather_over_two()), 1U);
  EXPECT_EQ(root_place(scatter_over_two()), 1U);
  EXPECT_EQ(root_place(build_collective({.collective = Collective::all_reduce, .ranks = 5})), std::nullopt);
}

TEST(Merge, CensusKnowsRoots) {
  TraceBuilder a(0), b(0);
  a.collective(7, Collective::broadcast, 64).set(attr::comm_src, 1, Kind::int32_val);
  b.collective(7, Collective::broadcast, 64).set(attr::comm_src, 2, Kind::int32_val);
  a.collective(8, Collective::reduce, 64).set(attr::comm_src, 3, Kind::int32_val);
  const CollectiveCensus census = count_collectives(a.trace().nodes);
  EXPECT_EQ(census.groups.at("0").kinds,
            (std::set<std::pair<Collective, std::int64_t>>{{Collective::reduce, -1}, {Collective::broadcast, 1}}));
  EXPECT_NE(count_collectives(b.trace().nodes).groups.at("0").digest, census.groups.at("0").digest);
}

// The trace of an algorithm for two ranks, made invalid.
std::string place_error(TraceBuilder b) {
  return error_text([&] { (void)read_merge_place(b.trace(), 2); }, "merge");
}

TEST(MergePlaces, RefuseWhatIsNoAlgorithm) {
  EXPECT_EQ(place_error(TraceBuilder(0)), "t.0.et: the trace of an algorithm has no nodes");
  EXPECT_EQ(
      place_error(TraceBuilder(0).comp(1).node(2, NodeType::mem_load)),
      "t.0.et:@0x10: node 2: an algorithm consists of sends, receives and computations, not of MEM_LOAD_NODE");
  EXPECT_EQ(place_error(TraceBuilder(0).send(1, 2, 0, 8)),
            "t.0.et:@0x0: node 1: comm_dst must be another of the 2 ranks");
  EXPECT_EQ(place_error(TraceBuilder(0).send(1, 0, 0, 8)),
            "t.0.et:@0x0: node 1: comm_dst must be another of the 2 ranks");
  EXPECT_EQ(place_error(TraceBuilder(1).node(1, NodeType::comm_recv)),
            "t.1.et:@0x0: node 1: comm_src must be another of the 2 ranks");
  EXPECT_EQ(place_error(TraceBuilder(0).send(1, 1, 0, -1)),
            "t.0.et:@0x0: node 1: a message needs comm_size or chunk counts");
  EXPECT_EQ(place_error(TraceBuilder(0).comp(1, {1})),
            "t.0.et:@0x0: node 1: depends on node 1, which does not exist or is itself");
  EXPECT_EQ(place_error(TraceBuilder(0).comp(1, {7})),
            "t.0.et:@0x0: node 1: depends on node 7, which does not exist or is itself");
  EXPECT_EQ(place_error(TraceBuilder(0).comp(1).comp(1)), "t.0.et:@0x10: node 1: another node has its id");
  EXPECT_EQ(place_error(TraceBuilder(0).comp(1, {2}).comp(2, {1})),
            "t.0.et: dependency cycle; run et-validate to find it");
  TraceBuilder text(0);
  text.send(1, 1, 0, 8);
  text.table().add_string(attr::duration_nanos, "x");
  EXPECT_EQ(place_error(text), "t.0.et:@0x0: node 1: attribute duration_nanos is not an integer below 2^63");
}

TEST(MergePlaces, NumberTheTagsBetweenTwoPlaces) {
  TraceBuilder b(0);
  b.send(5, 1, 900, 8).send(6, 1, -3, 8).send(7, 2, 900, 8).recv(8, 1, 77, 8).send(9, 1, 900, 8);
  const MergePlace place = read_merge_place(b.trace(), 3);
  EXPECT_EQ(place.tags, 2U);
  std::vector<std::uint32_t> tags;
  for (const auto& n : place.nodes) tags.push_back(n.tag);
  EXPECT_EQ(tags, (std::vector<std::uint32_t>{1, 0, 0, 0, 1}));
}

}  // namespace
}  // namespace convert
