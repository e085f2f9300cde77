// SPDX-License-Identifier: MIT
#include "util/json_writer.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

#include "util/base64.h"
#include "util/utf8.h"

namespace convert {
namespace {

std::string json_string(std::string_view s) {
  std::string out;
  append_json_string(out, s);
  return out;
}

template <typename T>
std::string json_number(T value) {
  std::string out;
  append_json_number(out, value);
  return out;
}

TEST(JsonWriter, PlacesCommasAndLines) {
  std::string out;
  JsonWriter w(out);
  w.begin_object().member("rank", 3).member("name", "x").key("nodes").begin_array();
  w.line(2).begin_object().end_object();
  w.line(2).begin_object().member("id", std::uint64_t{18446744073709551615U}).key("none").raw("null").end_object();
  w.line(1).end_array().member("share", 0.1).member("yes", true).key("fixed").raw("1.50").end_object();
  EXPECT_EQ(out,
            "{\"rank\":3,\"name\":\"x\",\"nodes\":[\n  {},\n  {\"id\":18446744073709551615,\"none\":null}\n ],"
            "\"share\":0.1,\"yes\":true,\"fixed\":1.50}");
}

TEST(JsonWriter, EmptyAndNestedArrays) {
  std::string out;
  JsonWriter(out).begin_array().begin_array().end_array().begin_array().value(-1).value(2).end_array().end_array();
  EXPECT_EQ(out, "[[],[-1,2]]");
}

TEST(JsonWriter, EscapesEverythingThatJsonForbids) {
  EXPECT_EQ(json_string("a\"b\\c"), "\"a\\\"b\\\\c\"");
  EXPECT_EQ(json_string("\b\f\n\r\t"), "\"\\b\\f\\n\\r\\t\"");
  EXPECT_EQ(json_string(std::string_view("\0\x1f\x7f", 3)), "\"\\u0000\\u001f\x7f\"");
  EXPECT_EQ(json_string("long plain text, then \x01 and again plain text"),
            "\"long plain text, then \\u0001 and again plain text\"");
  for (int c = 0; c < 0x20; ++c) {  // at every position of a word
    for (std::size_t at = 0; at < 20; ++at) {
      std::string s(20, 'x');
      s[at] = static_cast<char>(c);
      EXPECT_EQ(json_string(s).find(static_cast<char>(c)), std::string::npos);
    }
  }
}

TEST(JsonWriter, EscapesC1Controls) {
  EXPECT_EQ(json_string("a\u009b31m\u0080\u009f"), "\"a\\u009b31m\\u0080\\u009f\"");
  EXPECT_EQ(json_string("\u00a0\u00c2"), "\"\u00a0\u00c2\"");
}

TEST(JsonWriter, Utf8PassesAndDamageIsReplaced) {
  const std::string good = "\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80 \xED\x9F\xBF \xF4\x8F\xBF\xBF";
  std::string out;
  EXPECT_TRUE(append_json_string(out, good));
  EXPECT_EQ(out, "\"" + good + "\"");
  EXPECT_EQ(find_invalid_utf8(good), std::string::npos);
  for (const std::string_view bad : {"\x80", "\xC0\xAF", "\xC3", "\xE0\x9F\xBF", "\xED\xA0\x80", "\xE2\x82",
                                     "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF"}) {
    out.clear();
    EXPECT_FALSE(append_json_string(out, bad));
    EXPECT_EQ(find_invalid_utf8(out), std::string::npos);
    EXPECT_EQ(find_invalid_utf8("ab" + std::string(bad)), 2U);
  }
}

TEST(JsonWriter, NumbersAreShortestAndExact) {
  EXPECT_EQ(json_number(0.1), "0.1");
  EXPECT_EQ(json_number(0.1F), "0.1");
  EXPECT_EQ(json_number(-0.0), "-0");
  EXPECT_EQ(json_number(1e300), "1e+300");
  EXPECT_EQ(json_number(5.0), "5");
  EXPECT_EQ(json_number(std::numeric_limits<double>::infinity()), "\"Infinity\"");
  EXPECT_EQ(json_number(-std::numeric_limits<double>::infinity()), "\"-Infinity\"");
  EXPECT_EQ(json_number(std::numeric_limits<float>::quiet_NaN()), "\"NaN\"");
  EXPECT_EQ(json_number(std::numeric_limits<std::int64_t>::min()), "-9223372036854775808");
}

TEST(Base64, BothWays) {
  for (const auto& [bytes, text] :
       std::initializer_list<std::pair<std::string_view, std::string_view>>{{"", ""},
                                                                            {"f", "Zg=="},
                                                                            {"fo", "Zm8="},
                                                                            {"foo", "Zm9v"},
                                                                            {"foob", "Zm9vYg=="},
                                                                            {"\xff\xfe\xfd", "//79"}}) {
    std::string out;
    append_base64(out, bytes);
    EXPECT_EQ(out, text);
    out.clear();
    EXPECT_TRUE(decode_base64(text, out));
    EXPECT_EQ(out, bytes);
  }
  for (const std::string_view bad : {"Zg", "Zg=", "Z===", "====", "Zg==Zg==", "Zh==", "Zm9=", "Z m9", "Zm9v\n"}) {
    std::string out;
    EXPECT_FALSE(decode_base64(bad, out)) << bad;
  }
}

}  // namespace
}  // namespace convert
