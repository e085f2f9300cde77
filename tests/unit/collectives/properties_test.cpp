// SPDX-License-Identifier: MIT
// Properties of each scheme in the literature, computed by hand: rounds, traffic, shape; and rejected requests.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "collectives/collective.h"
#include "common/expect_error.h"
#include "core/diagnostic.h"
#include "passes/verify/step_graph.h"

namespace convert {
namespace {

using enum Collective;

Algorithm build(Collective collective, const std::string& algorithm, std::int32_t ranks, std::int32_t chunks = 1,
                const std::vector<std::int32_t>& dims = {}, const std::vector<std::string>& of_dims = {}) {
  return build_collective({.collective = collective,
                           .algorithm = algorithm,
                           .ranks = ranks,
                           .chunks = chunks,
                           .dims = dims,
                           .dim_algorithms = of_dims});
}

// Chunks that each rank sends.
std::vector<std::int32_t> sent(const Algorithm& a) {
  std::vector<std::int32_t> chunks;
  for (const Gpu& gpu : a.gpus) {
    chunks.push_back(0);
    for (const Threadblock& tb : a.threadblocks(gpu)) {
      for (const Step& s : a.steps_of(tb)) chunks.back() += sends(s.type) ? s.cnt : 0;
    }
  }
  return chunks;
}

std::int32_t most_sent(const Algorithm& a) {
  const auto chunks = sent(a);
  return *std::max_element(chunks.begin(), chunks.end());
}

std::int32_t all_sent(const Algorithm& a) {
  std::int32_t sum = 0;
  for (const std::int32_t c : sent(a)) sum += c;
  return sum;
}

// Longest chain of messages, if only messages take time.
std::int32_t rounds(const Algorithm& a) {
  const StepGraph p = make_step_graph(a);
  std::vector<std::int32_t> end(p.step_count(), -1);
  std::vector<std::uint32_t> next(p.chains.size(), 0);
  std::vector<std::uint32_t> received(p.connections.size(), 0);
  std::int32_t longest = 0;
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t c = 0; c < p.chains.size(); ++c) {
      for (; next[c] < p.chains[c].count; ++next[c], moved = true) {
        const std::uint32_t s = p.chains[c].first + next[c];
        std::int32_t at = next[c] == 0 ? 0 : end[s - 1];
        bool ready = true;
        for (const Dependency& d : p.deps_of(s)) {
          ready = ready && end[d.step] >= 0;
          at = std::max(at, end[d.step]);
        }
        if (ready && p.steps[s].in != no_index) {
          const Connection& from = p.connections[p.steps[s].in];
          const std::int32_t left = end[p.send_steps[from.send_begin + received[p.steps[s].in]]];
          ready = left >= 0;
          at = std::max(at, left + 1);
        }
        if (!ready) break;
        if (p.steps[s].in != no_index) ++received[p.steps[s].in];
        end[s] = at;
        longest = std::max(longest, at);
      }
    }
  }
  EXPECT_EQ(std::count(end.begin(), end.end(), -1), 0) << "not everything ran";
  return longest;
}

TEST(Properties, RingAllReduceIsOptimalInTraffic) {
  for (const std::int32_t n : {2, 3, 8, 17}) {
    const Algorithm a = build(all_reduce, "ring", n);
    EXPECT_EQ(a.chunks, n);
    EXPECT_EQ(sent(a),
              std::vector<std::int32_t>(static_cast<std::size_t>(n), 2 * (n - 1)));  // 2(n-1)/n of the size
    EXPECT_EQ(rounds(a), 2 * (n - 1));
    for (const Gpu& gpu : a.gpus) {
      ASSERT_EQ(gpu.tb_count, 1U);
      EXPECT_EQ(a.tbs[gpu.first_tb].step_count,
                static_cast<std::uint32_t>(2 * n - 1));  // all but the ends are fused
    }
  }
}

// Partial sums are not stored: s, rrs…, rrcs, rcs…, r.
TEST(Properties, RingStepsAreFused) {
  const Algorithm a = build(all_reduce, "ring", 4);
  std::string types;
  for (const Step& s : a.steps_of(a.tbs[0])) types += std::string(name(s.type)) + " ";
  EXPECT_EQ(types, "s rrs rrs rrcs rcs rcs r ");
  const Algorithm scatter = build(reduce_scatter, "ring", 4);
  types.clear();
  for (const Step& s : scatter.steps_of(scatter.tbs[0])) types += std::string(name(s.type)) + " ";
  EXPECT_EQ(types, "s rrs rrs rrc ");
}

