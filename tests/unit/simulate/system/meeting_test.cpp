// SPDX-License-Identifier: MIT
// Messages of collectives are matched to receives by the streams of their members, or with rendezvous by channels.
// On a network that takes no time, both give the same result, for any call times.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "simulate/system/default_system.h"
#include "unit/simulate/traces.h"

namespace convert {
namespace {

using namespace test;

constexpr const char* instant_ring = "ring:8,bw=1000000000GB/s,lat=0ns";

struct MeetingSetting {
  AlgorithmChoice choice{};
  bool astra = false;
  std::int64_t splits = 4;
};

std::vector<std::int64_t> results(const std::vector<Trace>& traces, const MeetingSetting& setting,
                                  bool rendezvous) {
  const NetworkConfig network = net(instant_ring);
  const auto system = std::make_shared<ReplaySystem>();
  system->config = default_system(network);
  system->config.dataset_splits = setting.splits;
  system->config.endpoint_delay_ns = 10;
  for (CollectiveChoice& c : system->config.collectives) c.per_dim = {setting.choice};
  system->groups = {{.id = 1, .ranks = {6, 1, 3}}, {.id = 2, .ranks = {5}}};
  system->rendezvous = rendezvous;
  ReplayOptions options;
  options.issue = IssueMode::workload;
  options.astra = setting.astra;
  options.symmetry = false;
  options.system = system;
  Diagnostics diagnostics;
  const auto result = replay_traces(traces, network, options, diagnostics);
  if (!result) throw first_finding(diagnostics);
  EXPECT_EQ(result->status, ReplayStatus::complete);
  std::vector<std::int64_t> times;
  for (const NpuResult& n : result->npus) {
    times.push_back(n.finish_ps.value_or(-1));
    times.push_back(static_cast<std::int64_t>(n.sends));
    times.push_back(n.bytes_sent);
  }
  return times;
}

// Each rank calls each collective at its own time, sometimes with all others waiting or far ahead.
std::vector<Trace> late_callers(const std::vector<Collective>& ops, std::int64_t bytes, bool groups) {
  std::vector<Trace> t = ranks(8);
  for (Rank r = 0; r < 8; ++r) {
    NodeId id = 0;
    comp(t[r], id++, 1 + r * 5 % 7);
    for (const Collective op : ops) {
      coll(t[r], id, op, bytes, {id - 1});
      comp(t[r], id + 1, 1 + (r * 3 + id) % 8 * 10, {id});
      id += 2;
      if (groups && (r == 6 || r == 1 || r == 3)) {
        coll(t[r], id, op, bytes, {id - 1}, "1");
        ++id;
      }
      if (groups && r == 5) {
        coll(t[r], id, op, bytes, {id - 1}, "2");
        ++id;
      }
    }
  }
  return t;
}

const std::vector<Collective> sized_collectives = {Collective::all_reduce, Collective::all_gather,
                                                   Collective::reduce_scatter, Collective::all_reduce};

TEST(Meeting, ExactSizes) {
  for (const NativeAlgorithm algorithm :
       {NativeAlgorithm::ring, NativeAlgorithm::direct, NativeAlgorithm::halving_doubling}) {
    for (const std::int64_t bytes : {1, 7, 8, 1003, 4096}) {
      for (const std::int64_t splits : {1, 5}) {
        const MeetingSetting setting{{algorithm}, false, splits};
        const auto traces = late_callers(sized_collectives, bytes, true);
        EXPECT_EQ(results(traces, setting, false), results(traces, setting, true)) << bytes << ' ' << splits;
      }
    }
  }
  const auto exchange = late_callers({Collective::all_to_all, Collective::all_to_all}, 1003, true);
  for (const std::uint32_t window : {1U, 3U, 7U}) {
    const MeetingSetting setting{{.algorithm = NativeAlgorithm::direct, .window = window}};
    EXPECT_EQ(results(exchange, setting, false), results(exchange, setting, true)) << window;
  }
  const auto trees =
      late_callers({Collective::all_reduce, Collective::all_reduce, Collective::all_reduce}, 1003, false);
  const MeetingSetting tree{{NativeAlgorithm::double_binary_tree}};
  EXPECT_EQ(results(trees, tree, false), results(trees, tree, true));
}

// Without rooted collectives: a rank that only sends ends earlier if no rank receives the message.
TEST(Meeting, Barriers) {
  const MeetingSetting setting{{NativeAlgorithm::ring}};
  const auto traces = late_callers({Collective::barrier, Collective::barrier}, 0, true);
  EXPECT_EQ(results(traces, setting, false), results(traces, setting, true));
}

TEST(Meeting, RoundedSizes) {
  for (const NativeAlgorithm algorithm : {NativeAlgorithm::ring, NativeAlgorithm::direct,
                                          NativeAlgorithm::halving_doubling, NativeAlgorithm::double_binary_tree}) {
    for (const std::int64_t splits : {1, 5}) {
      const MeetingSetting setting{{algorithm}, true, splits};
      const auto traces = late_callers(sized_collectives, 8000, false);
      EXPECT_EQ(results(traces, setting, false), results(traces, setting, true)) << splits;
    }
  }
}

}  // namespace
}  // namespace convert
