// SPDX-License-Identifier: MIT
#include "simulate/report/slack.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <utility>

#include "sanitized.h"
#include "simulate/report/run.h"
#include "simulate/system/default_system.h"
#include "unit/simulate/random_cases.h"
#include "unit/simulate/traces.h"

namespace convert {
namespace {

using namespace test;

constexpr Picoseconds one_us = ps_per_us;

struct SlackHow {
  NetworkModel model = NetworkModel::unaware;
  IssueMode issue = IssueMode::unlimited;
  bool rendezvous = false;
};

ReplayProgram compile(const std::vector<Trace>& traces, const NetworkConfig& network, ReplayOptions options) {
  want_run(options);
  Diagnostics diagnostics;
  ReplayBuilder builder(network, options, diagnostics);
  for (const Trace& t : traces) builder.add(t);
  std::optional<ReplayProgram> program = builder.finish();
  if (!program) throw first_finding(diagnostics);
  return std::move(*program);
}
ReplayProgram compile(const std::vector<Trace>& traces, const std::string& network, const SlackHow& how = {}) {
  ReplayOptions options;
  options.network.model = how.model;
  options.issue = how.issue;
  auto system = std::make_shared<ReplaySystem>();
  system->config = default_system(net(network));
  system->rendezvous = how.rendezvous;
  options.system = system;
  return compile(traces, net(network), options);
}

Run run_of(const ReplayProgram& program) {
  ReplayResult result = replay(program);
  result.kinds = collective_kinds(program);
  return make_run(result, &program);
}

// Returns the slack of each node, by rank and id.
std::map<std::pair<Rank, NodeId>, Picoseconds> slack_of(const Run& run) {
  std::map<std::pair<Rank, NodeId>, Picoseconds> slack;
  for (std::size_t i = 0; i < run.slack_ps.size(); ++i) {
    const Slice& s = run.timeline.slices[i];
    slack[{s.rank, s.node}] = run.slack_ps[i];
  }
  return slack;
}

// Expects that steps of the path have no slack, and that no slack exceeds the rest of the run.
void expect_sound(const Run& run) {
  ASSERT_EQ(run.slack_ps.size(), run.timeline.slices.size());
  auto slack = slack_of(run);
  EXPECT_FALSE(run.path.empty());
  for (const Run::Step& step : run.path)
    EXPECT_EQ(slack.at({step.npu, step.node}), 0) << step.npu << ":" << step.node;
  for (std::size_t i = 0; i < run.slack_ps.size(); ++i) {
    EXPECT_GE(run.slack_ps[i], 0);
    EXPECT_LE(run.slack_ps[i], run.total_ps - run.timeline.slices[i].end_ps);
  }
}

// Returns the run of the program in which a node takes `more` longer.
Run lengthened(const ReplayProgram& program, Rank rank, NodeId node, Picoseconds more) {
  ReplayProgram changed = program;
  auto code = std::make_shared<RankCode>(*program.ranks[rank].code);
  for (std::uint32_t i = 0; i < code->ops.size(); ++i) {
    if (code->id(i) == node) code->ops[i].value += more;
  }
  changed.ranks[rank].code = code;
  return run_of(changed);
}

// Returns the nodes of each NPU and lane in the order in which they began.
std::map<std::pair<Rank, Lane>, std::vector<NodeId>> order_of(const Run& run) {
  std::map<std::pair<Rank, Lane>, std::vector<NodeId>> order;
  for (const Slice& s : run.timeline.slices) order[{s.rank, s.lane}].push_back(s.node);
  return order;
}

// Computing and messages on `npus` NPUs; a node depends on earlier ones of its NPU.
std::vector<Trace> random_traces(Random& random, Rank npus) {
  std::vector<Trace> traces = ranks(npus);
  const auto parents = [&](Trace& t, NodeId id) {
    for (const Node& n : t.nodes.nodes) {
      if (n.id != id && random.once_in(3)) t.nodes.add_data_dep(n.id);
    }
  };
  const auto message_end = [&](Rank at, NodeType type, NodeId id, std::int64_t peer, std::int64_t bytes) {
    Trace& t = traces[at];
    t.nodes.add_node(id, type, "n" + std::to_string(id));
    parents(t, id);
    t.nodes.add_int(type == NodeType::comm_send ? attr::comm_dst : attr::comm_src, Kind::int32_val, peer);
    t.nodes.add_int(attr::comm_size, Kind::int64_val, bytes);
    t.nodes.add_int(attr::comm_tag, Kind::int32_val, 7);
    t.nodes.end_node();
  };
  for (NodeId id = 0; id < 24; ++id) {
    const auto a = static_cast<Rank>(random.in(0, npus - 1));
    const auto b = static_cast<Rank>((a + random.in(1, npus - 1)) % npus);
    if (random.once_in(3)) {
      const std::int64_t bytes = random.in(1, 20'000);
      message_end(a, NodeType::comm_send, 3 * id, b, bytes);
      message_end(b, NodeType::comm_recv, 3 * id, a, bytes);
      continue;
    }
    Trace& t = traces[a];
    t.nodes.add_node(3 * id, random.once_in(9) ? NodeType::invalid : NodeType::comp, "n" + std::to_string(id));
    parents(t, 3 * id);
    t.nodes.nodes.back().duration_us = static_cast<std::uint64_t>(random.in(0, 30));
    t.nodes.add_bool(attr::is_cpu_op, random.once_in(4));
    t.nodes.end_node();
  }
  return traces;
}

TEST(Slack, OfBranchesAndReceives) {
  auto t = ranks(2);
  comp(t[0], 0, 5);
  comp(t[0], 1, 7, {0});
  comp(t[0], 2, 3, {0});
  send(t[0], 3, 1, 1000, 0, {2});  // 8 to 9
  comp(t[0], 4, 1, {1, 2});        // ends at 13
  comp(t[1], 0, 6);
  recv(t[1], 1, 0, 1000, 0, {0});  // from 6
  comp(t[1], 2, 2, {1});           // 9 to 11
  const auto run = run_of(compile(t, "ring:2,bw=1GB/s"));
  EXPECT_EQ(run.total_ps, 13 * one_us);
  auto slack = slack_of(run);
  EXPECT_EQ(slack.at({0, 0}), 0);
  EXPECT_EQ(slack.at({0, 1}), 0);
  EXPECT_EQ(slack.at({0, 2}), 2 * one_us);
  EXPECT_EQ(slack.at({0, 3}), 2 * one_us);
  EXPECT_EQ(slack.at({0, 4}), 0);
  EXPECT_EQ(slack.at({1, 0}), 5 * one_us);  // the receive would wait for 3 µs more
  EXPECT_EQ(slack.at({1, 1}), 2 * one_us);
  EXPECT_EQ(slack.at({1, 2}), 2 * one_us);
  expect_sound(run);
}

TEST(Slack, OfWhatFollowsInTheSlot) {
  auto t = ranks(2);
  comp(t[0], 0, 5);
  comp(t[0], 1, 7);
  comp(t[0], 2, 2, {}, true);  // on the CPU
  EXPECT_EQ(run_of(compile(t, "ring:2,bw=1GB/s")).slack_ps, (std::vector<Picoseconds>{5 * one_us, 2 * one_us, 0}));
  const auto slots = run_of(compile(t, "ring:2,bw=1GB/s", {.issue = IssueMode::workload}));
  EXPECT_EQ(slack_of(slots),
            (std::map<std::pair<Rank, NodeId>, Picoseconds>{{{0, 0}, 0}, {{0, 1}, 0}, {{0, 2}, 10 * one_us}}));
}

TEST(Slack, CollectivesWaitForTheLast) {
  auto t = ranks(4);
  for (Rank r = 0; r < 4; ++r) {
    comp(t[r], 0, 10 + 5 * r);
    all_reduce(t[r], 1, 4000, {0});
    comp(t[r], 2, 20 - 5 * r, {1});
  }
  const auto run = run_of(compile(t, "switch:4,bw=1GB/s"));
  auto slack = slack_of(run);
  for (Rank r = 0; r < 4; ++r) {
    EXPECT_EQ(slack.at({r, 0}), (15 - 5 * r) * one_us);
    EXPECT_EQ(slack.at({r, 1}), 0);  // NPU 0 continues for the longest time
    EXPECT_EQ(run.npus[r].finish_ps + slack.at({r, 2}), run.total_ps);
  }
  expect_sound(run);
}

// The root does not wait for the others, and sends one NPU a message that it needs before the broadcast.
TEST(Slack, RootOfABroadcastIsEarly) {
  auto t = ranks(2);
  coll(t[0], 0, Collective::broadcast, 1000);
  comp(t[0], 1, 5, {0});
  send(t[0], 2, 1, 1000, 0, {1});
  recv(t[1], 0, 0, 1000);
  comp(t[1], 1, 7, {0});
  coll(t[1], 2, Collective::broadcast, 1000, {1});
  const auto run = run_of(compile(t, "ring:2,bw=1GB/s"));
  ASSERT_EQ(run.calls.size(), 1U);
  ASSERT_LT(run.call_npus[0].end_ps, run.calls[0].last_begin_ps);
  for (const Picoseconds slack : run.slack_ps) EXPECT_EQ(slack, 0);
  expect_sound(run);
}

TEST(Slack, RendezvousIsOfBoth) {
  auto t = ranks(2);
  send(t[0], 0, 1, 1000);
  comp(t[1], 0, 20);
  recv(t[1], 1, 0, 1000, 0, {0});
  comp(t[1], 2, 1, {1});
  const auto run = run_of(compile(t, "ring:2,bw=1GB/s", {.rendezvous = true}));
  for (const Picoseconds slack : run.slack_ps) EXPECT_EQ(slack, 0);
}

TEST(Slack, OnlyOfCompleteRuns) {
  auto t = ranks(2);
  recv(t[1], 0, 0, 1000);
  const auto run = run_of(compile(t, "ring:2,bw=1GB/s"));
  EXPECT_EQ(run.status, RunStatus::deadlock);
  EXPECT_TRUE(run.slack_ps.empty());
}

// A ring all-reduce: every NPU does the same at the same time, so only nodes that need not wait have slack.
TEST(Slack, RingOfEight) {
  constexpr Rank npus = 8;
  auto t = ranks(npus);
  for (Rank r = 0; r < npus; ++r) {
    for (NodeId step = 0; step < 14; ++step) {
      const NodeId id = 3 * step;
      if (step == 0) send(t[r], id, (r + 1) % npus, 131'072);
      if (step != 0) send(t[r], id, (r + 1) % npus, 131'072, 0, {id - 1});
      recv(t[r], id + 1, (r + npus - 1) % npus, 131'072);
      comp(t[r], id + 2, 1, {id + 1});
    }
  }
  ReplayProgram program = compile(t, "ring:8,bw=50GB/s,lat=500ns", {.model = NetworkModel::wires});
  auto run = run_of(program);
  expect_sound(run);
  run.path.clear();  // the path is not the reason for 0
  for (const Picoseconds slack : find_slack(program, run, SliceOps(program, run.timeline.slices)))
    EXPECT_EQ(slack, 0);
}

TEST(Slack, TrainingOnATorus) {
  constexpr Rank npus = 16;
  auto t = ranks(npus);
  for (Rank r = 0; r < npus; ++r) {
    for (NodeId layer = 0; layer < 12; ++layer) {
      const NodeId id = 3 * layer;
      coll(t[r], id, Collective::all_gather, 4 << 20);
      if (layer == 0) comp(t[r], id + 1, r == 5 ? 600 : 500, {id});
      if (layer != 0) comp(t[r], id + 1, r == 5 ? 600 : 500, {id, id - 2});
      coll(t[r], id + 2, Collective::reduce_scatter, 64 << 20, {id + 1});
    }
  }
  for (const IssueMode issue : {IssueMode::workload, IssueMode::unlimited})
    expect_sound(
        run_of(compile(t, "torus:4x4,bw=100GB/s,lat=700ns", {.model = NetworkModel::wires, .issue = issue})));
}

// Without queues, a node may take exactly its slack longer.
TEST(Slack, OfRandomGraphsIsExact) {
  constexpr std::uint64_t seeds = sanitized ? 6 : 40;
  int compared = 0;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    Random random(seed);
    const auto traces = random_traces(random, 4);
    const IssueMode issue = seed % 2 == 0 ? IssueMode::unlimited : IssueMode::workload;
    const ReplayProgram program = compile(traces, "fully_connected:4,bw=1GB/s,lat=100ns", {.issue = issue});
    auto run = run_of(program);
    expect_sound(run);
    const auto path = std::exchange(run.path, {});
    EXPECT_EQ(find_slack(program, run, SliceOps(program, run.timeline.slices)), run.slack_ps)
        << "by the path alone, seed " << seed;
    const auto order = order_of(run);
    for (const auto& [place, slack] : slack_of(run)) {
      const Op* op = nullptr;
      const RankCode& code = *program.ranks[place.first].code;
      for (std::uint32_t i = 0; i < code.ops.size(); ++i) {
        if (code.id(i) == place.second) op = &code.ops[i];
      }
      if (op->type != OpType::timed) continue;
      const auto same = lengthened(program, place.first, place.second, slack);
      const auto longer = lengthened(program, place.first, place.second, slack + 1);
      const bool slots = issue == IssueMode::workload;
      const auto where = "seed " + std::to_string(seed) + ", " + std::to_string(place.first) + ":" +
                         std::to_string(place.second) + ", slack " + std::to_string(slack);
      if (!slots || order_of(same) == order) {
        EXPECT_EQ(same.total_ps, run.total_ps) << where;
      }
      if (!slots || order_of(longer) == order) {
        EXPECT_EQ(longer.total_ps, run.total_ps + 1) << where;
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, static_cast<int>(seeds) * 5);
}

TEST(Slack, OfRandomWorkloadsIsSound) {
  constexpr std::uint64_t seeds = sanitized ? 20 : 200;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const RandomCase c = CaseMaker(seed, {}).make();
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + describe(c));
    ReplayOptions options = c.options;
    options.system = std::make_shared<ReplaySystem>(c.system);
    std::vector<Trace> traces;
    for (Rank r = 0; r < c.npus(); ++r) traces.push_back(trace_of(c, r));
    const auto run = run_of(compile(traces, {.source = "random network", .dims = c.dims}, options));
    if (run.total_ps != 0 && run.status == RunStatus::complete) expect_sound(run);
  }
}

}  // namespace
}  // namespace convert
