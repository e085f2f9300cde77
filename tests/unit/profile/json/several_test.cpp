// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "common/error_text.h"
#include "profile/draw/mixture.h"
#include "profile/json/json.h"

namespace convert {
namespace {

// A minimal profile: ranks that do nothing.
WorkloadProfile of_jobs(std::size_t jobs) {
  WorkloadProfile p;
  for (std::size_t j = 0; j < jobs; ++j)
    p.jobs.push_back({.ranks = {0}, .slots = {{}}, .work_ns = {{}}, .rest = {{{0}, {0}, {0}}}});
  return p;
}

std::string refusal(const std::string& text) {
  return test::error_text([&] { (void)parse_profiles(text, "p.json"); });
}

std::size_t lines(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

TEST(SeveralProfiles, OneAfterTheOther) {
  const std::string one = profile_json(of_jobs(1)), two = profile_json(of_jobs(2));
  for (const std::string& between : {std::string(), std::string("\n\n \t\r\n")}) {
    const auto profiles = parse_profiles(between + one + between + two + between + one + between, "p.json");
    ASSERT_EQ(profiles.size(), 3U);
    EXPECT_EQ(profile_json(profiles[0]), one);
    EXPECT_EQ(profile_json(profiles[1]), two);
    EXPECT_EQ(profile_json(profiles[2]), one);
  }
  std::string close = one;
  close.pop_back();  // the end of the line
  EXPECT_EQ(parse_profiles(close + two, "p.json").size(), 2U);
  EXPECT_EQ(parse_profiles(one, "p.json").size(), 1U);
}

TEST(SeveralProfiles, ErrorsAreWhereTheyStand) {
  const std::string good = profile_json(of_jobs(1));
  const std::size_t second = lines(good) + 1;
  const auto at = [](std::size_t line) { return "p.json:" + std::to_string(line) + ": "; };
  std::string other = good;
  other.replace(other.find("\"version\":1"), 11, "\"version\":7");
  EXPECT_EQ(refusal(good + other),
            at(second + 2) +
                "the profile has version 7; this program reads version 1; create it again with "
                "this et-profile");
  EXPECT_EQ(refusal(good + "\n\nx"), at(second + 2) + "expected a profile");
  EXPECT_EQ(refusal(good + "}"), at(second) + "expected a profile");
  EXPECT_EQ(refusal(good + "{}"), at(second) +
                                      "not a profile of et-profile: it does not begin with \"kind\":\"etkit "
                                      "profile\"");
  EXPECT_EQ(refusal(good + profile_json({})), at(second) + "jobs, row 1: a job is missing");
  EXPECT_EQ(refusal(profile_json({})), "p.json: jobs, row 1: a job is missing");
  EXPECT_NE(refusal(""), "");
  EXPECT_NE(refusal(" \n"), "");
  EXPECT_EQ(refusal(good + " \n"), "");
}

// For any truncation, and any text in strings, only whole profiles are read.
TEST(SeveralProfiles, CutTexts) {
  const std::string one = profile_json(of_jobs(1)), both = one + one;
  for (std::size_t n = 0; n < both.size(); ++n) {
    const bool whole = n == one.size() || n == one.size() - 1 || n == both.size() - 1;  // without the line end
    EXPECT_EQ(refusal(both.substr(0, n)).empty(), whole) << n;
  }
  std::string names = one;
  names.replace(names.find("\"lanes\""), 7, "\"la}{\\\"}es\"");
  const std::string what = ": lanes: a table of the profile is missing";
  EXPECT_EQ(refusal(names + one), "p.json:1" + what);
  EXPECT_EQ(refusal(one + names), "p.json:" + std::to_string(lines(one) + 1) + what);
}

// The weights are 1, 3 and 6: over 6000 seeds, the counts are within five standard deviations.
TEST(SeveralProfiles, DrawnByWeight) {
  const std::vector<WorkloadProfile> profiles = {of_jobs(1), of_jobs(3), of_jobs(6)};
  std::array<int, 3> counts{};
  for (std::uint64_t seed = 0; seed < 6000; ++seed) {
    const std::size_t drawn = draw_profile(profiles, seed);
    ASSERT_EQ(draw_profile(profiles, seed), drawn);
    ++counts.at(drawn);
  }
  EXPECT_NEAR(counts[0], 600, 116);
  EXPECT_NEAR(counts[1], 1800, 178);
  EXPECT_NEAR(counts[2], 3600, 190);
  EXPECT_EQ(draw_profile({profiles.data(), 1}, 5), 0U);
}

}  // namespace
}  // namespace convert