TEST(Properties, RingsOfPartsTakeHalf) {
  for (const Collective c : {all_gather, reduce_scatter}) {
    const Algorithm a = build(c, "ring", 9, 2);
    EXPECT_EQ(a.chunks, 18);
    EXPECT_EQ(most_sent(a), 16);
    EXPECT_EQ(rounds(a), 8);
    EXPECT_EQ(a.channels, 2);
  }
}

TEST(Properties, BidirectionalRingUsesBothDirectionsAlike) {
  const Algorithm a = build(all_reduce, "bidirectional_ring", 6);
  EXPECT_EQ(a.chunks, 12);
  EXPECT_EQ(rounds(a), 10);
  std::map<std::int32_t, std::int32_t> by_peer;
  for (const Threadblock& tb : a.threadblocks(a.gpus[0])) {
    for (const Step& s : a.steps_of(tb)) by_peer[tb.send] += sends(s.type) ? s.cnt : 0;
  }
  EXPECT_EQ(by_peer, (std::map<std::int32_t, std::int32_t>{{1, 10}, {5, 10}}));
}

TEST(Properties, DirectTakesOneRound) {
  for (const std::int32_t n : {2, 5, 40}) {
    EXPECT_EQ(rounds(build(all_reduce, "direct", n)), 1);
    EXPECT_EQ(most_sent(build(all_reduce, "direct", n)), n - 1);  // of 1 chunk: n-1 times the size
    EXPECT_EQ(rounds(build(all_to_all, "direct", n)), 1);
    EXPECT_EQ(most_sent(build(all_to_all, "direct", n)), n - 1);  // of n chunks
    EXPECT_EQ(rounds(build(all_reduce, "all_pairs", n)), 2);
    EXPECT_EQ(most_sent(build(all_reduce, "all_pairs", n)), 2 * (n - 1));  // of n chunks
    EXPECT_EQ(rounds(build(all_gather, "direct", n)), 1);
    EXPECT_EQ(rounds(build(reduce_scatter, "direct", n)), 1);
  }
  EXPECT_EQ(build(all_to_all, "direct", 33).channels, 1);
  EXPECT_EQ(build(all_to_all, "direct", 34).channels, 2);  // 32 peers on a channel
}

TEST(Properties, PairwiseTakesTurns) {
  EXPECT_EQ(rounds(build(all_to_all, "pairwise", 9)), 8);
  EXPECT_EQ(most_sent(build(all_to_all, "pairwise", 9)), 8);
}

TEST(Properties, HalvingAndDoublingTakeLogarithmicRounds) {
  for (const auto& [n, log2] : {std::pair{2, 1}, {4, 2}, {16, 4}, {64, 6}}) {
    EXPECT_EQ(rounds(build(all_reduce, "halving_doubling", n)), 2 * log2);
    EXPECT_EQ(most_sent(build(all_reduce, "halving_doubling", n)), 2 * (n - 1));  // of n chunks, as the ring
    EXPECT_EQ(rounds(build(reduce_scatter, "halving_doubling", n)), log2);
    EXPECT_EQ(rounds(build(all_gather, "halving_doubling", n)), log2);
    EXPECT_EQ(most_sent(build(all_gather, "halving_doubling", n)), n - 1);
    EXPECT_EQ(rounds(build(all_reduce, "recursive_doubling", n)), log2);
    EXPECT_EQ(most_sent(build(all_reduce, "recursive_doubling", n)), log2);  // of 1 chunk
    EXPECT_EQ(rounds(build(all_reduce, "rabenseifner", n)), 2 * log2);
  }
}

