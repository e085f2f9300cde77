// SPDX-License-Identifier: MIT
#include "util/glob.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace convert {
namespace {

TEST(Glob, StarsAndQuestionMarks) {
  for (const auto& [pattern, text] : std::vector<std::pair<std::string, std::string>>{{"", ""},
                                                                                      {"*", ""},
                                                                                      {"*", "abc"},
                                                                                      {"a*", "a"},
                                                                                      {"a*c", "abbc"},
                                                                                      {"*b*", "abc"},
                                                                                      {"a?c", "abc"},
                                                                                      {"**a", "ba"},
                                                                                      {"*aab", "aaaab"},
                                                                                      {"a*b*c", "aXbYbZc"}}) {
    EXPECT_TRUE(matches_glob(pattern, text)) << pattern << " " << text;
  }
  for (const auto& [pattern, text] : std::vector<std::pair<std::string, std::string>>{
           {"", "a"}, {"?", ""}, {"a*", "ba"}, {"a*c", "abcd"}, {"a?c", "ac"}, {"*b", "abc"}, {"abc", "ab"}}) {
    EXPECT_FALSE(matches_glob(pattern, text)) << pattern << " " << text;
  }
}

TEST(Glob, ManyStarsTakeNoTime) {
  EXPECT_FALSE(matches_glob(std::string(200, '*') + "b", std::string(20000, 'a')));
}

}  // namespace
}  // namespace convert
