// SPDX-License-Identifier: MIT
// Rule turns: sequence numbers on links that are never reached, by hand and compared with replays.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "core/algorithm/link_way.h"
#include "core/algorithm/network_id.h"
#include "passes/validate.h"
#include "sanitized.h"
#include "simulate/engine/replay.h"
#include "trace_builder.h"

namespace convert {
namespace {

using namespace test;
using Turns = std::vector<std::int64_t>;

// Any number of NPUs around two switches, which have the next two numbers.
NetworkConfig around_two_switches(Rank npus) {
  NetworkConfig config{.source = "spines"};
  config.graph = {.npus = npus, .switches = 2};
  for (Device npu = 0; npu < npus; ++npu) {
    for (Device spine = npus; spine < npus + 2; ++spine) {
      config.graph.wires.push_back({npu, spine, 1, 100'000});
      config.graph.wires.push_back({spine, npu, 1, 100'000});
    }
  }
  return config;
}

std::vector<TraceBuilder> scheduled(Rank npus, const std::string& network = "x") {
  std::vector<TraceBuilder> set;
  for (Rank r = 0; r < npus; ++r) {
    set.emplace_back(r);
    set.back().trace().metadata.table.add_string(scheduled_network, network);
  }
  return set;
}

void send_in_turn(TraceBuilder& b, NodeId id, std::int64_t to, std::int64_t tag, const Turns& turns,
                  const Turns& via = {}, const std::vector<NodeId>& deps = {}) {
  b.send(id, to, tag, 8, deps);
  b.table().add_ints(attr::link_seq, Kind::int64_list, turns);
  if (!via.empty()) b.table().add_ints(attr::link_via, Kind::int32_list, via);
}

TEST(Turns, AreRightInTheOrderOfDependencies) {
  auto set = scheduled(2);
  send_in_turn(set[0], 0, 1, 0, {0});
  send_in_turn(set[0], 1, 1, 1, {1});
  set[1].recv(0, 0, 0, 8).recv(1, 0, 1, 8);
  EXPECT_EQ(findings(set, "turns"), Lines{});
}

// Node 1 waits for an answer to node 0, which has a later sequence number than node 1.
TEST(Turns, ACircleOverTwoRanksIsAnError) {
  auto set = scheduled(2);
  send_in_turn(set[0], 0, 1, 0, {1});
  set[0].recv(1, 1, 1, 8);
  send_in_turn(set[0], 2, 1, 2, {0}, {}, {1});
  set[1].recv(0, 0, 0, 8);
  set[1].send(1, 0, 1, 8, {0});
  set[1].recv(2, 0, 2, 8);
  const Lines found = findings(set, "turns");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_NE(found[0].find("error: link order deadlocks: "), std::string::npos) << found[0];
  EXPECT_NE(found[0].find("rank 0 node 0 'n' waits for its sequence number 1 on the link from NPU 0 to NPU 1, "
                          "after sequence number 0 of "
                          "rank 0 node 2 'n'"),
            std::string::npos)
      << found[0];
}

// Without ten.network, no reader follows the link order.
TEST(Turns, CountWithANetworkOnly) {
  std::vector<TraceBuilder> set = {TraceBuilder(0), TraceBuilder(1)};
  send_in_turn(set[0], 0, 1, 0, {0, 3}, {2});
  set[1].recv(0, 0, 0, 8);
  EXPECT_EQ(findings(set, "turns"), Lines{});
}

// Collectives that were scheduled together have one scope; otherwise each has its own link order.
TEST(Turns, OfOneScopeAreCommon) {
  const auto set_of = [](bool common) {
    auto set = scheduled(2);
    for (const std::int64_t instance : {0, 1}) {
      send_in_turn(set[0], static_cast<NodeId>(instance), 1, instance, {instance});
      if (common) set[0].table().add_int(attr::link_scope, Kind::uint64_val, 0);
      set[0].table().add_int(attr::merged_instance, Kind::uint64_val, instance);
    }
    set[1].recv(0, 0, 0, 8).recv(1, 0, 1, 8);
    return set;
  };
  auto together = set_of(true);
  EXPECT_EQ(findings(together, "turns"), Lines{});
  auto by_themselves = set_of(false);
  const Lines apart = findings(by_themselves, "turns");
  ASSERT_EQ(apart.size(), 1U);
  EXPECT_NE(
      apart[0].find(
          "no send has sequence number 0 on the link from NPU 0 to NPU 1; rank 0 node 1 'n' has sequence number 1"),
      std::string::npos)
      << apart[0];
}

TEST(Turns, OneTwiceAndNoneAreWarnings) {
  auto set = scheduled(3);
  send_in_turn(set[0], 0, 2, 0, {0, 1}, {3});
  send_in_turn(set[1], 0, 2, 1, {0, 1}, {3});
  set[2].recv(0, 0, 0, 8).recv(1, 1, 1, 8);
  const Lines found = findings(set, "turns");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_NE(found[0].find("no send has sequence number 0 on the link from device 3 to NPU 2; rank 0 node 0 'n' has "
                          "sequence number 1"),
            std::string::npos)
      << found[0];
  set = scheduled(3);
  send_in_turn(set[0], 0, 2, 0, {0, 0}, {3});
  send_in_turn(set[1], 0, 2, 1, {0, 0}, {3});
  set[2].recv(0, 0, 0, 8).recv(1, 1, 1, 8);
  const Lines twice = findings(set, "turns");
  ASSERT_EQ(twice.size(), 1U);
  EXPECT_NE(
      twice[0].find(
          "rank 1 node 0 'n' has sequence number 0 on the link from device 3 to NPU 2, which rank 0 node 0 'n' "
          "has too"),
      std::string::npos)
      << twice[0];
}

// A trace that runs its collective twice has each sequence number twice.
TEST(Turns, MayBeginAgain) {
  auto set = scheduled(2);
  for (NodeId id = 0; id < 4; ++id) {
    send_in_turn(set[0], id, 1, static_cast<std::int64_t>(id), {static_cast<std::int64_t>(id % 2)});
    set[1].recv(id, 0, static_cast<std::int64_t>(id), 8);
  }
  EXPECT_EQ(findings(set, "turns"), Lines{});
  send_in_turn(set[0], 4, 1, 4, {0});
  set[1].recv(4, 0, 4, 8);
  const Lines found = findings(set, "turns");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_NE(
      found[0].find(
          "rank 0 node 4 'n' has sequence number 0 on the link from NPU 0 to NPU 1, which rank 0 node 0 'n' has"),
      std::string::npos)
      << found[0];
}

struct RandomMessage {
  Rank from = 0;
  Rank to = 0;
  std::int64_t via = 0;
  Turns turns{};
};

// Messages over random switches, in a random order at each of their links.
class RandomTurns {
 public:
  explicit RandomTurns(std::uint32_t seed) : random_(seed) {}

  std::vector<TraceBuilder> next() {
    const auto npus = static_cast<Rank>(2 + below(3));
    std::vector<RandomMessage> messages(1 + below(10));
    for (RandomMessage& m : messages) {
      m.from = static_cast<Rank>(below(npus));
      m.to = static_cast<Rank>((m.from + 1 + below(npus - 1)) % npus);
      m.via = static_cast<std::int64_t>(npus + below(2));
    }
    // Usually the same order on all links: with independent random orders, there is almost always a cycle.
    std::vector<std::size_t> order(messages.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::shuffle(order, random_);
    for (std::size_t i = below(3); i > 0; --i) std::swap(order[below(order.size())], order[below(order.size())]);
    std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> first, second;
    for (const std::size_t i : order) messages[i].turns.push_back(first[{messages[i].from, messages[i].via}]++);
    if (below(2) == 0) std::swap(order.front(), order.back());
    for (const std::size_t i : order) messages[i].turns.push_back(second[{messages[i].via, messages[i].to}]++);
    return traces(npus, messages);
  }

 private:
  std::size_t below(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_); }

  // The nodes of a rank in any order, each after some of the preceding ones.
  std::vector<TraceBuilder> traces(Rank npus, const std::vector<RandomMessage>& messages) {
    auto set = scheduled(npus, network_id(around_two_switches(npus).graph));
    std::vector<NodeId> next_id(npus, 0);
    std::vector<std::size_t> events(2 * messages.size());
    std::iota(events.begin(), events.end(), std::size_t{0});
    std::ranges::shuffle(events, random_);
    for (const std::size_t event : events) {
      const RandomMessage& m = messages[event / 2];
      const Rank rank = event % 2 == 0 ? m.from : m.to;
      const NodeId id = next_id[rank]++;
      std::vector<NodeId> deps;
      for (NodeId d = 0; d < id; ++d) {
        if (below(3) == 0) deps.push_back(d);
      }
      const auto tag = static_cast<std::int64_t>(event / 2);
      if (event % 2 == 0) {
        send_in_turn(set[rank], id, m.to, tag, m.turns, {m.via}, deps);
      } else {
        set[rank].recv(id, m.from, tag, 8, deps);
      }
    }
    return set;
  }

  std::mt19937 random_;
};

bool ends(std::vector<TraceBuilder>& set) {
  const NetworkConfig network = around_two_switches(static_cast<Rank>(set.size()));
  ReplayOptions options;
  options.network.model = NetworkModel::wires;
  options.network.forwarding = Forwarding::store;
  options.issue = IssueMode::algorithm;
  Diagnostics diagnostics;
  ReplayBuilder builder(network, options, diagnostics);
  for (TraceBuilder& b : set) builder.add(b.trace());
  const auto program = builder.finish();
  EXPECT_TRUE(program) << (diagnostics.all().empty() ? "" : diagnostics.all().front().message);
  return program && replay(*program).status != ReplayStatus::deadlock;
}

// Each message has its own tag, so that every cycle is certain.
TEST(Turns, AreWrongWhereNoReplayEnds) {
  constexpr std::uint32_t sets = test::rounds(3000U);
  RandomTurns random(21);
  std::size_t by_turns = 0, ended = 0;
  for (std::uint32_t s = 0; s < sets; ++s) {
    auto set = random.next();
    const bool deadlock = !findings(set, "deadlock").empty();
    const bool turns = !findings(set, "turns").empty();
    ASSERT_EQ(ends(set), !deadlock && !turns) << "set " << s;
    by_turns += turns && !deadlock ? 1 : 0;
    ended += !turns && !deadlock ? 1 : 0;
  }
  EXPECT_GT(by_turns, sets / 20);
  EXPECT_GT(ended, sets / 20);
}

}  // namespace
}  // namespace convert
