// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "formats/json/stream.h"
#include "formats/json/values.h"
#include "read_all.h"

namespace convert::test {
namespace {

TEST(JsonValues, LenientIntegers) {
  const struct {
    std::string_view text;
    std::optional<std::int64_t> value;
  } cases[] = {
      {"0", 0},
      {"-1", -1},
      {"\"17\"", 17},
      {"7.0", 7},
      {"\"7.000\"", 7},
      {"9223372036854775807", 9223372036854775807},
      {"-9223372036854775808", std::numeric_limits<std::int64_t>::min()},
      {"9223372036854775808", {}},
      {"18446744073709551615", {}},
      {"7.5", {}},
      {"7.", {}},
      {"007", {}},
      {"1e3", {}},
      {"+1", {}},
      {"-", {}},
      {"\"\"", {}},
      {"\" 7\"", {}},
      {"null", {}},
      {"true", {}},
      {"NaN", {}},
      {"[7]", {}},
  };
  for (const auto& c : cases) EXPECT_EQ(lenient_integer(c.text), c.value) << c.text;
}

TEST(JsonValues, MicrosecondsAreNanoseconds) {
  const struct {
    std::string_view text;
    std::int64_t ns;
    bool whole, exact;
  } cases[] = {
      {"0", 0, true, true},
      {"17", 17'000, true, true},
      {"17.0", 17'000, false, true},
      {"17.25", 17'250, false, true},
      {"0.001", 1, false, true},
      {"0.0005", 1, false, false},
      {"0.00049", 0, false, false},
      {"1.0000", 1000, false, true},
      {"-1.5", -1500, false, true},
      {"-0", 0, true, true},
      {"\"3.5\"", 3500, false, true},
      {"1700000000000000.123", 1'700'000'000'000'000'123, false, true},
      {"9200000000000000", 9'200'000'000'000'000'000, true, true},
      {"1e3", 1'000'000, false, false},
      {"2.5E-3", 3, false, false},
      {"1e-400", 0, false, false},
  };
  for (const auto& c : cases) {
    const auto us = parse_microseconds(c.text);
    if (c.text == "1e-400") {  // as in from_chars
      EXPECT_FALSE(us);
      continue;
    }
    ASSERT_TRUE(us) << c.text;
    EXPECT_EQ(us->ns, c.ns) << c.text;
    EXPECT_EQ(us->whole, c.whole) << c.text;
    EXPECT_EQ(us->exact, c.exact) << c.text;
  }
  for (const std::string_view text : {"",
                                      "\"\"",
                                      "-",
                                      ".5",
                                      "5.",
                                      "01",
                                      "00.5",
                                      "+1",
                                      "1e",
                                      "1.5.2",
                                      "0x10",
                                      "nan",
                                      "NaN",
                                      "inf",
                                      "Infinity",
                                      "-Infinity",
                                      "null",
                                      "true",
                                      "soon",
                                      "1 2",
                                      "9300000000000000",
                                      "10000000000000000",
                                      "1e400",
                                      "123456789012345678901234567890"}) {
    EXPECT_FALSE(parse_microseconds(text)) << text;
  }
}

// Result for {"a": text}.
class Adder final : public JsonItems {
 public:
  void member(std::string_view key, JsonCursor& in) override { add_json_attr(table, Name(key), in); }
  void element(JsonCursor& in) override { (void)in.skip(); }
  void undo() override {}
  AttrTable table;
};

AttrTable added(std::string_view text) {
  const std::string document = "{\"a\":" + std::string(text) + "}";
  const auto input = memory_input("f", document);
  JsonStream stream(*input, "list", false);
  Adder items;
  while (stream.read_some(items)) {
  }
  return items.table;
}

TEST(JsonValues, AttributesKeepTheirKind) {
  const auto bits = [](std::string_view text, Kind kind) {
    const AttrTable t = added(text);
    EXPECT_EQ(t.attrs.size(), 1U);
    EXPECT_EQ(t.attrs[0].kind, kind) << text;
    return t.attrs[0].bits;
  };
  EXPECT_EQ(bits("-5", Kind::int64_val), static_cast<std::uint64_t>(-5));
  EXPECT_EQ(bits("9223372036854775807", Kind::int64_val), 9223372036854775807U);
  EXPECT_EQ(bits("18446744073709551615", Kind::uint64_val), 18446744073709551615U);
  EXPECT_EQ(bits("true", Kind::bool_val), 1U);
  EXPECT_EQ(bits("false", Kind::bool_val), 0U);
  EXPECT_EQ(bits("1.5", Kind::double_val), std::bit_cast<std::uint64_t>(1.5));
  EXPECT_EQ(bits("1e2", Kind::double_val), std::bit_cast<std::uint64_t>(100.0));
  EXPECT_EQ(bits("-Infinity", Kind::double_val), std::bit_cast<std::uint64_t>(-HUGE_VAL));
  (void)bits("NaN", Kind::double_val);

  const auto string = [](std::string_view text) {
    const AttrTable t = added(text);
    EXPECT_EQ(t.attrs.at(0).kind, Kind::string_val) << text;
    EXPECT_EQ(t.attrs.size(), 1U);
    EXPECT_TRUE(t.numbers.empty());
    return std::string(t.string(t.attrs[0]));
  };
  EXPECT_EQ(string("\"t\\u0065xt\""), "text");
  EXPECT_EQ(string("null"), "null");
  EXPECT_EQ(string("18446744073709551616"), "18446744073709551616");
  EXPECT_EQ(string("-9223372036854775809"), "-9223372036854775809");
  EXPECT_EQ(string("1e400"), "1e400");
  EXPECT_EQ(string("{\"b\" : [1, 2]}"), "{\"b\" : [1, 2]}");
  EXPECT_EQ(string("[1, 2.5]"), "[1, 2.5]");
  EXPECT_EQ(string("[1, 9223372036854775808]"), "[1, 9223372036854775808]");
  EXPECT_EQ(string("[[1], 2]"), "[[1], 2]");

  const AttrTable list = added("[1, -2 ,3]");
  ASSERT_EQ(list.attrs.at(0).kind, Kind::int64_list);
  EXPECT_EQ(list.numbers, (std::vector<std::uint64_t>{1, static_cast<std::uint64_t>(-2), 3}));
  EXPECT_EQ(added("[]").attrs.at(0).kind, Kind::int64_list);
}

TEST(JsonValues, WhatIsNoJsonIsRefused) {
  const auto error = [](std::string_view text) { return error_text([&] { (void)added(text); }); };
  EXPECT_EQ(error("falsey"), "f:1:6: not a JSON value");
  EXPECT_EQ(error("[1, 02]"), "f:1:10: not a JSON value");
  EXPECT_EQ(error("[1,]"), "f:1:9: a value is expected");
  EXPECT_EQ(error("[1 2]"), "f:1:9: ',' or ']' is expected");
  EXPECT_EQ(error("[\"a\\z\"]"), "f:1:9: unknown escape in a string");
  EXPECT_EQ(error("{\"b\": 1.}"), "f:1:12: not a JSON value");
}

}  // namespace
}  // namespace convert::test
