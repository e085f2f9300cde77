// SPDX-License-Identifier: MIT
#include "sets/classes/counting.h"

#include <gtest/gtest.h>

#include <atomic>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/class_set.h"
#include "common/held_set.h"
#include "generate/workload/workload.h"
#include "sets/classes/set.h"

namespace convert {
namespace {

// Counts the ranks that are read.
class WatchedClasses : public ClassSet {
 public:
  explicit WatchedClasses(MasterSet set) : ClassSet("held", std::move(set)) {}
  [[nodiscard]] std::unique_ptr<TraceReader> open_rank(std::size_t i) override {
    ++read;
    return ClassSet::open_rank(i);
  }
  std::atomic<std::size_t> read = 0;
};

WorkloadSet workload_to_count(std::uint32_t tensor, std::uint32_t data) {
  Workload w;
  w.name = "small";
  w.model = {.layers = 2, .hidden = 60, .heads = 4, .kv_heads = 2, .ffn = 100, .vocab = 250};
  w.step = {.sequence = 16, .micro_batches = 2};
  w.plan = {.tensor = tensor, .context = 2, .data = data, .pipeline = 2};
  return WorkloadSet(w);
}

std::vector<Trace> ranks_to_count(const WorkloadSet& set) {
  std::vector<Trace> traces;
  for (Rank r = 0; r < set.ranks(); ++r) traces.push_back(set.trace(r));
  return traces;
}
std::vector<Trace> eight_to_count() { return ranks_to_count(workload_to_count(1, 2)); }

// Returns ranks that each call two collectives of a group, and compute.
std::vector<Trace> calling_to_count(const std::vector<std::string>& groups, bool computing_has_group = false) {
  std::vector<Trace> traces;
  for (const std::string& group : groups) {
    Trace& t = traces.emplace_back();
    t.rank = static_cast<Rank>(traces.size() - 1);
    for (NodeId id = 0; id < 3; ++id) {
      t.nodes.add_node(id, id == 1 ? NodeType::comp : NodeType::comm_coll, "n");
      if (id != 1) t.nodes.add_int(attr::comm_size, Kind::int64_val, 100);
      if (id != 1) t.nodes.add_string(attr::pg_name, group);
      if (id == 1) t.nodes.add_int(attr::num_ops, Kind::int64_val, 100);
      if (id == 1 && computing_has_group) t.nodes.add_string(attr::pg_name, "7");
      t.nodes.end_node();
    }
  }
  return traces;
}

std::string all_sections(const SetStatistics& statistics) {
  Statistics sections;
  for (const std::string& name : SetStatistics::section_names()) sections.push_back(statistics.section(name));
  return statistics_json(sections, 0);
}

// Expects equal results for ranks by classes and for ranks read one by one, with `read` ranks read.
void expect_same_counts(const std::vector<Trace>& traces, const MasterSet& set, std::size_t read,
                        std::initializer_list<NodeKey> keys = {NodeKey::nothing, NodeKey::name, NodeKey::type,
                                                               NodeKey::group, NodeKey::rank}) {
  for (const NodeKey by : keys) {
    const RankWishes wishes{.by = by, .redundant = true, .path = true, .ops_per_ns = 0.5};
    const SetStatistics::Options options{.by = by, .ops_per_ns = 0.5};
    test::HeldSet held(traces);
    WatchedClasses classes(set);
    EXPECT_EQ(all_sections(statistics_of(classes, wishes, options, 2)),
              all_sections(statistics_of(held, wishes, options, 2)));
    EXPECT_EQ(classes.read, read) << static_cast<int>(by);
  }
}
void expect_same_counts(const std::vector<Trace>& traces, std::size_t read) {
  expect_same_counts(traces, test::by_classes(traces), read);
}

// Calls change(attribute) for all attributes of a name on ranks from `first` on.
template <class Change>
std::vector<Trace> with_changed(std::vector<Trace> traces, Name name, Rank first, const Change& change) {
  for (Trace& t : traces) {
    for (Attr& a : t.nodes.attrs) {
      if (a.name == name && t.rank >= first) change(t, a);
    }
  }
  return traces;
}

TEST(Counting, OneRankOfEachClassIsRead) {
  for (const std::uint32_t data : {2U, 8U}) {
    const WorkloadSet set = workload_to_count(2, data);
    const MasterSet master = set.master();
    ASSERT_LT(master.classes.size(), master.ranks());
    expect_same_counts(ranks_to_count(set), master, master.classes.size());
  }
}

TEST(Counting, RanksOfAClassInWhichOneComputesMoreAreReadRankByRank) {
  expect_same_counts(with_changed(eight_to_count(), attr::num_ops, 7, [](Trace&, Attr& a) { a.bits *= 3; }), 5);
}

TEST(Counting, GroupsOfOtherNamesThanNumbersAreReadRankByRank) {
  expect_same_counts(calling_to_count({"3", "3", "4", "5"}), 1);
  expect_same_counts(calling_to_count({"a", "a", "b", "c"}), 4);
  expect_same_counts(calling_to_count({"", "0", "1", "2"}), 4);
}

TEST(Counting, ByGroupRanksAreReadWhereOtherNodesNameOne) {
  const std::vector<Trace> traces = calling_to_count({"5", "6", "7", "8"}, true);
  const MasterSet set = test::by_classes(traces);
  expect_same_counts(traces, set, 1, {NodeKey::nothing, NodeKey::rank});
  expect_same_counts(traces, set, 4, {NodeKey::group});
}

TEST(Counting, PeersThatAreNoRanksAreReadRankByRank) {
  expect_same_counts(with_changed(eight_to_count(), attr::comm_dst, 0, [](Trace&, Attr& a) { a.bits = ~a.bits; }),
                     8);
}

TEST(Counting, APathThatWouldBeDroppedIsNotKept) {
  const std::vector<Trace> traces = eight_to_count();
  const SetStatistics::Options options{.most_path_nodes = 10};
  test::HeldSet held(traces);
  WatchedClasses classes(test::by_classes(traces));
  EXPECT_EQ(all_sections(statistics_of(classes, {.path = true}, options, 1)),
            all_sections(statistics_of(held, {.path = true}, options, 1)));
}

// Ranks from 1 on; the first one is missing.
TEST(Counting, OfSetsThatLackARankEachIsRead) {
  std::vector<Trace> traces = eight_to_count();
  traces.erase(traces.begin());
  expect_same_counts(traces, 7);
}

}  // namespace
}  // namespace convert
