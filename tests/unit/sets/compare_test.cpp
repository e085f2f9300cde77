// SPDX-License-Identifier: MIT
#include "sets/classes/compare.h"

#include <gtest/gtest.h>

#include "common/class_set.h"
#include "common/error_text.h"
#include "generate/workload/workload.h"
#include "split_sets.h"

namespace convert {
namespace {

using namespace test;

std::vector<Trace> eight_ranks() {
  Workload w;
  w.name = "small";
  w.model = {.layers = 2, .hidden = 60, .heads = 4, .kv_heads = 2, .ffn = 100, .vocab = 250};
  w.step = {.sequence = 16, .micro_batches = 2};
  w.plan = {.context = 2, .data = 2, .pipeline = 2};
  const WorkloadSet set(w);
  std::vector<Trace> traces;
  for (Rank r = 0; r < set.ranks(); ++r) traces.push_back(set.trace(r));
  return traces;
}

// The comparison of two sets by classes equals the comparison of each rank.
void expect_as_rank_by_rank(const std::vector<Trace>& a, const std::vector<Trace>& b, std::uint64_t matched,
                            const DiffWishes& wishes = {}) {
  Difference expected;
  for (const Trace& t : a) {
    const auto other = std::ranges::find(b, wishes.in_b(t.rank), &Trace::rank);
    if (other == b.end()) {
      expected.ranks_only_a.push_back(t.rank);
    } else {
      expected.append(compare_traces(t, *other, wishes));
    }
  }
  for (const Trace& t : b) {
    if (std::ranges::find(a, t.rank, &Trace::rank) == a.end()) expected.ranks_only_b.push_back(t.rank);
  }
  const MasterSet of_a = by_classes(a), of_b = by_classes(b);
  const Difference found = compare_by_classes(of_a, "a", of_b, "b", wishes, 2);
  EXPECT_EQ(difference_json(found, 0), difference_json(expected, 0));
  EXPECT_EQ(found.matched, matched);
}

std::uint64_t count(const std::vector<Trace>& traces) {
  std::uint64_t sum = 0;
  for (const Trace& t : traces) sum += t.nodes.nodes.size();
  return sum;
}

Attr& value(Trace& trace, Name name, std::size_t which) {
  for (Attr& a : trace.nodes.attrs) {
    if (a.name == name && which-- == 0) return a;
  }
  throw std::out_of_range("no such attribute");
}

TEST(ComparingClasses, TheSame) {
  const std::vector<Trace> a = eight_ranks();
  expect_as_rank_by_rank(a, a, count(a));
}

TEST(ComparingClasses, OneRankDiffersInOneValue) {
  const std::vector<Trace> a = eight_ranks();
  for (const Name name : {attr::comm_size, attr::comm_dst, attr::comm_tag, attr::num_ops}) {
    std::vector<Trace> b = a;
    ++value(b[6], name, 1).bits;
    expect_as_rank_by_rank(a, b, count(a));
    expect_as_rank_by_rank(b, a, count(a));
    expect_as_rank_by_rank(b, b, count(a));
  }
}

// The groups of a class have other ranks, in all groups or in some.
TEST(ComparingClasses, GroupsDiffer) {
  const std::vector<Trace> a = eight_ranks();
  std::vector<Trace> b = a;
  for (const Rank r : {0U, 1U}) {
    for (Attr& v : b[r].nodes.attrs) {
      if (v.name != attr::pg_name || b[r].nodes.string(v).size() != 1) continue;
      const Text text = b[r].nodes.add_text(std::to_string(7 + r));
      v.bits = text.offset;
    }
  }
  expect_as_rank_by_rank(a, b, count(a));
  expect_as_rank_by_rank(b, a, count(a));
}

TEST(ComparingClasses, SomeRanksAreInOneOnly) {
  const std::vector<Trace> a = eight_ranks();
  const std::vector<Trace> b(a.begin() + 2, a.end());
  expect_as_rank_by_rank(a, b, count(b));
  expect_as_rank_by_rank(b, a, count(b));
  std::vector<Trace> turned = a;
  std::ranges::reverse(turned);
  expect_as_rank_by_rank(a, turned, count(a));
  std::vector<Trace> twice = a;
  twice.push_back(a[3]);
  const MasterSet of_a = by_classes(a), of_b = by_classes(twice);
  EXPECT_EQ(error_message([&] { (void)compare_by_classes(of_a, "a", of_b, "b", {}, 1); }), "rank 3 is repeated");
}

// Each pair of ranks is reported with its own numbers in B; groups and peers of matching ranks may differ.
TEST(ComparingClasses, RanksHaveOtherNumbers) {
  const std::vector<Trace> a = eight_ranks();
  DiffWishes wishes;
  wishes.ranks = {{5, 6}, {6, 5}};
  expect_as_rank_by_rank(a, a, count(a), wishes);
  wishes.groups = {{"3", "4"}, {"4", "3"}};
  expect_as_rank_by_rank(a, a, count(a), wishes);
  wishes.ranks.clear();
  expect_as_rank_by_rank(a, a, count(a), wishes);
}

TEST(ComparingClasses, NodesInAnotherOrder) {
  const std::vector<Trace> a = eight_ranks();
  std::vector<Trace> b = a;
  for (Trace& t : b) std::swap(t.nodes.nodes[5], t.nodes.nodes[6]);
  expect_as_rank_by_rank(a, b, count(a));
}

}  // namespace
}  // namespace convert
