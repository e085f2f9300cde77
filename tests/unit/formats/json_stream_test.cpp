// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "formats/json/stream.h"
#include "read_all.h"
#include "sanitized.h"

namespace convert::test {
namespace {

// Items as text; elements are either read completely or skipped.
class Recorder final : public JsonItems {
 public:
  explicit Recorder(bool read_over) : read_over_(read_over) {}
  void member(std::string_view key, JsonCursor& in) override {
    const std::string_view value = in.value();
    items.push_back(std::string(key) + "=" + std::string(value));
  }
  void element(JsonCursor& in) override {
    items.emplace_back();
    items.back() = read_over_ ? in.skip() : in.value();
  }
  void undo() override { items.pop_back(); }

  std::vector<std::string> items;

 private:
  bool read_over_;
};

struct Way {
  std::size_t window = mib;
  bool bare = false;
  bool read_over = false;
  std::size_t largest = JsonStream::largest_item;
};

std::vector<std::string> items_of(Input& input, const Way& way) {
  Recorder items(way.read_over);
  JsonStream stream(input, "list", way.bare, way.window, way.largest);
  while (stream.read_some(items)) {
  }
  if (!stream.seen_array()) items.items.emplace_back("no list");
  return items.items;
}
std::vector<std::string> items_of(std::string_view text, const Way& way = {}) {
  const auto input = memory_input("f", text);
  return items_of(*input, way);
}
std::string error_in(std::string_view text, const Way& way = {}) {
  return error_text([&] { (void)items_of(text, way); });
}

constexpr std::string_view list_document =
    "{ \"a\\u0062\" : \"x]}\\\"\\\\\" ,\"list\":[1, \"\", {}, [ ],{\"k\\\\\":[{\"deep\":[[[\"}]\"]]]}] "
    "},\r\n\t-1.5e+3,"
    "true,false,null,\"\xC3\xA9\xF0\x9F\x98\x80\", NaN, -Infinity,\"\\ud83d\\ude00\" "
    "],\n\"z\":{\"y\":[1,{\"w\":2}]},\"\":0}";

TEST(JsonStream, ItemsAreTheSameThroughAnyWindow) {
  const std::vector<std::string> expected = {"ab=\"x]}\\\"\\\\\"",
                                             "1",
                                             "\"\"",
                                             "{}",
                                             "[ ]",
                                             "{\"k\\\\\":[{\"deep\":[[[\"}]\"]]]}] }",
                                             "-1.5e+3",
                                             "true",
                                             "false",
                                             "null",
                                             "\"\xC3\xA9\xF0\x9F\x98\x80\"",
                                             "NaN",
                                             "-Infinity",
                                             "\"\\ud83d\\ude00\"",
                                             "z={\"y\":[1,{\"w\":2}]}",
                                             "=0"};
  EXPECT_EQ(items_of(list_document), expected);
  for (std::size_t window = 1; window <= list_document.size() + 2; ++window) {
    EXPECT_EQ(items_of(list_document, {.window = window}), expected) << window;
    EXPECT_EQ(items_of(list_document, {.window = window, .bare = true, .read_over = true}), expected) << window;
  }
}

TEST(JsonStream, StringsThatStraddleAWindow) {
  // Brackets in strings at window boundaries: in the first and in a later element, key and member.
  for (const std::string_view text :
       {"{\"]}k]}\":\"]}v]}\",\"]}l\":1,\"list\":[\"]}a]}\",\"]}b]}\",{\"}c\":\"]d\"}]}",
        "{\"list\":[\"]}a]}\\\\\",\"]\\\"}b]}\"],\"}m\":\"}\"}"}) {
    const auto expected = items_of(text);
    EXPECT_GE(expected.size(), 3U);
    for (std::size_t window = 1; window <= text.size(); ++window) {
      EXPECT_EQ(items_of(text, {.window = window}), expected) << window;
    }
  }
}

TEST(JsonStream, EveryPrefixIsTruncated) {
  for (std::size_t n = 0; n < list_document.size(); ++n) {
    const std::string_view text = list_document.substr(0, n);
    const std::string error = error_in(text);
    EXPECT_TRUE(error.starts_with("f:")) << n;
    for (const std::size_t window : {1, 7, 64}) {
      EXPECT_EQ(error_in(text, {.window = window}), error) << n;
      EXPECT_NE(error_in(text, {.window = window, .read_over = true}), "") << n;
    }
  }
  EXPECT_EQ(error_in("{\"list\":[1"), "f:1:11: truncated JSON: the text ends too early");
  EXPECT_EQ(error_in("{\"list\":[\n \"ab"), "f:2:2: truncated JSON: the text ends inside a string");
  EXPECT_EQ(error_in("{\"list\":[\n \"ab\\"), "f:2:2: truncated JSON: the text ends inside a string");
  EXPECT_EQ(error_in("{\"list\":[\n \"ab\\\\\\\""), "f:2:2: truncated JSON: the text ends inside a string");
  EXPECT_EQ(error_in("{\"list\":[]} \"a"), "f:1:13: truncated JSON: the text ends inside a string");
}

TEST(JsonStream, MalformedTextHasItsPlace) {
  const struct {
    std::string_view text, error;
  } cases[] = {
      {"", "f:1:1: is empty; a JSON document is expected"},
      {" \n\t ", "f:2:3: is empty; a JSON document is expected"},
      {"[1]", "f:1:1: '{' is expected"},
      {"7", "f:1:1: '{' is expected"},
      {"{\"list\":{}}", "f:1:9: '[' is expected"},
      {"{\"list\":null}", "f:1:9: '[' is expected"},
      {"{\"list\":[1 2]}", "f:1:12: ',' is expected"},
      {"{\"list\":[1,]}", "f:1:12: a value is expected"},
      {"{\"list\":[,1]}", "f:1:10: a value is expected"},
      {"{\"list\":[1}", "f:1:11: ',' is expected"},
      {"{\"list\":[[1}]}", "f:1:12: ',' or ']' is expected"},
      {"{\"list\":[[1,]]}", "f:1:13: a value is expected"},
      {"{\"list\":[[1:2]]}", "f:1:12: ',' or ']' is expected"},
      {"{\"list\":[{1:2}]}", "f:1:11: a key or '}' is expected"},
      {"{\"list\":[{\"a\" 2}]}", "f:1:15: ':' is expected"},
      {"{\"list\":[{\"a\":}]}", "f:1:15: a value is expected"},
      {"{\"list\":[{\"a\":1,}]}", "f:1:17: a key is expected"},
      {"{\"list\":[{\"a\":1]]}", "f:1:16: ',' or '}' is expected"},
      {"{\"list\":[{\"a\",\"b\"}]}", "f:1:14: ':' is expected"},
      {"{\"list\":[]", "f:1:11: truncated JSON: the text ends too early"},
      {"{\"list\":[]]", "f:1:11: ',' is expected"},
      {"{\"list\":[],}", "f:1:12: a string is expected"},
      {"{,\"list\":[]}", "f:1:2: a string is expected"},
      {"{\"list\":[]}{}", "f:1:12: more text after the document"},
      {"{\"list\":[]}\n,", "f:2:1: more text after the document"},
      {"{\"list\":[1], \"list\":[]}", "f:1:14: 'list' is given twice"},
      {"{\"a\":1,\n\"a\":2}", "f:2:1: 'a' is given twice"},
      {"{\"a\":1,\n\"\\u0061\":2}", "f:2:1: 'a' is given twice"},
      {"{\"a\":\"\\q\"}", "f:1:7: unknown escape in a string"},
      {"{\"a\":\"\\u12g4\"}", "f:1:9: \\u requires four hexadecimal digits"},
      {"{\"a\":\"\\u12\"}", "f:1:9: \\u requires four hexadecimal digits"},
      {"{\"a\":[\"\\x\"]}", "f:1:8: unknown escape in a string"},
      {"{\"a\":tru}", "f:1:6: not a JSON value"},
      {"{\"a\":nul }", "f:1:6: not a JSON value"},
      {"{\"a\":True}", "f:1:6: a value is expected"},
      {"{\"a\":'b'}", "f:1:6: a value is expected"},
      {"{\"a\":01}", "f:1:6: not a JSON value"},
      {"{\"a\":-}", "f:1:6: not a JSON value"},
      {"{\"a\":1.}", "f:1:6: not a JSON value"},
      {"{\"a\":1e}", "f:1:6: not a JSON value"},
      {"{\"a\":.5}", "f:1:6: a value is expected"},
      {"{\"a\":+5}", "f:1:6: a value is expected"},
      {"{\"a\":0x10}", "f:1:6: not a JSON value"},
      {"{\"a\":nan(1)}", "f:1:6: not a JSON value"},
      {"{\"a\":1\"b\"}", "f:1:6: not a JSON value"},
      {"{\"a\":\"b\"c}", "f:1:9: ',' is expected"},
      {"{\"a\":\"b\" \"c\"}", "f:1:10: ',' is expected"},
      {"{\"a\":\"b\nc\"}", "f:1:8: control character in a string"},
      {"{\"a\":\"b\\\x01\"}", "f:1:9: control character in a string"},
      {"{\"a\":\"\\\"\\\\\",\"b\":\"\x1f\"}", "f:1:18: control character in a string"},
      {"{\"a\":1\x01}", "f:1:6: not a JSON value"},
      {"{\"a\":1 \x0b}", "f:1:8: ',' is expected"},
      {"{\"a\":1 \x0c}", "f:1:8: ',' is expected"},
      {"{\"a\":[1 \x1a 2]}", "f:1:9: ',' or ']' is expected"},
      {"{\"a\":[1, \x0c 2]}", "f:1:10: a value is expected"},
      {"{\"a\":\"\xff\"}", "f:1:7: is not UTF-8 text"},
      {"{\"a\":\n\"\xC3\xA9\xED\xA0\x80\"}", "f:2:4: is not UTF-8 text"},
      {"{\"a\":1}\xC2", "f:1:8: is not UTF-8 text"},
      {"{\"a\":\xC2\xA0 1}", "f:1:6: a value is expected"},
      {"{\"list\":[1 2], \"a\":\"\xff\x01\"}", "f:1:12: ',' is expected"},
      {"{\"a\":\"b\x01\xff\"}", "f:1:8: control character in a string"},
      {"{\"a\":\"b\xff\x01\"}", "f:1:8: is not UTF-8 text"},
      {"\xFF\xFE{\x00", "f:1:1: is not UTF-8 text"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(error_in(c.text), c.error) << c.text;
    EXPECT_EQ(error_in(c.text, {.window = 1}), c.error) << c.text;
    EXPECT_EQ(error_in(c.text, {.window = 8}), c.error) << c.text;
  }
}

TEST(JsonStream, ZeroBytes) {
  const auto with_zeros = [](std::string text) {
    std::replace(text.begin(), text.end(), '@', '\0');
    return text;
  };
  EXPECT_EQ(error_in(with_zeros("{\"a\":@}")), "f:1:6: a value is expected");
  EXPECT_EQ(error_in(with_zeros("{\"a\":1@}")), "f:1:6: not a JSON value");
  EXPECT_EQ(error_in(with_zeros("{\"a\":1 @}")), "f:1:8: ',' is expected");
  EXPECT_EQ(error_in(with_zeros("{\"a\":[@]}")), "f:1:7: a value or ']' is expected");
  EXPECT_EQ(error_in(with_zeros("{\"a\":\"@\"}")), "f:1:7: control character in a string");
  EXPECT_EQ(error_in(with_zeros("{\"list\":[]}@@@")), "f:1:12: more text after the document");
  EXPECT_EQ(error_in(with_zeros("@@@")), "f:1:1: '{' is expected");
}

TEST(JsonStream, ByteOrderMarkIsNoText) {
  EXPECT_EQ(items_of("\xEF\xBB\xBF{\"list\":[7]}", {.window = 1}), std::vector<std::string>{"7"});
  EXPECT_EQ(error_in("\xEF\xBB\xBF{\"list\":[,]}"), "f:1:10: a value is expected");
  EXPECT_EQ(error_in("\xEF\xBB\xBF"), "f:1:1: is empty; a JSON document is expected");
  EXPECT_EQ(error_in("{\"a\":\xEF\xBB\xBF 1}"), "f:1:6: a value is expected");
}

TEST(JsonStream, ArrayAlone) {
  const Way bare{.bare = true};
  EXPECT_EQ(items_of(" [1,[2]]\n", bare), (std::vector<std::string>{"1", "[2]"}));
  EXPECT_EQ(items_of("[]", bare), std::vector<std::string>());
  EXPECT_EQ(items_of("{\"a\":1}", bare), (std::vector<std::string>{"a=1", "no list"}));
  EXPECT_EQ(error_in("[1", bare), "f:1:3: truncated JSON: the text ends too early");
  EXPECT_EQ(error_in("[1,]", bare), "f:1:4: a value is expected");
  EXPECT_EQ(error_in("[1] 2", bare), "f:1:5: more text after the document");
  EXPECT_EQ(error_in("[1}", bare), "f:1:3: ',' is expected");
}

TEST(JsonStream, PlacesBehindManyWindows) {
  std::string lines = "{\"list\":[\n";
  for (int i = 0; i < 100'000; ++i) lines += "{\"number\":" + std::to_string(i) + "},\n";
  const std::string one_line = [&] {
    std::string s = lines;
    std::replace(s.begin(), s.end(), '\n', ' ');
    return s;
  }();
  const std::string column = std::to_string(one_line.size() + 7);
  for (const std::size_t window : {std::size_t{100}, std::size_t{5000}, mib}) {
    EXPECT_EQ(error_in(lines + "{\"a\": x}]}", {.window = window}), "f:100002:7: a value is expected");
    EXPECT_EQ(error_in(one_line + "{\"a\": x}]}", {.window = window}), "f:1:" + column + ": a value is expected");
  }
}

TEST(JsonStream, SpaceBehindTheDocumentNeedsNoMemory) {
  EXPECT_EQ(items_of("{\"list\":[7]}" + std::string(10'000, '\n'), {.window = 64, .largest = 256}),
            std::vector<std::string>{"7"});
  EXPECT_EQ(error_in("{\"list\":[7]}" + std::string(10'000, '\n') + "x", {.window = 64, .largest = 256}),
            "f:10001:1: more text after the document");
}

TEST(JsonStream, DepthCostsNothing) {
  const std::size_t depth = test::rounds(10'000'000);
  const std::string open(depth, '[');
  const std::string closed(depth, ']');
  const std::string text = "{\"a\":" + open + closed + ",\"list\":[" + open + closed + "]}";
  const auto items = items_of(text);
  ASSERT_EQ(items.size(), 2U);
  EXPECT_EQ(items[0].size(), 2 + 2 * depth);
  EXPECT_EQ(items[1].size(), 2 * depth);
  EXPECT_EQ(error_in("{\"list\":[" + open + "}"),
            "f:1:" + std::to_string(depth + 10) + ": a value or ']' is expected");
  EXPECT_EQ(error_in("{\"list\":[" + open),
            "f:1:" + std::to_string(depth + 10) + ": truncated JSON: the text ends too early");
  // The kind of each bracket is tracked at any depth.
  std::string mixed = "{\"list\":[";
  for (int i = 0; i < 1000; ++i) mixed += i % 3 == 0 ? "{\"k\":" : "[";
  std::string end;
  for (int i = 999; i >= 0; --i) end += i % 3 == 0 ? "}" : "]";
  EXPECT_EQ(items_of(mixed + "0" + end + "]}").size(), 1U);
  for (std::size_t i = 0; i < end.size(); ++i) {
    std::string wrong = end;
    wrong[i] = wrong[i] == '}' ? ']' : '}';
    EXPECT_EQ(error_in(mixed + "0" + wrong + "]}"),
              "f:1:" + std::to_string(mixed.size() + 2 + i) + ": ',' or '" + end[i] + "' is expected");
  }
}

TEST(JsonStream, LongStrings) {
  const std::string value(test::rounds(50'000'000), 'x');
  const auto items = items_of("{\"list\":[\"" + value + "\"], \"a\":\"" + value + "\"}");
  ASSERT_EQ(items.size(), 2U);
  EXPECT_EQ(items[0].size(), value.size() + 2);
  EXPECT_EQ(items[1].size(), value.size() + 4);
}

TEST(JsonStream, AnItemHasALimit) {
  const Way way{.window = 64, .largest = 1024};
  const auto document_of = [](std::size_t n) {
    return "{\"list\":[{},\n {\"a\":\"" + std::string(n, 'x') + "\"}]}";
  };
  EXPECT_EQ(items_of(document_of(1000), way).size(), 2U);
  EXPECT_EQ(error_in(document_of(1100), way), "f:2:2: a value of 1024 bytes or more");
  EXPECT_EQ(error_in("{\"a\":" + std::string(1100, '['), way), "f:1:1: a value of 1024 bytes or more");
}

// A value that never ends.
class EndlessInput final : public Input {
 public:
  EndlessInput() : Input("f", std::nullopt) {}

 protected:
  std::size_t fill(char* to, std::size_t n) override {
    std::fill_n(to, n, 'x');
    if (!begun_) std::copy_n("{\"a\":\"", std::min<std::size_t>(n, 6), to);
    begun_ = true;
    return n;
  }

 private:
  bool begun_ = false;
};

TEST(JsonStream, AValueOf1GiBIsRefused) {
  if (test::sanitized) GTEST_SKIP() << "a GiB takes long under sanitizers";
  EndlessInput input;
  EXPECT_EQ(error_text([&] { (void)items_of(input, {}); }), "f:1:1: a value of 1073741824 bytes or more");
}

class Thrower final : public JsonItems {
 public:
  void member(std::string_view /*key*/, JsonCursor& in) override { (void)in.skip(); }
  void element(JsonCursor& in) override {
    if (in.skip() == "2") throw input_error({}, "too many");
  }
  void undo() override {}
};

TEST(JsonStream, ErrorsOfItemsGetTheirPlace) {
  const auto input = memory_input("f", "{\"list\":[1,\n  2,3]}");
  JsonStream stream(*input, "list", false);
  Thrower items;
  EXPECT_EQ(error_text([&] { (void)stream.read_some(items); }), "f:2:3: too many");
}

TEST(JsonStream, Unescaped) {
  std::string scratch;
  EXPECT_EQ(unescaped("a\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041\\u00e9\\u20ac\\ud83d\\ude00", scratch),
            "a\"\\/\b\f\n\r\tA\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80");
  // A lone surrogate is not a character.
  EXPECT_EQ(unescaped("\\ud83d", scratch), "\xEF\xBF\xBD");
  EXPECT_EQ(unescaped("\\ude00x", scratch), "\xEF\xBF\xBDx");
  EXPECT_EQ(unescaped("\\ud83d\\u0041", scratch),
            "\xEF\xBF\xBD"
            "A");
  EXPECT_EQ(unescaped("\\ud83d\\ud83d\\ude00", scratch), "\xEF\xBF\xBD\xF0\x9F\x98\x80");
  EXPECT_EQ(unescaped("\\u0000", scratch), std::string(1, '\0'));
}

}  // namespace
}  // namespace convert::test
