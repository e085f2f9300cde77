// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "generate/generate.h"
#include "generate/trace_builder.h"
#include "profile/draw/synthesis.h"
#include "profile/json/json.h"
#include "sanitized.h"
#include "sets/check.h"
#include "sets/profiled/learning.h"
#include "split_sets.h"

namespace convert {
namespace {

using namespace test;

WorkloadProfile learn(std::vector<Trace> traces, std::uint32_t k, const std::string& groups = {}) {
  HeldSet set(std::move(traces), groups);
  SetSource* const one = &set;
  Diagnostics diagnostics;
  const LearnedProfile learned = learn_profile({&one, 1}, {.k = k}, diagnostics);
  // Ranks may seem to have different numbers of iterations, but none waits in a cycle.
  for (const Diagnostic& d : diagnostics.all()) EXPECT_EQ(d.rule, "iterations") << format_diagnostic(d);
  // The written profile reads back.
  const std::string text = profile_json(learned.profile);
  WorkloadProfile again = parse_profile(text, "x.profile.json");
  EXPECT_EQ(profile_json(again), text);
  return again;
}

std::vector<Trace> draw(const WorkloadProfile& profile, std::uint64_t seed,
                        std::optional<std::uint64_t> iterations = std::nullopt) {
  const Synthesis synthesis(profile, {.seed = seed, .iterations = iterations});
  std::vector<Trace> out;
  for (std::size_t r = 0; r < synthesis.ranks(); ++r) out.push_back(synthesis.draw(r));
  return out;
}

// Returns the first finding of all rules on a set with at least this severity.
std::string first_finding(std::vector<Trace> traces, const std::string& groups,
                          Severity least = Severity::warning) {
  HeldSet set(std::move(traces), groups);
  Diagnostics diagnostics;
  check(set, {}, diagnostics);
  for (const Diagnostic& d : diagnostics.all()) {
    if (d.severity >= least) return format_diagnostic(d);
  }
  return {};
}

std::vector<Trace> layers(Rank ranks, std::int64_t iterations) {
  GenerateRequest request{.kind = "layers", .ranks = ranks};
  request.layers = 6;
  request.iterations = iterations;
  request.noise = {.layer = 0.3, .rank = 0.03, .node = 0.08, .seed = 5};
  const auto make = trace_generator(request);
  std::vector<Trace> out;
  for (Rank r = 0; r < ranks; ++r) out.push_back(make(r));
  return out;
}

std::map<NodeType, std::size_t> types(const std::vector<Trace>& traces) {
  std::map<NodeType, std::size_t> out;
  for (const Trace& t : traces) {
    for (const Node& n : t.nodes.nodes) ++out[n.type];
  }
  return out;
}

TEST(Profiling, ASetLikeTheRecordedOne) {
  const std::vector<Trace> recorded = layers(4, 4);
  const WorkloadProfile profile = learn(recorded, 2);
  const std::vector<Trace> drawn = draw(profile, 1);
  EXPECT_EQ(types(drawn), types(recorded));
  EXPECT_EQ(first_finding(drawn, {}), "");
  const std::vector<Trace> longer = draw(profile, 1, 8);
  EXPECT_EQ(types(longer)[NodeType::comp], 2 * types(recorded)[NodeType::comp]);
  EXPECT_EQ(first_finding(longer, {}), "");
}

TEST(Profiling, TheSeedAloneDecides) {
  const WorkloadProfile profile = learn(layers(4, 4), 2);
  const auto bytes = [&](std::uint64_t seed) {
    HeldSet set(draw(profile, seed), {});
    return set_bytes(set);
  };
  EXPECT_EQ(bytes(1), bytes(1));
  EXPECT_NE(bytes(1), bytes(2));
}

// Ranks call overlapping groups in a global order, but each rank depends only on a part of it. So the ranks' own
// orders, by number, differ, and et-validate warns about most of these sets.
struct RandomSet {
  std::vector<Trace> traces;
  std::string groups;
};
RandomSet random_set(unsigned seed) {
  std::mt19937 random(seed);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  const std::size_t ranks = 3 + below(4), groups = 2 + below(3);
  std::vector<std::vector<Rank>> members;
  RandomSet out;
  for (std::size_t g = 0; g < groups; ++g) {
    std::vector<Rank> all;
    for (Rank r = 0; r < ranks; ++r) all.push_back(r);
    std::shuffle(all.begin(), all.end(), random);
    all.resize(2 + below(ranks - 1));
    std::ranges::sort(all);
    members.push_back(all);
    out.groups += (g == 0 ? "{\"" : ",\"") + std::to_string(g + 1) + "\":[";
    for (std::size_t i = 0; i < all.size(); ++i) out.groups += (i > 0 ? "," : "") + std::to_string(all[i]);
    out.groups += "]";
  }
  out.groups += "}";
  struct Item {
    std::size_t group;
    std::vector<std::size_t> after;  // items of the same rank
  };
  std::vector<std::vector<Item>> of_rank(ranks);
  for (std::size_t i = 0; i < 12; ++i) {
    const std::size_t g = below(groups);
    for (const Rank r : members[g]) {
      Item item{g, {}};
      for (std::size_t j = 0; j < of_rank[r].size(); ++j) {
        const bool same = of_rank[r][j].group == g;
        if (same || below(6) == 0) item.after.push_back(j);
      }
      of_rank[r].push_back(item);
    }
  }
  for (Rank r = 0; r < ranks; ++r) {
    TraceBuilder builder(r);
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < of_rank[r].size(); ++i) open.push_back(i);
    std::map<std::size_t, NodeId> made;
    while (!open.empty()) {
      std::vector<std::size_t> ready;
      for (const std::size_t i : open) {
        if (std::ranges::all_of(of_rank[r][i].after, [&](std::size_t j) { return made.contains(j); }))
          ready.push_back(i);
      }
      const std::size_t i = ready[below(ready.size())];
      std::vector<NodeId> after;
      for (const std::size_t j : of_rank[r][i].after) after.push_back(made[j]);
      if (below(2) == 0) after = {builder.compute("work " + std::to_string(below(3)), 1000 + below(9000), after)};
      made[i] = builder.collective(Collective::all_reduce, 1024, after, std::nullopt,
                                   std::to_string(of_rank[r][i].group + 1));
      std::erase(open, i);
    }
    out.traces.push_back(builder.finish());
  }
  return out;
}

TEST(Profiling, NoRanksWaitForEachOtherInACircle) {
  int judged = 0;
  for (unsigned seed = 0; seed < rounds(500U); ++seed) {
    const RandomSet set = random_set(seed);
    for (const std::uint32_t k : {1U, 2U, 3U}) {
      const WorkloadProfile profile = learn(set.traces, k, set.groups);
      const Synthesis synthesis(profile, {.seed = seed});
      std::vector<Trace> drawn;
      for (std::size_t r = 0; r < synthesis.ranks(); ++r) drawn.push_back(synthesis.draw(r));
      if (drawn.size() < set.traces.size()) continue;
      ++judged;
      ASSERT_EQ(first_finding(drawn, synthesis.groups(), Severity::error), "") << seed << " k " << k;
    }
  }
  EXPECT_GT(judged, 100);
}

// A set of two ranks and four iterations, with a value planted on `times` nodes, or in as many calls.
std::vector<Trace> planted(std::uint32_t times) {
  constexpr std::int64_t secret = 123'454'321;
  std::vector<Trace> out;
  std::uint32_t left = times;
  for (Rank r = 0; r < 2; ++r) {
    TraceBuilder b(r);
    std::uint32_t calls = times;
    NodeId last = b.compute("begin", 1000);
    for (int i = 0; i < 4; ++i) {
      for (int layer = 0; layer < 5; ++layer) {
        last = b.compute("iteration " + std::to_string(i) + " forward", 50'000 + 1000 * layer + 10 * i + r, {last});
        last = b.compute("iteration " + std::to_string(i) + " norm", 5'000 + 10 * layer + i, {last});
      }
      if (left > 0) {
        for (const char* name : {"secret a", "secret b"}) last = b.compute(name, 6'000, {last});
        last = b.compute("secret c", 777'777'777, {last});
        b.set(attr::num_ops, secret);
        --left;
      }
      const bool now = calls > 0;
      calls -= now ? 1 : 0;
      last = b.collective(Collective::all_reduce, now ? secret : 1 << 20, {last});
      last =
          r == 0 ? b.send(1, now ? secret : 1 << 16, i, {last}) : b.receive(0, now ? secret : 1 << 16, i, {last});
    }
    out.push_back(b.finish());
  }
  return out;
}

bool has_secret(const std::vector<Trace>& traces) {
  return std::ranges::any_of(traces, [](const Trace& t) {
    return std::ranges::any_of(t.nodes.nodes, [&](const Node& n) {
      const auto attrs = t.nodes.attributes(n);
      const IntValue ops = int_value(attrs, attr::num_ops), size = int_value(attrs, attr::comm_size);
      const IntValue ns = int_value(attrs, attr::duration_nanos);
      return (ops && ops.value == 123'454'321) || (size && size.value > 120'000'000) ||
             (ns && ns.value == 777'777'777) || n.duration_us > 100'000;
    });
  });
}

TEST(Profiling, WhatIsRareIsNowhere) {
  for (const std::uint32_t k : {2U, 3U, 5U}) {
    const std::vector<Trace> recorded = planted(k - 1);
    ASSERT_TRUE(has_secret(recorded));
    const WorkloadProfile profile = learn(recorded, k);
    const std::string text = profile_json(profile);
    for (const char* secret : {"secret", "777777777", "123454321"}) EXPECT_EQ(text.find(secret), std::string::npos);
    for (std::uint64_t seed = 1; seed <= rounds(100U); ++seed) {
      const std::vector<Trace> drawn = draw(profile, seed);
      ASSERT_FALSE(has_secret(drawn)) << "k " << k << " seed " << seed;
      ASSERT_EQ(first_finding(drawn, {}), "");
    }
  }
  EXPECT_TRUE(has_secret(draw(learn(planted(4), 2), 1)));  // frequent values are not hidden
}

TEST(Profiling, RefusesWhatIsNoProfile) {
  const std::string good = profile_json(learn(layers(2, 3), 2));
  const auto message = [](const std::string& text) {
    try {
      (void)parse_profile(text, "p.json");
    } catch (const Error& e) {
      return format_location(e.where()) + " " + e.what();
    }
    return std::string();
  };
  std::string other = good;
  other.replace(other.find("\"version\":1"), 11, "\"version\":7");
  EXPECT_EQ(message(other),
            "p.json:3 the profile has version 7; this program reads version 1; create it again with this "
            "et-profile");
  EXPECT_NE(message("{}").find("not a profile of et-profile"), std::string::npos);
  EXPECT_NE(message(good.substr(0, good.size() / 2)), "");
  EXPECT_NE(message(good + "x"), "");
}

}  // namespace
}  // namespace convert
