// SPDX-License-Identifier: MIT
#include "simulate/system/rounds.h"

#include <gtest/gtest.h>

#include <bit>
#include <set>
#include <vector>

namespace convert {
namespace {

PhasePlan phase(NativeAlgorithm algorithm, Collective op, std::uint32_t n) {
  const SystemModel model{.dims = {n},
                          .npus = n,
                          .splits = 1,
                          .optimization = CollectiveOptimization::baseline,
                          .collectives = {CollectiveChoice{{{algorithm}}}, CollectiveChoice{{{algorithm}}},
                                          CollectiveChoice{{{algorithm}}}, CollectiveChoice{{{algorithm}}}},
                          .rules = Rules(false)};
  return plan_collective(model, {}, {.op = op, .bytes = 1000}).phases(0).front();
}

// Each round's sent bytes match the receiver's expected bytes, for any remainder.
TEST(Rounds, MessagesMatch) {
  for (const auto algorithm : {NativeAlgorithm::ring, NativeAlgorithm::direct, NativeAlgorithm::halving_doubling,
                               NativeAlgorithm::dissemination}) {
    for (const auto op : {Collective::all_reduce, Collective::all_gather, Collective::reduce_scatter}) {
      for (std::uint32_t n = 2; n <= 17; ++n) {
        if (algorithm == NativeAlgorithm::halving_doubling && !std::has_single_bit(n)) continue;
        PhasePlan p = phase(algorithm == NativeAlgorithm::dissemination ? NativeAlgorithm::ring : algorithm, op, n);
        p.algorithm = algorithm;
        for (const bool back : {false, true}) {
          for (std::uint64_t k = 0; k < rounds(p); ++k) {
            for (std::uint32_t place = 0; place < n; ++place) {
              const Round mine = round(p, place, 1000, k, back);
              const Round theirs = round(p, mine.to, 1000, k, back);
              ASSERT_EQ(theirs.from, place);
              ASSERT_EQ(theirs.in_bytes, mine.out_bytes);
            }
          }
        }
      }
    }
  }
}

// The total bytes that a member sends: all shards but one for each half of an all-reduce.
TEST(Rounds, BytesAddUp) {
  for (const auto algorithm : {NativeAlgorithm::ring, NativeAlgorithm::direct, NativeAlgorithm::halving_doubling}) {
    for (const std::uint32_t n : {2U, 4U, 8U, 16U}) {
      const PhasePlan p = phase(algorithm, Collective::all_reduce, n);
      for (std::uint32_t place = 0; place < n; ++place) {
        std::int64_t in = 0;
        std::int64_t reduced = 0;
        for (std::uint64_t k = 0; k < rounds(p); ++k) {
          const Round r = round(p, place, 1003, k, false);
          in += r.in_bytes;
          reduced += r.reduces ? r.in_bytes : 0;
        }
        const std::int64_t own = part_bytes(1003, n, place);
        // When gathering, the data of all others arrives; when scattering, n-1 contributions to the own shard
        // arrive, halved on the route.
        EXPECT_EQ(in - reduced, 1003 - own) << n << " " << place;
        if (algorithm == NativeAlgorithm::direct) {
          EXPECT_EQ(reduced, own * (n - 1));
        }
      }
    }
  }
}

// Contributions, followed round by round: in a ring and by halving and doubling, every member ends with all
// contributions.
TEST(Rounds, AllReduceReducesAll) {
  for (std::uint32_t n = 2; n <= 16; ++n) {
    const PhasePlan p = phase(NativeAlgorithm::ring, Collective::all_reduce, n);
    // With one byte in shard q and none elsewhere, the messages that carry it belong to shard q.
    for (std::uint32_t q = 0; q < n; ++q) {
      std::vector<std::set<std::uint32_t>> has(n);
      for (std::uint32_t place = 0; place < n; ++place) has[place] = {place};
      for (std::uint64_t k = 0; k < rounds(p); ++k) {
        const auto before = has;
        for (std::uint32_t place = 0; place < n; ++place) {
          // part_bytes gives the larger shards to the lowest numbers: shard q alone has one byte more than shard
          // q+1.
          const Round r = round(p, place, std::int64_t{q} + 1, k, false);
          const Round s = round(p, place, std::int64_t{q}, k, false);
          if (r.in_bytes == s.in_bytes) continue;  // of another shard
          if (r.reduces) {
            has[place].insert(before[r.from].begin(), before[r.from].end());
          } else {
            has[place] = before[r.from];
          }
        }
      }
      for (std::uint32_t place = 0; place < n; ++place) EXPECT_EQ(has[place].size(), n) << n << " part " << q;
    }
  }
}

TEST(Stages, TreesReachAll) {
  for (const auto op : {Collective::broadcast, Collective::reduce, Collective::gather, Collective::scatter}) {
    for (std::uint32_t n = 2; n <= 17; ++n) {
      for (std::uint32_t root = 0; root < n; ++root) {
        const bool star = op == Collective::gather || op == Collective::scatter;
        const PhasePlan p{.algorithm = star ? NativeAlgorithm::star : NativeAlgorithm::binomial_tree,
                          .op = op,
                          .members = n,
                          .root = root};
        std::size_t edges = 0;
        for (std::uint32_t place = 0; place < n; ++place) {
          const std::vector<Stage> s = stages(p, place, false);
          ASSERT_EQ(s.size(), 1U);
          const bool down = op == Collective::broadcast || op == Collective::scatter;
          EXPECT_EQ((down ? s[0].from : s[0].to).size(), place == root ? 0U : 1U);
          for (const std::uint32_t to : s[0].to) {
            const std::vector<std::uint32_t> from = stages(p, to, false)[0].from;
            EXPECT_EQ(std::count(from.begin(), from.end(), place), 1);
            ++edges;
          }
        }
        EXPECT_EQ(edges, n - 1);
      }
    }
  }
}

TEST(Stages, DoubleTreesAreTrees) {
  for (const std::uint32_t n : {2U, 4U, 8U, 16U}) {
    for (const bool low_root : {false, true}) {
      PhasePlan p = phase(NativeAlgorithm::double_binary_tree, Collective::all_reduce, n);
      std::size_t up = 0;
      for (std::uint32_t place = 0; place < n; ++place) {
        const std::vector<Stage> s = stages(p, place, low_root);
        const bool is_root = place == (low_root ? 0 : n - 1);
        ASSERT_EQ(s.size(), is_root ? 1U : 2U);
        if (is_root) continue;
        ASSERT_EQ(s[0].to.size(), 1U);
        const std::vector<std::uint32_t> from = stages(p, s[0].to[0], low_root)[0].from;
        EXPECT_EQ(std::count(from.begin(), from.end(), place), 1);
        EXPECT_EQ(s[1].from, s[0].to);
        ++up;
      }
      EXPECT_EQ(up, n - 1);
    }
  }
}

}  // namespace
}  // namespace convert
