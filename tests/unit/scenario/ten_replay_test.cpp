// SPDX-License-Identifier: MIT
// A schedule made from the replay of an algorithm is that algorithm: the same messages, and each waits for the same
// others.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "collectives/collective.h"
#include "common/error_text.h"
#include "common/replay_traces.h"
#include "common/testdata.h"
#include "config/network/network.h"
#include "formats/format.h"
#include "io/input.h"
#include "passes/lower/lower.h"
#include "passes/verify/verify.h"
#include "sets/schedules.h"
#include "simulate/engine/replay.h"
#include "unit/passes/algorithms.h"
#include "unit/passes/lowered.h"
#include "unit/scenario/imported.h"

// Included after the simulator, which also has two enumerators named nothing.
#include "passes/verify/execute.h"

namespace convert {
namespace {

using test::lower;
using test::Tb;
using enum StepType;
constexpr Buffer in = Buffer::input;
constexpr Buffer out = Buffer::output;

using Message = std::tuple<Rank, Rank, std::int64_t>;  // from, to, bytes
using Key = std::pair<Message, std::vector<Message>>;  // and all messages that must have arrived before, sorted

std::vector<Key> sorted_keys(const std::vector<Message>& messages,
                             const std::vector<std::set<std::size_t>>& before) {
  std::vector<Key> keys;
  for (std::size_t m = 0; m < messages.size(); ++m) {
    std::vector<Message> all;
    for (const std::size_t b : before[m]) all.push_back(messages[b]);
    std::sort(all.begin(), all.end());
    keys.emplace_back(messages[m], std::move(all));
  }
  std::sort(keys.begin(), keys.end());
  return keys;
}

Message message_of(const Trace& t, const Node& n) {
  const auto value = [&](Name name) { return int_value(t.nodes.attributes(n), name).value; };
  return {static_cast<Rank>(value(attr::comm_src)), static_cast<Rank>(value(attr::comm_dst)),
          value(attr::comm_size)};
}

// By the contents of chunks: a message waits for the messages that brought its contents.
std::vector<Key> by_provenance(const std::vector<Trace>& traces) {
  Diagnostics diagnostics;
  const StepGraph p = make_step_graph(traces, diagnostics);
  const BufferLayout layout(p, p.inplace);
  const Execution e = execute(p, layout, {.trace_writers = true});
  EXPECT_TRUE(e.blocked.empty());
  std::vector<std::set<std::size_t>> slots(layout.slots());
  std::vector<Message> messages;
  std::vector<std::set<std::size_t>> before;
  std::map<std::uint32_t, std::vector<std::size_t>> in_flight;  // by connection
  for (const std::uint32_t s : e.order) {
    const GraphStep& step = p.steps[s];
    const std::int32_t rank = p.chains[chain_of(p, s)].rank;
    const auto slot = [&](Buffer buffer, std::int32_t offset) -> std::set<std::size_t>& {
      return slots[layout.slot(rank, buffer, offset)];
    };
    EXPECT_EQ(step.cnt, 1);
    std::set<std::size_t> content;
    if (receives(step.type)) {
      auto& queue = in_flight[step.in];
      content = before[queue.front()];
      content.insert(queue.front());
      queue.erase(queue.begin());
    }
    if (reads_src(step.type)) content.merge(std::set(slot(step.src_buf, step.src_off)));
    if (step.type == re) content.merge(std::set(slot(step.dst_buf, step.dst_off)));
    if (writes_dst(step.type)) slot(step.dst_buf, step.dst_off) = content;
    if (!sends(step.type)) continue;
    const Trace& t = traces[static_cast<std::size_t>(rank)];
    const auto& nodes = t.nodes.nodes;
    const auto node = std::find_if(nodes.begin() + step.source, nodes.end(),
                                   [](const Node& n) { return n.type == NodeType::comm_send; });
    in_flight[step.out].push_back(messages.size());
    messages.push_back(message_of(t, *node));
    before.push_back(std::move(content));
  }
  return sorted_keys(messages, before);
}

// By the data dependencies of the nodes.
std::vector<Key> by_dependencies(const std::vector<Trace>& traces) {
  std::map<std::tuple<Rank, Rank, std::int64_t>, std::pair<Rank, std::size_t>>
      sender;  // by source, destination, tag
  const auto channel = [](const Trace& t, const Node& n) {
    const auto value = [&](Name name) { return int_value(t.nodes.attributes(n), name).value; };
    return std::tuple{static_cast<Rank>(value(attr::comm_src)), static_cast<Rank>(value(attr::comm_dst)),
                      value(attr::comm_tag)};
  };
  std::vector<std::pair<Rank, std::size_t>> sends;
  std::map<std::pair<Rank, std::size_t>, std::size_t> number;
  std::vector<Message> messages;
  for (const Trace& t : traces) {
    for (std::size_t i = 0; i < t.nodes.nodes.size(); ++i) {
      if (t.nodes.nodes[i].type != NodeType::comm_send) continue;
      EXPECT_TRUE(sender.emplace(channel(t, t.nodes.nodes[i]), std::pair{t.rank, i}).second) << "tags are unique";
      number[{t.rank, i}] = sends.size();
      sends.emplace_back(t.rank, i);
      messages.push_back(message_of(t, t.nodes.nodes[i]));
    }
  }
  std::vector<std::set<std::size_t>> before;
  for (const auto& send : sends) {
    std::set<std::pair<Rank, std::size_t>> seen{send};
    std::vector<std::pair<Rank, std::size_t>> open{send};
    std::set<std::size_t> all;
    while (!open.empty()) {
      const auto [rank, i] = open.back();
      open.pop_back();
      const Trace& t = traces[rank];
      const Node& n = t.nodes.nodes[i];
      const auto visit = [&](std::pair<Rank, std::size_t> next) {
        if (seen.insert(next).second) open.push_back(next);
      };
      for (const NodeId d : t.nodes.data_deps(n)) visit({rank, static_cast<std::size_t>(d)});  // ids are dense
      if (n.type != NodeType::comm_recv) continue;
      all.insert(number.at(sender.at(channel(t, n))));
      visit(sender.at(channel(t, n)));
    }
    before.push_back(std::move(all));
  }
  return sorted_keys(messages, before);
}

void expect_proved(const std::vector<Trace>& traces, const std::string& what) {
  Diagnostics diagnostics;
  verify(make_step_graph(traces, diagnostics), {.dataflow = true, .collective = {}, .soft = Severity::error},
         diagnostics);
  for (const Diagnostic& d : diagnostics.all())
    EXPECT_NE(d.severity, Severity::error) << what << format_diagnostic(d);
}

Schedule replayed(const std::vector<Trace>& traces, const std::string& network) {
  ReplayOptions options;
  options.network.model = NetworkModel::wires;
  options.network.occupancy = Occupancy::alpha_beta;
  options.timeline = true;
  options.symmetry = false;
  Diagnostics diagnostics;
  const NetworkConfig config = parse_short_network(network);
  const auto result = test::replay_traces(traces, config, options, diagnostics);
  EXPECT_TRUE(result && result->status == ReplayStatus::complete);
  const Schedule s = schedule_of_replay(traces, result->timeline, config, Schedule::Occupancy::alpha_beta, false,
                                        "made", diagnostics);
  for (const Diagnostic& d : diagnostics.all()) EXPECT_EQ(d.rule, "R7") << format_diagnostic(d);
  return s;
}

void expect_isomorphic(const Algorithm& a, std::int64_t size, const std::string& network, Collective collective) {
  const std::vector<Trace> original = lower(a, size);
  expect_proved(original, "original");
  const Schedule s = replayed(original, network);
  EXPECT_EQ(s.collective, collective);
  const std::vector<Key> wanted = by_provenance(original);
  for (const std::string form : {"json", "csv"}) {
    const std::vector<Trace> traces = test::imported(s, form);
    expect_proved(traces, "imported");
    EXPECT_EQ(by_dependencies(traces), wanted) << a.name;
    EXPECT_EQ(by_provenance(traces), wanted) << a.name;
  }
}

// Every rank sends its own chunk to each other one.
Algorithm direct_all_gather(std::int32_t n) {
  std::vector<std::vector<Tb>> gpus;
  for (std::int32_t r = 0; r < n; ++r) {
    std::vector<Tb> tbs;
    for (std::int32_t d = 1; d < n; ++d) {
      const std::int32_t to = (r + d) % n;
      tbs.push_back({to, to, 0, {{send, out, r, out, r}, {recv, out, to, out, to}}});
    }
    gpus.push_back(std::move(tbs));
  }
  return test::make_algorithm(Collective::all_gather, n, true, 1, n, 0, gpus);
}

// Every rank receives all contributions to its shard, reduces them, and sends the sum to all.
Algorithm direct_all_reduce(std::int32_t n) {
  std::vector<std::vector<Tb>> gpus;
  for (std::int32_t r = 0; r < n; ++r) {
    std::vector<Tb> tbs;
    for (std::int32_t d = 1; d < n; ++d) {
      const std::int32_t to = (r + d) % n;
      Tb tb{to, to, 0, {{send, in, to, in, to}}};
      // One after the other: reductions of the runtimes are not atomic.
      tb.rows.push_back({rrc, in, r, in, r, 1, d == 1 ? -1 : d - 2, d == 1 ? -1 : 1, true});
      tb.rows.push_back({send, in, r, in, r, 1, d == n - 1 ? -1 : n - 2, d == n - 1 ? -1 : 1});
      tb.rows.push_back({recv, in, to, in, to});
      tbs.push_back(std::move(tb));
    }
    gpus.push_back(std::move(tbs));
  }
  return test::make_algorithm(Collective::all_reduce, n, true, n, 0, 0, gpus);
}

TEST(TenReplay, ARingComesBack) {
  expect_isomorphic(test::ring(8), 8 << 20, "ring:8,bw=50GiB/s,lat=500ns", Collective::all_reduce);
}

TEST(TenReplay, DirectComesBack) {
  const std::string network = "fully_connected:8,bw=50GiB/s,lat=500ns";
  expect_isomorphic(direct_all_gather(8), 8 << 20, network, Collective::all_gather);
  expect_isomorphic(direct_all_reduce(8), 8 << 20, network, Collective::all_reduce);
}

// Chunks that travel together in one dimension separate in another: transfers carry sets of chunks.
TEST(TenReplay, HierarchicalOnesComeBack) {
  for (const std::vector<std::int32_t>& dims :
       std::vector<std::vector<std::int32_t>>{{2, 4}, {4, 2}, {2, 2, 2}, {3, 2}, {4, 3}, {2, 3, 2}, {1, 4}}) {
    for (const Collective c :
         {Collective::all_reduce, Collective::all_gather, Collective::reduce_scatter, Collective::all_to_all}) {
      std::int32_t ranks = 1;
      for (const std::int32_t d : dims) ranks *= d;
      const std::vector<Trace> original = lower(
          build_collective({.collective = c, .algorithm = "hierarchical", .ranks = ranks, .dims = dims}), 9 << 20);
      const Schedule s = replayed(original, "fully_connected:" + std::to_string(ranks) + ",bw=50GiB/s,lat=500ns");
      EXPECT_EQ(s.collective, c);
      const bool sets = (c == Collective::all_reduce || c == Collective::all_to_all) && dims[0] > 1;
      EXPECT_EQ(!s.carried.empty(), sets) << name(c) << ' ' << dims[0] << 'x' << dims[1];
      for (const std::string form : {"json", "csv"}) expect_proved(test::imported(s, form), std::string(name(c)));
    }
  }
}

TEST(TenReplay, TestDataComesBack) {
  struct Case {
    const char* file;
    const char* network;
    Collective collective;
  };
  for (const Case& c :
       {Case{"okay-ring8.xml", "ring:8,bw=50GiB/s,lat=500ns", Collective::all_reduce},
        Case{"okay-alltoall4.xml", "fully_connected:4,bw=50GiB/s,lat=500ns", Collective::all_to_all},
        Case{"okay-allgather2.xml", "ring:2,bw=50GiB/s,lat=500ns", Collective::all_gather},
        Case{"okay-reducescatter2.xml", "ring:2,bw=50GiB/s,lat=500ns", Collective::reduce_scatter}}) {
    Diagnostics diagnostics;
    const auto input = open_input((test::testdata("msccl") / c.file).string());
    const Algorithm a = find_format("msccl").read_algorithm(input->read_rest(), c.file, diagnostics);
    const std::vector<Trace> original = lower(a, 1 << 20);
    const Schedule s = replayed(original, c.network);
    EXPECT_EQ(s.collective, c.collective) << c.file;
    for (const std::string form : {"json", "csv"}) {
      const std::vector<Trace> traces = test::imported(s, form);
      expect_proved(traces, c.file);
    }
  }
}

// A message that arrives long before its receive used its link when it was sent, not when it was received.
TEST(TenReplay, LateReceivesDoNotMoveTheMessage) {
  Algorithm a =
      test::make_algorithm(Collective::all_gather, 4, true, 2, 4, 0,
                           {{Tb{1, -1, 0, {{send, out, 0, out, 0}, {send, out, 1, out, 1}}},
                             Tb{-1, 1, 0, {{recv, out, 2, out, 2}, {recv, out, 3, out, 3, 1, -1, -1, true}}}},
                            {Tb{0, -1, 0, {{send, out, 2, out, 2}, {send, out, 3, out, 3, 1, -1, -1, true}}},
                             Tb{-1, 0, 0, {{recv, out, 0, out, 0, 1, 0, 1}, {recv, out, 1, out, 1}}}}});
  const Schedule s = replayed(lower(a, 4000), "ring:2,bw=1GB/s,lat=0ns");
  ASSERT_EQ(s.transfers.size(), 4U);
  for (const Schedule::Transfer& t : s.transfers) EXPECT_EQ(t.start, t.id < 2 ? 0 : 1'000'000) << t.id;
}

// A chain to rank 0: its root is determined only by the location of the sums.
Algorithm reduction() {
  return test::make_algorithm(Collective::reduce, 1, true, 1, 1, 0,
                              {{Tb{-1, 1, 0, {{rrc, in, 0, in, 0}}}},
                               {Tb{0, 2, 0, {{rrs, in, 0, in, 0}}}},
                               {Tb{1, -1, 0, {{send, in, 0, in, 0}}}}});
}

TEST(TenReplay, AReductionHasItsRoot) {
  expect_isomorphic(reduction(), 4096, "ring:3,bw=1GB/s,lat=0ns", Collective::reduce);
  const Schedule s = replayed(lower(reduction(), 4096), "ring:3,bw=1GB/s,lat=0ns");
  ASSERT_EQ(s.chunks.size(), 1U);
  EXPECT_EQ(std::vector(listed(s, s.chunks[0].post).begin(), listed(s, s.chunks[0].post).end()),
            std::vector<std::uint32_t>{0});
}

// Metadata that claims two billion chunks takes no memory.
TEST(TenReplay, ClaimedChunksAreNotAllocated) {
  Algorithm a =
      test::make_algorithm(Collective::broadcast, 2'000'000'000, true, 2'000'000'000, 2'000'000'000, 0,
                           {{Tb{1, -1, 0, {{send, in, 7, in, 7}}}}, {Tb{-1, 0, 0, {{recv, in, 7, in, 7}}}}});
  EXPECT_EQ(replayed(lower(a, 2'000'000'000), "ring:2,bw=1GB/s,lat=0ns").transfers.size(), 1U);
}

TEST(TenReplay, WhatAScheduleCannotSayIsRefused) {
  const std::vector<Trace> ring = lower(test::ring(8), 8 << 20);
  const auto refusal = [&](const std::vector<Trace>& traces, const std::string& network) {
    return test::error_text([&] { (void)replayed(traces, network); });
  };
  EXPECT_EQ(refusal(lower(direct_all_gather(8), 8 << 20), "ring:8,bw=50GiB/s,lat=500ns"),
            "t.0.et: rank 0 sends to 2, but the network has no link between them; choose a network with this link, "
            "such as fully_connected, or an algorithm that sends only to neighbours");
  const Algorithm uneven =
      test::make_algorithm(Collective::all_to_all, 3, true, 3, 3, 0,
                           {{Tb{1, -1, 0, {{send, in, 2, in, 2}}}}, {Tb{-1, 0, 0, {{recv, in, 2, in, 2}}}}});
  EXPECT_EQ(refusal(lower(uneven, 3000), "ring:2,bw=50GiB/s,lat=500ns"),
            "t.0.et: all_to_all requires a multiple of 2 chunks, one shard per rank, but there are 3");
  std::vector<Trace> bare = ring;
  for (Trace& t : bare) t.metadata = {};
  EXPECT_EQ(
      refusal(bare, "ring:8,bw=50GiB/s,lat=500ns"),
      "t.0.et: the trace carries no chunk provenance (metadata msccl.*), so no schedule can be written from its "
      "replay");
}

}  // namespace
}  // namespace convert
