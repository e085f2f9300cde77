// SPDX-License-Identifier: MIT
#include "analyze/findings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace convert {
namespace {

// A run in which each NPU computes for a time, one after the other on the critical path.
Run computing(const std::vector<Picoseconds>& times) {
  convert::Run run;
  Picoseconds at = 0;
  for (Rank r = 0; r < times.size(); ++r) {
    run.npus.push_back({.rank = r});
    run.timeline.slices.push_back({.end_ps = times[r], .rank = r, .name = run.timeline.names.add("work")});
    run.path.push_back({.npu = r, .begin_ps = at, .time_ps = times[r]});
    at += times[r];
  }
  run.total_ps = at;
  return run;
}

void add_what_if(Run& run, Run::Change change, std::int32_t subject, Picoseconds total) {
  run.whatif.push_back({.change = change, .subject = subject, .total_ps = total});
  run.whatif.back().what = run.whatif.back().setting = run.texts.add("something changes");
}

std::vector<std::string> rules(const Run& run) {
  std::vector<std::string> found;
  for (const Finding& f : findings_of(run)) found.emplace_back(f.rule);
  return found;
}

const Finding& finding(const std::vector<Finding>& all, std::string_view rule) {
  return *std::ranges::find(all, rule, &Finding::rule);
}

TEST(Findings, TheHeadlineTellsTheCategoryOfAllNpusFirst) {
  const convert::Run run = computing(std::vector<Picoseconds>(64, 1000));
  EXPECT_EQ(findings_of(run).front().text,
            "The run takes 64.00 ns: 100.0 % of its critical path is computing on 64 NPUs, 1.6 % on NPU 0.");
}

TEST(Findings, StragglersThatComputeEquallyLongAreOne) {
  std::vector<Picoseconds> times(8, 1000);
  for (const std::size_t slow : {1U, 3U, 5U, 7U}) times[slow] = 1500;
  convert::Run run = computing(times);
  add_what_if(run, Run::Change::like_median, 1, run.total_ps * 9 / 10);
  const std::vector<Finding> all = findings_of(run);
  const Finding& found = finding(all, "straggler");
  EXPECT_EQ(found.npus, (std::vector<Rank>{1, 3, 5, 7}));
  EXPECT_TRUE(found.replayed);
  EXPECT_DOUBLE_EQ(found.effect, 0.1);
  EXPECT_EQ(
      found.text,
      "4 NPUs (1, 3, 5, …) compute for 1.500 ns, 50.0 % longer than the median NPU; if they computed like the "
      "median, the run takes 9.000 ns (10.0 % less).");
}

TEST(Findings, OneOfTwoNpusIsAStraggler) {
  convert::Run run = computing({1000, 2000});
  add_what_if(run, Run::Change::like_median, 1, 2000);
  const std::vector<Finding> all = findings_of(run);
  EXPECT_EQ(finding(all, "straggler").npus, (std::vector<Rank>{1}));
}

TEST(Findings, ARemedyThatGainsLessThanOnePercentIsNone) {
  convert::Run run = computing({1000, 2000});
  const auto has = [&] { return std::ranges::count(rules(run), "straggler") != 0; };
  add_what_if(run, Run::Change::like_median, 1, 2971);
  EXPECT_FALSE(has());
  run.whatif.front().total_ps = 3500;  // it lengthens the run
  EXPECT_FALSE(has());
  run.whatif.front().total_ps = 2970;
  EXPECT_TRUE(has());
}

TEST(Findings, AreAtMostFiveTheLargestEffectFirst) {
  std::vector<Picoseconds> times(20, 1000);
  for (std::size_t slow = 0; slow < 8; ++slow) times[slow] = 2000 + 100 * static_cast<Picoseconds>(slow);
  convert::Run run = computing(times);
  for (std::int32_t slow = 0; slow < 8; ++slow)
    add_what_if(run, Run::Change::like_median, slow, run.total_ps * (90 + slow) / 100);
  run.limits = {"Messages never wait."};
  const std::vector<Finding> all = findings_of(run);
  ASSERT_EQ(all.size(), 1 + most_findings);
  EXPECT_EQ(all.back().rule, "model_limits");
  for (std::size_t i = 2; i + 1 < all.size(); ++i) EXPECT_GE(all[i - 1].effect, all[i].effect);
  for (std::size_t i = 1; i + 1 < all.size(); ++i) EXPECT_GE(all[i].effect, least_effect);
}

TEST(Findings, JsonHasTheNumbers) {
  convert::Run run = computing({1000, 2000});
  add_what_if(run, Run::Change::like_median, 1, 2000);
  std::string json;
  append_json(findings_of(run), json);
  EXPECT_NE(json.find(R"("numbers":{"run_ns":3,"computing_share":1})"), std::string::npos) << json;
  EXPECT_NE(json.find(R"("npus":[1],"numbers":{"computing_ns":2,"median_ns":1,"new_run_ns":2})"), std::string::npos)
      << json;
}

}  // namespace
}  // namespace convert
