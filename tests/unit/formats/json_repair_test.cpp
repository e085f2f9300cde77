// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/diagnostic.h"
#include "formats/json/repair.h"
#include "formats/json/stream.h"
#include "read_all.h"
#include "sanitized.h"

namespace convert::test {
namespace {

std::string repaired(std::string_view text) {
  const auto input = memory_input("f", text);
  RepairedJson out(*input, "", {}, {}, false);
  return out.read_rest();
}

struct Case {
  std::string_view text, expected;
};

TEST(JsonRepair, FaultsWithOneReading) {
  const Case cases[] = {
      {R"([{"a":1} {"b":2}])", R"([{"a":1} ,{"b":2}])"},
      {R"([[1][2]])", R"([[1],[2]])"},
      {R"({"a":{} "b":1 "c":"d" "e":2})", R"({"a":{} ,"b":1 ,"c":"d" ,"e":2})"},
      {R"([{"a":1},])", R"([{"a":1}])"},
      {R"([{"a":1},,{"b":2}])", R"([{"a":1},{"b":2}])"},
      {R"([,{"a":1,}])", R"([{"a":1}])"},
      {R"({,"a":1,,"b":[1,2,],})", R"({"a":1,"b":[1,2]})"},
      {R"x({"name":"Library("_test", "IMPL")", "pid":1})x",
       R"x({"name":"Library(\"_test\", \"IMPL\")", "pid":1})x"},
      {R"({"name":"say "hi""})", R"({"name":"say \"hi\""})"},
      {R"({"name":"{"a"}", "b":""})", R"({"name":"{\"a\"}", "b":""})"},
      {R"x([["f("x")", 1]])x", R"x([["f(\"x\")", 1]])x"},
      {R"({"a":"C:\Users\x41 \u12g","b":"\\ \u0041"})", R"({"a":"C:\\Users\\x41 \\u12g","b":"\\ \u0041"})"},
      {"{\"a\":\"x\n\t\x01y\"\n}", "{\"a\":\"x\\n\\t\\u0001y\"\n}"},
      {"[\"\xff\xc3\xa9\xe2\x82\"]", "[\"\xEF\xBF\xBD\xc3\xa9\xEF\xBF\xBD\xEF\xBF\xBD\"]"},
  };
  for (const auto& [text, expected] : cases) EXPECT_EQ(repaired(text), expected);
}

TEST(JsonRepair, OtherFaultsAndSeveralReadingsPassUnchanged) {
  for (const std::string_view text : {
           R"({"name":"abc, "ph":"X"})",     // the string of name has no end
           R"({"name":"{"a": 1}", "b":2})",  // "a" may be a key
           R"(["a" "b"])",                   // a comma, or two quotes
           R"([1,,2])",                      // a value may be missing
           R"([1 2])",
           R"({"a":1 2})",
           R"({"a" 1})",
           R"({"a":,"b":1})",
           R"([)",
           R"({"a":"b)",
           R"([1}])",
           R"({a:1})",
           "[1]]",
           "\xff[1]",
           "[\x01]",
           "",
           "   ",
       }) {
    EXPECT_EQ(repaired(text), text);
  }
}

TEST(JsonRepair, SoundTextPassesUnchanged) {
  std::string text =
      R"({"s":"a\"b\\\/\u00e9\n","list":[1,-2.5e+3,true,null,NaN,"x",[],{},["a","b"],{"a":"}"},"]"],)";
  text += "\n\t\"long " + std::string(100'000, 'k') + "\":\"" + std::string(3'000'000, 'v') + "\"" +
          std::string(200'000, ' ') + ",\"\":{\"a\":[\"b\"]}}\n";
  EXPECT_EQ(repaired(text), text);
}

TEST(JsonRepair, DeepNestingIsNoRecursion) {
  const std::string open(rounds(std::size_t{1} << 20U), '[');
  EXPECT_EQ(repaired(open + "{} {}"), open + "{} ,{}");
}

class Names final : public JsonItems {
 public:
  void member(std::string_view key, JsonCursor& in) override {
    items.push_back(std::string(key) + "=" + std::string(in.value()));
  }
  void element(JsonCursor& in) override {
    items.emplace_back();
    items.back() = in.value();
  }
  void undo() override { items.pop_back(); }
  std::vector<std::string> items;
};

struct ReadText {
  std::vector<std::string> items;
  std::vector<std::string> warnings;
};

ReadText read_text(std::string_view text, std::size_t window = mib) {
  const auto input = memory_input("f", text);
  Names items;
  Diagnostics diagnostics;
  JsonStream stream(*input, "list", true, window);
  stream.read_all_repaired(items, diagnostics);
  ReadText out{std::move(items.items), {}};
  for (const Diagnostic& d : diagnostics.all()) {
    out.warnings.push_back(std::to_string(d.where.line) + ":" + std::to_string(d.where.column) + " " + d.message);
  }
  return out;
}

constexpr std::string_view faulty =
    "{\"a\":1 \"list\":[{\"n\":\"x\"},\n"
    "{\"n\":\"a\nb\"}\n"
    "{\"n\":\"say \"hi\"\"},,\n"
    "{\"n\":\"\xff\"},\n"
    "{\"n\":\"C:\\d\"},]}";

TEST(JsonRepair, StreamReadsWhatIsMeantThroughAnyWindow) {
  const std::vector<std::string> expected = {"a=1",
                                             R"({"n":"x"})",
                                             R"({"n":"a\nb"})",
                                             R"({"n":"say \"hi\""})",
                                             "{\"n\":\"\xEF\xBF\xBD\"}",
                                             R"({"n":"C:\\d"})"};
  const std::vector<std::string> warnings = {
      "1:8 is not JSON: missing commas were added: 2; this is the first",
      "4:17 is not JSON: surplus commas were ignored: 2; this is the first",
      "4:11 is not JSON: unescaped quotes in strings were taken as text: 2; this is the first",
      "2:8 is not JSON: control characters in strings were taken as text: 1",
      "6:9 is not JSON: backslashes without a valid escape were taken as text: 1",
      "5:7 is not JSON: bytes that are not UTF-8 were replaced by U+FFFD: 1"};
  for (const std::size_t window : {1U, 3U, 16U, 40U, 1U << 20U}) {
    const ReadText got = read_text(faulty, window);
    EXPECT_EQ(got.items, expected) << window;
    EXPECT_EQ(got.warnings, warnings) << window;
  }
}

TEST(JsonRepair, LaterErrorsKeepTheirPlace) {
  for (const std::size_t window : {4U, 64U, 1U << 20U}) {
    EXPECT_EQ(error_text([&] { (void)read_text("[{\"n\":\"a\nb\"} {\"m\":\"\xff\"},{\"k\" 7}]", window); }),
              "f:2:20: ':' is expected");
    EXPECT_EQ(error_text([&] { (void)read_text("[{\"n\":1},{\"n\" 2} {}]", window); }), "f:1:15: ':' is expected");
  }
}

TEST(JsonRepair, ManyFaultsTakeLinearTimeAndLittleMemory) {
  const std::size_t events = rounds(std::size_t{200} * 1000);
  std::string text = "[";
  for (std::size_t i = 0; i < events; ++i) text += "{\"name\":\"a \"quoted\" name\xff\",\"ts\":1}\n";
  text += "]";
  EXPECT_EQ(read_text(text, 1U << 16U).items.size(), events);
}

}  // namespace
}  // namespace convert::test
