// SPDX-License-Identifier: MIT
#include "config/groups.h"

#include <gtest/gtest.h>

#include <string>

#include "common/expect_error.h"
#include "core/diagnostic.h"

namespace convert {
namespace {

std::string groups_error(std::string_view text, std::optional<std::uint32_t> ranks = std::nullopt) {
  return test::error_text([&] { (void)parse_groups("r.groups.json", text, ranks); }, "groups");
}

TEST(Groups, InTheOrderOfTheFile) {
  const auto groups = parse_groups("g", "{\"7\": [3, 0,\n 1], \"0\":[ 2 ],\t\"9223372036854775807\": [] }\n", 4);
  ASSERT_EQ(groups.size(), 3U);
  EXPECT_EQ(groups[0].id, 7);
  EXPECT_EQ(groups[0].ranks, (std::vector<std::uint32_t>{3, 0, 1}));
  EXPECT_EQ(groups[1].id, 0);
  EXPECT_EQ(groups[1].ranks, (std::vector<std::uint32_t>{2}));
  EXPECT_EQ(groups[2].id, 9223372036854775807);
  EXPECT_EQ(groups[2].ranks, (std::vector<std::uint32_t>{}));
  EXPECT_TRUE(parse_groups("g", "{}", 0).empty());
  EXPECT_EQ(parse_groups("g", R"({"\u0031\u0032": [4294967295]})", std::nullopt)[0].id, 12);
}

TEST(Groups, Ids) {
  const std::string rule = "r.groups.json:1:2: a group id must be a non-negative integer, not ";
  for (const std::string bad : {"", "-1", "+1", "01", "1.0", "one", " 1", "1 ", "0x1", "9223372036854775808"}) {
    EXPECT_EQ(groups_error("{\"" + bad + "\": [0]}"), rule + "\"" + bad + "\"");
  }
  EXPECT_EQ(groups_error("{\"" + std::string(100, 'n') + "\": [0]}"), rule + "\"" + std::string(40, 'n') + "…\"");
  EXPECT_EQ(groups_error("{\"1\": [0],\n  \"2\": [1],\n  \"1\": [2]}"),
            "r.groups.json:3:3: group 1 is repeated; first given in line 1");
}

TEST(Groups, Ranks) {
  const std::string rule = "r.groups.json:2:7: group 5: a rank must be a non-negative integer, not ";
  for (const std::string bad : {"-1", "1.0", "1e0", "01", "\"1\"", "null", "true", "4294967296", "1x", "-"}) {
    EXPECT_EQ(groups_error("{\n \"5\":[" + bad + " ]}"), rule + bad);
    EXPECT_EQ(groups_error("{\n \"5\":[" + bad + ", 3]}"), rule + bad);
  }
  EXPECT_EQ(groups_error("{\n \"5\":[[1]]}"), rule + "[");
  EXPECT_EQ(groups_error("{\n \"5\":[{}]}"), rule + "{");
  EXPECT_EQ(groups_error("{\"5\": [0, 1,\n0]}"), "r.groups.json:2:1: group 5 names rank 0 twice");
  EXPECT_EQ(groups_error("{\"5\": [0], \"6\": [0, 8]}", 8),
            "r.groups.json:1:21: group 6 names rank 8, but the set has 8 ranks");
  EXPECT_EQ(groups_error("{\"5\": [1]}", 1), "r.groups.json:1:8: group 5 names rank 1, but the set has 1 rank");
  EXPECT_EQ(groups_error("{\"5\": [7]}", 8), "");
  for (const std::string bad : {"0", "\"0\"", "null", "{\"0\": [1]}"}) {
    EXPECT_EQ(groups_error("{\"5\": " + bad + "}"),
              "r.groups.json:1:7: group 5 must be a list of ranks, such as [0, 1]");
  }
}

TEST(Groups, MalformedJson) {
  const std::string shape = "a JSON object is expected, such as {\"1\": [0, 1]}";
  EXPECT_EQ(groups_error(""), "r.groups.json:1:1: empty; " + shape);
  EXPECT_EQ(groups_error(" \n"), "r.groups.json:1:1: empty; " + shape);
  EXPECT_EQ(groups_error("\n [0]"), "r.groups.json:2:2: " + shape);
  EXPECT_EQ(groups_error("7"), "r.groups.json:1:1: " + shape);
  EXPECT_EQ(groups_error("{\"0\": [1]}\n{}"), "r.groups.json:2:1: unexpected text after the object");
  for (const std::string bad : {"{",
                                "{\"0\"",
                                "{\"0\":",
                                "{\"0\": [",
                                "{\"0\": [1",
                                "{\"0\": [1,",
                                "{\"0\": [1]",
                                "{\"0\": [1],",
                                "{\"0",
                                "{0: [1]}",
                                "{\"0\" [1]}",
                                "{\"0\": [1],}",
                                "{\"0\": [1 2]}",
                                "{\"0\": [1}",
                                "{\"0\": [1]]",
                                "{,}",
                                "{\"0\": [1,]}",
                                "{\"0\": [,1]}",
                                "{\"0\": [1] \"1\": [2]}",
                                "{\"\\x\": [1]}",
                                "{\"0\": [1], \"\xff\": [2]}",
                                "{\"0\": [1]}}",
                                "{\"0\": [1]} x"}) {
    const std::string error = groups_error(bad);
    EXPECT_TRUE(error.starts_with("r.groups.json:1:")) << bad << " -> " << error;
  }
  EXPECT_EQ(groups_error("{\"0\": [1], \"1"),
            "r.groups.json:1:12: malformed JSON: A string is opened, but never closed.");
  EXPECT_TRUE(groups_error("{\"0\": [1],\n\"\xff\": [2]}").starts_with("r.groups.json:2:2: malformed JSON: "));
}

// No truncation may be accepted, and no changed byte may do harm.
TEST(Groups, CutAndChanged) {
  const std::string text = "{\"0\": [0, 1, 2, 3],\n \"10\": [0, 2]}";
  for (std::size_t n = 0; n < text.size(); ++n) EXPECT_NE(groups_error(text.substr(0, n)), "") << n;
  for (std::size_t i = 0; i < text.size(); ++i) {
    for (const char c : std::string_view("\0\"{}[],:x\xc3", 10)) {
      if (text[i] == c) continue;
      std::string changed = text;
      changed[i] = c;
      EXPECT_NE(groups_error(changed, 4), "") << changed;
    }
  }
}

}  // namespace
}  // namespace convert