TEST(Properties, RanksBeyondAPowerOfTwoCostAFewRounds) {
  for (const auto& [n, log2] : {std::pair{7, 2}, {13, 3}, {63, 5}}) {
    const std::int32_t cores = 1 << log2;
    const Algorithm a = build(all_reduce, "halving_doubling", n);
    EXPECT_EQ(a.chunks, cores);
    EXPECT_EQ(rounds(a), 2 * log2 + 2);
    EXPECT_EQ(most_sent(a), 2 * (cores - 1) + cores);  // a core and its partner's result
    EXPECT_EQ(rounds(build(all_reduce, "recursive_doubling", n)), log2 + 2);
    // Pairs split the work: half of the data is exchanged there and back, one round more.
    const Algorithm shared = build(all_reduce, "rabenseifner", n);
    EXPECT_EQ(rounds(shared), 2 * log2 + 3);
    EXPECT_EQ(sent(shared)[1], cores);
    EXPECT_EQ(rounds(build(reduce_scatter, "halving_doubling", n)), log2 + 2);
    EXPECT_EQ(rounds(build(all_gather, "halving_doubling", n)), log2 + 2);
  }
}

TEST(Properties, RabenseifnerReduceAndBroadcastHalveAndDouble) {
  const Algorithm r = build(reduce, "rabenseifner", 16);
  EXPECT_EQ(rounds(r), 8);
  EXPECT_EQ(most_sent(r), 15 + 8);  // halving, then at most half of the blocks to the root
  EXPECT_EQ(sent(r)[0], 15);        // the root only halves
  const Algorithm b = build(broadcast, "rabenseifner", 16);
  EXPECT_EQ(rounds(b), 8);
  EXPECT_EQ(sent(b)[0], 15 + 15);
}

TEST(Properties, TreesAreAsDeepAsTheyShouldBe) {
  EXPECT_EQ(rounds(build(broadcast, "binomial_tree", 16)), 4);
  EXPECT_EQ(rounds(build(broadcast, "binomial_tree", 17)), 4);  // the root has an additional child, the depth is
                                                                // the same
  EXPECT_EQ(sent(build(broadcast, "binomial_tree", 17))[0], 5);
  EXPECT_EQ(rounds(build(reduce, "binary_tree", 15)), 3);
  EXPECT_EQ(rounds(build(all_reduce, "binary_tree", 15)), 6);
  EXPECT_EQ(rounds(build(broadcast, "chain", 9, 4)), 8);
  for (const char* tree : {"binomial_tree", "binary_tree", "chain"}) {
    for (const std::int32_t n : {2, 7, 16, 33}) {
      EXPECT_EQ(all_sent(build(broadcast, tree, n)), n - 1);  // each rank receives everything once
      EXPECT_EQ(all_sent(build(reduce, tree, n)), n - 1);
      EXPECT_EQ(all_sent(build(all_reduce, tree, n)), 2 * (n - 1));
    }
  }
}

TEST(Properties, NoRankIsAnInnerNodeOfBothTrees) {
  for (std::int32_t n = 2; n <= 64; ++n) {
    const Algorithm a = build(broadcast, "double_binary_tree", n);
    EXPECT_EQ(a.channels, 2);
    EXPECT_EQ(all_sent(a), 2 * (n - 1));  // of 2 chunks
    std::int32_t rank = 0;
    for (const Gpu& gpu : a.gpus) {
      std::set<std::int32_t> feeds_in;
      std::int32_t chunks = 0;
      for (const Threadblock& tb : a.threadblocks(gpu)) {
        for (const Step& s : a.steps_of(tb)) {
          if (!sends(s.type)) continue;
          feeds_in.insert(tb.chan);
          chunks += s.cnt;
        }
      }
      if (rank++ == 0) {
        EXPECT_EQ(chunks, 2) << n;  // the root sends the data once
      } else {
        EXPECT_LE(feeds_in.size(), 1U) << n;
        EXPECT_LE(chunks, 2) << n;
      }
    }
  }
  // Depth: log2 of 63 members is a perfect tree of 6 levels; one hop from the root, one up, one down its shift.
  EXPECT_EQ(rounds(build(broadcast, "double_binary_tree", 64)), 6);
  EXPECT_EQ(rounds(build(all_reduce, "double_binary_tree", 64)), 12);
}

