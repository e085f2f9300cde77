// SPDX-License-Identifier: MIT
#include "sets/derived/iterating.h"

#include <gtest/gtest.h>

#include <random>

#include "common/error_text.h"
#include "config/workload/metadata.h"
#include "core/master/builder.h"
#include "generate/workload/workload.h"
#include "sanitized.h"
#include "sets/classes/set.h"
#include "split_sets.h"

namespace convert {
namespace {

using namespace test;

// Steps of a small transformer on two stages of two context-parallel ranks: rings have low tags, the pipeline has
// high ones.
WorkloadSet workload_of_steps(std::int64_t iterations) {
  Workload w;
  w.name = "small";
  w.model = {.layers = 2, .hidden = 60, .heads = 4, .kv_heads = 2, .ffn = 100, .vocab = 250};
  w.step = {.sequence = 16, .micro_batches = 2, .iterations = iterations};
  w.plan = {.context = 2, .data = 2, .pipeline = 2};
  return WorkloadSet(w);
}

HeldSet steps(std::int64_t iterations) {
  const WorkloadSet set = workload_of_steps(iterations);
  std::vector<Trace> traces;
  for (Rank r = 0; r < set.ranks(); ++r) traces.push_back(set.trace(r));
  return HeldSet(std::move(traces), groups_text(set.groups()));
}

std::int64_t highest_tag(const std::vector<Trace>& traces) {
  std::int64_t highest = -1;
  for (const Trace& t : traces) {
    for (const Attr& a : t.nodes.attrs) {
      if (a.name == attr::comm_tag) highest = std::max(highest, static_cast<std::int64_t>(a.bits));
    }
  }
  return highest;
}

// Generated steps are not marked: the calls of each rank repeat, though calls differ between stages.
TEST(Iterating, StepsOfAGeneratedWorkload) {
  HeldSet three = steps(3), four = steps(4);
  IterationSet set(three, {.first = 1, .last = 1, .repeat = 4});
  EXPECT_NE(set.description().at(0).find("3 iterations (0 to 2), from a period of "), std::string::npos);
  EXPECT_EQ(set.spread(), std::nullopt);
  const std::vector<Trace> repeated = set.load(1), expected = four.load(1);
  for (std::size_t r = 0; r < expected.size(); ++r)
    EXPECT_EQ(repeated.at(r).nodes.nodes.size(), expected[r].nodes.nodes.size());
}

// One rank of each class is processed, and no rank is lost.
TEST(Iterating, StepsOfASetByClasses) {
  HeldSet ranks = steps(3);
  ClassSet classes("held", workload_of_steps(3).master());
  for (const IterationOptions& options :
       {IterationOptions{.first = 1, .last = 1, .repeat = 4}, IterationOptions{.first = 0, .last = 1},
        IterationOptions{.medoid = true, .repeat = 2}}) {
    IterationSet expected(ranks, options), set(classes, options);
    EXPECT_EQ(expected.master(), nullptr);
    ASSERT_NE(set.master(), nullptr);
    EXPECT_EQ(set.master()->classes.size(), 2U);
    EXPECT_EQ(set.description(), expected.description());
    EXPECT_TRUE(set_bytes(set) == set_bytes(expected));
    EXPECT_EQ(set.counts().left_out, expected.counts().left_out);
    EXPECT_EQ(set.counts().made, expected.counts().made);
  }
  IterationSet long_one(classes, {.first = 1, .last = 1, .repeat = 20'000});
  EXPECT_EQ(long_one.master(), nullptr);  // too many nodes for memory
  Trace head;
  EXPECT_TRUE(long_one.open_rank(7)->next_rank(head));
  EXPECT_EQ(head.rank, 7U);
}

// For any differences of some ranks, the same set is made, or the same error reported, as rank by rank.
TEST(Iterating, SetsByClassesOfWhichRanksDiffer) {
  std::mt19937 random(7);
  std::size_t made = 0, refused = 0;
  const std::vector<Trace> whole = steps(3).load(1);
  for (int round = 0; round < rounds(150); ++round) {
    std::vector<Trace> traces = whole;
    for (std::uint64_t changes = 1 + random() % 3; changes > 0; --changes) {
      const Name name = std::array{attr::pg_name, attr::comm_dst, attr::comm_size, attr::num_ops}.at(random() % 4);
      const std::uint64_t rank = random() % 8, by = 1 + random() % 2, which = random() % 20,
                          every = 1 + random() % 8;
      for (std::uint64_t r = rank; r < 8; r += every) {
        std::uint64_t seen = 0;
        for (Attr& a : traces[r].nodes.attrs) {
          if (a.name != name || seen++ != which) continue;
          if (name != attr::pg_name) {
            a.bits = name == attr::comm_dst ? (a.bits + by) % 8 : a.bits + by;
          } else {
            const Text text = traces[r].nodes.add_text(std::to_string(by));
            a.bits = text.offset;
            a.size = text.size;
          }
        }
      }
    }
    HeldSet ranks(traces);
    MasterBuilder builder;
    for (const Trace& t : traces) {
      builder.begin_rank(t.rank, t.metadata);
      builder.nodes(t.nodes);
      builder.end_rank();
    }
    ClassSet classes("held", builder.finish());
    const auto result = [](SetSource& source) {
      SetBytes bytes;
      std::string error;
      try {
        IterationSet set(source, {.first = 1, .last = 1, .repeat = 2});
        bytes = set_bytes(set);
      } catch (const Error& e) {
        error = e.what();
      }
      return std::pair(bytes, error);
    };
    const auto expected = result(ranks), found = result(classes);
    (expected.second.empty() ? made : refused) += 1;
    EXPECT_EQ(found.second, expected.second);
    EXPECT_TRUE(found.first == expected.first) << round;
  }
  EXPECT_GT(made, rounds(20U));
  EXPECT_GT(refused, rounds(20U));
}

TEST(Iterating, TheMetadataTellTheStepsTaken) {
  HeldSet three = steps(3);
  const auto told = [&](const IterationOptions& options) {
    IterationSet set(three, options);
    return told_workload(set.load(1).back().metadata, "held")->step.iterations;
  };
  EXPECT_EQ(told({.first = 1, .last = 1}), 1);
  EXPECT_EQ(told({.first = 1, .last = 2}), 2);
  EXPECT_EQ(told({.first = 0, .last = 1, .repeat = 5}), 10);
}

TEST(Iterating, NoRankGetsMoreNodesThanAProgramReads) {
  HeldSet three = steps(3);
  EXPECT_EQ(error_message([&] { IterationSet set(three, {.first = 0, .last = 0, .repeat = 100'000'000}); }),
            "--repeat 100000000: rank 0 would have more than 4294967295 nodes");
}

// 31 bits are too few for 200 copies of tags up to 2^24: they are interleaved.
TEST(Iterating, TagsOfManyCopies) {
  HeldSet two = steps(2);
  const std::int64_t recorded = highest_tag(two.load(1));
  EXPECT_GT(recorded, 1 << 24);
  IterationSet few(two, {.first = 0, .last = 0, .repeat = 3});
  EXPECT_GT(highest_tag(few.load(1)), 3 * (1 << 24));
  IterationSet many(two, {.first = 0, .last = 0, .repeat = 200});
  const std::vector<Trace> traces = many.load(1);
  EXPECT_LT(highest_tag(traces), 2 * (1 << 24));
  std::map<std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>, int> sends;  // by source, destination and tag
  for (const Trace& t : traces) {
    for (const Node& n : t.nodes.nodes) {
      if (n.type != NodeType::comm_send) continue;
      const auto attrs = t.nodes.attributes(n);
      ++sends[{t.rank, find(attrs, attr::comm_dst)->bits, find(attrs, attr::comm_tag)->bits}];
    }
  }
  for (const auto& [message, count] : sends) ASSERT_EQ(count, 1);
}

TEST(Iterating, WhatIterationsAreAsked) {
  EXPECT_EQ(iteration_options("7").first, 7);
  EXPECT_EQ(iteration_options("3-5").last, 5);
  EXPECT_TRUE(iteration_options("medoid").medoid);
  for (const char* text : {"", "-", "5-", "-5", "5-3", "05", "x", "9223372036854775808"})
    EXPECT_EQ(
        error_message([&] { (void)iteration_options(text); }),
        "--iteration " + std::string(text) + ": expected a number, such as 5, a range, such as 3-5, or medoid");
}

}  // namespace
}  // namespace convert
