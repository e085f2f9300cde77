// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <pugixml.hpp>

#include "drawing_sample.h"

namespace convert {

extern const Format graphml_format;

namespace {

using test::drawn;
using test::named_trace;

std::string name_of(std::string_view name) {
  const Trace t = named_trace(0, name);
  const std::string text = drawn(graphml_format, {&t, 1});
  const std::string begin = "<data key=\"name\">";
  const std::size_t at = text.find(begin) + begin.size();
  return text.substr(at, text.find("</data>", at) - at);
}

TEST(Graphml, IsFoundByNameAndSuffix) {
  EXPECT_EQ(graphml_format.name, "graphml");
  EXPECT_EQ(graphml_format.suffixes, std::vector<std::string_view>{".graphml"});
  EXPECT_FALSE(graphml_format.can_read());
}

TEST(Graphml, TextIsEscaped) {
  EXPECT_EQ(name_of("a<b> & \"c\" {d} \\"), "a&lt;b&gt; &amp; &quot;c&quot; {d} \\");
  EXPECT_EQ(name_of("]]>"), "]]&gt;");
  EXPECT_EQ(name_of("two\nlines\t\r"), "two&#10;lines&#9;&#13;");
  EXPECT_EQ(name_of("größe → 日本"), "größe → 日本");
  EXPECT_EQ(name_of(std::string("\x1b[0m\x7f") + '\0'), "\\x1b[0m\\x7f\\x00");
  EXPECT_EQ(name_of("\u009b31m\u0080\u009f\u00a0"), "&#x9b;31m&#x80;&#x9f;\u00a0");
  EXPECT_EQ(name_of("a\xff\xc3("), "a\xEF\xBF\xBD\xEF\xBF\xBD(");
  EXPECT_EQ(name_of("\xEF\xBF\xBE\xEF\xBF\xBF\xEF\xBF\xBD"), "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
}

TEST(Graphml, TextReadsBack) {
  const std::string name = "a<b> & ]]> \"c\"\n\t\\ größe \u009b31m";
  const Trace t = named_trace(0, name);
  pugi::xml_document doc;
  ASSERT_TRUE(doc.load_string(drawn(graphml_format, {&t, 1}).c_str()));
  const pugi::xml_node node = doc.child("graphml").child("graph").child("node");
  EXPECT_EQ(node.find_child_by_attribute("data", "key", "name").text().get(), name);
}

TEST(Graphml, TwoRanks) {
  const std::vector<Trace> set = test::two_ranks();
  const std::string text = drawn(graphml_format, set);
  const std::size_t at = text.find("<graph id");
  ASSERT_NE(at, std::string::npos);
  EXPECT_EQ(text.substr(at),
            R"(<graph id="trace" edgedefault="directed">
<node id="r0n0"><data key="id">0</data><data key="rank">0</data><data key="name">m</data><data key="type">COMM_SEND_NODE</data><data key="comm_dst">1</data><data key="comm_tag">5</data><data key="comm_size">64</data></node>
<node id="r0n1"><data key="id">1</data><data key="rank">0</data><data key="name">m</data><data key="type">COMM_SEND_NODE</data><data key="comm_dst">1</data><data key="comm_tag">5</data><data key="comm_size">64</data></node>
<node id="r0n2"><data key="id">2</data><data key="rank">0</data><data key="name">gemm</data><data key="type">COMP_NODE</data><data key="start_us">1</data><data key="duration_ns">3000</data><data key="is_cpu_op">false</data><data key="tensor_size">100</data></node>
<node id="r0n3"><data key="id">3</data><data key="rank">0</data><data key="name">sum</data><data key="type">COMM_COLL_NODE</data><data key="comm_type">ALL_REDUCE</data><data key="comm_size">4096</data><data key="pg_name">0</data></node>
<edge source="r0n0" target="r0n1"><data key="kind">data</data></edge>
<edge source="r0n1" target="r0n2"><data key="kind">control</data></edge>
<edge source="r0n2" target="r0n3"><data key="kind">data</data></edge>
<node id="r1n0"><data key="id">0</data><data key="rank">1</data><data key="name">m</data><data key="type">COMM_RECV_NODE</data><data key="comm_src">0</data><data key="comm_tag">5</data><data key="comm_size">64</data></node>
<node id="r1n1"><data key="id">1</data><data key="rank">1</data><data key="name">m</data><data key="type">COMM_RECV_NODE</data><data key="comm_src">0</data><data key="comm_tag">5</data><data key="comm_size">64</data></node>
<edge source="r1n0" target="r1n1"><data key="kind">data</data></edge>
<edge source="r0n0" target="r1n0"><data key="kind">message</data></edge>
<edge source="r0n1" target="r1n1"><data key="kind">message</data></edge>
</graph>
</graphml>
)");
}

TEST(Graphml, KeysAreDeclaredWithTypes) {
  const std::vector<Trace> set = test::two_ranks();
  pugi::xml_document doc;
  ASSERT_TRUE(doc.load_string(drawn(graphml_format, set).c_str()));
  const pugi::xml_node root = doc.child("graphml");
  for (const pugi::xpath_node& data : root.select_nodes("//data")) {
    const pugi::xml_node key = root.find_child_by_attribute("key", "id", data.node().attribute("key").value());
    ASSERT_TRUE(key) << data.node().attribute("key").value();
    EXPECT_STREQ(key.attribute("for").value(), data.node().parent().name());
  }
  EXPECT_STREQ(root.find_child_by_attribute("key", "id", "comm_size").attribute("attr.type").value(), "long");
  EXPECT_STREQ(root.find_child_by_attribute("key", "id", "is_cpu_op").attribute("attr.type").value(), "boolean");
}

TEST(Graphml, BrokenTracesAreDrawnAsTheyAre) {
  Trace t;
  t.nodes.add_node(1, static_cast<NodeType>(99), "odd");
  t.nodes.add_data_dep(42);
  t.nodes.end_node();
  t.nodes.add_node(1, NodeType::comp, "again");
  t.nodes.end_node();
  const std::string text = drawn(graphml_format, {&t, 1});
  EXPECT_NE(text.find("<data key=\"type\">99</data>"), std::string::npos);
  EXPECT_NE(text.find("<node id=\"n1_1\">"), std::string::npos);
  EXPECT_NE(text.find("<node id=\"missing42\"><data key=\"id\">42</data><data key=\"rank\">0</data>"
                      "<data key=\"type\">missing</data></node>\n"),
            std::string::npos);
  EXPECT_NE(text.find("<edge source=\"missing42\" target=\"n1\">"), std::string::npos);
}

}  // namespace
}  // namespace convert
