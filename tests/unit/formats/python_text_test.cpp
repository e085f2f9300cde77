// SPDX-License-Identifier: MIT
#include "formats/pytorch/python_text.h"

#include <gtest/gtest.h>

#include <cmath>

#include "formats/json/stream.h"
#include "read_all.h"

namespace convert::test {
namespace {

class Shower final : public JsonItems {
 public:
  void member(std::string_view /*key*/, JsonCursor& in) override { shown = show(in); }
  void element(JsonCursor& in) override { shown = show(in); }
  void undo() override {}
  std::string shown;

 private:
  std::string show(JsonCursor& in) {
    return std::string(buffer_.view(write_python_text(in, buffer_, buffer_.begin())));
  }
  TextBuffer buffer_;
};

std::string shown(std::string_view json) {
  const std::string document = "{\"a\":" + std::string(json) + "}";
  const auto input = memory_input("f", document);
  JsonStream stream(*input, "list", false);
  Shower items;
  while (stream.read_some(items)) {
  }
  return items.shown;
}

TEST(PythonText, ValuesAsPythonShowsThem) {
  EXPECT_EQ(shown("[1 ,2.0,\"cuda:0\",true,false,null,[ ],[[1]],{}]"),
            "[1, 2.0, 'cuda:0', True, False, None, [], [[1]], {}]");
  EXPECT_EQ(shown("{\"a\":{\"b\":[1]},\"c\" : 2}"), "{'a': {'b': [1]}, 'c': 2}");
  EXPECT_EQ(shown("5"), "5");
  EXPECT_EQ(shown("\"<None>\""), "'<None>'");
}

TEST(PythonText, Numbers) {
  const struct {
    std::string_view json, text;
  } cases[] = {
      {"-0", "0"},
      {"-0.0", "-0.0"},
      {"123456789012345678901234567890", "123456789012345678901234567890"},
      {"-9223372036854775809", "-9223372036854775809"},
      {"1e5", "100000.0"},
      {"1E+16", "1e+16"},
      {"9999999999999998.0", "9999999999999998.0"},
      {"0.0001", "0.0001"},
      {"0.00001", "1e-05"},
      {"0.1", "0.1"},
      {"0.30000000000000004", "0.30000000000000004"},
      {"1.7976931348623157e308", "1.7976931348623157e+308"},
      {"5e-324", "5e-324"},
      {"1e400", "inf"},
      {"-1e400", "-inf"},
      {"1e-400", "0.0"},
      {"-1e-400", "-0.0"},
      {"1e99999999999999999999", "inf"},
      {"1e-99999999999999999999", "0.0"},
      {"0e99999999999999999999", "0.0"},
      {"NaN", "nan"},
      {"nan", "nan"},
      {"-nan", "nan"},
      {"Infinity", "inf"},
      {"-Infinity", "-inf"},
      {"inf", "inf"},
      {"-inf", "-inf"},
  };
  for (const auto& c : cases) EXPECT_EQ(shown(c.json), c.text) << c.json;
  // Large and small because of the number of digits.
  EXPECT_EQ(shown("1" + std::string(400, '0') + ".5e-5"), "inf");
  EXPECT_EQ(shown("0." + std::string(400, '0') + "1e5"), "0.0");
  EXPECT_EQ(shown("0." + std::string(400, '0') + "1"), "0.0");
  EXPECT_EQ(shown("1" + std::string(400, '0') + ".0"), "inf");
}

TEST(PythonText, Strings) {
  EXPECT_EQ(shown(R"("it's")"), R"("it's")");
  EXPECT_EQ(shown(R"("say \"it's\"")"), R"('say "it\'s"')");
  EXPECT_EQ(shown(R"("a\\b\n\r\t\u0001\u007f")"), R"('a\\b\n\r\t\x01\x7f')");
  EXPECT_EQ(shown(R"("\u00e9\u00ad\u200b\ud83d\ude00\ue000")"), "'\xC3\xA9\\xad\\u200b\xF0\x9F\x98\x80\\ue000'");
  EXPECT_EQ(shown("\"\xC3\xA9\xE2\x82\xAC\""), "'\xC3\xA9\xE2\x82\xAC'");
  EXPECT_EQ(shown(R"("\udb80\udc00")"), R"('\U000f0000')");
  EXPECT_EQ(shown("\"" + std::string(100'000, 'x') + "'\""), "\"" + std::string(100'000, 'x') + "'\"");
}

TEST(PythonText, DepthCostsNothing) {
  const std::size_t depth = 10'000'000;
  EXPECT_EQ(shown(std::string(depth, '[') + std::string(depth, ']')).size(), 2 * depth);
}

TEST(PythonText, WhatIsNoJsonIsRefused) {
  const auto error = [](std::string_view text) { return error_text([&] { (void)shown(text); }); };
  EXPECT_EQ(error("[1 2]"), "f:1:9: ',' or ']' is expected");
  EXPECT_EQ(error("[1: 2]"), "f:1:8: ',' or ']' is expected");
  EXPECT_EQ(error("{1: 2}"), "f:1:7: a key or '}' is expected");
  EXPECT_EQ(error("{\"a\": 1: 2}"), "f:1:13: ',' or '}' is expected");
  EXPECT_EQ(error("{\"a\", 1}"), "f:1:10: ':' is expected");
  EXPECT_EQ(error("[1,]"), "f:1:9: a value is expected");
  EXPECT_EQ(error("[1}"), "f:1:8: ',' or ']' is expected");
  EXPECT_EQ(error("[007]"), "f:1:7: not a JSON value");
  EXPECT_EQ(error("[-01]"), "f:1:7: not a JSON value");
  EXPECT_EQ(error("[1.]"), "f:1:7: not a JSON value");
  EXPECT_EQ(error("[-.5]"), "f:1:7: not a JSON value");
  EXPECT_EQ(error("[truely]"), "f:1:7: not a JSON value");
  EXPECT_EQ(error("[\"\\x41\"]"), "f:1:8: unknown escape in a string");
}

}  // namespace
}  // namespace convert::test
