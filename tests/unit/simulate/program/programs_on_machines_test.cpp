// SPDX-License-Identifier: MIT
// Programs (collective algorithms) on machines: the launch of each call on each rank, and the times of messages.
#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <vector>

#include "machine/chosen.h"
#include "simulate/program/threadblock_use.h"
#include "unit/simulate/traces.h"

namespace convert::test {
namespace {

constexpr std::int64_t bytes = 36'000'000;
// Launch and step of a program on dgx-h100, and the time of a message at 0.8 of 450 GB/s.
constexpr double launch_us = 4, step_us = 1, flow_us = 100;

double us_of(const std::vector<Trace>& traces, IssueMode issue, const std::string& machine = "dgx-h100,nodes=1") {
  ReplayOptions options;
  options.network.model = NetworkModel::fair;
  options.issue = issue;
  Diagnostics diagnostics;
  const auto result = replay_traces(traces, network_of(choose_preset(machine), machine), options, diagnostics);
  if (!result) throw first_finding(diagnostics);
  EXPECT_EQ(result->status, ReplayStatus::complete);
  return static_cast<double>(result->total_ps) / ps_per_us;
}

// Adds a message of call `call` as et-merge does.
void merged(Trace& t, NodeId id, bool sends, std::int64_t call, std::initializer_list<NodeId> parents = {}) {
  add_node(t, sends ? NodeType::comm_send : NodeType::comm_recv, id, parents);
  t.nodes.add_int(sends ? attr::comm_dst : attr::comm_src, Kind::int32_val, 1 - static_cast<std::int64_t>(t.rank));
  t.nodes.add_int(attr::comm_size, Kind::int64_val, bytes);
  t.nodes.add_int(attr::comm_tag, Kind::int32_val, static_cast<std::int64_t>(id));
  t.nodes.add_int(attr::merged_from, Kind::uint64_val, call);
  t.nodes.add_int(attr::merged_instance, Kind::uint64_val, call);
  t.nodes.end_node();
}

TEST(ProgramsOnMachines, AnAlgorithmIsLaunchedOnce) {
  std::vector<Trace> traces = ranks(2);
  send(traces[0], 0, 1, bytes);
  send(traces[0], 1, 1, bytes, 1, {0});
  recv(traces[1], 0, 0, bytes);
  recv(traces[1], 1, 0, bytes, 1, {0});
  EXPECT_NEAR(us_of(traces, IssueMode::algorithm), launch_us + 2 * (step_us + flow_us), 1e-3);
}

TEST(ProgramsOnMachines, EachMergedCallIsLaunched) {
  std::vector<Trace> traces = ranks(2);
  merged(traces[0], 0, true, 7);
  merged(traces[0], 1, true, 7, {0});
  merged(traces[0], 2, true, 8, {1});
  merged(traces[1], 0, false, 7);
  merged(traces[1], 1, false, 7, {0});
  merged(traces[1], 2, false, 8, {1});
  EXPECT_NEAR(us_of(traces, IssueMode::workload), 2 * launch_us + 3 * (step_us + flow_us), 1e-3);
}

// The receiver calls 50 us earlier or later than the sender, which does not wait for it.
TEST(ProgramsOnMachines, RanksDoNotWaitForEachOther) {
  for (const Rank late : {0U, 1U}) {
    std::vector<Trace> traces = ranks(2);
    comp(traces[late], 9, 50);
    for (const Rank r : {0U, 1U}) {
      if (r == late) {
        merged(traces[r], 0, r == 0, 7, {9});
      } else {
        merged(traces[r], 0, r == 0, 7);
      }
    }
    const double expected = late == 0 ? 50 + launch_us + step_us + flow_us : launch_us + step_us + flow_us;
    EXPECT_NEAR(us_of(traces, IssueMode::workload), expected, 1e-3) << late;
  }
}

TEST(ProgramsOnMachines, MessagesOfWorkloadsAreNoPrograms) {
  std::vector<Trace> traces = ranks(2);
  send(traces[0], 0, 1, bytes);
  recv(traces[1], 0, 0, bytes);
  const MachineCall call{Collective::send, 2, 1, static_cast<double>(bytes)};
  EXPECT_NEAR(us_of(traces, IssueMode::workload), choose_preset("dgx-h100")->cost(call).time_ns / 1000, 1e-3);
}

// The metadata of a merged trace contain the protocol of each program; MI300X states a rate for LL.
TEST(ProgramsOnMachines, MergedProgramsHaveTheirProtocol) {
  for (const bool is_known : {true, false}) {
    std::vector<Trace> traces = ranks(2);
    for (Trace& t : traces) {
      if (is_known) t.metadata.table.add_string(Name(std::string_view("merged.3.msccl.proto")), "LL");
      const bool sends = t.rank == 0;
      add_node(t, sends ? NodeType::comm_send : NodeType::comm_recv, 0, {});
      t.nodes.add_int(sends ? attr::comm_dst : attr::comm_src, Kind::int32_val, sends ? 1 : 0);
      t.nodes.add_int(attr::comm_size, Kind::int64_val, bytes);
      t.nodes.add_int(attr::comm_tag, Kind::int32_val, 0);
      t.nodes.add_int(attr::merged_from, Kind::uint64_val, 7);
      t.nodes.add_int(Name(std::string_view("merged_program")), Kind::uint64_val, 3);
      t.nodes.end_node();
    }
    const double rate = is_known ? 1.57 : 0.8 * 64;
    EXPECT_NEAR(us_of(traces, IssueMode::workload, "mi300x-node,nodes=1"),
                launch_us + step_us + bytes / rate / 1000, 1e-3);
  }
}

}  // namespace
}  // namespace convert::test
