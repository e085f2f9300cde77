// SPDX-License-Identifier: MIT
#include "passes/anonymize/anonymize.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>

#include "core/algorithm/link_way.h"
#include "graph/iteration_name.h"
#include "passes/anonymize/chains.h"
#include "passes/anonymize/ids.h"
#include "passes/anonymize/kept.h"
#include "passes/anonymize/link_order.h"
#include "sanitized.h"
#include "trace_builder.h"

namespace convert {
namespace {

using namespace test;

// Not a secure hash: different texts have different digests.
std::array<std::uint8_t, 32> spread(std::string_view text) {
  std::array<std::uint8_t, 32> out{};
  std::uint64_t state = 14695981039346656037ULL;
  for (const char c : text) state = (state ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  for (std::uint8_t& byte : out) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    byte = static_cast<std::uint8_t>(state >> 56U);
  }
  return out;
}

AnonymizePlan plan_of(AnonymizeOptions options) { return {.options = std::move(options), .hash = spread}; }

NodeTable anonymized(TraceBuilder& builder, const AnonymizePlan& plan) {
  Trace trace = builder.trace();
  NameHider names = plan.name_hider();
  RankAnonymizer changes(plan, names);
  changes.head(trace);
  changes.whole(trace.nodes);
  return trace.nodes;
}

std::int64_t number_of(const NodeTable& nodes, std::size_t node, Name name) {
  const IntValue v = int_value(nodes.attributes(nodes.nodes.at(node)), name);
  return v ? v.value : -1;
}

TEST(AnonymizeIds, KeepTheirOrderAndWhatIsWrongWithThem) {
  TraceBuilder b;
  b.comp(70).comp(7, {70, 9999}).comp(500, {7, 3}).comp(7);
  NodeTable nodes = b.trace().nodes;
  IdNumbers(nodes).renumber(nodes);
  EXPECT_EQ(nodes.nodes[0].id, 2U);
  EXPECT_EQ(nodes.nodes[1].id, 1U);
  EXPECT_EQ(nodes.nodes[2].id, 3U);
  EXPECT_EQ(nodes.nodes[3].id, 1U) << "an id that stands twice still does";
  EXPECT_EQ(nodes.data_deps(nodes.nodes[1])[0], 2U);
  EXPECT_EQ(nodes.data_deps(nodes.nodes[1])[1], 4U) << "names no node, after all others";
  EXPECT_EQ(nodes.data_deps(nodes.nodes[2])[1], 0U) << "names no node, before all others";
}

TEST(AnonymizeIds, DenseIdsAreFoundBatchByBatch) {
  TraceBuilder b, c;
  b.comp(5).comp(6, {5, 8});
  c.comp(7, {5}).comp(8);
  DenseIdCheck check;
  check.add(b.trace().nodes);
  EXPECT_FALSE(check.finish()) << "depends on a node beyond";
  check.add(c.trace().nodes);
  ASSERT_TRUE(check.finish());
  EXPECT_EQ(check.finish()->first, 5U);
  EXPECT_EQ(IdNumbers(*check.finish()).of(8), 3U);
  check.add_id(10);
  EXPECT_FALSE(check.finish());
}

TEST(AnonymizeNames, MarksOfIterationsStay) {
  const NameNumbers numbers;
  const KeyedHash hash = spread;
  NameHider hider(HiddenNames::keyed, hash, numbers);
  const auto hide = [&](std::string_view name) { return std::string(hider.hide(name, NodeType::comp)); };
  EXPECT_EQ(hide("ProfilerStep#17"), "ProfilerStep#17");
  EXPECT_EQ(hide("ProfilerStep#17 secret"), "ProfilerStep#17");
  const std::string second = hide("secret iteration 2"), third = hide("secret iteration 3");
  EXPECT_EQ(second.substr(12), " iteration 2");
  EXPECT_EQ(third.substr(12), " iteration 3");
  EXPECT_EQ(second.substr(0, 12), third.substr(0, 12)) << "the same work of two iterations";
  EXPECT_NE(second.substr(0, 12), hide("other iteration 2").substr(0, 12));
  EXPECT_EQ(hide("aten::mm").size(), 12U);
  EXPECT_EQ(hide("aten::mm"), keyed_name(hash, "aten::mm"));
  EXPECT_EQ(hide(""), "");
  NameHider typed(HiddenNames::type, hash, numbers);
  EXPECT_EQ(typed.hide("secret iteration 2", NodeType::comm_coll), "COMM_COLL_NODE iteration 2");
}

// Texts that were hidden before do not influence the result, in any order, also if they are forgotten.
TEST(AnonymizeNames, AreTheSameWhateverCameBefore) {
  const NameNumbers numbers;
  const KeyedHash hash = spread;
  NameHider hider(HiddenNames::keyed, hash, numbers);
  std::mt19937 random(3);
  const std::array<std::string, 8> numbers_of = {
      "", "0", "7", "07", "12", "999999999999999999", "1000000000000000000", "99999999999999999999"};
  const std::array<std::string, 6> before = {
      "a", "iteration ", "b iteration ", "b iteration 3 iteration ", "Iteration #", ""};
  const std::array<std::string, 4> behind = {"", " c", "x", "iteration"};
  for (int round = 0; round < test::rounds(200'000); ++round) {
    std::string name = before.at(random() % before.size()) + numbers_of.at(random() % numbers_of.size()) +
                       behind.at(random() % behind.size());
    if (random() % 2 == 0) name += std::to_string(random() % 100'000);
    if (random() % 16 == 0) {
      EXPECT_EQ(hider.keyed(name), keyed_name(hash, name));
    }
    std::string expected = keyed_name(hash, hashed_part(name));
    if (const auto mark = iteration_in_name(name)) expected += " iteration " + std::to_string(mark->number);
    ASSERT_EQ(hider.hide(name, NodeType::comp), expected) << name;
  }
}

TEST(AnonymizeSizes, RoundedUpAndInRange) {
  const SizeRule powers({.sizes = SizeRounding::power_of_two}), digits({.sizes = SizeRounding::two_digits});
  EXPECT_EQ(powers.changed(1), 1);
  EXPECT_EQ(powers.changed(8'196'000), 8'388'608);
  EXPECT_EQ(powers.changed(std::int64_t{1} << 62U), std::int64_t{1} << 62U);
  EXPECT_EQ(powers.changed(INT64_MAX - 5), INT64_MAX);
  EXPECT_EQ(powers.changed(0), 0);
  EXPECT_EQ(powers.changed(-7), -7);
  EXPECT_EQ(digits.changed(8'196'000), 8'200'000);
  EXPECT_EQ(digits.changed(99), 99);
  EXPECT_EQ(digits.changed(101), 110);
  EXPECT_EQ(digits.changed(INT64_MAX), INT64_MAX);
  EXPECT_EQ(SizeRule({.scale = 1e-9}).changed(5), 1);
  EXPECT_EQ(SizeRule({.scale = 1e6}).changed(INT64_MAX / 2), INT64_MAX);
}

// Shards of an all-to-all still add up, and the outputs of calls still are multiples of the inputs.
TEST(AnonymizeSizes, SumsAndMultiplesStay) {
  TraceBuilder b;
  b.collective(0, Collective::all_to_all, 300).splits({100, 90, 110}, {7, 8, 9}).set(attr::comm_bytes_out, 24);
  b.collective(1, Collective::all_gather, 100).set(attr::group_size, 3).set(attr::comm_bytes_out, 300);
  b.collective(2, Collective::reduce_scatter, 300).set(attr::group_size, 3).set(attr::comm_bytes_out, 100);
  b.collective(3, Collective::all_reduce, 77).set(attr::comm_bytes_out, 77);
  const NodeTable out = anonymized(b, plan_of({.sizes = SizeRounding::power_of_two}));
  EXPECT_EQ(number_of(out, 0, attr::comm_size), 128 + 128 + 128);
  EXPECT_EQ(number_of(out, 0, attr::comm_bytes_out), 8 + 8 + 16);
  EXPECT_EQ(number_of(out, 1, attr::comm_size), 128);
  EXPECT_EQ(number_of(out, 1, attr::comm_bytes_out), 384);
  EXPECT_EQ(number_of(out, 2, attr::comm_size), 512);
  EXPECT_EQ(number_of(out, 2, attr::comm_bytes_out), 171);
  EXPECT_EQ(number_of(out, 3, attr::comm_bytes_out), 128);
}

TEST(AnonymizeSizes, RareOnesBecomeTheNextLarger) {
  SizeCounts counts;
  for (const auto& [size, uses] : {std::pair{10, 5}, {20, 1}, {30, 1}, {40, 4}, {50, 2}, {60, 1}})
    counts.add(0, size, static_cast<std::uint64_t>(uses));
  counts.add(1, 20, 9);
  AnonymizePlan plan = plan_of({.least_uses = 3});
  plan.sizes.merge(counts);
  TraceBuilder b;
  NodeId id = 0;
  for (const std::int64_t size : {10, 20, 30, 40, 50, 60}) b.collective(id++, Collective::all_reduce, size);
  b.collective(id++, Collective::reduce, 20);
  const NodeTable out = anonymized(b, plan);
  std::vector<std::int64_t> sizes;
  for (std::size_t i = 0; i < out.nodes.size(); ++i) sizes.push_back(number_of(out, i, attr::comm_size));
  EXPECT_EQ(sizes, (std::vector<std::int64_t>{10, 40, 40, 40, 60, 60, 20}));
}

// A rare size without a larger one is merged with the largest size below it.
TEST(AnonymizeSizes, TheLastOnesBecomeOne) {
  SizeCounts counts;
  counts.add(0, 10, 3);
  counts.add(0, 20, 3);
  counts.add(0, 30, 1);
  SizeRule rule({.least_uses = 3});
  rule.merge(counts);
  TraceBuilder b;
  b.collective(0, Collective::all_reduce, 20).collective(1, Collective::all_reduce, 30);
  NodeTable nodes = b.trace().nodes;
  for (const Node& n : nodes.nodes) rule.change(nodes, n);
  EXPECT_EQ(number_of(nodes, 0, attr::comm_size), 30);
  EXPECT_EQ(number_of(nodes, 1, attr::comm_size), 30);
}

// Nodes are counted, not their sizes: two nodes are not eight.
TEST(AnonymizeSizes, NodesAreCountedNotTheirSizes) {
  TraceBuilder b;
  for (NodeId id = 0; id < 8; ++id) b.collective(id, Collective::all_to_all, 20).splits({10, 10}, {10, 10});
  b.collective(8, Collective::all_to_all, 400).splits({100, 100, 100, 100}, {100, 100, 100, 100});
  b.collective(9, Collective::all_to_all, 506).splits({101, 102, 103, 200}, {101, 104, 105, 196});
  SizeRule rule({.least_uses = 8});
  SizeCounts counts;
  rule.count(b.trace().nodes, counts);
  EXPECT_EQ(counts.all().at({split_size, 100}), 1U);
  EXPECT_EQ(counts.all().at({split_size, 101}), 1U);
  EXPECT_EQ(counts.first_of({split_size, 102}, 101), 0U);
  EXPECT_EQ(counts.first_of({split_size, 102}, 102), 1U);
  rule.merge(counts);
  NodeTable nodes = b.trace().nodes;
  for (const Node& n : nodes.nodes) rule.change(nodes, n);
  EXPECT_EQ(number_of(nodes, 0, attr::comm_size), 400);  // all became the largest
  EXPECT_EQ(number_of(nodes, 8, attr::comm_size), 800);
  EXPECT_EQ(number_of(nodes, 9, attr::comm_size), 800);
}

TEST(AnonymizeTimes, JitterStaysWithinItsBound) {
  const AnonymizeOptions options{.jitter = 0.05};
  const KeyedHash hash = spread;
  const TimeRule rule(options, hash);
  std::mt19937_64 random(1);
  bool less = false, more = false;
  for (std::uint64_t i = 0; i < test::rounds(100'000U); ++i) {
    const std::uint64_t time = random() >> (1 + random() % 63);
    const std::uint64_t now = rule.changed(time, rule.factor(3, i));
    const long double t = static_cast<long double>(time), n = static_cast<long double>(now);
    constexpr long double rounding = 1e-15L;  // of 5 % as a double
    ASSERT_LE(n, t * (1.05L + rounding)) << time;
    ASSERT_GE(n, t * (0.95L - rounding)) << time;
    less = less || now < time;
    more = more || now > time;
  }
  EXPECT_TRUE(less && more);
  EXPECT_NE(rule.factor(0, 1), rule.factor(1, 0));
}

TEST(AnonymizeTimes, RoundedToDigits) {
  const AnonymizeOptions options{.time_digits = 2};
  const KeyedHash hash = spread;
  const TimeRule rule(options, hash);
  EXPECT_EQ(rule.changed(0, 1), 0U);
  EXPECT_EQ(rule.changed(99, 1), 99U);
  EXPECT_EQ(rule.changed(994, 1), 990U);
  EXPECT_EQ(rule.changed(996, 1), 1000U);
  EXPECT_EQ(rule.changed(12'500, 1), 13'000U);
}

// Unchanged starts would reveal the changed times.
TEST(AnonymizeTimes, StartsGoWithTimes) {
  TraceBuilder b;
  b.comp(0).set(attr::start_nanos, 5000).set(attr::duration_nanos, 1000);
  b.table().nodes.back().start_us = 5;
  AnonymizePlan kept = plan_of({}), changed = plan_of({.jitter = 0.5}), none = plan_of({.starts = false});
  kept.facts.first_ns = 4000;
  const NodeTable with = anonymized(b, kept);
  EXPECT_EQ(number_of(with, 0, attr::start_nanos), 1000);
  EXPECT_EQ(with.nodes[0].start_us, 1U);
  for (const AnonymizePlan* plan : {&changed, &none}) {
    const NodeTable without = anonymized(b, *plan);
    EXPECT_EQ(number_of(without, 0, attr::start_nanos), -1);
    EXPECT_EQ(without.nodes[0].start_us, 0U);
  }
  EXPECT_EQ(number_of(anonymized(b, none), 0, attr::duration_nanos), 1000);
}

TEST(AnonymizeAttributes, OfUnexpectedKindsGo) {
  TraceBuilder b;
  b.comp(0).set(attr::stream, 7).set(attr::tid, 1234567).set(Name("secret"), 1);
  b.table().add_string(attr::comm_size, "secret");
  b.table().add_double(attr::num_ops, 0.5);
  b.table().add_string(attr::send_splits, "a text as long as a list is");
  b.table().add_string(attr::step_type, "secret");
  b.table().add_string(attr::src_buf, "i");
  AnonymizePlan plan = plan_of({.permute_ranks = true});
  plan.facts.ranks = {{0, 1}, {1, 0}};
  Trace trace = b.trace();
  NameHider names = plan.name_hider();
  RankAnonymizer changes(plan, names);
  changes.head(trace);
  changes.whole(trace.nodes);
  std::vector<std::string> left;
  for (const Attr& a : trace.nodes.attributes(trace.nodes.nodes[0])) left.emplace_back(a.name.view());
  EXPECT_EQ(left, (std::vector<std::string>{"stream", "tid", "src_buf"}));
  EXPECT_EQ(number_of(trace.nodes, 0, attr::tid), 0);
  EXPECT_EQ(changes.counts().dropped, 1U);
  EXPECT_EQ(changes.counts().wrong_kind, 4U);
}

TEST(AnonymizeAttributes, KeptOnesStayAsTheyAre) {
  TraceBuilder b;
  b.comp(0).set(attr::tid, 77);
  b.table().add_string(Name("note"), "as it is");
  const NodeTable out = anonymized(b, plan_of({.keep = {Name("note"), attr::tid}}));
  EXPECT_EQ(number_of(out, 0, attr::tid), 77);
  EXPECT_EQ(string_value(out, out.attributes(out.nodes[0]), Name("note")), "as it is");
}

TEST(AnonymizeAttributes, TensorsHaveKeyedNames) {
  TraceBuilder b;
  const std::vector<std::string> good = {"weights", "1000"}, bad = {"weights", "secret"};
  b.comp(0);
  b.table().add_strings(attr::inputs, good);
  b.table().add_strings(attr::outputs, bad);
  const NodeTable out = anonymized(b, plan_of({.sizes = SizeRounding::power_of_two}));
  const auto attrs = out.attributes(out.nodes[0]);
  ASSERT_EQ(attrs.size(), 2U);
  EXPECT_EQ(out.view(out.string_list(attrs[0])[0]), keyed_name(spread, "weights"));
  EXPECT_EQ(out.view(out.string_list(attrs[0])[1]), "1024");
  EXPECT_EQ(attrs[1].size, 0U);
}

TEST(AnonymizeGroups, NumberedByTheirMembers) {
  const GroupNumbers groups({{.name = "tp_1", .ranks = {2, 3}},
                             {.name = "20", .ranks = {0, 2}},
                             {.name = "3", .ranks = {0, 2}},
                             {.name = "0", .ranks = {0, 1, 2, 3}},
                             {.name = "dp", .ranks = {0, 1, 2, 3}}});
  EXPECT_EQ(groups.name("dp"), "1");
  EXPECT_EQ(groups.name("3"), "2");
  EXPECT_EQ(groups.name("20"), "3");
  EXPECT_EQ(groups.name("tp_1"), "4");
  EXPECT_EQ(groups.name("0"), "0");
  EXPECT_EQ(groups.name(""), "");
  EXPECT_THROW((void)groups.name("unknown"), Error);
}

TraceBuilder links_of_a_chain() {
  TraceBuilder b;
  b.comp(0).set(attr::duration_nanos, 10).set(attr::num_ops, 1);
  b.comp(1, {0}).set(attr::duration_nanos, 20).set(attr::num_ops, 2).set(attr::start_delay_nanos, 5);
  b.comp(2, {1}).set(attr::duration_nanos, 30).set(attr::num_ops, 3);
  return b;
}

TEST(AnonymizeChains, BecomeOneNode) {
  TraceBuilder b = links_of_a_chain();
  b.collective(3, Collective::all_reduce, 8, {}, {2});
  b.comp(4, {3}).set(attr::duration_nanos, 1).set(attr::num_ops, 1);
  NodeTable nodes = b.trace().nodes;
  EXPECT_EQ(merge_chains(nodes), 2U);
  ASSERT_EQ(nodes.nodes.size(), 3U);
  EXPECT_EQ(number_of(nodes, 0, attr::duration_nanos), 60);
  EXPECT_EQ(number_of(nodes, 0, attr::num_ops), 6);
  EXPECT_EQ(number_of(nodes, 0, attr::start_delay_nanos), 5);
  EXPECT_EQ(nodes.data_deps(nodes.nodes[1])[0], 0U);
}

TEST(AnonymizeChains, EndWhereSomethingElseWaits) {
  TraceBuilder forked = links_of_a_chain();
  forked.comp(3, {1}).set(attr::duration_nanos, 1).set(attr::num_ops, 1);
  NodeTable nodes = forked.trace().nodes;
  EXPECT_EQ(merge_chains(nodes), 1U) << "1 has two children";
  TraceBuilder other_lane = links_of_a_chain();
  other_lane.set(attr::stream, 7);
  nodes = other_lane.trace().nodes;
  EXPECT_EQ(merge_chains(nodes), 1U);
  TraceBuilder other_facts = links_of_a_chain();
  other_facts.set(attr::comm_tag, 7);
  nodes = other_facts.trace().nodes;
  EXPECT_EQ(merge_chains(nodes), 1U);
  TraceBuilder dangling;
  dangling.comp(0).comp(1, {0, 99});
  nodes = dangling.trace().nodes;
  EXPECT_EQ(merge_chains(nodes), 0U);
}

TEST(AnonymizeChains, CirclesAndDuplicatesStay) {
  TraceBuilder cycle;
  cycle.comp(0, {1}).comp(1, {0}).comp(2, {2});
  NodeTable nodes = cycle.trace().nodes;
  EXPECT_EQ(merge_chains(nodes), 0U);
  EXPECT_EQ(nodes.nodes.size(), 3U);
  TraceBuilder twice;
  twice.comp(0).comp(1, {0}).comp(1, {0});
  nodes = twice.trace().nodes;
  EXPECT_EQ(merge_chains(nodes), 0U);
}

TEST(AnonymizeRanks, PartsFollowTheirRanks) {
  TraceBuilder b;
  b.collective(0, Collective::all_to_all, 60).splits({10, 20, 30}, {1, 2, 3});
  b.send(1, 2, 0, 8).set(attr::comm_src, 0);
  AnonymizePlan plan = plan_of({.permute_ranks = true});
  plan.facts.ranks = {{0, 2}, {1, 0}, {2, 1}};
  plan.facts.unlisted[""] = {0, 1, 2};
  const NodeTable out = anonymized(b, plan);
  const auto* const sends = find(out.attributes(out.nodes[0]), attr::send_splits);
  ASSERT_NE(sends, nullptr);
  EXPECT_EQ(out.list(*sends)[0], 20U);
  EXPECT_EQ(out.list(*sends)[1], 30U);
  EXPECT_EQ(out.list(*sends)[2], 10U);
  EXPECT_EQ(number_of(out, 1, attr::comm_dst), 1);
  EXPECT_EQ(number_of(out, 1, attr::comm_src), 2);
}

// Sends of a schedule: to rank 1 as second and first over the link to device 4, then to rank 2 over that link.
TraceBuilder scheduled(const char* network) {
  TraceBuilder b;
  b.trace().metadata.table.add_string(scheduled_network, network);
  const auto send = [&](NodeId id, std::int64_t to, std::int64_t turn, std::int64_t instance) {
    b.send(id, to, turn, 8).set(attr::merged_instance, instance);
    const std::int64_t turns[] = {turn, 0}, via[] = {4};
    b.table().add_ints(attr::link_seq, Kind::int64_list, turns);
    b.table().add_ints(attr::link_via, Kind::uint32_list, via);
  };
  send(0, 1, 1, 5);
  send(1, 1, 0, 5);
  send(2, 2, 2, 5);
  send(3, 1, 3, 6);
  send(4, 1, 3, 5);
  b.control(3);
  return b;
}

TEST(AnonymizeLinkOrder, TurnsStayWithTheIdOfTheirNetwork) {
  TraceBuilder b = scheduled("4.1.8-0123456789abcdef-0123456789abcdef");
  const AnonymizePlan plan = plan_of({});
  Trace trace = b.trace();
  NameHider names = plan.name_hider();
  RankAnonymizer changes(plan, names);
  changes.head(trace);
  EXPECT_EQ(string_value(trace.metadata.table, trace.metadata.table.attrs, scheduled_network),
            "4.1.8-0123456789abcdef-0123456789abcdef");
  changes.whole(trace.nodes);
  EXPECT_EQ(changes.counts().turns, 0U);
  for (std::size_t i = 0; i < 5; ++i) {
    const auto attributes = trace.nodes.attributes(trace.nodes.nodes[i]);
    const auto way = link_way(trace.nodes, attributes);
    ASSERT_TRUE(way && way->problem.empty());
    EXPECT_EQ(way->via, std::vector<std::uint32_t>{4});
    EXPECT_EQ(turn_scope(attributes), i == 3 ? 6 : 5) << "the scope of the merged collective, which is not kept";
    EXPECT_EQ(find(attributes, attr::merged_instance), nullptr);
  }
  EXPECT_EQ(trace.nodes.nodes[0].ctrl_deps.count, 0U);
}

TEST(AnonymizeLinkOrder, AnIdThatMayHoldWordsGoes) {
  Trace trace = scheduled("our cluster").trace();
  const AnonymizePlan plan = plan_of({});
  NameHider names = plan.name_hider();
  RankAnonymizer(plan, names).head(trace);
  EXPECT_EQ(find(trace.metadata.table.attrs, scheduled_network), nullptr);
}

TEST(AnonymizeLinkOrder, OtherRanksWaitInTurnInstead) {
  TraceBuilder b = scheduled("4.1.8-0123456789abcdef-0123456789abcdef");
  AnonymizePlan plan = plan_of({.permute_ranks = true});
  plan.facts.ranks = {{0, 2}, {1, 0}, {2, 1}};
  Trace trace = b.trace();
  NameHider names = plan.name_hider();
  RankAnonymizer changes(plan, names);
  changes.head(trace);
  EXPECT_EQ(find(trace.metadata.table.attrs, scheduled_network), nullptr);
  EXPECT_FALSE(changes.takes_batches({.ids = DenseIds{}}));
  changes.whole(trace.nodes);
  EXPECT_EQ(changes.counts().turns, 5U);
  const NodeTable& nodes = trace.nodes;
  const auto waits = [&](std::size_t i) {
    const auto deps = nodes.ctrl_deps(nodes.nodes[i]);
    return std::vector<NodeId>(deps.begin(), deps.end());
  };
  EXPECT_EQ(waits(0), std::vector<NodeId>{1});
  EXPECT_EQ(waits(1), std::vector<NodeId>{});
  EXPECT_EQ(waits(2), std::vector<NodeId>{}) << "to another rank";
  EXPECT_EQ(waits(3), std::vector<NodeId>{}) << "of another collective";
  EXPECT_EQ(waits(4), (std::vector<NodeId>{3, 0})) << "also for the turn of the other collective";
  for (const Name name : {attr::link_seq, attr::link_via, attr::link_scope})
    EXPECT_EQ(find(nodes.attributes(nodes.nodes[0]), name), nullptr);
  NodeTable again = nodes;
  wait_in_turn(again);
  EXPECT_EQ(again.deps.size(), nodes.deps.size()) << "no turns are left";
}

TEST(AnonymizeLinkOrder, WhoWaitsAlreadyWaitsForNoOther) {
  TraceBuilder b;
  const std::int64_t first[] = {0}, second[] = {1};
  b.send(0, 1, 0, 8);
  b.table().add_ints(attr::link_seq, Kind::int64_list, first);
  b.send(1, 1, 1, 8).control(0);
  b.table().add_ints(attr::link_seq, Kind::int64_list, second);
  b.send(2, 1, 0, 8);  // equal to the first: the trace repeats its collective
  b.table().add_ints(attr::link_seq, Kind::int64_list, first);
  NodeTable nodes = b.trace().nodes;
  const std::size_t before = nodes.deps.size();
  wait_in_turn(nodes);
  EXPECT_EQ(nodes.deps.size(), before);
}

}  // namespace
}  // namespace convert
