// SPDX-License-Identifier: MIT
#include "sets/anonymized/anonymizing.h"

#include <gtest/gtest.h>

#include <random>

#include "common/class_set.h"
#include "generate/workload/workload.h"
#include "io/secrets/keyed_sha256.h"
#include "sanitized.h"
#include "sets/anonymized/encoded_survey.h"
#include "sets/classes/set.h"
#include "split_sets.h"
#include "unit/passes/trace_builder.h"

namespace convert {
namespace {

using namespace test;

KeyedHash keyed(const std::string& key) {
  return [hash = std::make_shared<KeyedSha256>(key)](std::string_view text) { return (*hash)(text); };
}

SetBytes anonymized(SetSource& source, const AnonymizeOptions& options = {}, const std::string& key = "key",
                    unsigned jobs = 1) {
  KeptSet before(source, jobs);
  AnonymizedSet after(before, options, keyed(key), jobs);
  return set_bytes(after);
}

std::string all_bytes(const SetBytes& set) {
  std::string out = set.groups;
  for (const auto& [rank, bytes] : set.ranks) out += bytes;
  return out;
}

constexpr std::array text_kinds = {Kind::string_val, Kind::string_list, Kind::bytes_val, Kind::bytes_list};

void add_text(AttrTable& table, Name name, Kind kind, const std::string& text) {
  if (is_list(kind)) {
    table.add_strings(name, std::array{text, "x" + text});
  } else {
    table.add_string(name, text);
  }
  table.attrs.back().kind = kind;
  const Text t = table.add_text(text);
  table.extras.push_back({t, t, t});
  table.attrs.back().extra = static_cast<std::uint32_t>(table.extras.size());
}

// A text in each place of the schema that can contain one.
Trace planted(const std::string& secret) {
  TraceBuilder b;
  b.trace().metadata.version = secret;
  b.trace().metadata.unknown = secret;
  NodeId id = 0;
  for (const NodeType type : {NodeType::comp, NodeType::comm_coll, NodeType::comm_send, NodeType::mem_load,
                              NodeType::metadata, NodeType{77}}) {
    for (const Kind kind : text_kinds) {
      b.node(id++, type);
      NodeTable& table = b.table();
      table.nodes.back().name = table.add_text(secret + " iteration 3 " + secret);
      for (std::uint32_t name = 1; name < attr::count; ++name) add_text(table, Name(name), kind, secret);
      add_text(table, Name(secret + "_name"), kind, secret);
      const Text t = table.add_text(secret);
      table.io.push_back({t, t, t, t});
      table.nodes.back().inputs = table.nodes.back().outputs = static_cast<std::uint32_t>(table.io.size());
      table.nodes.back().extra = static_cast<std::uint32_t>(table.extras.size());
    }
  }
  Trace trace = b.trace();
  for (const Kind kind : text_kinds) {
    for (std::uint32_t name = 1; name < attr::count; ++name)
      add_text(trace.metadata.table, Name(name), kind, secret);
    add_text(trace.metadata.table, Name("world_size"), kind, secret);
    add_text(trace.metadata.table, Name(secret), kind, secret);
  }
  return trace;
}

TEST(Anonymizing, NoPlantedTextSurvives) {
  const std::string secret = "SeCrEt";
  HeldSet set({planted(secret)}, R"({"12345678":[0]})");
  const std::vector<AnonymizeOptions> all = {{},
                                             {.names = HiddenNames::type},
                                             {.names = HiddenNames::number},
                                             {.merge_chains = true, .permute_ranks = true},
                                             {.jitter = 0.1, .sizes = SizeRounding::power_of_two, .least_uses = 2}};
  for (const AnonymizeOptions& options : all) {
    const std::string bytes = all_bytes(anonymized(set, options));
    EXPECT_GT(bytes.size(), 100U);
    EXPECT_EQ(bytes.find("eCrE"), std::string::npos);
    EXPECT_EQ(bytes.find("12345678"), std::string::npos);
  }
}

HeldSet workload_with_words() {
  Workload w;
  w.name = "small";
  w.model = {.layers = 2, .hidden = 64, .heads = 4, .kv_heads = 2, .ffn = 100, .vocab = 250};
  w.step = {.sequence = 16, .micro_batches = 2, .iterations = 2};
  w.plan = {.tensor = 2, .data = 2, .pipeline = 2};
  const WorkloadSet set(w);
  std::vector<Trace> traces;
  for (Rank r = 0; r < set.ranks(); ++r) traces.push_back(set.trace(r));
  return HeldSet(std::move(traces), groups_text(set.groups()));
}

TEST(Anonymizing, TheSameKeyGivesTheSameBytes) {
  HeldSet set = workload_with_words();
  for (const AnonymizeOptions& options :
       std::vector<AnonymizeOptions>{{}, {.names = HiddenNames::number, .jitter = 0.2}, {.permute_ranks = true}}) {
    const SetBytes first = anonymized(set, options);
    EXPECT_TRUE(first == anonymized(set, options, "key", 3));
    EXPECT_EQ(first.ranks.size(), 8U);
  }
  EXPECT_FALSE(anonymized(set) == anonymized(set, {}, "other"));
  EXPECT_TRUE(anonymized(set, {.names = HiddenNames::type}) ==
              anonymized(set, {.names = HiddenNames::type}, "other"));
}

// For a set by classes, only one rank of each class is processed; the resulting ranks are the same.
TEST(Anonymizing, ClassesOfRanksStaySo) {
  HeldSet held = workload_with_words();
  MasterSet master = by_classes(held.load(1));
  master.groups = held.groups()->json;
  ClassSet classes("classes", std::move(master));
  for (const AnonymizeOptions& options :
       std::vector<AnonymizeOptions>{{},
                                     {.names = HiddenNames::number},
                                     {.sizes = SizeRounding::two_digits, .least_uses = 5, .merge_chains = true},
                                     {.jitter = 0.1},
                                     {.permute_ranks = true}}) {
    KeptSet before(classes, 1);
    AnonymizedSet after(before, options, keyed("key"), 1);
    const bool apart = options.jitter != 0 || options.permute_ranks;
    EXPECT_EQ(after.master() == nullptr, apart);
    EXPECT_TRUE(set_bytes(after) == anonymized(held, options));
    if (apart) continue;
    std::uint64_t nodes = 0;
    for (const Trace& t : held.load(1)) nodes += t.nodes.nodes.size();
    EXPECT_EQ(after.counts().nodes, nodes);
  }
}

// Groups without a file consist of the ranks that use them.
TEST(Anonymizing, GroupsOfNames) {
  std::vector<TraceBuilder> set = trace_builders(3);
  set[0].collective(0, Collective::all_reduce, 8, "tp_group_3").collective(1, Collective::all_reduce, 8, "0");
  set[1].collective(0, Collective::all_reduce, 8, "tp_group_3").collective(1, Collective::all_reduce, 8, "dp");
  set[2].collective(0, Collective::all_reduce, 8, "dp");
  std::vector<Trace> traces;
  for (TraceBuilder& b : set) traces.push_back(b.trace());
  HeldSet held(traces);
  KeptSet before(held, 1);
  AnonymizedSet after(before, {}, keyed("key"), 1);
  EXPECT_EQ(after.groups(), std::nullopt);
  const auto group = [](const Trace& t, std::size_t node) {
    return std::string(
        string_value(t.nodes, t.nodes.attributes(t.nodes.nodes.at(node)), attr::pg_name).value_or(""));
  };
  const std::vector<Trace> out = after.load(1);
  EXPECT_EQ(group(out[0], 0), "1");
  EXPECT_EQ(group(out[0], 1), "0");
  EXPECT_EQ(group(out[1], 0), "1");
  EXPECT_EQ(group(out[1], 1), "2");
  EXPECT_EQ(group(out[2], 0), "2");
}

TEST(Anonymizing, GroupsOfAFileAreRenamedThere) {
  std::vector<TraceBuilder> set = trace_builders(2);
  for (TraceBuilder& b : set) b.collective(0, Collective::all_reduce, 8, "77");
  HeldSet held({set[0].trace(), set[1].trace()}, R"({"99":[1],"77":[0,1],"0":[0,1]})");
  KeptSet before(held, 1);
  AnonymizedSet after(before, {}, keyed("key"), 1);
  ASSERT_TRUE(after.groups());
  EXPECT_EQ(after.groups()->json, "{\n \"0\":[0,1],\n \"1\":[0,1],\n \"2\":[1]\n}\n");
}

TEST(Anonymizing, StartsCountFromTheFirstOfAllRanks) {
  std::vector<TraceBuilder> set = trace_builders(2);
  set[0].comp(0).set(attr::start_nanos, 7'000);
  set[1].comp(0).set(attr::start_nanos, 1'500);
  set[1].trace().metadata.table.add_int(attr::base_time_nanos, Kind::int64_val, 1'000);
  HeldSet held({set[0].trace(), set[1].trace()});
  KeptSet before(held, 1);
  AnonymizedSet after(before, {}, keyed("key"), 1);
  const std::vector<Trace> out = after.load(1);
  EXPECT_EQ(int_value(out[0].nodes.attrs, attr::start_nanos).value, 4'500);
  EXPECT_EQ(int_value(out[1].nodes.attrs, attr::start_nanos).value, 0);
  EXPECT_EQ(find(out[1].metadata.table.attrs, attr::base_time_nanos), nullptr);
}

// 0 µs would mean an unknown start.
TEST(Anonymizing, StartsInMicrosecondsCountFromOne) {
  TraceBuilder b;
  b.comp(0).comp(1);
  Trace trace = b.trace();
  trace.nodes.nodes[0].start_us = 1'000'000;
  trace.nodes.nodes[1].start_us = 1'000'030;
  HeldSet held({trace});
  KeptSet before(held, 1);
  AnonymizedSet after(before, {}, keyed("key"), 1);
  const std::vector<Trace> out = after.load(1);
  EXPECT_EQ(out[0].nodes.nodes[0].start_us, 1U);
  EXPECT_EQ(out[0].nodes.nodes[1].start_us, 31U);
}

TEST(Anonymizing, RanksGetOtherNumbers) {
  constexpr Rank ranks = 16;
  std::vector<TraceBuilder> set = trace_builders(ranks);
  std::vector<Trace> traces;
  for (Rank r = 0; r < ranks; ++r) {
    set[r].send(0, (r + 1) % ranks, 0, 100 + r).recv(1, (r + ranks - 1) % ranks, 0, 100 + (r + ranks - 1) % ranks);
    traces.push_back(set[r].trace());
  }
  HeldSet held(traces);
  KeptSet before(held, 1);
  AnonymizedSet after(before, {.permute_ranks = true}, keyed("key"), 1);
  std::vector<Trace> out = after.load(1);
  std::size_t moved = 0;
  for (Rank r = 0; r < ranks; ++r) {
    const Rank now = after.plan().facts.rank(r);
    moved += now != r ? 1 : 0;
    EXPECT_EQ(out.at(now).rank, now);
    EXPECT_EQ(int_value(out[now].nodes.attributes(out[now].nodes.nodes[0]), attr::comm_size).value, 100 + r);
    EXPECT_EQ(int_value(out[now].nodes.attributes(out[now].nodes.nodes[0]), attr::comm_dst).value,
              after.plan().facts.rank((r + 1) % ranks));
  }
  EXPECT_GT(moved, ranks / 2);
}

// A survey of bytes gives the same result as a survey of nodes.
TEST(EncodedSurvey, FindsWhatNodesTell) {
  std::mt19937 random(5);
  for (int round = 0; round < test::rounds(400); ++round) {
    TraceBuilder b;
    const auto below = [&](unsigned n) { return random() % n; };
    const NodeId first = below(3) * 1000;
    const auto nodes = static_cast<NodeId>(below(6));
    for (NodeId i = 0; i < nodes; ++i) {
      b.node(first + i + (below(20) == 0 ? 1 : 0), NodeType::comp);
      if (below(3) != 0) b.table().nodes.back().name = b.table().add_text("name " + std::to_string(below(4)));
      if (i > 0) b.table().add_data_dep(first + below(static_cast<unsigned>(i)));
      if (below(30) == 0) b.control(first + 500);
      if (below(2) == 0) b.table().nodes.back().start_us = below(1000);
      if (below(3) == 0) b.set(attr::start_nanos, below(1'000'000));
      if (below(3) == 0) b.table().add_string(attr::pg_name, std::to_string(below(3)));
      if (below(5) == 0) b.set(attr::tid, 3);
    }
    Trace trace = b.trace();
    trace.metadata.table.add_int(attr::base_time_nanos, Kind::int64_val, below(100));
    std::string bytes;
    ChakraEncoder().nodes(trace.nodes, bytes);
    const AnonymizeOptions options{.names = HiddenNames::number};
    RankSurveyor surveyor(trace, options);
    surveyor.add_batch();
    const RankSurvey expected = surveyor.finish();
    EncodedSurveyor encoded(trace, true);
    ASSERT_EQ(encoded.add(bytes), bytes.size());
    const RankSurvey found = encoded.finish();
    EXPECT_EQ(found.ids.has_value(), expected.ids.has_value());
    if (expected.ids && found.ids) {
      EXPECT_EQ(found.ids->first, expected.ids->first);
    }
    EXPECT_EQ(found.groups, expected.groups);
    EXPECT_EQ(found.names, expected.names);
    EXPECT_EQ(found.begin_ns, expected.begin_ns);
    EXPECT_EQ(found.starts_in_us, expected.starts_in_us);
    for (std::size_t cut = 1; cut < bytes.size(); cut += 7)
      (void)EncodedSurveyor(trace, true).add(std::string_view(bytes).substr(0, cut));
  }
}

}  // namespace
}  // namespace convert
