// SPDX-License-Identifier: MIT
// A program is independent of the source of its ranks: compiled one by one from memory, or read by several threads
// that compare them with others.
#include "scenario/known_ranks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/error_text.h"
#include "common/findings.h"
#include "common/held_set.h"
#include "common/scratch.h"
#include "config/workload/workload.h"
#include "generate/workload/workload.h"
#include "scenario/scenario.h"
#include "sets/sink.h"
#include "sets/source.h"

namespace convert::known_ranks {
namespace {

void add(std::string& to, std::int64_t n) { to += ' ' + std::to_string(n); }

std::string text_of(const RankCode& code) {
  std::string text = "code";
  for (std::uint32_t node = 0; node < code.ops.size(); ++node) {
    const Op& op = code.ops[node];
    text += ';';
    for (const std::int64_t n :
         {op.value, std::int64_t{op.channel}, std::int64_t{op.peer}, static_cast<std::int64_t>(op.type),
          static_cast<std::int64_t>(op.slot), std::int64_t{op.is_compute}, std::int64_t{op.end.bits()},
          static_cast<std::int64_t>(code.id(node)), std::int64_t{code.feeder.index_of(node)},
          std::int64_t{code.feeder.waits_for(node)}})
      add(text, n);
    for (const std::uint32_t child : code.feeder.children(node)) add(text, child);
    text += code.node_name(node);
  }
  return text;
}

// Returns all data of a program about its ranks, and which ranks share code.
std::string text_of(const ReplayProgram& program) {
  std::string text;
  std::vector<const RankCode*> codes;
  for (const RankProgram& rank : program.ranks) {
    const auto known = std::ranges::find(codes, rank.code.get());
    text += "\nrank";
    add(text, known - codes.begin());
    if (known == codes.end()) {
      codes.push_back(rank.code.get());
      text += text_of(*rank.code);
    }
    text += " peers";
    for (const Rank peer : rank.peers) add(text, peer);
    text += " tags";
    for (std::uint32_t m = 0; m < rank.peers.size(); ++m) add(text, rank.tag(m));
    text += " plans";
    for (const std::uint32_t plan : rank.plans) add(text, plan);
  }
  for (const CollectivePlan& plan : program.plans) {
    text += "\nplan";
    const CollectiveCall& c = plan.call;
    for (const std::int64_t n : {static_cast<std::int64_t>(c.op), c.bytes, std::int64_t{c.group},
                                 static_cast<std::int64_t>(c.dims), std::int64_t{c.custom}, std::int64_t{c.root}})
      add(text, n);
  }
  for (const std::string& note : program.notes) text += "\nnote " + note;
  return text;
}

using Prepare = std::function<void(Scenario&)>;

struct Case {
  std::vector<Trace> traces{};
  std::vector<CommGroup> groups{};
  Prepare prepare{};
  std::string network = "ideal";
};

Scenario scenario_of(const Case& c) {
  Scenario scenario = make_scenario({.workload = "w", .network = c.network});
  auto system = std::make_shared<ReplaySystem>(*scenario.options.system);
  system->groups = c.groups;
  scenario.options.system = system;
  if (c.prepare) c.prepare(scenario);
  return scenario;
}

// Returns the program of `load` as text, or the error.
template <class Load>
std::string loaded(const Load& load) {
  Diagnostics diagnostics;
  std::string text;
  try {
    if (const std::optional<ReplayProgram> program = load(diagnostics).program) text = text_of(*program);
  } catch (const Error& error) {
    text = test::text_of(error);
  }
  return text + '\n' + test::findings_text(diagnostics);
}

std::string save(const std::vector<Trace>& traces, const std::string& path, const std::string& format) {
  test::HeldSet set(traces);
  Diagnostics diagnostics;
  const SinkOptions options{.to = format, .path = path};
  write_set(set, plan_sink(set, options), options, diagnostics);
  return path;
}

// Returns the result for the ranks of such files if each is compiled separately.
std::string one_by_one(const Case& c, const std::string& path) {
  return loaded([&](Diagnostics& diagnostics) {
    TraceSource source({.operands = {path}, .hash = false}, diagnostics);
    const std::vector<Trace> traces = source.load(1);
    return load_replay(traces, scenario_of(c), 1, diagnostics);
  });
}

std::string by_threads(const Case& c, const std::string& path, unsigned jobs) {
  return loaded([&](Diagnostics& diagnostics) {
    TraceSource source({.operands = {path}, .hash = false}, diagnostics);
    return load_replay(source, scenario_of(c), jobs, diagnostics);
  });
}

// Expects the same result for files read in any way, and returns it.
std::string expect_same_of(const Case& c, const std::string& path) {
  const std::string expected = one_by_one(c, path);
  for (const unsigned jobs : {1U, 2U, 7U}) EXPECT_EQ(by_threads(c, path, jobs), expected) << jobs << " jobs";
  return expected;
}

std::string expect_same(const Case& c) {
  const test::Scratch dir;
  std::string expected = expect_same_of(c, save(c.traces, dir.path("w"), "chakra"));
  for (std::size_t at = 0; (at = expected.find(dir.path() + "/")) != std::string::npos;)
    expected.erase(at, dir.path().size() + 1);
  return expected;
}

Case workload(const char* preset, std::int64_t npus, const std::vector<WorkloadSetting>& settings) {
  Workload w = preset_workload(preset, npus);
  w.step.sequence = 64;
  for (const WorkloadSetting& s : settings) set_workload(w, s);
  const WorkloadSet set(w);
  Case c{.groups = set.groups()};
  for (Rank r = 0; r < set.ranks(); ++r) c.traces.push_back(set.trace(r));
  return c;
}

Case pipeline(Prepare prepare = {}) {
  Case c = workload("llama3-8b", 16,
                    {{"model.layers", "4"},
                     {"plan.tensor", "2"},
                     {"plan.pipeline", "2"},
                     {"plan.data", "4"},
                     {"plan.shard", "zero1"},
                     {"run.micro_batches", "2"}});
  c.prepare = std::move(prepare);
  return c;
}

std::size_t count(const std::string& text, std::string_view part) {
  std::size_t n = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size()) ++n;
  return n;
}

TEST(KnownRanks, ProgramsAreThoseOfRanksCompiledOneByOne) {
  const std::string text = expect_same(pipeline());
  EXPECT_EQ(count(text, "\nrank"), 16U);
  EXPECT_EQ(count(text, "code"), 2U) << "one of each stage";
  expect_same(workload("mixtral-8x7b", 32,
                       {{"model.layers", "2"},
                        {"plan.expert", "8"},
                        {"plan.data", "32"},
                        {"plan.tensor", "1"},
                        {"plan.pipeline", "1"}}));
  expect_same(workload("llama3-8b", 8, {{"model.layers", "2"}, {"plan.context", "4"}, {"plan.data", "2"}}));
  expect_same(workload("llama3-8b", 8, {{"model.layers", "2"}, {"plan.data", "8"}, {"plan.shard", "zero3"}}));
}

// Returns the number of ranks of a set that are found equal to others.
std::size_t found_in(SetSource& set, const Case& c) {
  Diagnostics diagnostics;
  const Scenario scenario = scenario_of(c);
  ReplayOptions options = scenario.options;
  options.issue = IssueMode::workload;
  ReplayBuilder builder(scenario.network, options, diagnostics);
  KnownRanks known([&](const Trace&) -> ReplayBuilder& { return builder; }, options);
  std::size_t found = 0;
  set.for_each_rank(
      1, [&](TraceReader& reader, Trace& head) { return known.read(reader, head); },
      [&](KnownRanks::Read&& rank) {
        found += rank.like ? 1 : 0;
        known.add(std::move(rank));
      });
  EXPECT_TRUE(builder.finish()) << test::findings_text(diagnostics);
  return found;
}

TEST(KnownRanks, OneRankOfEachClassIsCompiled) {
  const test::Scratch dir;
  Case c = pipeline();
  test::HeldSet held(c.traces);
  EXPECT_EQ(found_in(held, c), 14U);
  Diagnostics diagnostics;
  for (const char* format : {"chakra", "chakra,compress=zst", "jsonl"}) {
    TraceSource files({.operands = {save(c.traces, dir.path(format), format)}, .hash = false}, diagnostics);
    EXPECT_EQ(found_in(files, c), 14U) << format;
  }
  // As many ranks that all differ, twice.
  c.traces.clear();
  for (Rank r = 0; r < 160; ++r) {
    Trace& t = c.traces.emplace_back();
    t.rank = r;
    t.nodes.add_node(0, NodeType::comp, "own").duration_us = 1 + r % 80;
    t.nodes.end_node();
  }
  test::HeldSet unlike(c.traces);
  EXPECT_EQ(found_in(unlike, c), 0U) << "the first 80 ranks are forgotten";
}

TEST(KnownRanks, UnequalExpertsAreEachTheirOwn) {
  expect_same(workload("mixtral-8x7b", 32, {{"model.layers", "4"}, {"run.imbalance.zipf", "1"}}));
}

TEST(KnownRanks, OptionsAreMinded) {
  expect_same(pipeline([](Scenario& s) { s.options.timeline = true; }));
  expect_same(pipeline([](Scenario& s) { s.options.issue = IssueMode::unlimited, s.issue_by_trace = false; }));
  expect_same(pipeline([](Scenario& s) { s.options.recorded = Recorded::communication; }));
  expect_same(pipeline([](Scenario& s) {
    s.options.free.calls.push_back({{.type = Collective::all_gather}, "all_gather"});
  }));
  expect_same(pipeline([](Scenario& s) {
    auto system = std::make_shared<ReplaySystem>(*s.options.system);
    system->rules.push_back({.which = {.type = Collective::all_gather, .group = "1"},
                             .choice = system->config.collectives.front(),
                             .text = "all_gather:group=1"});
    s.options.system = system;
  }));
}

TEST(KnownRanks, StragglersStandAlone) {
  const std::string text = expect_same(pipeline([](Scenario& s) {
    s.options.slow = {{0, 1.5}, {3, 2}, {9, 1.5}};
  }));
  EXPECT_EQ(count(text, "code"), 5U);
  expect_same(pipeline([](Scenario& s) { s.options.slow = {{16, 2}}; }));
}

TEST(KnownRanks, OneAttributeOfTheLastNodeMakesADifference) {
  Case c = pipeline();
  const Node& last = c.traces[5].nodes.nodes.back();
  for (std::uint32_t a = last.attrs.begin; a < last.attrs.begin + last.attrs.count; ++a) {
    if (c.traces[5].nodes.attrs[a].name == attr::comm_size) ++c.traces[5].nodes.attrs[a].bits;
  }
  EXPECT_EQ(count(expect_same(c), "code"), 3U);
}

TEST(KnownRanks, MoreNodesMakeADifference) {
  Case c = pipeline();
  c.traces[6].nodes.add_node(1'000'000, NodeType::comp, "more").duration_us = 1;
  c.traces[6].nodes.end_node();
  c.traces[7].nodes.clear();
  EXPECT_EQ(count(expect_same(c), "code"), 4U);
}

// Changes an attribute of the first node of a type that has it.
void change(Trace& trace, NodeType type, Name name, const std::function<void(NodeTable&, Attr&)>& how) {
  for (const Node& n : trace.nodes.nodes) {
    if (n.type != type) continue;
    for (std::uint32_t a = n.attrs.begin; a < n.attrs.begin + n.attrs.count; ++a) {
      if (trace.nodes.attrs[a].name == name) return how(trace.nodes, trace.nodes.attrs[a]);
    }
  }
  ADD_FAILURE() << "there is no such attribute";
}
auto number(std::uint64_t bits) {
  return [bits](NodeTable&, Attr& a) { a.bits = bits; };
}
auto text(const char* value) {
  return [value](NodeTable& table, Attr& a) {
    const Text t = table.add_text(value);
    a.bits = t.offset;
    a.size = t.size;
  };
}

TEST(KnownRanks, ErrorsAreThoseOfTheLowestRank) {
  struct Wrong {
    NodeType type;
    Name name;
    std::function<void(NodeTable&, Attr&)> how;
    const char* message;
  };
  const std::vector<Wrong> all = {
      {NodeType::comm_coll, attr::pg_name, text("99999"), "group 99999 is not in the communicator groups"},
      {NodeType::comm_coll, attr::pg_name, text("x"), "group x is not in the communicator groups"},
      {NodeType::comm_coll, attr::pg_name, text("1"), "calls a collective of group 1, but is not a member"},
      {NodeType::comm_send, attr::comm_src, number(0), "sends from rank 0, but is in the trace of rank 3"},
      {NodeType::comm_send, attr::comm_dst, number(3), "a send to itself"},
      {NodeType::comm_send, attr::comm_dst, number(static_cast<std::uint64_t>(-1)), "sends to rank -1, which"},
      {NodeType::comm_send, attr::comm_dst, number(16), "its peer is rank 16, but there are 16 ranks"},
      {NodeType::comm_send, attr::comm_size, number(static_cast<std::uint64_t>(-5)), "comm_size is negative"},
  };
  for (const Wrong& wrong : all) {
    Case c = pipeline();
    c.network = "ring:16,bw=50GB/s,lat=1us";
    for (const Rank r : {3U, 5U}) change(c.traces[r], wrong.type, wrong.name, wrong.how);
    const std::string text = expect_same(c);
    EXPECT_NE(text.find(wrong.message), std::string::npos) << wrong.message << text;
    EXPECT_TRUE(text.find("w.3.et:@0x") < text.find("w.5.et")) << text;
  }
}

TEST(KnownRanks, GroupsThatBecomeOneAreNumberedAsOne) {
  Case c = pipeline();
  const auto name = [&](Rank r, NodeType type) {
    std::string_view found;
    change(c.traces[r], type, attr::pg_name, [&](NodeTable& t, Attr& a) { found = t.string(a); });
    return std::string(found);
  };
  const std::string first = name(4, NodeType::comm_coll);
  for (Attr& a : c.traces[4].nodes.attrs) {
    if (a.name == attr::pg_name) text(first.c_str())(c.traces[4].nodes, a);
  }
  EXPECT_EQ(count(expect_same(c), "code"), 3U);
}

TEST(KnownRanks, TagsMayDiffer) {
  Case c = pipeline();
  for (Rank r = 0; r < 16; ++r) {
    for (Attr& a : c.traces[r].nodes.attrs) {
      if (a.name == attr::comm_tag) a.bits += 1000 * (r / 2 % 4);
    }
  }
  EXPECT_EQ(count(expect_same(c), "code"), 2U);
}

TEST(KnownRanks, DamagedFilesAreToldInTheOrderOfRanks) {
  const test::Scratch dir;
  const Case c = pipeline();
  const std::string path = save(c.traces, dir.path("w"), "chakra");
  const std::string fifth = dir.read("w.5.et");
  dir.write("w.5.et", fifth.substr(0, fifth.size() - 3));
  EXPECT_NE(expect_same_of(c, path).find("w.5.et:@0x"), std::string::npos);
  std::string third = dir.read("w.3.et");
  third[third.size() - 3] = '\xff';
  dir.write("w.3.et", third);
  const std::string text = expect_same_of(c, path);
  EXPECT_NE(text.find("w.3.et:@0x"), std::string::npos) << text;
  dir.write("w.3.et", "");
  EXPECT_NE(expect_same_of(c, path).find("w.3.et"), std::string::npos);
}

TEST(KnownRanks, TarsAndDocumentsAreTheSame) {
  const test::Scratch dir;
  const Case c = pipeline();
  EXPECT_EQ(count(expect_same_of(c, save(c.traces, dir.path("w.tar"), "chakra")), "code"), 2U);
  EXPECT_EQ(count(expect_same_of(c, save(c.traces, dir.path("w.json"), "json")), "code"), 2U);
  EXPECT_EQ(count(expect_same_of(c, save(c.traces, dir.path("z"), "chakra,compress=gz")), "code"), 2U);
}

}  // namespace
}  // namespace convert::known_ranks
