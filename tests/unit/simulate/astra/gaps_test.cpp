// SPDX-License-Identifier: MIT
// Cases without a result in ASTRA-sim: each cause is reported, and none if ASTRA-sim has a result.
#include "simulate/astra/gaps.h"

#include <gtest/gtest.h>

#include <set>

#include "simulate/engine/replay.h"
#include "unit/simulate/traces.h"

namespace convert {
namespace {

using namespace test;
using enum AstraGap;
using Gaps = std::vector<AstraGap>;

struct Scene {
  std::string network = "ring:4,bw=1GB/s,lat=10ns";
  NetworkModel model = NetworkModel::unaware;
  ReplaySystem system{};
  std::vector<Trace> algorithm{};  // of all collectives
  bool astra = true;
};

// A complete system.
ReplaySystem plain_system() {
  ReplaySystem s;
  s.config.dataset_splits = 1;
  s.config.optimization = CollectiveOptimization::baseline;
  s.config.endpoint_delay_ns = 10;
  for (CollectiveChoice& c : s.config.collectives) c.per_dim = {AlgorithmChoice{}};
  return s;
}

ReplayResult replay_of(const std::vector<Trace>& traces, const Scene& scene) {
  Diagnostics diagnostics;
  ReplayOptions options;
  options.astra = scene.astra;
  options.issue = IssueMode::workload;
  options.network.model = scene.model;
  options.system = std::make_shared<ReplaySystem>(scene.system);
  ReplayBuilder builder(net(scene.network), options, diagnostics);
  for (const Trace& t : scene.algorithm) builder.add_custom("algorithm", t);
  for (const Trace& t : traces) builder.add(t);
  const auto program = builder.finish();
  EXPECT_EQ(diagnostics.errors(), 0U);
  for (const Diagnostic& d : diagnostics.all()) ADD_FAILURE() << format_diagnostic(d);
  return replay(program.value());
}
Gaps gaps_of(const std::vector<Trace>& traces, Scene scene = {.system = plain_system()}) {
  const ReplayResult result = replay_of(traces, scene);
  EXPECT_EQ(result.status, ReplayStatus::complete);
  scene.astra = false;
  EXPECT_EQ(replay_of(traces, scene).gaps.list(), Gaps{}) << "its rules were not asked for";
  return result.gaps.list();
}

std::vector<Trace> all_reduces(Rank n, std::int64_t bytes = 4096) {
  std::vector<Trace> traces = ranks(n);
  for (Trace& t : traces) {
    comp(t, 0, 1);
    all_reduce(t, 1, bytes, {0});
  }
  return traces;
}

// Rank 0 sends to rank 1 after `parent` has ended there.
void message(std::vector<Trace>& traces, std::int64_t bytes, std::initializer_list<NodeId> parents = {}) {
  send(traces[0], 7, 1, bytes, 0, parents);
  recv(traces[1], 7, 0, bytes, 0, parents);
}

TEST(AstraGaps, EachHasItsOwnText) {
  std::set<std::string_view> texts;
  for (std::size_t g = 0; g < astra_gaps; ++g) texts.insert(cause(static_cast<AstraGap>(g)));
  EXPECT_EQ(texts.size(), astra_gaps);
  EXPECT_FALSE(texts.contains(""));
}

TEST(AstraGaps, NoneWhereItEnds) {
  EXPECT_EQ(gaps_of(all_reduces(4)), Gaps{});
  std::vector<Trace> traces = all_reduces(4);
  comp(traces[2], 2, 3, {}, true);  // CPU
  invalid(traces[1], 2);
  comp(traces[1], 3, 1, {2});
  EXPECT_EQ(gaps_of(traces), Gaps{});  // node 0 ends after the INVALID one
}

TEST(AstraGaps, OfTheCongestionAwareNetwork) {
  Scene scene{.network = "ring:2,bw=1GB/s,lat=10ns", .model = NetworkModel::aware, .system = plain_system()};
  EXPECT_EQ(gaps_of(all_reduces(2), scene), Gaps{ring_of_two});
  scene.network = "fully_connected:2,bw=1GB/s,lat=10ns";
  EXPECT_EQ(gaps_of(all_reduces(2), scene), Gaps{});
  scene.network = "ring:2,bw=1GB/s,lat=10ns+ring:2,bw=1GB/s,lat=10ns";
  for (CollectiveChoice& c : scene.system.config.collectives) c.per_dim.resize(2);
  EXPECT_EQ(gaps_of(all_reduces(4), scene), Gaps{several_dimensions});
  scene.model = NetworkModel::unaware;
  EXPECT_EQ(gaps_of(all_reduces(4), scene), Gaps{});
}

TEST(AstraGaps, MetadataNodes) {
  std::vector<Trace> traces = all_reduces(4);
  add_node(traces[3], NodeType::metadata, 9, {});
  traces[3].nodes.end_node();
  comp(traces[3], 10, 1, {9});
  EXPECT_EQ(gaps_of(traces), Gaps{metadata_node});
}

TEST(AstraGaps, InvalidNodesAtTheStart) {
  std::vector<Trace> traces = ranks(4);
  for (Trace& t : traces) comp(t, 0, 1);
  invalid(traces[2], 1);
  comp(traces[2], 2, 1, {1});
  EXPECT_EQ(gaps_of(traces), Gaps{});  // the other COMP node ends after it
  traces[2] = rank_trace(2);
  invalid(traces[2], 1);
  comp(traces[2], 2, 1, {1});
  EXPECT_EQ(gaps_of(traces), Gaps{invalid_node});
  // It requires the communication slot, and no node runs when it gets the slot.
  traces = all_reduces(4);
  invalid(traces[1], 2, {0});
  comp(traces[1], 3, 1, {2});
  EXPECT_EQ(gaps_of(traces), Gaps{invalid_node});
  // Only a receive is active; its message is sent by another NPU after the INVALID node's child has run.
  traces = ranks(4);
  for (Trace& t : traces) comp(t, 0, 1);
  invalid(traces[0], 1, {0});
  comp(traces[0], 2, 1, {1});
  recv(traces[0], 3, 1, 64);
  send(traces[1], 4, 0, 64, 0, {5});
  recv(traces[1], 5, 0, 64, 1);
  send(traces[0], 6, 1, 64, 1, {2});
  EXPECT_EQ(gaps_of(traces), (Gaps{invalid_node, statistics}));
}

TEST(AstraGaps, TimeZero) {
  Scene scene{.system = plain_system()};
  scene.system.config.endpoint_delay_ns = 0;
  EXPECT_EQ(gaps_of(all_reduces(4), scene), Gaps{});  // not at the start
  std::vector<Trace> traces = ranks(4);
  for (Trace& t : traces) all_reduce(t, 0, 4096);
  EXPECT_EQ(gaps_of(traces, scene), Gaps{time_zero});
  EXPECT_EQ(gaps_of(traces), Gaps{});
}

TEST(AstraGaps, Roofline) {
  Scene scene{.system = plain_system()};
  scene.system.config.roofline = true;
  scene.system.config.peak_flops = 1e12;
  scene.system.config.local_mem_bytes_per_s = 1e12;
  const auto traces = [](std::int64_t operations, std::int64_t bytes) {
    std::vector<Trace> set = ranks(4);
    for (Trace& t : set) {
      for (const NodeId id : {0U, 1U}) {
        t.nodes.add_node(id, NodeType::comp, "c");
        if (id == 1) t.nodes.add_data_dep(0);
        t.nodes.add_int(attr::num_ops, Kind::int64_val, id == 1 ? 1'000'000 : operations);
        t.nodes.add_int(attr::tensor_size, Kind::int64_val, id == 1 ? 1'000'000 : bytes);
        t.nodes.end_node();
      }
    }
    return set;
  };
  EXPECT_EQ(gaps_of(traces(1'000'000, 1'000'000), scene), Gaps{});
  EXPECT_EQ(gaps_of(traces(1, 1), scene), Gaps{time_zero});
  EXPECT_EQ(gaps_of(traces(1'000'000, 0), scene), Gaps{invalid_node});
  EXPECT_EQ(gaps_of(traces(0, 1'000'000), scene), (Gaps{time_zero, no_operations}));
}

// A message around the ring, and then `last`.
std::vector<Trace> ring_algorithm(Rank n, NodeType last = NodeType::comp) {
  std::vector<Trace> places = ranks(n);
  for (Rank p = 0; p < n; ++p) {
    send(places[p], 0, (p + 1) % n, 64);
    recv(places[p], 1, (p + n - 1) % n, 64);
    add_node(places[p], last, 2, {1});
    places[p].nodes.end_node();
  }
  return places;
}
Scene custom(ReplaySystem system, std::vector<Trace> algorithm) {
  for (CollectiveChoice& c : system.config.collectives) c = {.custom = "algorithm"};
  return {.system = std::move(system), .algorithm = std::move(algorithm)};
}

TEST(AstraGaps, CustomCollectives) {
  EXPECT_EQ(gaps_of(all_reduces(4), custom(plain_system(), ring_algorithm(4))), Gaps{});
  ReplaySystem system = plain_system();
  system.config.dataset_splits = 4;
  EXPECT_EQ(gaps_of(all_reduces(4), custom(system, ring_algorithm(4))), Gaps{custom_chunks});
  EXPECT_EQ(gaps_of(all_reduces(4), custom(plain_system(), ring_algorithm(4, NodeType::invalid))),
            Gaps{custom_node});
  std::vector<Trace> traces = ranks(4);
  for (const Rank r : {1U, 3U}) all_reduce(traces[r], 0, 4096, {}, "1");
  for (const Rank r : {0U, 2U}) comp(traces[r], 0, 1);
  system = plain_system();
  system.groups = {{.id = 1, .ranks = {1, 3}}};
  EXPECT_EQ(gaps_of(traces, custom(system, ring_algorithm(2))), Gaps{});
  system.groups = {{.id = 1, .ranks = {3, 1}}};
  EXPECT_EQ(gaps_of(traces, custom(system, ring_algorithm(2))), Gaps{custom_group_order});
}

TEST(AstraGaps, GathersOfLessThanAByteForEachSplit) {
  Scene scene{.system = plain_system()};
  scene.system.config.dataset_splits = 4;
  for (const auto& [bytes, gaps] : {std::pair(0, Gaps{gathers_less_than_chunks}),
                                    std::pair(3, Gaps{gathers_less_than_chunks}), std::pair(4, Gaps{})}) {
    std::vector<Trace> traces = ranks(4);
    for (Trace& t : traces) coll(t, 0, Collective::all_gather, bytes);
    EXPECT_EQ(gaps_of(traces, scene), gaps) << bytes;
  }
  for (const std::int64_t bytes : {0, 3}) EXPECT_EQ(gaps_of(all_reduces(4, bytes), scene), Gaps{});
}

TEST(AstraGaps, UnevenUseOfGroups) {
  Scene scene{.system = plain_system()};
  scene.system.groups = {{.id = 1, .ranks = {0, 1}}, {.id = 2, .ranks = {2, 3}}};
  std::vector<Trace> traces = ranks(4);
  for (Rank r = 0; r < 4; ++r) {
    if (r < 2) all_reduce(traces[r], 0, 4096, {}, "1");
    comp(traces[r], 1, 1);
    all_reduce(traces[r], 2, 4096, {1});
  }
  EXPECT_EQ(gaps_of(traces, scene), Gaps{uneven_group_use});
  for (const Rank r : {2U, 3U}) all_reduce(traces[r], 0, 4096, {}, "2");
  EXPECT_EQ(gaps_of(traces, scene), Gaps{});  // all have run equally many
  traces = ranks(4);
  for (Rank r = 0; r < 4; ++r) {
    all_reduce(traces[r], 0, 4096);
    if (r < 2) all_reduce(traces[r], 1, 4096, {0}, "1");
  }
  EXPECT_EQ(gaps_of(traces, scene), Gaps{});  // no collective of all ranks follows
}

// Besides a collective along one dimension, only ranks that meet it there count.
TEST(AstraGaps, UnevenUseOfGroupsOnOtherRings) {
  Scene scene{.network = "ring:2,bw=1GB/s,lat=10ns+ring:2,bw=1GB/s,lat=10ns", .system = plain_system()};
  for (CollectiveChoice& c : scene.system.config.collectives) c.per_dim.resize(2);
  scene.system.groups = {{.id = 1, .ranks = {0, 1}}};
  for (const bool first : {true, false}) {
    std::vector<Trace> traces = ranks(4);
    for (Rank r = 0; r < 4; ++r) {
      if (r < 2) all_reduce(traces[r], 0, 4096, {}, "1");
      comp(traces[r], 1, 1);
      all_reduce(traces[r], 2, 4096, {1});
      const std::vector<std::int64_t> dims = {first ? 1 : 0, first ? 0 : 1};
      traces[r].nodes.add_ints(attr::involved_dim, Kind::bool_list, dims);
      traces[r].nodes.end_node();
    }
    EXPECT_EQ(gaps_of(traces, scene), first ? Gaps{} : Gaps{uneven_group_use});
  }
}

TEST(AstraGaps, LongMessagesWithRendezvous) {
  Scene scene{.system = plain_system()};
  const auto traces = [](std::int64_t bytes) {
    std::vector<Trace> set = ranks(4);
    for (Trace& t : set) comp(t, 0, 1);
    message(set, bytes, {0});
    return set;
  };
  EXPECT_EQ(gaps_of(traces(std::int64_t{1} << 31), scene), Gaps{});
  scene.system.rendezvous = true;
  EXPECT_EQ(gaps_of(traces((std::int64_t{1} << 31) - 1), scene), Gaps{});
  EXPECT_EQ(gaps_of(traces(std::int64_t{1} << 31), scene), Gaps{long_rendezvous});
}

TEST(AstraGaps, StatisticsAtTheEndOfAMessage) {
  std::vector<Trace> traces = ranks(4);
  for (Trace& t : traces) comp(t, 0, 1);
  message(traces, 64, {0});
  EXPECT_EQ(gaps_of(traces), Gaps{});
  comp(traces[1], 8, 1, {}, true);
  EXPECT_EQ(gaps_of(traces), Gaps{statistics});
  comp(traces[1], 9, 1, {7});  // it ends the NPU, and the exception is caught
  EXPECT_EQ(gaps_of(traces), Gaps{});
}

}  // namespace
}  // namespace convert
