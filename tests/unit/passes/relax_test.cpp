// SPDX-License-Identifier: MIT
#include "passes/relax.h"

#include <gtest/gtest.h>

#include <random>

#include "passes/dep_rules.h"
#include "passes/incremental_order.h"
#include "random_sets.h"
#include "sanitized.h"

namespace convert {
namespace {

using namespace test;

// Summaries and orders of a set, in which dependencies can be removed.
struct Known {
  std::vector<TraceSummary> summaries;
  std::vector<RecordedOrder> orders;
};

Known known(std::vector<TraceBuilder>& set, const Cuts& without = {}) {
  Known k;
  for (TraceBuilder& b : set) {
    Trace t = b.trace();
    if (const auto cuts = without.find(t.rank); cuts != without.end()) cut_dependencies(t.nodes, cuts->second);
    k.summaries.push_back(summarise(t));
    k.orders.push_back(recorded_order(t));
  }
  return k;
}

Relaxation relaxed(std::vector<TraceBuilder>& set, const Cuts& without = {}, const GroupLists* groups = nullptr) {
  const Known k = known(set, without);
  return relax(k.summaries, k.orders, groups);
}

std::string contradiction(Cut::Contradicted what) {
  switch (what) {
    case Cut::Contradicted::nothing: break;
    case Cut::Contradicted::order: return ", order contradicted";
    case Cut::Contradicted::message: return ", message contradicted";
    case Cut::Contradicted::call: return ", call contradicted";
  }
  return {};
}

// One line per cut, such as "0:5 on 3 stream_order, order contradicted": rank and node, the node that it no longer
// depends on, the rule of that dependency, and the contradiction if there is one.
std::vector<std::string> cut_lines(const Cuts& cuts) {
  std::vector<std::string> out;
  for (const auto& [rank, of] : cuts) {
    for (const Cut& c : of) {
      out.push_back(std::to_string(rank) + ":" + std::to_string(c.node) + " on " + std::to_string(c.dependency) +
                    " " + std::string(dep_rule_name(c.rule)) + contradiction(c.contradicted));
    }
  }
  return out;
}

void rules(TraceBuilder& b, std::string_view letters) { b.table().add_string(attr::dep_rules, letters); }
void times(TraceBuilder& b, std::uint64_t start_us, std::uint64_t duration_us) {
  b.table().nodes.back().start_us = start_us;
  b.table().nodes.back().duration_us = duration_us;
}

// Both ranks receive, then send.
std::vector<TraceBuilder> crossed(std::string_view letters) {
  std::vector<TraceBuilder> set;
  for (Rank r = 0; r < 2; ++r) {
    set.emplace_back(r);
    set[r].recv(1, 1 - r, 0, 8).send(2, 1 - r, 0, 8, {1});
    rules(set[r], letters);
  }
  return set;
}

TEST(Relax, TakesOutOneDependencyOfACircle) {
  auto set = crossed("s");
  const Relaxation r = relaxed(set);
  EXPECT_TRUE(r.cycles);
  EXPECT_TRUE(r.breakable);
  EXPECT_EQ(cut_lines(r.cuts).size(), 1U);
  EXPECT_FALSE(relaxed(set, r.cuts).cycles);
}

TEST(Relax, LeavesSetsWithoutCirclesAlone) {
  auto set = crossed("s");
  set[1] = TraceBuilder(1);
  set[1].send(2, 0, 0, 8).recv(1, 0, 0, 8, {2});
  rules(set[1], "s");
  const Relaxation r = relaxed(set);
  EXPECT_FALSE(r.cycles);
  EXPECT_TRUE(r.cuts.empty());
}

TEST(Relax, WhatIsNotKnownToBeOrderStays) {
  for (const std::string_view letters : {"d", "", "x", "ss"}) {  // data; nothing; unknown; from another list
    auto set = crossed(letters);
    const Relaxation r = relaxed(set);
    EXPECT_TRUE(r.cycles) << letters;
    EXPECT_FALSE(r.breakable) << letters;
    EXPECT_TRUE(r.cuts.empty()) << letters;
  }
  std::vector<TraceBuilder> both;   // the receive is also the caller
  std::vector<TraceBuilder> twice;  // an order and a tensor
  for (Rank r = 0; r < 2; ++r) {
    both.emplace_back(r).recv(1, 1 - r, 0, 8).send(2, 1 - r, 0, 8, {1}).control(1);
    rules(both[r], "s");
    twice.emplace_back(r).recv(1, 1 - r, 0, 8).send(2, 1 - r, 0, 8, {1, 1});
    rules(twice[r], "sd");
  }
  EXPECT_FALSE(relaxed(both).breakable);
  EXPECT_FALSE(relaxed(twice).breakable);
}

TEST(Relax, BeginsWithWhatTheTimesContradict) {
  // Rank 1 received long before rank 0 sent; on rank 0 the order is possible.
  auto set = crossed("s");
  set[0] = TraceBuilder(0);
  set[0].recv(1, 1, 0, 8);
  times(set[0], 100, 10);
  set[0].send(2, 1, 0, 8, {1});
  rules(set[0], "s");
  times(set[0], 200, 10);
  set[1] = TraceBuilder(1);
  set[1].recv(1, 0, 0, 8);
  times(set[1], 20, 10);
  set[1].send(2, 0, 0, 8, {1});
  rules(set[1], "s");
  times(set[1], 90, 15);
  const Relaxation r = relaxed(set);
  EXPECT_EQ(cut_lines(r.cuts), Lines{"1:2 on 1 stream_order, message contradicted"});
  ASSERT_EQ(r.pairs.size(), 1U);
  EXPECT_EQ(r.pairs[0].source, 0U);
  EXPECT_EQ(r.pairs[0].send, 2U);
  EXPECT_EQ(r.pairs[0].destination, 1U);
  EXPECT_EQ(r.pairs[0].receive, 1U);
  EXPECT_EQ(r.pairs[0].by_ns, 170'000);
  // The clock of rank 1 has a base time, and the clock of rank 0 does not: they cannot be compared.
  set[1].trace().metadata.table.add_int(attr::base_time_nanos, Kind::uint64_val, 1);
  EXPECT_TRUE(relaxed(set).pairs.empty());
  // If the clocks differ by this much, it is the other message that came too early.
  set[0].trace().metadata.table.add_int(attr::base_time_nanos, Kind::uint64_val, 0);
  set[1].trace().metadata.table.attrs.back().bits = 170'000;
  EXPECT_EQ(cut_lines(relaxed(set).cuts), Lines{"0:2 on 1 stream_order, message contradicted"});
}

TEST(Relax, ADependencyThatDidNotHoldBackGoesBeforeOthers) {
  auto set = crossed("s");
  set[0] = TraceBuilder(0);
  set[0].recv(1, 1, 0, 8);
  times(set[0], 100, 10);
  set[0].comp(3, {1});
  rules(set[0], "s");
  times(set[0], 110, 10);
  set[0].send(2, 1, 0, 8, {3});
  rules(set[0], "p");
  times(set[0], 115, 10);  // before 3 had ended
  EXPECT_EQ(cut_lines(relaxed(set).cuts), Lines{"0:2 on 3 program_order, order contradicted"});
}

TEST(Relax, ACallThatEndedBeforeAllHadCalled) {
  const auto all_reduce = Collective::all_reduce;
  std::vector<TraceBuilder> set;
  for (Rank r = 0; r < 2; ++r) {
    TraceBuilder& b = set.emplace_back(r);
    b.collective(1, all_reduce, 8, r == 0 ? "1" : "2");
    times(b, r == 0 ? 100 : 10, 10);
    b.collective(2, all_reduce, 8, r == 0 ? "2" : "1", {1});
    rules(b, "s");
    times(b, r == 0 ? 200 : 105, 10);
  }
  EXPECT_EQ(cut_lines(relaxed(set).cuts), Lines{"1:2 on 1 stream_order, call contradicted"});
}

TEST(Relax, ExplicitWaitsStayLongerThanTheOrderOfStreams) {
  for (const char wait : {'l', 'e', 'y'}) {
    auto set = crossed(std::string(1, wait));
    set[1] = TraceBuilder(1);
    set[1].recv(1, 0, 0, 8).send(2, 0, 0, 8, {1});
    rules(set[1], "s");
    EXPECT_EQ(cut_lines(relaxed(set).cuts), Lines{"1:2 on 1 stream_order"});
    auto only = crossed(std::string(1, wait));
    EXPECT_EQ(cut_lines(relaxed(only).cuts).size(), 1U);
  }
}

TEST(Relax, CutsKeepTheOtherRules) {
  TraceBuilder b;
  b.comp(0).comp(1).comp(2, {0, 1, 0, 7});
  rules(b, "slsd");
  NodeTable& t = b.trace().nodes;
  cut_dependencies(t, std::vector<Cut>{{.node = 2, .dependency = 0, .rule = DepRule::stream_order}});
  EXPECT_EQ(std::vector<NodeId>(t.data_deps(t.nodes[2]).begin(), t.data_deps(t.nodes[2]).end()),
            (std::vector<NodeId>{1, 7}));
  EXPECT_EQ(t.string(*find(t.attributes(t.nodes[2]), attr::dep_rules)), "ld");
}

// Random sets in which each dependency has a rule and each node a time.
class RandomRecordings {
 public:
  explicit RandomRecordings(std::uint32_t seed, bool matching = false) : sets_(seed, matching) {}
  std::vector<TraceBuilder> next(GroupLists& groups) {
    const PlannedSet planned = sets_.next();
    groups = planned.groups;
    auto set = sets_.traces(planned, false);
    for (TraceBuilder& b : set) {
      NodeTable& t = b.trace().nodes;
      const std::vector<Attr> old = std::exchange(t.attrs, {});
      for (Node& n : t.nodes) {
        const Range attrs = n.attrs;
        n.attrs = {static_cast<std::uint32_t>(t.attrs.size()), attrs.count + 1};
        t.attrs.insert(t.attrs.end(), old.begin() + attrs.begin, old.begin() + attrs.begin + attrs.count);
        std::string letters;
        for (std::uint32_t d = 0; d < n.data_deps.count; ++d) letters += "pplssseeyhd"[sets_.below(11)];
        t.add_string(attr::dep_rules, letters);
        n.start_us = 1 + sets_.below(100);
        n.duration_us = sets_.below(20);
      }
    }
    return set;
  }

 private:
  RandomSets sets_;
};

Cuts all_order(std::vector<TraceBuilder>& set) {
  Cuts all;
  for (TraceBuilder& b : set) {
    for (const RecordedOrder::Edge& e : recorded_order(b.trace()).edges)
      all[b.trace().rank].push_back({.node = e.child, .dependency = e.parent, .rule = e.rule});
  }
  return all;
}

TEST(Relax, NoCircleIsLeftAndNoneIsTakenOutInVain) {
  RandomRecordings random(4);
  std::size_t with_cycles = 0, breakable = 0, taken = 0;
  for (int s = 0; s < test::rounds(4000); ++s) {
    GroupLists groups;
    auto set = random.next(groups);
    const Relaxation r = relaxed(set, {}, &groups);
    const Cuts order = all_order(set);
    ASSERT_EQ(r.breakable, !relaxed(set, order, &groups).cycles || !r.cycles) << "set " << s;
    with_cycles += r.cycles ? 1 : 0;
    if (!r.cycles || !r.breakable) {
      ASSERT_TRUE(r.cuts.empty());
      continue;
    }
    ++breakable;
    ASSERT_FALSE(relaxed(set, r.cuts, &groups).cycles) << "set " << s;
    for (const auto& [rank, cuts] : r.cuts) {
      for (const Cut& cut : cuts) {
        const auto& known = order.at(rank);
        ASSERT_TRUE(std::any_of(known.begin(), known.end(), [&](const Cut& c) {
          return c.node == cut.node && c.dependency == cut.dependency && c.rule == cut.rule;
        })) << "only order is removed";
        Cuts but_one = r.cuts;
        std::erase_if(but_one[rank],
                      [&](const Cut& c) { return c.node == cut.node && c.dependency == cut.dependency; });
        ASSERT_TRUE(relaxed(set, but_one, &groups).cycles) << "set " << s << ": each cut breaks a cycle";
        ++taken;
      }
    }
    // If removing contradicted dependencies suffices, no others are removed.
    const auto is_plain = [](const Cut& c) { return c.contradicted == Cut::Contradicted::nothing; };
    for (const auto& [rank, cuts] : r.cuts) {
      if (std::none_of(cuts.begin(), cuts.end(), is_plain)) continue;
      Cuts contradicted = r.cuts;
      for (auto& [other, of] : contradicted) std::erase_if(of, is_plain);
      ASSERT_TRUE(relaxed(set, contradicted, &groups).cycles);
      break;
    }
  }
  std::printf("%zu sets with cycles, %zu relaxed, %zu dependencies removed\n", with_cycles, breakable, taken);
  EXPECT_GT(breakable, test::rounds(300U));
  EXPECT_GT(taken, breakable);
}

TEST(Relax, WhatIsLeftEndsOnEveryNetworkAndWithOneBackOnNone) {
  RandomRecordings random(9, true);
  const auto without = [](std::vector<TraceBuilder> set, const Cuts& cuts) {
    for (const auto& [rank, of] : cuts) cut_dependencies(set[rank].trace().nodes, of);
    return set;
  };
  std::size_t runs = 0;
  for (int s = 0; s < test::rounds(400); ++s) {
    GroupLists groups;
    auto set = random.next(groups);
    const Relaxation r = relaxed(set, {}, &groups);
    if (!r.breakable) continue;
    std::vector<Cuts> one_back;
    for (const auto& [rank, cuts] : r.cuts) {
      for (std::size_t c = 0; c < cuts.size(); ++c) {
        Cuts but_one = r.cuts;
        but_one[rank].erase(but_one[rank].begin() + static_cast<std::ptrdiff_t>(c));
        one_back.push_back(std::move(but_one));
      }
    }
    for (const std::string network : {"ring", "switch", "torus"}) {
      if (network == "torus" && set.size() != 4) continue;
      for (const NetworkModel model : {NetworkModel::unaware, NetworkModel::aware, NetworkModel::wires}) {
        const How how{.network = network, .model = model};
        auto rest = without(set, r.cuts);
        ASSERT_TRUE(ends(rest, groups, how)) << "set " << s << " on " << network;
        for (const Cuts& cuts : one_back) {
          auto again = without(set, cuts);
          ASSERT_FALSE(ends(again, groups, how)) << "set " << s << " on " << network;
          ++runs;
        }
      }
    }
  }
  EXPECT_GT(runs, test::rounds(500U));
}

// A long chain of nodes on each rank, whose end waits for the other's begin: one cycle of all.
TEST(Relax, LongCirclesAreLinear) {
  constexpr NodeId count = test::rounds(200'000U);
  std::vector<TraceBuilder> set;
  for (Rank r = 0; r < 2; ++r) {
    set.emplace_back(r).recv(0, 1 - r, 0, 8);
    for (NodeId i = 1; i < count; ++i) {
      set[r].comp(i, {i - 1});
      rules(set[r], "p");
    }
    set[r].send(count, 1 - r, 0, 8, {count - 1});
    rules(set[r], "s");
  }
  const Relaxation r = relaxed(set);
  EXPECT_EQ(cut_lines(r.cuts).size(), 1U);
  EXPECT_FALSE(relaxed(set, r.cuts).cycles);
}

// Many consecutive cycles: each pair of messages crosses.
TEST(Relax, ManyCirclesAreLinear) {
  constexpr NodeId steps = test::rounds(50'000U);
  std::vector<TraceBuilder> set;
  for (Rank r = 0; r < 2; ++r) {
    set.emplace_back(r);
    for (NodeId i = 0; i < steps; ++i) {
      const auto tag = static_cast<std::int64_t>(i);
      set[r].recv(2 * i, 1 - r, tag, 8, i == 0 ? std::vector<NodeId>{} : std::vector<NodeId>{2 * i - 1});
      rules(set[r], i == 0 ? "" : "s");
      set[r].send(2 * i + 1, 1 - r, tag, 8, {2 * i});
      rules(set[r], "s");
    }
  }
  const Relaxation r = relaxed(set);
  EXPECT_EQ(cut_lines(r.cuts).size(), steps);
  EXPECT_FALSE(relaxed(set, r.cuts).cycles);
}

TEST(IncrementalOrder, RefusesWhatClosesACircle) {
  std::mt19937 random(7);
  for (int run = 0; run < 300; ++run) {
    const auto n = static_cast<std::uint32_t>(2 + random() % 12);
    std::vector<IncrementalOrder::Edge> edges(3 * n);
    for (auto& e : edges) e = {static_cast<std::uint32_t>(random() % n), static_cast<std::uint32_t>(random() % n)};
    std::vector<std::uint32_t> order(n);
    std::iota(order.begin(), order.end(), 0U);
    std::shuffle(order.begin(), order.end(), random);
    IncrementalOrder kept(order, edges);
    std::vector<std::vector<bool>> reaches(n, std::vector<bool>(n));
    for (std::uint32_t i = 0; i < n; ++i) reaches[i][i] = true;
    for (std::uint32_t e = 0; e < edges.size(); ++e) {
      const auto [from, to] = edges[e];
      ASSERT_EQ(kept.add(e), !reaches[to][from]) << "run " << run << " edge " << e;
      if (reaches[to][from]) continue;
      for (std::uint32_t a = 0; a < n; ++a) {
        for (std::uint32_t b = 0; b < n; ++b) {
          if (reaches[a][from] && reaches[to][b]) reaches[a][b] = true;
        }
      }
    }
  }
}

}  // namespace
}  // namespace convert
