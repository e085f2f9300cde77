// SPDX-License-Identifier: MIT
#include "core/diagnostic.h"

#include <gtest/gtest.h>

namespace convert {
namespace {

TEST(Diagnostics, CountsAllAndKeepsTheFirst) {
  Diagnostics d(2);
  for (const char* text : {"a", "b", "c"}) d.error({.file = "f"}, "deps", text);
  d.warning({.file = "f"}, "deps", "d");
  EXPECT_EQ(d.errors(), 3U);
  EXPECT_EQ(d.warnings(), 1U);
  EXPECT_EQ(d.dropped(), 2U);
  ASSERT_EQ(d.all().size(), 2U);
  EXPECT_EQ(format_diagnostic(d.all()[1]), "f: error: b [deps]");
}

TEST(Diagnostics, ASiblingHasTheSameLimitsAndIsAppendedWithAllItCounted) {
  Diagnostics d(3);
  d.set_wanted([](const Diagnostic& x) { return x.rule != "races"; });
  const auto other = d.sibling();
  for (int i = 0; i < 5; ++i) other->error({}, "deps", "e");
  for (int i = 0; i < 100; ++i) other->error({}, "races", "not wanted");
  EXPECT_EQ(other->errors(), 5U);
  EXPECT_EQ(other->dropped(), 2U);
  d.warning({}, "ids", "w");
  d.append(*other);
  EXPECT_EQ(d.errors(), 5U);
  EXPECT_EQ(d.warnings(), 1U);
  EXPECT_EQ(d.all().size(), 3U);
  EXPECT_EQ(d.dropped(), 3U);
  EXPECT_EQ(other->errors(), 0U);
}

// Ten thousand findings of an unwanted rule leave room for a wanted one.
TEST(Diagnostics, WhatIsNotWantedTakesNoRoom) {
  Diagnostics d(1);
  d.set_wanted([](const Diagnostic& x) { return x.rule == "postcondition"; });
  for (int i = 0; i < 10'000; ++i) d.error({}, "races", "r");
  d.error({}, "postcondition", "wrong");
  EXPECT_EQ(d.errors(), 1U);
  ASSERT_EQ(d.all().size(), 1U);
  EXPECT_EQ(d.all()[0].message, "wrong");
}

TEST(Nearest, ByEditDistance) {
  const std::vector<std::string> names = {"chakra", "msccl", "json", "jsonl"};
  EXPECT_EQ(nearest("chakar", names), "chakra");
  EXPECT_EQ(nearest("mscl", names), "msccl");
  EXPECT_EQ(nearest("xml", names), "");
  EXPECT_EQ(nearest("a", {"L", "o"}), "");  // nothing remains of one letter
  EXPECT_EQ(nearest("bw", {"balanced", "bandwidth", "local-mem-bw"}), "bandwidth");
  EXPECT_EQ(nearest("lat", {"local-reduction-delay", "latency", "L"}), "latency");
  EXPECT_EQ(nearest("lat", {"latency", "latency-of-host", "slate"}), "");
  EXPECT_EQ(nearest("algo", {"algorithm", "also"}), "algorithm");
}

TEST(Locations, TextAndBinary) {
  EXPECT_EQ(format_location({.file = "a.xml", .line = 12, .column = 5}), "a.xml:12:5");
  EXPECT_EQ(format_location({.file = "a.xml", .line = 12}), "a.xml:12");
  EXPECT_EQ(format_location({.file = "a.et", .offset = 0x1a2f}), "a.et:@0x1a2f");
  EXPECT_EQ(format_location({}), "");
}

}  // namespace
}  // namespace convert