// Reduce-scatter in the first dimension moves the most data, and each further dimension less by the preceding
// sizes.
TEST(Properties, HierarchicalTrafficFallsFromDimensionToDimension) {
  for (const char* scheme : {"ring", "direct", "halving_doubling"}) {
    const Algorithm a = build(all_reduce, "hierarchical", 64, 1, {2, 4, 8}, {scheme});
    std::int32_t by_dim[3] = {};
    for (const Threadblock& tb : a.threadblocks(a.gpus[0])) {  // from rank 0, the distance determines the dimension
      for (const Step& s : a.steps_of(tb)) {
        if (sends(s.type)) by_dim[tb.send >= 8 ? 2 : tb.send >= 2 ? 1 : 0] += s.cnt;
      }
    }
    EXPECT_EQ(by_dim[0], 2 * 32) << scheme;     // (2-1)/2 of 64 chunks, there and back
    EXPECT_EQ(by_dim[1], 2 * 24) << scheme;     // (4-1)/4 of 32
    EXPECT_EQ(by_dim[2], 2 * 7) << scheme;      // (8-1)/8 of 8
    EXPECT_EQ(most_sent(a), 2 * 63) << scheme;  // optimal as a whole
  }
  EXPECT_EQ(rounds(build(all_reduce, "hierarchical", 64, 1, {2, 4, 8}, {"ring"})), 2 * (1 + 3 + 7));
  EXPECT_EQ(rounds(build(all_reduce, "hierarchical", 64, 1, {2, 4, 8}, {"direct"})), 2 * 3);
  EXPECT_EQ(rounds(build(all_reduce, "hierarchical", 64, 1, {2, 4, 8}, {"direct", "ring", "halving_doubling"})),
            2 * (1 + 3 + 3));
  // One message per peer in an all-reduce: chunks that stay together are neighbours.
  const Algorithm a = build(all_reduce, "hierarchical", 64, 1, {2, 4, 8}, {"direct"});
  for (const Threadblock& tb : a.threadblocks(a.gpus[5])) {
    const auto steps = a.steps_of(tb);
    EXPECT_EQ(std::count_if(steps.begin(), steps.end(), [](const Step& s) { return sends(s.type); }), 2);
  }
}

TEST(Properties, AllToAllByDimensionsSendsFewerAndLargerMessages) {
  const Algorithm a = build(all_to_all, "hierarchical", 32, 1, {4, 8});
  EXPECT_EQ(rounds(a), 8 / 2 + 1);  // 8 messages to a peer in the first dimension, 2 at a time; 1 in the second
  EXPECT_EQ(most_sent(a), 3 * 8 + 7 * 4);
  for (const Threadblock& tb : a.threadblocks(a.gpus[0])) {
    for (const Step& s : a.steps_of(tb)) {
      if (tb.send >= 4 && sends(s.type)) {
        EXPECT_EQ(s.cnt, 4);
      }
    }
  }
}

std::string refusal(const CollectiveRequest& r) {
  return test::error_message([&] { (void)build_collective(r); }, Error::Kind::usage);
}

TEST(Properties, WhatCannotBeBuiltIsRefusedWithTheReason) {
  EXPECT_EQ(refusal({.algorithm = "rings", .ranks = 4}),
            "unknown algorithm 'rings'; did you mean ring?; the algorithms for all_reduce are ring, "
            "bidirectional_ring, direct, all_pairs, halving_doubling, recursive_doubling, rabenseifner, "
            "binomial_tree, binary_tree, double_binary_tree, chain, hierarchical");
  EXPECT_EQ(refusal({.collective = all_to_all, .algorithm = "ring", .ranks = 4}),
            "algorithm ring does not support all_to_all; the algorithms for all_to_all are direct, hierarchical, "
            "pairwise");
  EXPECT_EQ(refusal({.collective = gather, .ranks = 4}), "there is no algorithm for the collective gather");
  EXPECT_EQ(refusal({.ranks = 1}), "a collective requires at least 2 ranks, not 1");
  EXPECT_EQ(refusal({.ranks = 1 << 20}), "1048576 ranks are too many for a program; the limit is 65536");
  EXPECT_EQ(refusal({.ranks = 4, .chunks = 0}), "chunks must be at least 1, not 0");
  EXPECT_EQ(refusal({.ranks = 4, .root = 1}), "all_reduce has no root");
  EXPECT_EQ(refusal({.collective = broadcast, .ranks = 4, .root = 4}), "root 4 is not one of the 4 ranks");
  EXPECT_EQ(refusal({.ranks = 4, .dims = {2, 2}}), "algorithm ring takes no dimensions; use hierarchical");
  EXPECT_EQ(refusal({.algorithm = "bidirectional_ring", .ranks = 3, .chunks = 20}),
            "algorithm bidirectional_ring requires 40 channels for 3 ranks and chunks=20; the limit is 32, which "
            "is enough for chunks=16");
  EXPECT_EQ(refusal({.algorithm = "direct", .ranks = 1026}),
            "algorithm direct requires 33 channels for 1026 ranks and chunks=1; the limit is 32");
  EXPECT_EQ(
      refusal({.algorithm = "ring", .ranks = 60000}),
      "the program has more than 16777216 chunks on all ranks; use fewer ranks or chunks, or an algorithm with "
      "fewer steps");
  EXPECT_EQ(refusal({.algorithm = "hierarchical", .ranks = 8}),
            "algorithm hierarchical requires the sizes of its dimensions, such as 2x4");
  EXPECT_EQ(refusal({.algorithm = "hierarchical", .ranks = 8, .dims = {2, 3}}),
            "dimensions 2x3 make 6 ranks, not 8");
  EXPECT_EQ(refusal({.algorithm = "hierarchical", .ranks = 8, .dims = {-2, -4}}),
            "dimensions -2: sizes must be at least 1");
  EXPECT_EQ(refusal({.algorithm = "hierarchical", .ranks = 8, .dims = {2, 4}, .dim_algorithms = {"rung"}}),
            "unknown algorithm 'rung' for a dimension; did you mean ring?; the algorithms are ring, direct and "
            "halving_doubling");
  EXPECT_EQ(
      refusal(
          {.algorithm = "hierarchical", .ranks = 8, .dims = {2, 4}, .dim_algorithms = {"ring", "ring", "ring"}}),
      "there are 2 dimensions, but the number of algorithms is 3");
  EXPECT_EQ(refusal({.collective = all_to_all,
                     .algorithm = "hierarchical",
                     .ranks = 8,
                     .dims = {2, 4},
                     .dim_algorithms = {"ring"}}),
            "an all-to-all takes no algorithms of dimensions; omit them");
}

