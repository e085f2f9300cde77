// SPDX-License-Identifier: MIT
#include "simulate/networks/fair_flows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "sanitized.h"

namespace convert {
namespace {

using Use = FairFlows::Use;

struct FlowCase {
  Picoseconds begin = 0;
  double work = 0;
  std::vector<Use> uses{};
};

// Runs the flows to their ends; returns the ends. Checks at each change that no link is overused, and that each
// flow has its full rate or a full link on which no flow is faster.
std::vector<Picoseconds> ends_of(const std::vector<FlowCase>& cases, std::size_t links) {
  FairFlows flows;
  std::vector<Picoseconds> ends(cases.size(), -1);
  std::map<FairFlows::Flow, std::size_t> running;
  std::vector<double> moved(cases.size());
  std::multimap<Picoseconds, std::size_t> begins;
  for (std::size_t i = 0; i < cases.size(); ++i) begins.emplace(cases[i].begin, i);
  Picoseconds now = 0;
  const auto advance = [&](Picoseconds to) {
    for (const auto& [flow, i] : running) moved[i] += flows.rate(flow) * static_cast<double>(to - now);
    now = to;
  };
  while (!begins.empty() || !running.empty()) {
    const auto first = std::ranges::min_element(
        running, {}, [&](const auto& entry) { return std::pair(flows.end(entry.first), entry.second); });
    if (first == running.end() || (!begins.empty() && begins.begin()->first <= flows.end(first->first))) {
      const auto [time, i] = *begins.begin();
      begins.erase(begins.begin());
      advance(time);
      running.emplace(flows.add(now, cases[i].work, cases[i].uses), i);
    } else {
      const auto [flow, i] = *first;
      advance(flows.end(flow));
      ends[i] = now;
      flows.remove(flow);
      running.erase(flow);
    }
    (void)flows.compute_rates(now);
    std::vector<double> used(links), fastest(links);
    for (const auto& [flow, i] : running) {
      for (const Use& use : cases[i].uses) {
        used[use.link] += use.share * flows.rate(flow);
        fastest[use.link] = std::max(fastest[use.link], flows.rate(flow));
      }
    }
    for (const double u : used) EXPECT_LE(u, 1 + 1e-9);
    for (const auto& [flow, i] : running) {
      const double rate = flows.rate(flow);
      const bool limited = std::ranges::any_of(cases[i].uses, [&](const Use& use) {
        return used[use.link] > 1 - 1e-9 && rate > fastest[use.link] - 1e-9;
      });
      EXPECT_TRUE(rate > 1 - 1e-12 || limited) << rate;
    }
  }
  for (std::size_t i = 0; i < cases.size(); ++i) EXPECT_NEAR(moved[i], cases[i].work, 20);
  return ends;
}

TEST(FairFlows, AloneEachTakesItsTime) {
  EXPECT_EQ(ends_of({{.begin = 5, .work = 1000, .uses = {{0, 1}, {1, 0.5}}}}, 2), (std::vector<Picoseconds>{1005}));
  EXPECT_EQ(ends_of({{.begin = 5, .work = 1000, .uses = {}}}, 1), (std::vector<Picoseconds>{1005}));
}

TEST(FairFlows, TwoShareALink) {
  // Half each until the shorter ends, then the other at full rate.
  EXPECT_EQ(ends_of({{.work = 1000, .uses = {{0, 1}}}, {.work = 3000, .uses = {{0, 1}}}}, 1),
            (std::vector<Picoseconds>{2000, 4000}));
  // Together they need 0.9 of the link.
  EXPECT_EQ(ends_of({{.work = 1000, .uses = {{0, 0.5}}}, {.work = 3000, .uses = {{0, 0.4}}}}, 1),
            (std::vector<Picoseconds>{1000, 3000}));
}

TEST(FairFlows, TheOtherTakesWhatIsLeft) {
  // Link 0 limits the first two to a half each; the third has the rest of link 1.
  EXPECT_EQ(ends_of({{.work = 1000, .uses = {{0, 1}}},
                     {.work = 1000, .uses = {{0, 1}, {1, 0.5}}},
                     {.work = 1500, .uses = {{1, 1}}}},
                    2),
            (std::vector<Picoseconds>{2000, 2000, 2000}));
}

TEST(FairFlows, AnyMixKeepsWork) {
  std::mt19937 random(7);
  const auto draw = [&](std::uint32_t below) { return static_cast<std::uint32_t>(random() % below); };
  for (int round = 0; round < test::rounds(500); ++round) {
    const std::size_t links = 1 + draw(8);
    std::vector<FlowCase> cases(1 + draw(12));
    for (FlowCase& c : cases) {
      c.begin = draw(3) == 0 ? 0 : draw(1'000'000);
      c.work = draw(2'000'000);
      std::set<FairFlows::Link> used;
      for (std::uint32_t n = draw(5); n > 0; --n) used.insert(draw(static_cast<std::uint32_t>(links)));
      for (const FairFlows::Link link : used)
        c.uses.push_back({link, draw(4) == 0 ? 1.0 : (1 + draw(1000)) / 1001.0});
    }
    SCOPED_TRACE(round);
    const std::vector<Picoseconds> ends = ends_of(cases, links);
    for (std::size_t i = 0; i < cases.size(); ++i) {
      EXPECT_GE(ends[i], cases[i].begin + static_cast<Picoseconds>(cases[i].work));  // none is faster than alone
    }
    // Another link that carries only a flow of its own changes nothing.
    std::vector<FlowCase> more = cases;
    more.push_back({.begin = 3, .work = 777'777, .uses = {{static_cast<FairFlows::Link>(links), 1}}});
    std::vector<Picoseconds> of_more = ends_of(more, links + 1);
    EXPECT_EQ(of_more.back(), 777'780);
    of_more.pop_back();
    EXPECT_EQ(of_more, ends);
  }
}

// Rates of flows that run at once.
std::vector<double> rates_of(const std::vector<std::vector<Use>>& uses) {
  FairFlows flows;
  std::vector<FairFlows::Flow> all;
  for (const std::vector<Use>& of_flow : uses) all.push_back(flows.add(0, 1e9, of_flow));
  (void)flows.compute_rates(0);
  std::vector<double> rates;
  for (const FairFlows::Flow flow : all) rates.push_back(flows.rate(flow));
  return rates;
}

// The flows of a rank stand for the flows of `copies` ranks, each on its own links and on links of others. Rates
// are equal bit by bit, in any order of the flows.
TEST(FairFlows, OneRankStandsForAll) {
  std::mt19937 random(11);
  const auto draw = [&](std::uint32_t below) { return static_cast<std::uint32_t>(random() % below); };
  for (int round = 0; round < test::rounds(500); ++round) {
    const std::uint32_t copies = 2 + draw(5), links = 1 + draw(4);
    std::vector<std::vector<Use>> of_one(1 + draw(8));
    std::vector<std::vector<Use>> of_all(of_one.size() * copies);
    for (std::size_t i = 0; i < of_one.size(); ++i) {
      for (FairFlows::Link link = 0; link < links; ++link) {
        if (draw(2) == 0) continue;
        const double share = draw(4) == 0 ? 1.0 : (1 + draw(1000)) / 1001.0;
        const std::uint32_t shift = draw(copies);
        of_one[i].push_back({link, share});
        for (std::uint32_t copy = 0; copy < copies; ++copy)
          of_all[copy * of_one.size() + i].push_back({(copy + shift) % copies * links + link, share});
      }
    }
    const std::vector<double> rates = rates_of(of_one);
    std::vector<std::size_t> order(of_all.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::shuffle(order.begin(), order.end(), random);
    std::vector<std::vector<Use>> shuffled;
    for (const std::size_t i : order) shuffled.push_back(of_all[i]);
    const std::vector<double> rates_of_all = rates_of(shuffled);
    for (std::size_t i = 0; i < order.size(); ++i)
      EXPECT_EQ(rates_of_all[i], rates[order[i] % of_one.size()]) << round;
  }
}

}  // namespace
}  // namespace convert
