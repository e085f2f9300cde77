// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "common/error_text.h"
#include "passes/compat/comm.h"
#include "passes/compat/convert.h"
#include "pytorch_builder.h"
#include "sanitized.h"

namespace convert::test {
namespace {

// One line per node: "ID TYPE NAME data:NODE … ctrl:NODE … us:DURATION comm_type=… comm_size=BYTES pg_name=…";
// absent parts are omitted.
std::vector<std::string> converted_lines(const Trace& trace) {
  std::vector<std::string> lines;
  const NodeTable& t = trace.nodes;
  for (const Node& n : t.nodes) {
    std::string line =
        std::to_string(n.id) + ' ' + std::string(node_type_name(n.type)) + ' ' + std::string(t.name(n));
    for (const NodeId d : t.data_deps(n)) line += " data:" + std::to_string(d);
    for (const NodeId d : t.ctrl_deps(n)) line += " ctrl:" + std::to_string(d);
    if (n.duration_us != 0) line += " us:" + std::to_string(n.duration_us);
    for (const Name name : {attr::comm_type, attr::comm_size, attr::pg_name}) {
      const Attr* a = find(t.attributes(n), name);
      if (a == nullptr) continue;
      line += ' ' + std::string(name.view()) + '=';
      line += a->kind == Kind::string_val ? std::string(t.string(*a)) : std::to_string(int_value(a).value);
    }
    lines.push_back(line);
  }
  return lines;
}
using Shown = std::vector<std::string>;

Shown converted(HostBuilder& host) { return converted_lines(convert_like_reference(host.trace())); }

std::string conversion_error(HostBuilder& host) {
  return error_message([&] { (void)convert_like_reference(host.trace()); });
}

constexpr std::string_view thread_name = "[pytorch|profiler|execution_trace|thread]";

TEST(CompatConvert, AThreadIsOneChainAndDeviceOperationsHangOnTheirOperator) {
  HostBuilder host;
  host.thread().node(3, "a", 2).set(attr::exclusive_dur, 3.9).node(4, "b", 3).kernel(5, "gemm", 4).node(6, "c", 2);
  EXPECT_EQ(converted(host), (Shown{"2 COMP_NODE [pytorch|profiler|execution_trace|thread] ctrl:1",
                                    "3 COMP_NODE a data:2 ctrl:2 us:3", "4 COMP_NODE b data:3 ctrl:3",
                                    "5 COMP_NODE gemm data:4 ctrl:4", "6 COMP_NODE c data:4 ctrl:2"}));
}

TEST(CompatConvert, WhatStandsAloneIsLeftOut) {
  HostBuilder host;
  host.thread().node(3, "a", 2).node(4, "elsewhere", 77).node(5, "below", 4);
  EXPECT_EQ(converted(host),
            (Shown{"2 COMP_NODE [pytorch|profiler|execution_trace|thread] ctrl:1", "3 COMP_NODE a data:2 ctrl:2"}));
  HostBuilder no_thread;
  no_thread.node(1, "process", 1).node(2, "a", 1);
  EXPECT_EQ(converted(no_thread), Shown{});
}

TEST(CompatConvert, CallersCountOnlyOnceTheyHaveBeenConverted) {
  HostBuilder host;
  host.node(2, thread_name, 1).node(4, "child", 3).node(3, "parent", 2).node(1, "process", 1);
  EXPECT_EQ(converted(host), (Shown{"2 COMP_NODE [pytorch|profiler|execution_trace|thread]",
                                    "3 COMP_NODE parent data:2 ctrl:2", "4 COMP_NODE child data:3"}));
}

TEST(CompatConvert, OtherThreadsAreFollowed) {
  HostBuilder host;
  host.thread()
      .node(3, "a", 2)
      .node(4, thread_name, 1)
      .node(5, "b", 4)
      .set(attr::inter_thread_dep, std::int64_t{3});
  host.node(6, "c", 4).set(attr::inter_thread_dep, std::int64_t{0});
  const Shown lines = converted(host);
  ASSERT_EQ(lines.size(), 5U);
  EXPECT_EQ(lines[3], "5 COMP_NODE b data:3 data:4 ctrl:4");
  EXPECT_EQ(lines[4], "6 COMP_NODE c data:5 ctrl:4");
}

TEST(CompatConvert, ThreadsBelowThreadsAreChainedOnce) {
  HostBuilder host;
  // In the file the inner thread comes first.
  host.node(5, thread_name, 3).node(6, "inner", 5).node(2, thread_name, 1).node(3, "a", 2).node(7, "b", 3);
  const Shown lines = converted(host);
  ASSERT_EQ(lines.size(), 5U);
  EXPECT_TRUE(lines[2].starts_with("5 COMP_NODE [pytorch|profiler|execution_trace|thread] data:3")) << lines[2];
  EXPECT_TRUE(lines[3].starts_with("6 COMP_NODE inner data:5")) << lines[3];
  EXPECT_TRUE(lines[4].starts_with("7 COMP_NODE b data:6")) << lines[4];
}

TEST(CompatConvert, SendsAndReceivesAreToldByTheOperatorAbove) {
  HostBuilder host;
  host.thread().node(3, "c10d::send_", 2).node(4, "record_param_comms", 3).set(attr::pg_name, "pp");
  host.kernel(5, "ncclDevKernel_SendRecv(args)", 4).tensors("[[1, 2, 0, 10, 4, 'cuda:0']]", "['Tensor(float)']");
  host.node(6, "nccl:recv 1<-0", 2).kernel(7, "ncclDevKernel_SendRecv(args)", 6).set(attr::pg_name, "0");
  host.node(8, "nccl:all_to_all", 2).kernel(9, "ncclDevKernel_SendRecv(args)", 8);
  host.node(10, "batch_isend_irecv", 2).kernel(11, "ncclDevKernel_SendRecv(args)", 10);
  const Shown lines = converted(host);
  ASSERT_EQ(lines.size(), 10U);
  EXPECT_EQ(lines[3], "5 COMM_SEND_NODE ncclDevKernel_SendRecv(args) data:4 ctrl:4 comm_size=40 pg_name=pp");
  EXPECT_EQ(lines[5], "7 COMM_RECV_NODE ncclDevKernel_SendRecv(args) data:6 ctrl:6 comm_size=0 pg_name=0");
  EXPECT_EQ(lines[7], "9 COMM_COLL_NODE ncclDevKernel_SendRecv(args) data:8 ctrl:8 comm_type=6 comm_size=0");
  EXPECT_TRUE(lines[9].starts_with("11 COMM_SEND_NODE")) << lines[9];
}

TEST(CompatConvert, CollectivesAreToldByTheKernel) {
  EXPECT_EQ(compat::collective_type("ncclDevKernel_AllReduce_Sum_bf16"), Collective::all_reduce);
  EXPECT_EQ(compat::collective_type("ncclKernel_Reduce-Scatter_RING"), Collective::reduce_scatter);
  EXPECT_EQ(compat::collective_type("ncclDevKernel_SendRecv"), Collective::all_to_all);
  EXPECT_EQ(compat::collective_type("ncclDevKernel_Reduce_Sum"), std::nullopt);
}

TEST(CompatConvert, BytesAreThoseOfTheInputs) {
  using compat::input_bytes;
  EXPECT_EQ(input_bytes("[]", "[]"), 0);
  EXPECT_EQ(input_bytes("[[1, 2, 0, 10, 4, 'cuda:0'], 3]", "['Tensor(float)', 'Int']"), 40);
  EXPECT_EQ(input_bytes("[[[1, 2, 0, 10, 4, 'a,]'], [1, 2, 0, 1, 2, \"it's [\"]], 'x']",
                        "['GenericList[Tensor(float),Tensor(half)]', 'String']"),
            42);
  EXPECT_EQ(input_bytes("[[1, 2, 0, 10, 4, 'cuda:0']]", "[]"), 0);  // the length of the shorter list
  EXPECT_EQ(input_bytes("[[[[1, 2, 0, 10, 4, 'c']]]]", "['GenericList[GenericList[Tensor(float)]]']"),
            std::nullopt);
  EXPECT_EQ(input_bytes("['<None>']", "['Tensor(float)']"), std::nullopt);
  EXPECT_EQ(input_bytes("[[1, 2, 0, 9223372036854775807, 2, 'c']]", "['Tensor(float)']"), std::nullopt);
  EXPECT_EQ(input_bytes("[[1, 2", "['Tensor"), std::nullopt);
}

TEST(CompatConvert, OptimisersTakeNoTimeAndProcessGroupsAreMetadata) {
  HostBuilder host;
  host.thread().node(3, "Optimizer.step#Adam.step", 2).set(attr::exclusive_dur, std::int64_t{90});
  host.node(4, "## process_group:init ##", 2);
  const Shown lines = converted(host);
  EXPECT_EQ(lines[1], "3 COMP_NODE Optimizer.step#Adam.step data:2 ctrl:2");
  EXPECT_EQ(lines[2], "4 METADATA_NODE ## process_group:init ## data:3 ctrl:2");
}

TEST(CompatConvert, OfNodesWithOneIdTheLastCountsWhereTheFirstStands) {
  HostBuilder host;
  host.thread().node(3, "first", 2).node(4, "b", 3).node(3, "last", 2);
  const Shown lines = converted(host);
  EXPECT_EQ(lines, (Shown{"2 COMP_NODE [pytorch|profiler|execution_trace|thread] ctrl:1",
                          "3 COMP_NODE last data:2 ctrl:2", "4 COMP_NODE b data:3 ctrl:3"}));
}

TEST(CompatConvert, MetadataKeepsFiveAttributes) {
  HostBuilder host;
  host.thread();
  Trace trace = host.trace();
  trace.metadata.version = "0.0.4";
  trace.metadata.table.add_string(Name("more"), "x");
  const Trace out = convert_like_reference(std::move(trace));
  EXPECT_EQ(out.metadata.version, "");
  EXPECT_EQ(out.metadata.table.attrs.size(), 5U);
}

TEST(CompatConvert, FailuresOfTheReferenceAreErrors) {
  const std::string how = "; omit --compat chakra";
  HostBuilder old("1.0.1");
  EXPECT_EQ(conversion_error(old), "has schema 1.0.1: the reference program fails here (ValueError)" + how);
  HostBuilder coming("1.1.1-chakra.1.0.0");
  EXPECT_EQ(conversion_error(coming),
            "has schema 1.1.1-chakra.1.0.0: the reference program fails here (AttributeError)" + how);

  HostBuilder unknown;
  unknown.thread().node(3, "a", 2).kernel(4, "ncclDevKernel_Reduce_Sum", 3);
  EXPECT_EQ(conversion_error(unknown),
            "node 4 'ncclDevKernel_Reduce_Sum' is an unknown collective: the reference program fails "
            "here (ValueError)" +
                how);
  HostBuilder missing;
  missing.thread().node(3, "a", 2).set(attr::inter_thread_dep, std::int64_t{99});
  EXPECT_EQ(conversion_error(missing),
            "node 3 depends on node 99, which does not exist: the reference program fails here (KeyError)" + how);
  HostBuilder cycle;
  cycle.thread().node(3, "a", 2).set(attr::inter_thread_dep, std::int64_t{4}).node(4, "b", 2);
  EXPECT_NE(conversion_error(cycle).find("(cyclic dependency)"), std::string::npos);
  HostBuilder threads;
  threads.node(3, thread_name, 4).node(4, thread_name, 3);
  EXPECT_NE(conversion_error(threads).find("(cyclic dependency)"), std::string::npos);
  HostBuilder replaced;
  replaced.thread().node(3, "a", 2).set(Name("name"), "b");
  EXPECT_NE(conversion_error(replaced).find("has an attribute called name"), std::string::npos);
  HostBuilder negative;
  negative.thread().node(3, "a", 2).set(attr::exclusive_dur, -1.0);
  EXPECT_NE(conversion_error(negative).find("has an exclusive_dur that is not a duration"), std::string::npos);
}

TEST(CompatConvert, ChainsInReverseOrderEndAtTheLimitOfRecursion) {
  const auto reversed = [](NodeId nodes) {
    HostBuilder host;
    for (NodeId id = nodes; id >= 3; --id) host.node(id, "a", id - 1);
    host.node(2, thread_name, 1);
    return conversion_error(host);
  };
  EXPECT_EQ(reversed(900), "");
  EXPECT_NE(reversed(1100).find("(RecursionError)"), std::string::npos);
}

TEST(CompatConvert, DepthCostsNothing) {
  HostBuilder host;
  host.thread();
  constexpr NodeId depth = test::rounds(200'000U);
  for (NodeId id = 3; id < depth; ++id) host.node(id, id % 2 == 0 ? thread_name : "a", id - 1);
  EXPECT_EQ(converted(host).size(), depth - 2);
}

}  // namespace
}  // namespace convert::test