TEST(Properties, TheDefaultsCoverAllSix) {
  for (const Collective c : {all_reduce, all_gather, reduce, broadcast, all_to_all, reduce_scatter})
    EXPECT_EQ(build_collective({.collective = c, .ranks = 5}).collective, c);
}

TEST(Rings, ChannelsKeepToTheirRings) {
  const std::vector<std::vector<std::int32_t>> rings = {{0, 1, 2, 3}, {0, 3, 2, 1}};
  CollectiveRequest request{.collective = all_reduce, .algorithm = "graph", .ranks = 4};
  const Algorithm a = build_on_rings(request, rings);
  EXPECT_EQ(a.channels, 2);
  EXPECT_EQ(a.chunks, 8);
  EXPECT_EQ(rounds(a), 6);
  EXPECT_EQ(all_sent(a), 4 * 2 * 6);
  for (std::int32_t rank = 0; rank < 4; ++rank) {
    for (const Threadblock& tb : a.threadblocks(a.gpus[static_cast<std::size_t>(rank)])) {
      EXPECT_EQ(tb.send, (rank + (tb.chan == 0 ? 1 : 3)) % 4);
      EXPECT_EQ(tb.recv, (rank + (tb.chan == 0 ? 3 : 1)) % 4);
      EXPECT_EQ(tb.step_count, 7U);  // received data is forwarded in the same step
    }
  }
  request.chunks = 3;
  const Algorithm pieces = build_on_rings(request, rings);
  EXPECT_EQ(pieces.channels, 2);
  EXPECT_EQ(pieces.chunks, 24);
}

TEST(Rings, RefusedRequests) {
  const auto refused = [&](const CollectiveRequest& r, std::size_t channels) {
    const std::vector<std::vector<std::int32_t>> rings(channels, {0, 1});
    return test::error_text([&] { (void)build_on_rings(r, rings); }, Error::Kind::usage);
  };
  EXPECT_EQ(refused({.collective = all_to_all, .algorithm = "graph", .ranks = 2}, 1),
            ": rings are for all_reduce, all_gather, reduce_scatter, broadcast, reduce, not for all_to_all");
  for (const Collective collective : {all_reduce, broadcast})
    EXPECT_EQ(refused({.collective = collective, .algorithm = "graph", .ranks = 2, .chunks = 2}, 33),
              ": the rings use 33 channels; the limit is 32");
  EXPECT_EQ(refused({.collective = broadcast, .algorithm = "graph", .ranks = 2, .root = 2}, 1),
            ": root 2 is not one of the 2 ranks");
}

}  // namespace
}  // namespace convert
