// SPDX-License-Identifier: MIT
#include "passes/validate.h"

#include <gtest/gtest.h>

#include "common/expect_error.h"
#include "trace_builder.h"

namespace convert {
namespace {

using namespace test;

std::string parse_failure(std::string_view list) {
  return error_message([&] { (void)RuleSet::parse(list); }, Error::Kind::usage);
}

TEST(Rules, TableIsInOrderOfTheirFile) {
  std::vector<std::string_view> names;
  for (const RuleInfo& r : all_rules()) names.push_back(r.name);
  ASSERT_GE(names.size(), 9U);
  names.resize(9);
  EXPECT_EQ(names, (std::vector<std::string_view>{"framing", "ids", "deps", "cycles", "attributes", "peers",
                                                  "pairs", "collectives", "deadlock"}));
  for (const RuleInfo& r : all_rules()) {
    EXPECT_FALSE(r.summary.empty()) << r.name;
  }
  EXPECT_EQ(all_rules()[static_cast<std::size_t>(Rule::deadlock)].name, "deadlock");
  EXPECT_EQ(name(RuleFamily::set), "set");
}

TEST(RuleSet, ParsesAListAndRemoves) {
  RuleSet set = RuleSet::parse("deps,cycles");
  EXPECT_TRUE(set.has(Rule::deps));
  EXPECT_TRUE(set.has(Rule::cycles));
  EXPECT_FALSE(set.has(Rule::ids));
  EXPECT_FALSE(set.reports("ids"));
  EXPECT_TRUE(set.reports("no such rule"));
  EXPECT_FALSE(set.remove(RuleSet::parse("deps")).has(Rule::deps));
  EXPECT_FALSE(set.remove(RuleSet::all()).has(Rule::cycles));
}

TEST(RuleSet, UnknownNamesGetTheNearest) {
  EXPECT_EQ(parse_failure("dep"), "unknown rule 'dep'; did you mean 'deps'?");
  EXPECT_EQ(parse_failure("ids,deadlok"), "unknown rule 'deadlok'; did you mean 'deadlock'?");
  EXPECT_EQ(parse_failure("qqqqqqqqqqqqqqqqqqqq"), "unknown rule 'qqqqqqqqqqqqqqqqqqqq'; see --list-rules");
  EXPECT_EQ(parse_failure(""), "unknown rule ''; see --list-rules");
  EXPECT_EQ(parse_failure("ids,"), "unknown rule ''; see --list-rules");
}

TEST(CheckTrace, RunsOnlyWhatIsEnabled) {
  TraceBuilder b;
  b.comp(1, {9}).comp(1).node(2, NodeType::comm_coll);
  EXPECT_TRUE(findings(b, "cycles,pairs").empty());
  EXPECT_EQ(findings(b, "deps").size(), 1U);
  EXPECT_EQ(findings(b, "attributes,deps,ids").size(), 4U);
}

TEST(CheckTrace, FindingsComeInTheOrderOfRules) {
  TraceBuilder b;
  b.node(5, NodeType::comm_coll, {9}).comp(5);
  const Lines all = findings(b, "attributes,deps,ids");
  ASSERT_EQ(all.size(), 4U);
  EXPECT_TRUE(all[0].ends_with("[ids]"));
  EXPECT_TRUE(all[1].ends_with("[deps]"));
  EXPECT_TRUE(all[2].ends_with("[attributes]"));
}

TEST(CheckTrace, AnEmptyTraceIsWarnedOf) {
  TraceBuilder b;
  Diagnostics diagnostics;
  check_trace(b.trace(), RuleSet::all(), diagnostics);
  const std::vector<TraceSummary> one = {summarise(b.trace())};
  check_set(one, RuleSet::all(), diagnostics);
  check_set({}, RuleSet::all(), diagnostics);
  EXPECT_EQ(
      finding_lines(diagnostics),
      Lines{"t.0.et: warning: the trace has no nodes; simulators require at least one per rank [attributes]"});
}

TEST(TraceSummary, OfAChainTakesAtMost48BytesPerNode) {
  TraceBuilder b;
  constexpr NodeId count = 1000;
  for (NodeId i = 0; i < count; ++i)
    b.send(i, 1, 0, 8, i == 0 ? std::vector<NodeId>{} : std::vector<NodeId>{i - 1});
  const TraceSummary s = summarise(b.trace());
  const std::size_t bytes = s.messages.sends.capacity() * sizeof(Message) + s.ids.capacity() * sizeof(NodeId) +
                            (s.children.capacity() + s.child_begin.capacity()) * sizeof(std::uint32_t);
  EXPECT_LE(bytes / count, 48U);
  EXPECT_EQ(s.messages.sends.size(), count);
}

TEST(TraceSummary, KeepsNamesOfCommunication) {
  Trace trace;
  NodeTable& t = trace.nodes;
  const auto send = [&](NodeId id, std::string_view name) {
    t.add_node(id, NodeType::comm_send, name);
    t.add_int(attr::comm_dst, Kind::int32_val, 1);
    t.add_int(attr::comm_tag, Kind::int32_val, 0);
    t.end_node();
  };
  const std::string fits(48, 'x');
  send(0, "kernel");
  send(1, fits + "y");
  send(2, "kernel");
  send(3, std::string(47, 'x') + "\xc3\xa4\xc3\xa4");  // not truncated within a character
  send(4, "a\nb");
  send(5, "\xff");
  const TraceSummary s = summarise(trace);
  std::vector<std::string> named;
  for (const Message& m : s.messages.sends) named.push_back(s.named(m));
  EXPECT_EQ(named, (Lines{"node 0 'kernel'", "node 1 '" + fits + "…'", "node 2 'kernel'",
                          "node 3 '" + std::string(47, 'x') + "…'", "node 4", "node 5"}));
}

TEST(TraceSummary, KeepsAtMost64KiBOfNames) {
  Trace trace;
  for (NodeId i = 0; i < 3000; ++i) {
    trace.nodes.add_node(i, NodeType::comm_coll, std::to_string(10000 + i) + std::string(43, 'x'));
    trace.nodes.end_node();
  }
  const TraceSummary s = summarise(trace);
  const auto& calls = s.collectives.at(0).calls;
  EXPECT_EQ(s.named(calls[1364]), "node 1364 '11364" + std::string(43, 'x') + "'");
  EXPECT_EQ(s.named(calls[1365]), "node 1365");
}

TEST(TraceSummary, ACollectiveTakes24Bytes) { EXPECT_EQ(sizeof(CollectiveNode), 24U); }

}  // namespace
}  // namespace convert
