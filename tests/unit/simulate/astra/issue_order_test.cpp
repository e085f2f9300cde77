// SPDX-License-Identifier: MIT
// The model for ASTRA-sim's order of issue: the containers of libstdc++ themselves.
#include "simulate/astra/issue_order.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <unordered_map>
#include <unordered_set>

#include "simulate/astra/hash_order.h"
#include "simulate/program/op.h"

namespace convert {
namespace {

using Set = std::unordered_set<std::uint64_t>;
using Engine = std::mt19937_64;

std::vector<std::uint64_t> walk(const HashOrder& set) {
  std::vector<std::uint64_t> keys;
  set.for_each([&](std::uint32_t place) { keys.push_back(set.key(place)); });
  return keys;
}
std::vector<std::uint64_t> walk(const Set& set) { return {set.begin(), set.end()}; }

// Inserts into and erases from both at random.
void compare(std::uint64_t range, int operations, int erase_percent, Engine& random) {
  HashOrder ours;
  Set theirs;
  std::map<std::uint64_t, std::uint32_t> places;
  for (int i = 0; i < operations; ++i) {
    const std::uint64_t key = random() % range;
    if (static_cast<int>(random() % 100) < erase_percent && !places.empty()) {
      auto at = places.lower_bound(key);
      if (at == places.end()) at = places.begin();
      theirs.erase(at->first);
      ours.erase(at->second);
      places.erase(at);
    } else if (theirs.insert(key).second) {
      places[key] = ours.insert(key);
    }
    if (i % 7 == 0 || operations < 200) {
      ASSERT_EQ(walk(ours), walk(theirs)) << "after " << i;
    }
    ASSERT_EQ(ours.size(), theirs.size());
    ASSERT_EQ(ours.bucket_count(), theirs.bucket_count());
  }
  ASSERT_EQ(walk(ours), walk(theirs));
}

TEST(HashOrder, IsThatOfTheStandardLibrary) {
  Engine random(1);
  for (int round = 0; round < 300; ++round)
    compare(1 + random() % 200, 100, static_cast<int>(random() % 80), random);
  for (const std::uint64_t range : {std::uint64_t{50}, std::uint64_t{3000}, ~std::uint64_t{0}}) {
    for (const int erase_percent : {0, 30, 60}) compare(range, 3000, erase_percent, random);
  }
}

// Each growth up to 351,061 buckets.
TEST(HashOrder, GrowsAsTheStandardLibraryDoes) {
  HashOrder ours;
  Set theirs;
  std::uint32_t buckets = ours.bucket_count();
  int growths = 0;
  for (std::uint64_t i = 0; i < 200'000; ++i) {
    const std::uint64_t key = i * 0x9e3779b97f4a7c15U;
    ours.insert(key);
    theirs.insert(key);
    ASSERT_EQ(ours.bucket_count(), theirs.bucket_count()) << i;
    if (ours.bucket_count() == buckets) continue;
    buckets = ours.bucket_count();
    ++growths;
    ASSERT_EQ(walk(ours), walk(theirs)) << i;
  }
  EXPECT_EQ(growths, 15);
}

// All keys in one bucket: a chain must not make any operation slow (10^10 steps if one were linear).
TEST(HashOrder, HasNoSlowChains) {
  HashOrder set;
  std::vector<std::uint32_t> places;
  for (std::uint64_t i = 0; i < 100'000; ++i) places.push_back(set.insert(i * 172'933 * 42'043));
  for (const std::uint32_t place : places) set.erase(place);
  EXPECT_EQ(set.size(), 0U);
}

TEST(HashOrder, ClearedKeepsTheBucketsItIsTold) {
  Engine random(3);
  HashOrder ours;
  for (const std::uint32_t elements : {5U, 100U, 3U, 40U}) {
    Set theirs;
    for (std::uint64_t i = 0; i < 60; ++i) theirs.insert(i);
    const auto buckets = static_cast<std::uint32_t>(theirs.bucket_count());
    theirs.clear();
    ours.clear(buckets);
    for (std::uint32_t i = 0; i < elements; ++i) {
      const std::uint64_t key = random();
      theirs.insert(key);
      EXPECT_EQ(ours.insert(key), i);
    }
    EXPECT_EQ(walk(ours), walk(theirs));
    EXPECT_EQ(ours.bucket_count(), theirs.bucket_count());
  }
}

// A graph of `nodes` nodes in random order with random ids; dependencies may refer to later nodes.
Trace random_graph(std::uint32_t nodes, Engine& random) {
  std::vector<NodeId> ids;
  Set known;
  const std::uint64_t range = random() % 2 == 0 ? 3 * nodes : ~std::uint64_t{0};
  while (ids.size() < nodes) {
    if (const NodeId id = random() % range; known.insert(id).second) ids.push_back(id);
  }
  std::vector<std::uint32_t> file(nodes);  // positions in the file → positions in dependency order
  for (std::uint32_t i = 0; i < nodes; ++i) file[i] = i;
  std::shuffle(file.begin(), file.end(), random);
  Trace t;
  for (const std::uint32_t i : file) {
    std::vector<NodeId> data;
    std::vector<NodeId> control;
    for (std::uint64_t d = i < 3 ? 0 : random() % 6; d > 0; --d)
      (random() % 3 == 0 ? control : data).push_back(ids[random() % i]);
    t.nodes.add_node(ids[i], NodeType::comp, "");
    for (const NodeId id : data) t.nodes.add_data_dep(id);
    for (const NodeId id : control) t.nodes.add_ctrl_dep(id);
    t.nodes.end_node();
  }
  return t;
}

// Ready nodes as stored by ASTRA-sim's feeder.
class Reference {
 public:
  explicit Reference(const Trace& t) {
    for (const Node& n : t.nodes.nodes) {
      Set parents;
      for (const NodeId id : t.nodes.data_deps(n)) parents.insert(id);
      for (const NodeId id : t.nodes.ctrl_deps(n)) parents.insert(id);
      allocate(n.id);
      for (const NodeId id : parents) {
        allocate(id);
        parents_[n.id].insert(id);
        children_[id].insert(n.id);
      }
    }
    for (const auto& [id, parents] : parents_) {
      if (parents.empty()) free_.insert(id);
    }
  }
  // Takes all.
  std::vector<NodeId> take() {
    const Set copy = free_;
    for (const NodeId id : copy) free_.erase(id);
    return walk(copy);
  }
  void finish(NodeId id) {
    for (const NodeId child : children_[id]) {
      parents_[child].erase(id);
      if (parents_[child].empty()) free_.insert(child);
    }
  }

 private:
  void allocate(NodeId id) {
    if (!parents_.contains(id)) parents_[id] = {};
    if (!children_.contains(id)) children_[id] = {};
  }
  std::unordered_map<NodeId, Set> parents_;
  std::unordered_map<NodeId, Set> children_;
  Set free_;
};

TEST(IssueOrder, IsThatOfTheReferencesFeeder) {
  Engine random(5);
  std::size_t ties = 0;
  for (int round = 0; round < 200; ++round) {
    const Trace t = random_graph(1 + static_cast<std::uint32_t>(random() % (round % 20 == 0 ? 2000 : 60)), random);
    const Graph graph = build_graph(t.nodes);
    RankCode code{.feeder = Feeder(t.nodes, graph)};
    const auto order = std::make_shared<IssueOrder>(t.nodes, graph, code.feeder);
    code.issue_order = order;
    for (std::uint32_t node = 0; node < code.feeder.size(); ++node)
      code.ids.push_back(t.nodes.nodes[code.feeder.index_of(node)].id);
    Reference reference(t);
    IssueArranger arranger;
    Feeder feeder = code.feeder;
    std::uint32_t bucket_count = order->bucket_count;
    std::vector<std::uint32_t> running;
    std::vector<NodeId> issued;
    const auto issue = [&](std::uint32_t node) {
      issued.push_back(code.id(node));
      running.push_back(node);
    };
    feeder.issue_all(
        [&](std::span<std::uint32_t> fresh) {
          ASSERT_EQ(order->first.size(), fresh.size());
          std::copy(order->first.begin(), order->first.end(), fresh.begin());
        },
        issue);
    ASSERT_EQ(issued, reference.take());
    while (!running.empty()) {
      std::swap(running[random() % running.size()], running.back());
      const std::uint32_t ended = running.back();
      running.pop_back();
      feeder.complete(ended);
      reference.finish(code.id(ended));
      issued.clear();
      feeder.issue_all(
          [&](std::span<std::uint32_t> fresh) { arranger.arrange(code, feeder, ended, fresh, bucket_count); },
          issue);
      ASSERT_EQ(issued, reference.take());
      ties += issued.size() > 1 ? 1 : 0;
    }
    ASSERT_TRUE(feeder.done());
  }
  EXPECT_GT(ties, 1000U);
}

// A million nodes of two children each: each set costs no more than the largest one.
TEST(IssueOrder, OfAMillionNodes) {
  constexpr std::uint32_t nodes = 1'000'000;
  Trace t;
  for (std::uint32_t i = 0; i < nodes; ++i) {
    t.nodes.add_node(i, NodeType::comp, "");
    if (i >= 1000) t.nodes.add_data_dep(i - 1000);
    if (i >= 1001) t.nodes.add_data_dep(i - 1001);
    t.nodes.end_node();
  }
  const Graph graph = build_graph(t.nodes);
  const Feeder feeder(t.nodes, graph);
  const IssueOrder order(t.nodes, graph, feeder);
  EXPECT_EQ(order.first.size(), 1000U);
  EXPECT_EQ(order.bucket_count, 1109U);
  EXPECT_EQ(order.children_of_all.size(), graph.edges());
  EXPECT_EQ(order.children(0).size(), 2U);
}

}  // namespace
}  // namespace convert
