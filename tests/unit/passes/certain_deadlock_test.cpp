// SPDX-License-Identifier: MIT
// Rule deadlock compared with replays: a certain deadlock never completes, for any order of issue.
#include <gtest/gtest.h>

#include "random_sets.h"
#include "sanitized.h"

namespace convert {
namespace {

using namespace test;

bool certain(std::vector<TraceBuilder>& set, const GroupLists& groups) {
  for (const std::string& f : findings(set, "deadlock", &groups)) {
    if (f.find("error: deadlock") != std::string::npos) return true;
  }
  return false;
}

std::vector<How> ways(std::size_t ranks) {
  std::vector<How> all;
  for (const std::string network : {"ring", "switch", "torus"}) {
    if (network == "torus" && ranks != 4) continue;
    for (const bool astra : {false, true}) {
      all.push_back({.network = network, .model = NetworkModel::unaware, .astra = astra});
      all.push_back({.network = network, .model = NetworkModel::wires, .astra = astra});
    }
    all.push_back({.network = network, .issue = IssueMode::algorithm});
    all.push_back({.network = network, .issue = IssueMode::unlimited});
    all.push_back({.network = network, .rendezvous = true});
  }
  return all;
}

TEST(CertainDeadlock, NoReplayEndsWhateverTheOrderOfIssue) {
  constexpr std::uint32_t sets = test::rounds(1500U);
  RandomSets random(15);
  std::size_t said = 0, never_ended = 0;
  for (std::uint32_t s = 0; s < sets; ++s) {
    const PlannedSet planned = random.next();
    bool is_certain = false;
    std::string ended;
    for (int order = 0; order < 3; ++order) {
      auto traces = random.traces(planned, order != 0);
      is_certain = is_certain || certain(traces, planned.groups);
      for (const How& how : ways(traces.size())) {
        if (ended.empty() && ends(traces, planned.groups, how))
          ended = how.network + (how.astra ? " astra" : "") + " order " + std::to_string(order);
      }
    }
    ASSERT_FALSE(is_certain && !ended.empty()) << "set " << s << " on " << ended;
    said += is_certain ? 1 : 0;
    never_ended += ended.empty() ? 1 : 0;
  }
  std::printf("%zu of %u sets never ended, of %zu it was certain\n", never_ended, sets, said);
  EXPECT_GT(said, sets / 15);
  EXPECT_GT(never_ended, said);
}

}  // namespace
}  // namespace convert
