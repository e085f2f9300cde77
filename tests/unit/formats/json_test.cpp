// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "recode.h"

namespace convert::test {
namespace {

constexpr const char* json_document =
    "{\"rank\":3,\n"
    " \"metadata\":{\"version\":\"0.0.4\",\"attr\":[{\"name\":\"schema\",\"string_val\":\"a\\\"b\"}]},\n"
    " \"nodes\":[\n"
    "  {\"id\":1,\"name\":\"first\",\"type\":\"COMP_NODE\",\"duration_micros\":\"18446744073709551615\","
    "\"attr\":[{\"name\":\"is_cpu_op\",\"bool_val\":false},{\"name\":\"x\"}]},\n"
    "  {\"id\":2,\"type\":42,\"ctrl_deps\":[1],\"data_deps\":[1,1],\"inputs\":{\"values\":\"[1]\"},\"outputs\":{},"
    "\"attr\":[{\"name\":\"l\",\"int64_list\":{\"values\":[\"-9223372036854775808\",7]}},"
    "{\"name\":\"e\",\"bool_list\":{}},{\"doc_string\":\"d\",\"bytes_val\":\"//79\"}]}\n"
    " ]}\n";

constexpr const char* lines =
    "{\"rank\":3,\"metadata\":{\"version\":\"0.0.4\",\"attr\":[{\"name\":\"schema\",\"string_val\":\"a\\\"b\"}]}}\n"
    "{\"rank\":3,\"id\":1,\"name\":\"first\",\"type\":\"COMP_NODE\",\"duration_micros\":\"18446744073709551615\","
    "\"attr\":[{\"name\":\"is_cpu_op\",\"bool_val\":false},{\"name\":\"x\"}]}\n"
    "{\"rank\":3,\"id\":2,\"type\":42,\"ctrl_deps\":[1],\"data_deps\":[1,1],\"inputs\":{\"values\":\"[1]\"},"
    "\"outputs\":{},"
    "\"attr\":[{\"name\":\"l\",\"int64_list\":{\"values\":[\"-9223372036854775808\",7]}},"
    "{\"name\":\"e\",\"bool_list\":{}},{\"doc_string\":\"d\",\"bytes_val\":\"//79\"}]}\n";

std::string node_document(std::string_view node) {
  return "{\"rank\":0,\"metadata\":{},\n\"nodes\":[\n" + std::string(node) + "]}";
}
std::string attr_document(std::string_view attr) {
  return node_document("{\"id\":7,\"attr\":[" + std::string(attr) + "]}");
}
std::string json_node_error(std::string_view node) { return recode_error(node_document(node), "json").what(); }
std::string attr_error(std::string_view attr) { return recode_error(attr_document(attr), "json").what(); }

TEST(Json, ReadsWhatItWritesAndTheTwoLayoutsAgree) {
  EXPECT_EQ(recode(json_document, "json", "json"), json_document);
  EXPECT_EQ(recode(lines, "jsonl", "jsonl"), lines);
  EXPECT_EQ(recode(json_document, "json", "jsonl"), lines);
  EXPECT_EQ(recode(lines, "jsonl", "json", 1), json_document);
  EXPECT_EQ(recode(json_document, "json", "chakra"), recode(lines, "jsonl", "chakra"));
}

TEST(Json, PositionsAreLines) {
  const Trace t = read_one(json_document, "json");
  EXPECT_TRUE(t.nodes.positions_are_lines);
  EXPECT_EQ(t.nodes.positions, (std::vector<std::uint64_t>{4, 5}));
  EXPECT_EQ(read_one(lines, "jsonl").nodes.positions, (std::vector<std::uint64_t>{2, 3}));
  EXPECT_EQ(t.rank, 3U);
}

TEST(Json, SeveralRanks) {
  const std::string two_lines =
      "{\"rank\":0,\"metadata\":{}}\n{\"rank\":0,\"id\":1}\n{\"rank\":2,\"metadata\":{}}\n";
  const std::string array =
      "[\n{\"rank\":0,\n \"metadata\":{},\n \"nodes\":[\n  {\"id\":1}\n ]},\n"
      "{\"rank\":2,\n \"metadata\":{},\n \"nodes\":[]}\n]\n";
  EXPECT_EQ(recode(two_lines, "jsonl", "json", 10, true), array);
  EXPECT_EQ(recode(array, "json", "jsonl", 10, true), two_lines);
  EXPECT_EQ(recode(array, "json", "json", 10, true), array);
  EXPECT_EQ(recode("[]", "json", "jsonl"), "");
}

TEST(Json, NodesMayBeSkippedByTheCaller) {
  const std::string array =
      "[{\"rank\":0,\"metadata\":{},\"nodes\":[{\"id\":1},{\"id\":2}]},{\"nodes\":[],\"rank\":1}]";
  for (const char* format : {"json", "jsonl"}) {
    const std::string text = recode(array, "json", format, 10, true);
    BytesReader reader(text, format);
    Trace t;
    EXPECT_TRUE(reader->next_rank(t));
    EXPECT_TRUE(reader->next_nodes(t, 1));
    EXPECT_TRUE(reader->next_rank(t));
    EXPECT_EQ(t.rank, 1U);
    EXPECT_FALSE(reader->next_nodes(t, 1));
    EXPECT_FALSE(reader->next_rank(t));
  }
}

// Nodes of many sizes, some larger than the window: with many attributes, escapes, lists of numbers and of texts.
std::string varied_nodes(std::size_t nodes) {
  std::string text;
  for (std::size_t i = 0; i < nodes; ++i) {
    const std::string n = std::to_string(i + 1);
    text += std::string(i == 0 ? "" : ",\n  ") + "{\"id\":" + n + ",\"name\":\"n\\\"" +
            std::string(i % 997 == 50 ? 300'000 : i % 31, 'x') + "\",\"type\":\"COMP_NODE\"";
    if (i % 3 == 1) text += ",\"data_deps\":[" + std::to_string(i - 1) + ",0]";
    text += ",\"attr\":[{\"name\":\"is_cpu_op\",\"bool_val\":" + std::string(i % 2 == 0 ? "true" : "false") + "}";
    for (std::size_t a = 0; a < i % 7; ++a) {
      const std::string name = "{\"name\":\"a" + std::to_string((a + i) % 5) + "\",";
      if (a % 3 == 0) text += "," + name + "\"int64_val\":" + std::to_string(i * a) + "}";
      if (a % 3 == 1) text += "," + name + "\"string_list\":{\"values\":[\"]}\",\"\"]}}";
      if (a % 3 == 2) text += "," + name + "\"doc_string\":\"d\",\"double_val\":-0.5}";
    }
    text += "]}";
  }
  return text;
}

TEST(Json, NodesAreTheSameThroughWindows) {
  for (const std::size_t nodes : {1U, 51U, 3'000U}) {
    const std::string in_order =
        "{\"rank\":0,\n \"metadata\":{},\n \"nodes\":[\n  " + varied_nodes(nodes) + "\n ]}\n";
    EXPECT_TRUE(recode(in_order, "json", "json") == in_order) << nodes;
    // Rank and metadata are known only after the nodes.
    const std::string first = "{\"nodes\":[" + varied_nodes(nodes) + "],\"metadata\":{},\"rank\":0}";
    EXPECT_TRUE(recode(first, "json", "json") == in_order) << nodes;
    const std::string second = "{\"metadata\":{},\"nodes\":[{\"id\":1}],\"rank\":1}";
    EXPECT_TRUE(recode("[" + first + "," + second + "," + first.substr(0, first.size() - 2) + "2}]", "json", "json",
                       10, true) ==
                recode("[" + in_order +
                           ",{\"rank\":1,\"metadata\":{},\"nodes\":[{\"id\":1}]},{\"rank\":2,\"metadata\":{}," +
                           in_order.substr(in_order.find("\"nodes")) + "]",
                       "json", "json", 10, true))
        << nodes;
    const std::string lines_of = recode(in_order, "json", "jsonl");
    EXPECT_TRUE(recode(lines_of, "jsonl", "json", 1) == in_order) << nodes;
    if (nodes != 51) continue;  // the size of one batch
    EXPECT_EQ(read_one(lines_of, "jsonl").nodes.positions.back(), nodes + 1);
    EXPECT_EQ(read_one(in_order, "json").nodes.positions.back(), nodes + 3);
  }
}

TEST(Json, ErrorsBehindWindowsAreLocated) {
  const std::string nodes = varied_nodes(3'000);
  const std::string bad = "{\"metadata\":{},\"nodes\":[\n" + nodes + ",\n{\"id\":1,\"nam\":2}],\"rank\":";
  for (const char* begin : {"{", "{\"rank\":0,"}) {
    const Error e = recode_error(begin + bad.substr(1) + "0}", "json");
    EXPECT_EQ(std::string(e.what()), "unknown key 'nam'; did you mean 'name'?");
    EXPECT_EQ(e.where().line, 3'002U);
    EXPECT_EQ(e.where().column, 10U);
  }
  // Data after the nodes is read first.
  Error e = recode_error(bad + "-1}", "json");
  EXPECT_EQ(std::string(e.what()), "'rank': -1 is out of range (0…4294967295)");
  EXPECT_EQ(e.where().line, 3'002U);
  EXPECT_EQ(e.where().column, 26U);
  e = recode_error(bad + "0", "json");
  EXPECT_EQ(std::string(e.what()), "truncated JSON: the text ends too early");
}

TEST(Json, AttributesThatBeginLikeOthers) {
  // The reader remembers how attributes began; another value, or more members, may follow.
  for (
      const char* attrs :
      {R"({"name":"a","int64_val":1},{"name":"b","int64_val":2},{"name":"a","int64_val":"3"})",
       R"({"name":"a","int64_list":{"values":[1]}},{"name":"a","int64_list":{}},{"name":"a","int64_list":{"unknown":"EAE="}})",
       R"({"name":"a","int32_val":-7},{"name":"a","int32_val":2147483647},{"name":"a","doc_string":"d","int32_val":1})",
       R"({"name":"a\u0041","bool_val":true},{"name":"a","bool_val":true},{"name":"aA","bool_val":false})"}) {
    const std::string once = recode(attr_document(attrs), "json", "json");
    const std::string twice = recode(
        node_document("{\"id\":7,\"attr\":[" + std::string(attrs) + "]},{\"id\":7,\"attr\":[" + attrs + "]}"),
        "json", "json");
    const std::string node = once.substr(once.find("  {\"id\""), once.find("\n ]") - once.find("  {\"id\""));
    EXPECT_NE(twice.find(node + ",\n" + node), std::string::npos) << twice;
  }
  EXPECT_EQ(attr_error(R"({"name":"a","int32_val":1},{"name":"a","int32_val":2147483648})"),
            "'int32_val': 2147483648 is out of range (-2147483648…2147483647)");
  EXPECT_EQ(attr_error(R"({"name":"a","int32_val":1},{"name":"a","int32_val":1,"int64_val":1})"),
            "an attribute with two values");
  EXPECT_EQ(attr_error(R"({"name":"a","int32_val":1},{"name":"a","int32_val":1 2})"), "'}' is expected");
  EXPECT_EQ(attr_error(R"({"name":"\ud800","int32_val":1})"), "half a surrogate pair");
}

TEST(Json, HandWrittenInput) {
  const std::string plain =
      recode("{\"rank\":0,\"metadata\":{},\"nodes\":[{\"id\":9,\"type\":\"COMP_NODE\"}]}", "json", "chakra");
  for (const char* text :
       {"{ \"nodes\" : [ { \"type\" : 4 , \"id\" : \"9\" } ] , \"metadata\" : { } , \"rank\" : 0 }",
        "{\"nodes\":[{\"type\":\"4\",\"id\":9,\"rank\":0}]}",
        "\n[\n{\"rank\":0,\"nodes\":\t[{\"id\":9,\r\n\"type\":\"COMP_NODE\"}]}]\n\n",
        "{\"nodes\":[{\"\\u0069d\":9,\"type\":\"COMP_NODE\",\"name\":\"\",\"attr\":[],\"data_deps\":[],\"start_"
        "time_micros\":0}]}"}) {
    EXPECT_EQ(recode(text, "json", "chakra"), plain) << text;
  }
  EXPECT_EQ(recode("\n {\"metadata\":{},\"rank\":0}\r\n\n  {\"type\":4,\"id\":9}", "jsonl", "chakra"), plain);
}

TEST(Json, FloatsKeepEveryBit) {
  const std::string exact =
      "{\"name\":\"a\",\"double_list\":{\"values\":[0.1,-0,1e-320,\"Infinity\",\"-Infinity\",\"NaN\","
      "\"NaN:0xfff8000000000000\",\"NaN:0x7ff0000000000001\"]}},"
      "{\"name\":\"b\",\"float_list\":{\"values\":[0.1,-0,16777216,1e-45,\"NaN\",\"NaN:0xffc00000\",\"NaN:"
      "0x7f800001\"]}}";
  const std::string once = recode(attr_document(exact), "json", "json");
  EXPECT_NE(once.find(exact), std::string::npos) << once;
  EXPECT_EQ(recode(once, "json", "json"), once);
  EXPECT_EQ(recode(recode(once, "json", "chakra"), "chakra", "json"), once);
}

TEST(Json, RangesAndTypes) {
  for (const auto& [attr, message] : std::initializer_list<std::pair<const char*, const char*>>{
           {"{\"int32_val\":2147483648}", "'int32_val': 2147483648 is out of range (-2147483648…2147483647)"},
           {"{\"uint32_val\":-1}", "'uint32_val': -1 is out of range (0…4294967295)"},
           {"{\"uint64_val\":18446744073709551616}", "is out of range"},
           {"{\"int64_val\":1.5}", "'int64_val' must be an integer"},
           {"{\"int64_val\":007}", "'int64_val' must be an integer"},
           {"{\"int64_val\":true}", "'int64_val' must be an integer"},
           {"{\"bool_val\":1}", "'bool_val' must be true or false"},
           {"{\"double_val\":1e999}", "is out of range"},
           {"{\"float_val\":1e39}", "is out of range"},
           {"{\"double_val\":\"nan\"}", "must be a number"},
           {"{\"double_val\":\"NaN:0x7ff0000000000000\"}", "must be a number"},
           {"{\"float_val\":01.5}", "must be a number"},
           {"{\"string_val\":5}", "'string_val' must be a string"},
           {"{\"bytes_val\":\"Zg=\"}", "'bytes_val' must be base64"},
           {"{\"int32_list\":[1]}", "'int32_list' must be an object"},
           {"{\"int32_list\":{\"values\":1}}", "'int32_list' must be an array"},
           {"{\"int32_val\":1,\"int64_val\":1}", "an attribute with two values"},
           {"{\"name\":\"a\",\"name\":\"b\"}", "key 'name' is given twice"},
           {"{\"int23_val\":1}", "unknown key 'int23_val'; did you mean 'int32_val'?"},
           {"5", "'attr' must be an object"}}) {
    EXPECT_NE(attr_error(attr).find(message), std::string::npos) << attr << ": " << attr_error(attr);
  }
  EXPECT_EQ(json_node_error("{\"type\":\"COMP_NOD\"}"), "unknown node type 'COMP_NOD'; did you mean 'COMP_NODE'?");
  EXPECT_EQ(json_node_error("{\"idd\":1}"), "unknown key 'idd'; did you mean 'id'?");
  EXPECT_EQ(json_node_error("{\"id\":1,\"rank\":4}"), "a node of rank 4 among the nodes of rank 0");
  EXPECT_EQ(json_node_error("17"), "must be a JSON object");
}

TEST(Json, UnknownFieldsMustBeUnknown) {
  const std::string good =
      attr_document("{\"name\":\"a\",\"unknown\":\"iAIF\"},{\"int32_list\":{\"unknown\":\"EAE=\"}}");
  EXPECT_EQ(recode(recode(good, "json", "chakra"), "chakra", "json"), recode(good, "json", "json"));
  // Field 1 of a node is its id; a truncated field; a length that is not minimal.
  for (const char* bad : {"CAE=", "iAI=", "ogKAAA=="}) {
    EXPECT_EQ(json_node_error("{\"unknown\":\"" + std::string(bad) + "\"}"),
              "'unknown' does not hold unknown fields of this message");
  }
}

TEST(Json, ErrorsAreLocated) {
  const Error e = recode_error("{\"rank\":0,\"metadata\":{},\n\"nodes\":[\n{\"id\":1},\n{\"id\":x}]}", "json");
  EXPECT_EQ(e.kind(), Error::Kind::input);
  EXPECT_EQ(e.where().file, "test.et");
  EXPECT_EQ(e.where().line, 4U);
  EXPECT_EQ(e.where().column, 7U);
  const Error l = recode_error("{\"rank\":0,\"metadata\":{}}\n{\"id\":1}\n{\"id\":1,\"nam\":\"x\"}\n", "jsonl");
  EXPECT_EQ(l.where().line, 3U);
  EXPECT_EQ(l.where().column, 10U);
}

TEST(Json, TruncationAnywhereIsAnError) {
  const std::string text = json_document;
  for (std::size_t size = 0; size + 2 < text.size(); ++size) {
    const Error e = recode_error(text.substr(0, size), "json");
    EXPECT_EQ(e.where().file, "test.et") << size << ": " << e.what();
  }
  const std::string text_lines = lines;
  for (std::size_t size = 0; size + 1 < text_lines.size(); ++size) {
    const char before = size == 0 ? '}' : text_lines[size - 1];
    if (size != 0 && (before == '\n' || text_lines[size] == '\n')) continue;  // whole lines
    const Error e = recode_error(text_lines.substr(0, size), "jsonl");
    EXPECT_EQ(e.where().file, "test.et") << size << ": " << e.what();
  }
}

TEST(Json, Structure) {
  for (const auto& [text, message] : std::initializer_list<std::pair<const char*, const char*>>{
           {"", "an empty file"},
           {"5", "'{' is expected"},
           {"{}", "a trace without 'nodes'"},
           {"{\"rank\":0,\"nodes\":[],\"metadata\":{},\"rank\":0}", "'rank' is given twice"},
           {"{\"rank\":0,\"metadata\":{},\"nodes\":[],\"nodes\":[]}", "'nodes' is given twice"},
           {"{\"rank\":0,\"metadata\":{},\"nodes\":[]} x", "more text after the trace"},
           {"{\"rank\":0,\"metadata\":{},\"nodes\":[]}{}", "more text after the trace"},
           {"{\"rank\":0,\"metadata\":{},\"nodes\":[,]}", "must be a JSON object"},
           {"{\"rank\":0,\"metadata\":{},\"nodes\":[{} {}]}", "',' is expected"},
           {"{\"rank\":0,\"metadata\":{},\"nodes\":{}}", "'nodes' must be an array"},
           {"{\"rank\":-1,\"nodes\":[]}", "out of range"},
           {"{\"rank\":0,\"metadata\":[],\"nodes\":[]}", "must be a JSON object"},
           {"{\"rank\":0,\"metadata\":{},\"nods\":[]}", "unknown key 'nods'; did you mean 'nodes'?"},
           {"{\"rank\":0,\"metadata\":{},\"nodes\":[{\"id\":1]}]}", "'}' is expected"},
           {"[{\"rank\":0,\"nodes\":[]},{\"rank\":0,\"nodes\":[]}]", "rank 0 is given twice"},
           {"[{\"nodes\":[]}]", "each of several traces requires a 'rank'"}}) {
    const std::string what = recode_error(text, "json").what();
    EXPECT_NE(what.find(message), std::string::npos) << text << ": " << what;
  }
  for (const auto& [text, message] : std::initializer_list<std::pair<const char*, const char*>>{
           {"", "an empty file"},
           {"{\"id\":1}\n", "unknown key 'id'"},
           {"{\"rank\":0,\"metadata\":{}}\n{\"rank\":1,\"id\":1}\n", "a node of rank 1 among the nodes of rank 0"},
           {"{\"rank\":0,\"metadata\":{}}\n{\"rank\":0,\"metadata\":{}}\n", "rank 0 is given twice"},
           {"{\"rank\":0,\"metadata\":{}}\n{\"id\":1} {\"id\":2}\n", "more text after the object"},
           {"{\"rank\":0,\"metadata\":{}}\n[1]\n", "must be a JSON object"},
           {"{\"rank\":0,\"metadata\":{}}\n{\"id\":1,\n\"name\":\"x\"}\n",
            "an object that does not end in its line; JSON lines have one object per line"}}) {
    const std::string what = recode_error(text, "jsonl").what();
    EXPECT_NE(what.find(message), std::string::npos) << text << ": " << what;
  }
}

TEST(Json, DeepNestingIsRefusedQuickly) {
  const std::string deep(1'000'000, '[');
  EXPECT_EQ(json_node_error(deep), "must be a JSON object");
  EXPECT_FALSE(json_node_error("{\"attr\":" + deep + std::string(1'000'000, ']') + "}").empty());
  EXPECT_FALSE(std::string(recode_error(deep, "json").what()).empty());
  EXPECT_FALSE(std::string(recode_error("{\"rank\":0,\"metadata\":{}}\n" + deep, "jsonl").what()).empty());
}

TEST(JsonSniff, TellsTheTwoApart) {
  const auto shape = [](std::string_view head) {
    head = head.substr(0, 4096);
    const bool json = find_format("json").sniff(head);
    const bool jsonl = find_format("jsonl").sniff(head);
    return json && jsonl ? "both" : json ? "json" : jsonl ? "jsonl" : "none";
  };
  EXPECT_STREQ(shape(json_document), "json");
  EXPECT_STREQ(shape(lines), "jsonl");
  EXPECT_STREQ(shape("{\"rank\":0,\"metadata\":{},\"nodes\":[]}\n"), "json");
  EXPECT_STREQ(shape("{\"rank\":0,\"metadata\":{}}\n"), "jsonl");
  EXPECT_STREQ(shape("{\"metadata\":{\"version\":\"}\"},\"rank\":0}"), "jsonl");
  EXPECT_STREQ(shape("{\n  \"metadata\": {},\n"), "json");
  EXPECT_STREQ(shape("[{\"rank\":0"), "json");
  EXPECT_STREQ(shape("[]"), "json");
  EXPECT_STREQ(shape("{}"), "json");
  EXPECT_STREQ(shape("{\"schema\":\"1.0\",\"nodes\":[]}"), "none");
  EXPECT_STREQ(shape("{\n\x05"), "none");
  EXPECT_STREQ(shape("[1]"), "none");
  EXPECT_STREQ(shape("text"), "none");
  EXPECT_STREQ(shape(""), "none");
  // Metadata longer than the prefix used for detection.
  const std::string attr =
      ",\"metadata\":{\"attr\":[{\"name\":\"source\",\"string_val\":\"" + std::string(9000, 'x') + "\"}]}";
  const std::string long_lines = "{\"rank\":0" + attr + "}\n";
  EXPECT_STREQ(shape(long_lines), "jsonl");
  EXPECT_STREQ(shape(recode(long_lines, "jsonl", "json")), "json");
}

}  // namespace
}  // namespace convert::test
