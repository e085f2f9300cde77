// SPDX-License-Identifier: MIT
#include "sets/classes/counting.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <string>
#include <utility>
#include <vector>

#include "common/class_set.h"
#include "common/held_set.h"
#include "generate/workload/workload.h"
#include "sets/classes/set.h"

namespace convert {
namespace {

// Counts how many ranks are read.
class WatchedClasses : public ClassSet {
 public:
  explicit WatchedClasses(MasterSet set) : ClassSet("held", std::move(set)) {}
  [[nodiscard]] std::unique_ptr<TraceReader> open_rank(std::size_t i) override {
    ++read;
    return ClassSet::open_rank(i);
  }
  std::atomic<std::size_t> read = 0;
};

std::vector<Trace> traces_of(std::uint32_t data) {
  Workload w;
  w.name = "small";
  w.model = {.layers = 2, .hidden = 60, .heads = 4, .kv_heads = 2, .ffn = 100, .vocab = 250};
  w.step = {.sequence = 16, .micro_batches = 2};
  w.plan = {.tensor = 2, .data = data, .pipeline = 2};
  const WorkloadSet set(w);
  std::vector<Trace> traces;
  for (Rank r = 0; r < set.ranks(); ++r) traces.push_back(set.trace(r));
  return traces;
}

std::string all_sections(const SetStatistics& statistics) {
  Statistics sections;
  for (const std::string& name : SetStatistics::section_names()) sections.push_back(statistics.section(name));
  return statistics_json(sections, 0);
}

// Expects of ranks by classes what is told when each is read, of which there are to be `read`.
void expect_same_counts(const std::vector<Trace>& traces, std::size_t read) {
  for (const NodeKey by : {NodeKey::nothing, NodeKey::name, NodeKey::type, NodeKey::group, NodeKey::rank}) {
    const RankWishes wishes{.by = by, .redundant = true, .path = true, .ops_per_ns = 0.5};
    const SetStatistics::Options options{.by = by, .ops_per_ns = 0.5};
    test::HeldSet held(traces);
    WatchedClasses classes(test::by_classes(traces));
    EXPECT_EQ(all_sections(statistics_of(classes, wishes, options, 2)),
              all_sections(statistics_of(held, wishes, options, 2)));
    EXPECT_EQ(classes.read, read) << static_cast<int>(by);
  }
}

// Calls change(attribute) for all of a name on ranks from `first` on.
template <class Change>
std::vector<Trace> changed(std::vector<Trace> traces, Name name, Rank first, const Change& change) {
  for (Trace& t : traces) {
    for (Attr& a : t.nodes.attrs) {
      if (a.name == name && t.rank >= first) change(t, a);
    }
  }
  return traces;
}

TEST(Counting, OneRankOfEachClassIsRead) {
  expect_same_counts(traces_of(2), 2);
  expect_same_counts(traces_of(8), 2);
}

TEST(Counting, RanksOfAClassInWhichOneComputesMoreAreReadRankByRank) {
  expect_same_counts(changed(traces_of(2), attr::num_ops, 7, [](Trace&, Attr& a) { a.bits *= 3; }), 5);
}

TEST(Counting, GroupsOfOtherNamesThanNumbersAreReadRankByRank) {
  const auto named = [](Trace& t, Attr& a) {
    const Text text = t.nodes.add_text("group " + std::string(t.nodes.string(a)));
    a.bits = text.offset;
    a.size = text.size;
  };
  expect_same_counts(changed(traces_of(2), attr::pg_name, 0, named), 8);
}

TEST(Counting, PeersThatAreNoRanksAreReadRankByRank) {
  expect_same_counts(changed(traces_of(2), attr::comm_dst, 0, [](Trace&, Attr& a) { a.bits = ~a.bits; }), 8);
}

TEST(Counting, APathThatWouldBeDroppedIsNotKept) {
  const std::vector<Trace> traces = traces_of(2);
  const SetStatistics::Options options{.most_path_nodes = 10};
  test::HeldSet held(traces);
  WatchedClasses classes(test::by_classes(traces));
  EXPECT_EQ(all_sections(statistics_of(classes, {.path = true}, options, 1)),
            all_sections(statistics_of(held, {.path = true}, options, 1)));
}

// Ranks from 1 on, of which the first is missing.
TEST(Counting, OfSetsThatLackARankEachIsRead) {
  std::vector<Trace> traces = traces_of(2);
  traces.erase(traces.begin());
  expect_same_counts(traces, 7);
}

}  // namespace
}  // namespace convert
