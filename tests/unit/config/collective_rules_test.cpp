// SPDX-License-Identifier: MIT
#include "config/collective_rules.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "common/expect_error.h"
#include "core/diagnostic.h"

namespace convert {
namespace {

std::string rule_error(const std::string& text) {
  return test::error_message([&] { (void)parse_collective_rule(text); }, Error::Kind::usage);
}

// "PLACE: message [rule]", or "" if the map is valid.
std::string rule_map_error(std::string_view text) {
  std::string rule;
  const std::string error = test::error_text(
      [&] {
        try {
          (void)parse_rule_map("m.yml", text);
        } catch (const Error& e) {
          rule = " [" + e.rule() + "]";
          throw;
        }
      },
      Error::Kind::input);
  return error + rule;
}

bool fits(const std::string& rule, std::string_view group, std::int64_t bytes, NodeId id, std::string_view name) {
  return parse_collective_rule(rule).which.fits(Collective::all_reduce, group, bytes, id, name);
}

TEST(CollectiveRules, ReadConditions) {
  const CollectiveRule rule =
      parse_collective_rule("all_gather:pg=3:size>=1MiB:size<64MiB:node=17:name=*grad?=dir/ag=8.xml");
  EXPECT_EQ(rule.which.type, Collective::all_gather);
  EXPECT_EQ(rule.which.group, "3");
  EXPECT_EQ(rule.which.min_bytes, 1 << 20);
  EXPECT_EQ(rule.which.end_bytes, 64 << 20);
  EXPECT_EQ(rule.which.node, 17U);
  EXPECT_EQ(rule.which.name, "*grad?");
  EXPECT_EQ(rule.algorithm, "dir/ag=8.xml");
  EXPECT_FALSE(rule.builtin);
  EXPECT_EQ(rule.chunks, 0U);
  const CollectiveRule built = parse_collective_rule("all=ring,chunks=4");
  EXPECT_FALSE(built.which.type);
  EXPECT_TRUE(built.builtin);
  EXPECT_EQ(built.algorithm, "ring,chunks=4");
}

TEST(CollectiveRules, AlgorithmsOfTheLibrary) {
  const CollectiveRule rule = parse_collective_rule("a2a:node=3=hierarchical,dims=2x4");
  EXPECT_EQ(rule.which.type, Collective::all_to_all);
  EXPECT_TRUE(rule.builtin);
  EXPECT_EQ(rule.algorithm, "hierarchical,dims=2x4");
  EXPECT_TRUE(parse_collective_rule("all=synthesized,net=n.yml").builtin);
  EXPECT_FALSE(parse_collective_rule("all=./ring").builtin);
  EXPECT_FALSE(parse_collective_rule("all=ring.xml").builtin);
  EXPECT_FALSE(parse_collective_rule("all=ring8").builtin);
  const auto map =
      parse_rule_map("m.yml", "rules: [{algorithm: ring}, {algorithm: ./ring}, {algorithm: 'astra:direct'}]");
  EXPECT_TRUE(map[0].builtin);
  EXPECT_FALSE(map[1].builtin || map[2].builtin);
  EXPECT_TRUE(map[2].native);
  EXPECT_EQ(map[2].algorithm, "direct");
}

TEST(CollectiveRules, NativeAlgorithms) {
  const CollectiveRule rule = parse_collective_rule("all_reduce:size>=1MiB=astra:ring+direct");
  EXPECT_TRUE(rule.native);
  EXPECT_FALSE(rule.builtin);
  EXPECT_EQ(rule.algorithm, "ring+direct");
  EXPECT_FALSE(parse_collective_rule("all_reduce=ring").native);
}

// Without collectives a rule is for all; a path, options and a prefix are no collectives.
TEST(CollectiveRules, ForAllCollectivesByDefault) {
  for (const char* text :
       {"ring", "ring,chunks=4", "astra:ring", "./a=b.xml", "dir/ag.xml", "ring8.xml", "synthesized"}) {
    const CollectiveRule rule = parse_collective_rule(text);
    EXPECT_FALSE(rule.which.type) << text;
    EXPECT_EQ(rule.algorithm, std::string(text).substr(rule.native ? 6 : 0));
  }
  EXPECT_EQ(rule_error("graph:g.xml").substr(0, 46), "'graph:g.xml': graph files require a conversio");
  EXPECT_EQ(rule_error("all_gathr=ring").substr(0, 35), "'all_gathr=ring': 'all_gathr' is no");
}

TEST(CollectiveRules, Select) {
  EXPECT_TRUE(fits("all=x", "7", 0, 1, ""));
  EXPECT_TRUE(fits("all_reduce=x", "", 5, 1, "n"));
  EXPECT_FALSE(fits("all_gather=x", "", 5, 1, "n"));
  EXPECT_TRUE(fits("all:pg=0=x", "", 5, 1, "n"));  // group "0" is the group of all ranks
  EXPECT_FALSE(fits("all:pg=0=x", "3", 5, 1, "n"));
  EXPECT_TRUE(fits("all:size>=5=x", "", 5, 1, "n"));
  EXPECT_FALSE(fits("all:size<5=x", "", 5, 1, "n"));
  EXPECT_FALSE(fits("all:size>5=x", "", 5, 1, "n"));
  EXPECT_TRUE(fits("all:size>4=x", "", 5, 1, "n"));
  EXPECT_TRUE(fits("all:size<=5=x", "", 5, 1, "n"));
  EXPECT_FALSE(fits("all:size<=4=x", "", 5, 1, "n"));
  EXPECT_TRUE(fits("all:size>4:size<=5=x", "", 5, 1, "n"));
  EXPECT_TRUE(fits("AllReduce=x", "", 5, 1, "n"));
  EXPECT_TRUE(fits("allreduce=x", "", 5, 1, "n"));
  EXPECT_FALSE(fits("all-gather=x", "", 5, 1, "n"));
  EXPECT_TRUE(fits("all:node=1=x", "", 5, 1, "n"));
  EXPECT_FALSE(fits("all:node=2=x", "", 5, 1, "n"));
}

TEST(CollectiveRules, PatternsOfNames) {
  const auto matches = [](const std::string& pattern, std::string_view name) {
    return fits("all:name=" + pattern + "=x", "", 0, 0, name);
  };
  EXPECT_TRUE(matches("*", ""));
  EXPECT_TRUE(matches("*grad*", "my grads"));
  EXPECT_FALSE(matches("*grad", "my grads"));
  EXPECT_TRUE(matches("a*b*c", "a.b.b.c"));
  EXPECT_FALSE(matches("a*b*c", "a.b.b."));
  EXPECT_TRUE(matches("??", "ab"));
  EXPECT_FALSE(matches("??", "a"));
  EXPECT_FALSE(matches("?", ""));
  EXPECT_TRUE(matches("**a", "a"));
  EXPECT_FALSE(matches(std::string(200, '*') + "b", std::string(20000, 'a')));  // must not take long
}

TEST(CollectiveRules, RefuseWhatIsMistyped) {
  const std::string shape = "; an example is all_reduce:pg=3:size>=1MiB=ring8.xml";
  const std::string names =
      "all, all_reduce, reduce, all_gather, gather, scatter, broadcast, all_to_all, reduce_scatter, "
      "reduce_scatter_block";
  EXPECT_EQ(rule_error("allreduces=x"), "'allreduces=x': 'allreduces' is not one of " + names + shape);
  EXPECT_EQ(rule_error("all"), "'all': no algorithm after '='" + shape);
  EXPECT_EQ(rule_error("all="), "'all=': no algorithm after '='" + shape);
  EXPECT_EQ(rule_error("all:pg=3"), "'all:pg=3': no algorithm after '='" + shape);
  EXPECT_EQ(
      rule_error("all:group=3=x"),
      "'all:group=3=x': 'group' is not pg=, node=, name=, size>=BYTES, size>BYTES, size<BYTES or size<=BYTES" +
          shape);
  EXPECT_EQ(rule_error("all:=x"),
            "'all:=x': '' is not pg=, node=, name=, size>=BYTES, size>BYTES, size<BYTES or size<=BYTES" + shape);
  EXPECT_EQ(rule_error("all:size=4=x"),
            "'all:size=4=x': 'size' is not a condition; conditions of the size are size>=BYTES, size>BYTES, "
            "size<BYTES or size<=BYTES" +
                shape);
  EXPECT_EQ(rule_error("all:size>=much=x"),
            "'all:size>=much=x': 'size>=much' is not a condition; conditions of the size are size>=BYTES, "
            "size>BYTES, size<BYTES or size<=BYTES" +
                shape);
  EXPECT_EQ(rule_error("all:node=-1=x"), "'all:node=-1=x': 'node=-1' is not a condition" + shape);
  EXPECT_EQ(rule_error("all:pg==x"), "'all:pg==x': 'pg=' is not a condition" + shape);
  EXPECT_EQ(rule_error("all=astra:"), "'all=astra:': no algorithm after 'astra:'" + shape);
  EXPECT_EQ(rule_error(""), "'': no algorithm" + shape);
  EXPECT_EQ(rule_error("all:pg=1:pg=2=x"), "'all:pg=1:pg=2=x': 'pg=' is repeated" + shape);
  EXPECT_EQ(rule_error("all:size<2:size<=1=x"), "'all:size<2:size<=1=x': 'size<' is repeated" + shape);
  EXPECT_EQ(rule_error("all:size>=2:size<2=x"), "'all:size>=2:size<2=x': no size satisfies the conditions" + shape);
}

TEST(MergeMaps, ReadRules) {
  const auto rules = parse_rule_map("m.yml",
                                    "# ours\nrules:\n"
                                    "  - collective: all_gather\n    pg: 3\n    size: ['>=1MiB', <64MiB]\n"
                                    "    algorithm: ag4.xml\n"
                                    "  - {name: '*grad:=*', algorithm: 'ring,chunks=2', chunks: 4}\n"
                                    "  - {collective: all, node: 17, size: <1KiB, algorithm: a b}\n");
  ASSERT_EQ(rules.size(), 3U);
  EXPECT_EQ(rules[0].which.type, Collective::all_gather);
  EXPECT_EQ(rules[0].which.group, "3");
  EXPECT_EQ(rules[0].which.min_bytes, 1 << 20);
  EXPECT_EQ(rules[0].which.end_bytes, 64 << 20);
  EXPECT_EQ(rules[0].algorithm, "ag4.xml");
  EXPECT_EQ(rules[0].text, "m.yml:3");
  EXPECT_FALSE(rules[1].which.type);
  EXPECT_EQ(rules[1].which.name, "*grad:=*");
  EXPECT_TRUE(rules[1].builtin);
  EXPECT_EQ(rules[1].algorithm, "ring,chunks=2");
  EXPECT_EQ(rules[1].chunks, 4U);
  EXPECT_FALSE(rules[2].which.type);
  EXPECT_EQ(rules[2].which.node, 17U);
  EXPECT_EQ(rules[2].which.end_bytes, 1024);
}

TEST(MergeMaps, ReadAstraSimsMapOfNodes) {
  for (const char* text :
       {"12: algo/ring\n7: tree\n", "{12: algo/ring, 7: tree}", "# Ours\n\n# 1\n12: algo/ring\n7: tree\n",
        "---\n'12': algo/ring\n\"7\": tree\n", "{\"7\": \"tree\", \"12\": \"algo/ring\"}"}) {
    const auto rules = parse_rule_map("m.yml", text);
    ASSERT_EQ(rules.size(), 2U) << text;
    EXPECT_EQ(rules[0].which.node, 7U);
    EXPECT_EQ(rules[0].algorithm, "tree");
    EXPECT_EQ(rules[0].text, "m.yml: node 7");
    EXPECT_EQ(rules[1].which.node, 12U);
  }
}

TEST(MergeMaps, SayWhatIsWrongAndWhere) {
  EXPECT_EQ(rule_map_error("rules: ring8\n"), "m.yml:1:8: rules requires a list of maps [merge]");
  EXPECT_EQ(rule_map_error("rules: []\n"), "m.yml:1:8: rules is empty [merge]");
  EXPECT_EQ(rule_map_error("rules:\n  - ring8\n"),
            "m.yml:2:5: a rule must be a map, such as {collective: all_reduce, …} [merge]");
  EXPECT_EQ(rule_map_error("rules:\n  - collective: all_re\n    algorithm: x\n").substr(0, 51),
            "m.yml:2:17: 'all_re' is not one of all, all_reduce,");
  EXPECT_EQ(rule_map_error("rules:\n  - {pg: [3], algorithm: x}\n"),
            "m.yml:2:10: pg requires a single value [merge]");
  EXPECT_EQ(rule_map_error("rules:\n  - {node: x, algorithm: x}\n"), "m.yml:2:12: node requires a node id [merge]");
  EXPECT_EQ(rule_map_error("rules:\n  - {size: 3, algorithm: x}\n"),
            "m.yml:2:12: size requires conditions such as '>=1MiB' or '<64MiB' [merge]");
  EXPECT_EQ(rule_map_error("rules:\n  - {size: ['>=2', <2], algorithm: x}\n"),
            "m.yml:2:12: no size satisfies the conditions [merge]");
  EXPECT_EQ(rule_map_error("rules:\n  - {chunks: 0, algorithm: x}\n"),
            "m.yml:2:14: chunks requires a number from 1 to 65536 [merge]");
  EXPECT_EQ(rule_map_error("rules:\n  - pg: 3\n"),
            "m.yml:2:5: a rule requires the key algorithm: a name, a file or a set [merge]");
  EXPECT_EQ(rule_map_error("rules:\n  - {algoritm: x}\n").substr(0, 11), "m.yml:2:6: ");
  EXPECT_EQ(rule_map_error("12: [x]\n").substr(0, 8), "m.yml:1:");
  EXPECT_NE(rule_map_error(""), "");
  EXPECT_NE(rule_map_error("rule: []"), "");
  EXPECT_NE(rule_map_error("rules: &a [*a]"), "");
  EXPECT_NE(rule_map_error("rules: [" + std::string(100000, '[')), "");
}

}  // namespace
}  // namespace convert
