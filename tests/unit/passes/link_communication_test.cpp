// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "core/world_size.h"
#include "link_builder.h"
#include "passes/link/communication.h"

namespace convert::test {
namespace {

// "allreduce" as in record_param_comms of schema 1.1.
void set_comm(Program& p, std::string_view name, std::int64_t in, std::int64_t out, std::string_view group = "0",
              std::string_view dtype = "Float", std::int64_t size = 4) {
  p.set(attr::collective_name, name);
  p.set(attr::in_msg_nelems, in);
  p.set(attr::out_msg_nelems, out);
  p.set(attr::dtype, dtype);
  p.set(attr::pg_name, group);
  p.set(attr::pg_size, size);
}

// A call with one kernel.
LinkedTrace collective(std::string_view name, std::int64_t in, std::int64_t out,
                       std::string_view kernel = "ncclDevKernel_Generic(ncclDevComm*)") {
  Program p;
  p.op(0, 1000, 2000, "record_param_comms");
  set_comm(p, name, in, out);
  p.call(0, 1100, 1200);
  p.device(7, 1300, 1900, kernel);
  return p.link();
}
std::string attribute_or_none(const Trace& t, const Node& n, Name name) {
  return std::string(string_value(t.nodes, t.nodes.attributes(n), name).value_or("none"));
}
// "7 4096 of 4": type and size in bytes of a collective, and the size of its group. "send 0>1 4096 #3": sender and
// receiver of a message, its size in bytes and its tag; -1 if missing.
std::string said(const Trace& t, const Node& n) {
  if (n.type == NodeType::comp) return "comp";
  if (n.type == NodeType::comm_coll) {
    return std::to_string(int_of(t, n, attr::comm_type, -1)) + ' ' +
           std::to_string(int_of(t, n, attr::comm_size, -1)) + " of " +
           std::to_string(int_of(t, n, attr::group_size, -1));
  }
  return std::string(n.type == NodeType::comm_send ? "send " : "recv ") +
         std::to_string(int_of(t, n, attr::comm_src, -1)) + ">" + std::to_string(int_of(t, n, attr::comm_dst, -1)) +
         ' ' + std::to_string(int_of(t, n, attr::comm_size, -1)) + " #" +
         std::to_string(int_of(t, n, attr::comm_tag, -1));
}
std::size_t communications(const Trace& t) {
  return static_cast<std::size_t>(std::count_if(t.nodes.nodes.begin(), t.nodes.nodes.end(), [](const Node& n) {
    return n.type == NodeType::comm_coll || n.type == NodeType::comm_send || n.type == NodeType::comm_recv;
  }));
}

struct Case {
  std::string_view name;
  std::int64_t in, out;
  std::string_view expected;
};

TEST(LinkCommunication, EveryCollectiveHasItsTypeAndSize) {
  // Sizes: the whole input of a rank; its shard for all-gather and gather; the output for scatter.
  for (const Case& c : std::vector<Case>{{"allreduce", 100, 100, "0 400 of 4"},
                                         {"all_reduce", 100, 100, "0 400 of 4"},
                                         {"reduce", 100, 100, "1 400 of 4"},
                                         {"_reduce_oop", 100, 100, "1 400 of 4"},
                                         {"_allgather_base", 25, 100, "2 100 of 4"},
                                         {"all_gather", 25, 100, "2 100 of 4"},
                                         {"allgather_into_tensor_coalesced", 25, 100, "2 100 of 4"},
                                         {"gather", 25, 100, "3 100 of 4"},
                                         {"scatter", 0, 25, "4 100 of 4"},
                                         {"broadcast", 100, 100, "5 400 of 4"},
                                         {"_broadcast_oop", 100, 100, "5 400 of 4"},
                                         {"all_to_all", 100, 100, "6 400 of 4"},
                                         {"all_to_allv", 100, 60, "6 400 of 4"},
                                         {"_reduce_scatter_base", 100, 25, "7 400 of 4"},
                                         {"reduce_scatter", 100, 25, "7 400 of 4"},
                                         {"reduce_scatter_tensor_coalesced", 100, 25, "7 400 of 4"},
                                         {"barrier", 1, 1, "9 0 of 4"}}) {
    const LinkedTrace l = collective(c.name, c.in, c.out);
    const Node& n = node_named(l.trace, "ncclDevKernel_Generic(ncclDevComm*)");
    EXPECT_EQ(said(l.trace, n), c.expected) << c.name;
    EXPECT_EQ(attribute_or_none(l.trace, n, attr::pg_name), "0");
    EXPECT_EQ(attribute_or_none(l.trace, n, attr::comm_dtype), "Float");
    EXPECT_EQ(int_of(l.trace, n, attr::is_cpu_op, -1), 0);
    EXPECT_EQ(communications(l.trace), 1U) << c.name;
  }
}

TEST(LinkCommunication, AScatterWithoutOutputHasAShareOfTheInput) {
  CommFacts facts;
  facts.kind = CommKind::collective;
  facts.type = Collective::scatter;
  facts.group_size = 4;
  EXPECT_EQ(comm_size(facts), std::nullopt);
  facts.in_bytes = 100;
  EXPECT_EQ(comm_size(facts), 25);
  facts.out_bytes = 24;
  EXPECT_EQ(comm_size(facts), 24);
}

TEST(LinkCommunication, AKernelsNameTellsWhatNoCallDoes) {
  for (const auto& [name, type] : std::vector<std::pair<std::string_view, std::int64_t>>{
           {"ncclDevKernel_AllReduce_Sum_f32_RING_LL(args)", 0},
           {"ncclKernel_ReduceScatter_RING_LL_Sum_float(args)", 7},
           {"ncclDevKernel_Reduce_Sum_f32_RING_LL(args)", 1},
           {"ncclDevKernel_AllGather_RING_LL(args)", 2},
           {"ncclDevKernel_Broadcast_RING_LL(args)", 5},
           {"void mscclKernel_AllToAll(args)", 6}}) {
    Program p;
    p.op(0, 1000, 2000, "a");
    p.call(0, 1100, 1200);
    Profile::DeviceOp& d = p.device(7, 1300, 1900, name);
    p.args(d.args, {{"dtype", "BFloat16"}, {"Process Group Name", "3"}}, {{"In msg nelems", 8}, {"Group size", 2}});
    const LinkedTrace l = p.link();
    EXPECT_EQ(said(l.trace, node_named(l.trace, name)), std::to_string(type) + " 16 of 2");
    EXPECT_EQ(attribute_or_none(l.trace, node_named(l.trace, name), attr::pg_name), "3");
  }
}

// record_param_comms of an all-reduce of 400 bytes, and its launches.
void begin_all_reduce(Program& p) {
  p.op(0, 1000, 2000, "record_param_comms");
  set_comm(p, "allreduce", 100, 100);
}

TEST(LinkCommunication, AKernelBesideThatOfALibraryIsNoCollective) {
  for (const std::string_view other : {"void c10d::checkForNaN<float>(float*)", "void mine::fill<float>(float*)"}) {
    Program p;
    begin_all_reduce(p);
    p.call(0, 1100, 1110);
    p.device(7, 1120, 1200, other);
    p.call(0, 1200, 1210);
    p.device(7, 1300, 1900, "ncclDevKernel_Generic(args)");
    const LinkedTrace l = p.link();
    EXPECT_EQ(said(l.trace, node_named(l.trace, other)), "comp") << other;
    EXPECT_EQ(said(l.trace, node_named(l.trace, "ncclDevKernel_Generic(args)")), "0 400 of 4") << other;
    EXPECT_EQ(communications(l.trace), 1U) << other;
  }
}

TEST(LinkCommunication, AKernelOfNoKnownNameIsTheCollectiveOfItsCall) {
  Program p;
  begin_all_reduce(p);
  p.call(0, 1100, 1110);
  p.device(7, 1120, 1200, "void c10d::checkForNaN<float>(float*)");
  p.call(0, 1200, 1210);
  p.device(7, 1300, 1900, "mine");
  const LinkedTrace l = p.link();
  EXPECT_EQ(said(l.trace, node_named(l.trace, "mine")), "0 400 of 4");
  EXPECT_EQ(communications(l.trace), 1U);
}

TEST(LinkCommunication, AKernelWithoutALaunchIsNoCollective) {
  Program p;
  begin_all_reduce(p);
  p.device(7, 1120, 1200, "convolution").correlation = 900;
  p.call(0, 1200, 1210);
  p.device(8, 1300, 1900, "mine");
  const LinkedTrace l = p.link();
  EXPECT_EQ(said(l.trace, node_named(l.trace, "convolution")), "comp");
  EXPECT_EQ(said(l.trace, node_named(l.trace, "mine")), "0 400 of 4");
}

TEST(LinkCommunication, AnOperatorThatNamesACollectiveSaysItsSize) {
  Program p;
  p.op(0, 1000, 2000, "vllm::all_reduce",
       {.inputs = "[[1, 2, 0, 64, 2, 'cuda:0'], [3, 4, 0, 8, 2, 'cuda:0']]",
        .input_types = "['Tensor(c10::Half)', 'Tensor(c10::Half)']"});
  p.call(0, 1100, 1110);
  p.device(7, 1120, 1200, "void vllm::cross_device_reduce_1stage<half, 2>(...)");
  Profile::CpuOp& event = p.event(0, 3000, 4000, "symm_mem::one_shot_all_reduce_copy");
  event.order = 9;
  p.profile().inputs.push_back({9, {0, 3}});
  p.profile().input_bytes = {4096, 512, -1};
  p.call(0, 3100, 3110);
  p.device(7, 3120, 3200, "void one_shot_all_reduce_kernel<float>(...)");
  p.op(0, 5000, 6000, "end");
  const LinkedTrace l = p.link();
  EXPECT_EQ(said(l.trace, node_named(l.trace, "void vllm::cross_device_reduce_1stage<half, 2>(...)")),
            "0 128 of -1");
  EXPECT_EQ(said(l.trace, node_named(l.trace, "void one_shot_all_reduce_kernel<float>(...)")), "0 512 of -1");
}

TEST(LinkCommunication, WhatIsNotRecognisedIsReportedWithItsTime) {
  Program p;
  p.op(0, 1000, 2000, "mine::all_gather");
  p.call(0, 1100, 1110);
  p.device(7, 1120, 1220, "void mine::kernel(...)");
  p.op(0, 2000, 3000, "mine::layer");
  p.call(0, 2100, 2110);
  p.device(7, 2200, 2300, "void nvshmemi_put(...)");
  p.call(0, 2400, 2410);
  p.device(7, 2500, 2700, "gemm");
  const LinkedTrace l = p.link();
  EXPECT_EQ(communications(l.trace), 0U);
  EXPECT_EQ(count(l.report, Unmatched::communication_unknown), 2U);
  EXPECT_EQ(l.report.unmatched_ns[static_cast<std::size_t>(Unmatched::communication_unknown)], 200U);
  EXPECT_EQ(l.report.device_ns, 400U);
  const Name unknown("communication_unknown");
  EXPECT_EQ(int_of(l.trace, node_named(l.trace, "void mine::kernel(...)"), unknown, 0), 1);
  EXPECT_EQ(int_of(l.trace, node_named(l.trace, "gemm"), unknown, 0), 0);
}

TEST(LinkCommunication, KernelsOfUnknownCollectivesAndSizesStayComputationAndAreReported) {
  Program p;
  p.op(0, 1000, 2000, "a");
  p.call(0, 1100, 1200);
  p.device(7, 1300, 1400, "ncclDevKernel_Generic(args)");
  p.call(0, 1200, 1300);
  p.device(7, 1500, 1600, "ncclDevKernel_AllReduce(args)");
  const LinkedTrace l = p.link();
  EXPECT_EQ(communications(l.trace), 0U);
  EXPECT_EQ(count(l.report, Unmatched::communication_unknown), 1U);
  EXPECT_EQ(count(l.report, Unmatched::communication_size), 1U);
}

// Names change with every release of a library, and a call that runs on the host launches no kernel itself.
TEST(LinkCommunication, AKernelIsKnownByItsNameItsArgsOrTheCallThatLaunchesIt) {
  const LinkedTrace by_name = collective("allreduce", 100, 100, "ncclSymkDevKernel_AllReduce_RSxLD");
  EXPECT_EQ(said(by_name.trace, node_named(by_name.trace, "ncclSymkDevKernel_AllReduce_RSxLD")), "0 400 of 4");
  Program p;
  p.op(0, 1000, 2000, "a");
  p.call(0, 1100, 1200);
  Profile::DeviceOp& d = p.device(7, 1300, 1400, "new_kernel");
  p.args(d.args, {{"Collective name", "allgather"}, {"dtype", "Int"}}, {{"In msg nelems", 8}, {"Group size", 2}});
  const LinkedTrace by_args = p.link();
  EXPECT_EQ(said(by_args.trace, node_named(by_args.trace, "new_kernel")), "2 32 of 2");

  Program q;
  const NodeId call = q.op(0, 1000, 2000, "record_param_comms");
  set_comm(q, "reduce_scatter", 100, 25);
  q.call(0, 1100, 1200);
  q.device(7, 1300, 1400, "x");
  q.call(0, 1200, 1300);
  q.device(7, 1400, 1500, "y");
  q.op(0, 1400, 1600, "aten::copy_", {.caller = call});
  q.call(0, 1500, 1550);
  q.device(7, 1600, 1700, "z");
  const LinkedTrace by_call = q.link();
  EXPECT_EQ(said(by_call.trace, node_named(by_call.trace, "x")), "7 400 of 4");
  EXPECT_EQ(communications(by_call.trace), 1U);
}

TEST(LinkCommunication, OldSchemasTellItInTheInputs) {
  Program p;
  p.op(0, 1000, 2000, "record_param_comms",
       {.inputs =
            "[[[256, 257, 0, 128, 2, 'cuda:0']], 13, ['1', 'tp_group'], 0, 'all_to_allv', [3, 1], [2, 2], 0, 1, "
            "2]",
        .input_types = "['GenericList[Tensor(c10::BFloat16)]', 'Int', 'Tuple[String,String]', 'Int', 'String', "
                       "'GenericList[]', 'GenericList[]', 'Int', 'Int', 'Int']",
        .outputs = "[[[258, 259, 0, 128, 2, 'cuda:0']]]",
        .output_types = "['GenericList[Tensor(c10::BFloat16)]']"});
  p.call(0, 1100, 1200);
  p.device(7, 1300, 1900, "ncclDevKernel_SendRecv(args)");
  const LinkedTrace l = p.link();
  const Node& n = node_named(l.trace, "ncclDevKernel_SendRecv(args)");
  EXPECT_EQ(said(l.trace, n), "6 256 of 2");
  EXPECT_EQ(attribute_or_none(l.trace, n, attr::pg_name), "1");
  EXPECT_EQ(l.groups.at(0).description, "tp_group");
  const auto list = [&](Name name) {
    const auto v = l.trace.nodes.list(*find(l.trace.nodes.attributes(n), name));
    return std::vector<std::uint64_t>(v.begin(), v.end());
  };
  EXPECT_EQ(list(attr::send_splits), (std::vector<std::uint64_t>{192, 64}));
  EXPECT_EQ(list(attr::recv_splits), (std::vector<std::uint64_t>{128, 128}));
}

TEST(LinkCommunication, TheCallAndItsAnnotationAreOne) {
  Program p;
  const NodeId outer = p.op(0, 1000, 2000, "c10d::allreduce_");
  const NodeId call = p.op(0, 1050, 1900, "record_param_comms", {.caller = outer});
  set_comm(p, "allreduce", 100, 100);
  p.op(0, 1100, 1800, "nccl:all_reduce", {.caller = call});
  p.call(0, 1200, 1300);
  p.device(7, 1400, 1500, "ncclDevKernel_AllReduce(args)");
  const LinkedTrace l = p.link();
  EXPECT_EQ(communications(l.trace), 1U);
  EXPECT_EQ(said(l.trace, node_named(l.trace, "ncclDevKernel_AllReduce(args)")), "0 400 of 4");
  const auto& sum = l.report.communication.at({"all_reduce", "0"});
  EXPECT_EQ(sum.count, 1U);
  EXPECT_EQ(sum.bytes, 400U);
  EXPECT_EQ(sum.nanoseconds, 100U);
}

// Without a kernel, the call itself is the communication: the innermost operator, which takes the time.
TEST(LinkCommunication, ACallThatNoKernelCarriesOutIsTheCommunication) {
  Program p;
  const NodeId outer = p.op(0, 1000, 2000, "c10d::allreduce_");
  const NodeId call = p.op(0, 1050, 1900, "record_param_comms", {.caller = outer});
  set_comm(p, "allreduce", 100, 100);
  p.op(0, 1100, 1800, "gloo:all_reduce", {.caller = call});
  const LinkedTrace l = p.link();
  EXPECT_EQ(communications(l.trace), 1U);
  const Node& n = node_named(l.trace, "gloo:all_reduce");
  EXPECT_EQ(said(l.trace, n), "0 400 of 4");
  EXPECT_EQ(int_of(l.trace, n, attr::is_cpu_op, -1), 0);  // ASTRA-sim ends at communication of the CPU
  EXPECT_EQ(attribute_or_none(l.trace, n, attr::pg_name), "0");
  EXPECT_EQ(duration_of(l.trace, n), 700);
  EXPECT_EQ(displaced(l.trace), Lines{});
}

TEST(LinkCommunication, ItsProcessGroupStandsOnce) {
  Program p;
  p.op(0, 1000, 2000, "record_param_comms");
  set_comm(p, "allreduce", 100, 100, "7f3a");
  const LinkedTrace l = p.link();
  const Node& n = node_named(l.trace, "record_param_comms");
  const auto attrs = l.trace.nodes.attributes(n);
  EXPECT_EQ(std::count_if(attrs.begin(), attrs.end(), [](const Attr& a) { return a.name == attr::pg_name; }), 1);
  EXPECT_EQ(attribute_or_none(l.trace, n, attr::pg_name), std::to_string(l.groups.at(0).id));
  EXPECT_EQ(attribute_or_none(l.trace, n, Name("host:pg_name")), "7f3a");
}

TEST(LinkCommunication, CallsThatTheProfileDoesNotCoverStayOperators) {
  Program p;
  p.op(0, 1000, 2000, "a");
  p.node({.id = 10, .name = "record_param_comms", .caller = 2, .rf_id = 90, .tid = 1});
  set_comm(p, "allreduce", 100, 100);
  EXPECT_EQ(communications(p.link().trace), 0U);
  EXPECT_EQ(communications(p.link_host().trace), 1U);
}

TEST(LinkCommunication, HostTracesAloneCommunicateToo) {
  Program p;
  p.node({.id = 10, .name = "record_param_comms", .caller = 2, .rf_id = 5, .tid = 1});
  set_comm(p, "allreduce", 100, 100);
  p.node({.id = 11, .name = "nccl:all_reduce", .caller = 10, .rf_id = 6, .tid = 1});
  p.node({.id = 12, .name = "record_param_comms", .caller = 2, .rf_id = 7, .tid = 1});
  set_comm(p, "wait", -1, -1);
  p.node({.id = 13, .name = "record_param_comms", .caller = 2, .rf_id = 8, .tid = 1});
  set_comm(p, "init", -1, -1);
  p.node({.id = 14,
          .name = "gloo:broadcast",
          .caller = 2,
          .rf_id = 9,
          .tid = 1,
          .inputs = "[[5, 6, 0, 10, 4, 'cpu']]",
          .input_types = "['Tensor(float)']"});
  const LinkedTrace l = p.link_host();
  EXPECT_EQ(communications(l.trace), 2U);
  EXPECT_EQ(said(l.trace, node_named(l.trace, "nccl:all_reduce")), "0 400 of 4");
  EXPECT_EQ(said(l.trace, node_named(l.trace, "gloo:broadcast")), "5 40 of 4");
  EXPECT_EQ(int_of(l.trace, node_named(l.trace, "gloo:broadcast"), attr::is_cpu_op, -1), 0);
}

// Rank 2 of the world is rank 0 of the group.
TEST(LinkCommunication, MessagesHaveThePeersOfTheWorldAndTheSameTagOnBothSides) {
  const std::vector<ProcessGroup> groups = {{.name = "5", .ranks = {2, 3}}};
  const auto rank = [&](std::string_view kind, std::string_view annotation, Rank r) {
    Program p;
    for (std::int64_t i = 0; i < 2; ++i) {
      const std::int64_t at = 1000 * (i + 1);
      const NodeId call = p.op(0, at, at + 900, "record_param_comms");
      set_comm(p, kind, 100, 100, "5");
      p.op(0, at + 100, at + 800, annotation, {.caller = call});
      p.call(0, at + 200, at + 300);
      p.device(7, at + 300, at + 400, i == 0 ? "ncclDevKernel_SendRecv(1)" : "ncclDevKernel_SendRecv(2)");
    }
    return p.link({}, groups, r);
  };
  const LinkedTrace send = rank("send", "nccl:send 0->1", 2), recv = rank("recv", "nccl:recv 1<-0", 3);
  for (const std::string_view kernel : {"ncclDevKernel_SendRecv(1)", "ncclDevKernel_SendRecv(2)"}) {
    const std::string tag = kernel.ends_with("(1)") ? "5000015" : "5000016";
    EXPECT_EQ(said(send.trace, node_named(send.trace, kernel)), "send 2>3 400 #" + tag);
    EXPECT_EQ(said(recv.trace, node_named(recv.trace, kernel)), "recv 2>3 400 #" + tag);
  }
  EXPECT_EQ(attribute_or_none(send.trace, node_named(send.trace, "ncclDevKernel_SendRecv(1)"), attr::pg_name), "5");
}

TEST(LinkCommunication, ARankOfTheWorldInTheKernelsArgsServesToo) {
  Program p;
  p.op(0, 1000, 2000, "record_param_comms");
  set_comm(p, "recv", 100, 100);
  p.call(0, 1100, 1200);
  Profile::DeviceOp& d = p.device(7, 1300, 1400, "ncclDevKernel_SendRecv(args)");
  p.args(d.args, {{"Collective name", "recv"}}, {{"Src Rank", 6}});
  const LinkedTrace l = p.link({}, {}, 1);
  EXPECT_EQ(said(l.trace, node_named(l.trace, "ncclDevKernel_SendRecv(args)")), "recv 6>1 400 #0");
}

TEST(LinkCommunication, AMessageWithoutAPeerStaysComputationAndIsReported) {
  for (const std::string_view name : {"nccl:send", "nccl:send 0->9999999999"}) {
    Program p;
    const NodeId call = p.op(0, 1000, 2000, "record_param_comms");
    set_comm(p, "send", 100, 100);
    p.op(0, 1050, 1900, name, {.caller = call});
    p.call(0, 1100, 1200);
    p.device(7, 1300, 1400, "ncclDevKernel_SendRecv(args)");
    const LinkedTrace l = p.link();
    EXPECT_EQ(communications(l.trace), 0U);
    EXPECT_EQ(count(l.report, Unmatched::communication_peer), 1U) << name;
  }
}

// Returns a send of rank `rank` of 4 ranks by such a call in a group of size `size`, whose ranks are unknown.
LinkedTrace send_in_unknown_group(Rank rank, std::string_view annotation, std::int64_t size,
                                  std::string_view cut_list = "") {
  Program p;
  const NodeId call = p.op(0, 1000, 2000, "record_param_comms");
  set_comm(p, "send", 100, 100, "9", "Float", size);
  p.op(0, 1050, 1900, annotation, {.caller = call});
  p.call(0, 1100, 1200);
  Profile::DeviceOp& d = p.device(7, 1300, 1400, "ncclDevKernel_SendRecv(args)");
  if (!cut_list.empty()) p.args(d.args, {{"Process Group Ranks", std::string(cut_list)}}, {});
  Trace host = p.host();
  host.rank = rank;
  set_world_size(host.metadata, 4);
  return convert::link(std::move(host), p.profile(), {}, {});
}

TEST(LinkCommunication, ARankInAGroupOfUnknownRanksIsNoRankOfTheWorldInSilence) {
  const struct {
    Rank rank;
    std::string_view annotation;
    std::int64_t size;
    std::string_view expected;
    std::uint64_t assumed, unknown;
  } cases[] = {
      {1, "nccl:send 1->3", 4, "send 1>3 400 #9000027", 0, 0},  // the group is as large as the world
      {2, "nccl:send 0->1", 2, "send 2>3 400 #9000027", 1, 0},  // 2 and 3 if they are consecutive
      {0, "nccl:send 0->1", 2, "send 0>1 400 #9000027", 1, 0},
      {3, "nccl:send 0->1", 2, "comp", 0, 1},  // 3 and 4 cannot be a pair of such a group
      {2, "nccl:send 1->0", 2, "comp", 0, 1},
      {2, "nccl:send 2->3", 2, "send 2>3 400 #9000027", 0, 0},  // beyond the group: ranks of the world
      {1, "nccl:send 0->5", 2, "comp", 0, 1},
  };
  for (const auto& c : cases) {
    const LinkedTrace l = send_in_unknown_group(c.rank, c.annotation, c.size);
    EXPECT_EQ(said(l.trace, node_named(l.trace, "ncclDevKernel_SendRecv(args)")), c.expected)
        << c.rank << ' ' << c.annotation;
    EXPECT_EQ(count(l.report, Unmatched::communication_peer_assumed), c.assumed) << c.rank << ' ' << c.annotation;
    EXPECT_EQ(count(l.report, Unmatched::communication_peer), c.unknown) << c.rank << ' ' << c.annotation;
  }
}

TEST(LinkCommunication, AListOfRanksThatIsCutServesAsFarAsItGoes) {
  const auto peer = [](std::string_view annotation, std::string_view list) {
    const LinkedTrace l = send_in_unknown_group(1, annotation, 40, list);
    const Node& n = node_named(l.trace, "ncclDevKernel_SendRecv(args)");
    return n.type == NodeType::comp ? -1 : int_of(l.trace, n, attr::comm_dst, -1);
  };
  EXPECT_EQ(peer("nccl:send 0->2", "[1, 3, 5, ...]"), 5);
  EXPECT_EQ(peer("nccl:send 0->3", "[1, 3, 5, ...]"), -1);
  EXPECT_EQ(peer("nccl:send 0->3", "[1, 3, 5, ..., 79]"), 7);
  EXPECT_EQ(peer("nccl:send 0->3", "[1, 3, 5, ..., 81]"), -1);
  EXPECT_EQ(listed_ranks("[4, 5, ..., 8]", 5).ranks, (std::vector<std::uint32_t>{4, 5, 6, 7, 8}));
  EXPECT_FALSE(listed_ranks("[4, 5, ..., 9]", 5).all);
  EXPECT_FALSE(listed_ranks("[4, ..., 8]", 5).all);
  EXPECT_TRUE(listed_ranks("[4, 5]", 2).all);
}

TEST(LinkCommunication, ACollectiveOfAnUnknownGroupIsReported) {
  for (const std::int64_t size : {2, 4}) {
    Program p;
    p.op(0, 1000, 2000, "record_param_comms");
    set_comm(p, "allreduce", 100, 100, "", "Float", size);
    p.call(0, 1100, 1200);
    p.device(7, 1300, 1400, "ncclDevKernel_AllReduce(args)");
    Trace host = p.host();
    set_world_size(host.metadata, 4);
    const LinkedTrace l = convert::link(std::move(host), p.profile(), {}, {});
    EXPECT_EQ(count(l.report, Unmatched::communication_group), size == 2 ? 1U : 0U);
  }
}

// A profile of an all-reduce with symmetric memory, whose inputs in the profile are "sum" and `group`.
LinkedTrace link_operator(std::string_view group, const std::vector<ProcessGroup>& groups, Rank rank = 0) {
  Program p;
  Profile::CpuOp& event = p.event(0, 1000, 2000, "symm_mem::multimem_all_reduce_");
  event.order = 9;
  const Text texts = p.profile().args.add_text("sum\n" + std::string(group));
  p.profile().inputs.push_back({9, {0, 1}, texts});
  p.profile().input_bytes = {4096};
  p.call(0, 1100, 1110);
  p.device(7, 1120, 1200, "void multimem_all_reduce_kernel<c10::BFloat16, 16>(...)");
  Trace host = p.host();
  host.rank = rank;
  set_world_size(host.metadata, 4);
  return convert::link(std::move(host), p.profile(), groups, {});
}

TEST(LinkCommunication, TheGroupOfAnOperatorIsThatOfItsText) {
  const std::string_view kernel = "void multimem_all_reduce_kernel<c10::BFloat16, 16>(...)";
  const std::vector<ProcessGroup> groups = {{.name = "0", .description = "default_pg", .ranks = {0, 1, 2, 3}},
                                            {.name = "1", .description = "tp", .ranks = {0, 1}},
                                            {.name = "2", .description = "tp", .ranks = {2, 3}}};
  const auto group_of = [&](std::string_view text, Rank rank) {
    const LinkedTrace l = link_operator(text, groups, rank);
    const Node& n = node_named(l.trace, kernel);
    const std::string group(string_value(l.trace.nodes, l.trace.nodes.attributes(n), attr::pg_name).value_or(""));
    return group + (count(l.report, Unmatched::communication_group) != 0 ? " unknown" : "");
  };
  EXPECT_EQ(group_of("1", 0), "1");
  EXPECT_EQ(group_of("2", 3), "2");
  EXPECT_EQ(group_of("tp", 3), "2");
  EXPECT_EQ(group_of("tp:0", 1), "1");
  EXPECT_EQ(group_of("default_pg", 1), "0");
  EXPECT_EQ(group_of("ep:0", 1), "0 unknown");
  EXPECT_EQ(group_of("max", 1), "0 unknown");
}

TEST(LinkCommunication, AnOperatorWithoutAKnownGroupIsOfAllRanksIfThereIsNoOtherGroup) {
  const std::vector<ProcessGroup> all = {{.name = "0", .description = "default_pg", .ranks = {0, 1, 2, 3}}};
  EXPECT_EQ(count(link_operator("tp:0", all).report, Unmatched::communication_group), 0U);
  EXPECT_EQ(count(link_operator("tp:0", {}).report, Unmatched::communication_group), 1U);
}

TEST(LinkCommunication, AnOperatorAroundAnotherNamesTheGroup) {
  Program p;
  const NodeId outer =
      p.op(0, 1000, 2000, "vllm::all_reduce",
           {.inputs = "[[1, 2, 0, 64, 2, 'cuda:0'], 'tp:0']", .input_types = "['Tensor(c10::Half)', 'String']"});
  p.op(0, 1050, 1900, "_C_custom_ar::all_reduce",
       {.caller = outer,
        .inputs = "[7, [1, 2, 0, 64, 2, 'cuda:0']]",
        .input_types = "['Int', 'Tensor(c10::Half)']"});
  p.call(0, 1100, 1110);
  p.device(7, 1120, 1200, "void vllm::cross_device_reduce_1stage<half, 2>(...)");
  const LinkedTrace l = p.link({}, {{.name = "tp:0", .description = "undefined", .ranks = {0, 2}}});
  EXPECT_EQ(said(l.trace, node_named(l.trace, "void vllm::cross_device_reduce_1stage<half, 2>(...)")).substr(0, 5),
            "0 128");
  EXPECT_EQ(count(l.report, Unmatched::communication_group), 0U);
}

TEST(LinkCommunication, NobodySendsToItself) {
  Program p;
  const NodeId call = p.op(0, 1000, 2000, "record_param_comms");
  set_comm(p, "send", 100, 100);
  p.op(0, 1050, 1900, "nccl:send 0->2", {.caller = call});
  p.call(0, 1100, 1200);
  p.device(7, 1300, 1900, "ncclDevKernel_SendRecv");
  EXPECT_EQ(communications(p.link({}, {}, 0).trace), 1U);
  const LinkedTrace self = p.link({}, {}, 2);
  EXPECT_EQ(communications(self.trace), 0U);
  EXPECT_EQ(count(self.report, Unmatched::communication_peer), 1U);
}

TEST(LinkCommunication, AttributesThatLookLikeOursKeepTheirValuesUnderAnotherName) {
  Program p;
  p.op(0, 1000, 2000, "a");
  p.set(attr::host_id, 77);
  const LinkedTrace l = p.link();
  const Node& a = node_named(l.trace, "a");
  EXPECT_EQ(int_of(l.trace, a, attr::host_id, -1), 3);
  EXPECT_EQ(int_of(l.trace, a, Name("host:host_id"), -1), 77);
}

TEST(LinkCommunication, TheMessagesOfAGroupAreOneNodeEach) {
  Program p;
  const auto message = [&](std::int64_t at, std::string_view kind, std::string_view annotation, std::int64_t n) {
    const NodeId call = p.op(0, at, at + 90, "record_param_comms");
    set_comm(p, kind, n, n, "0");
    p.op(0, at + 10, at + 80, annotation, {.caller = call});
  };
  message(1000, "send", "nccl:send 0->1", 10);
  message(1100, "recv", "nccl:recv 0<-1", 20);
  p.op(0, 1200, 1300, "record_param_comms");
  set_comm(p, "coalesced", 0, 0, "0");
  p.call(0, 1210, 1220);
  p.device(7, 2000, 2500, "ncclDevKernel_SendRecv(args)");
  p.op(0, 1300, 1400, "a");
  p.call(0, 1310, 1320);
  p.device(7, 2600, 2700, "k");
  const LinkedTrace l = p.link();
  std::vector<std::string> all;
  for (const Node& n : l.trace.nodes.nodes) {
    if (n.type != NodeType::comp) all.push_back(said(l.trace, n));
  }
  EXPECT_EQ(all, (std::vector<std::string>{"send 0>1 40 #0", "recv 1>0 80 #0"}));
  EXPECT_EQ(l.trace.nodes.data_deps(node_named(l.trace, "k")).size(), 3U);  // the launch and both
  EXPECT_EQ(displaced(l.trace), Lines{});
}

TEST(LinkCommunication, TheCollectivesOfAGroupAreOneNodeEach) {
  Program p;
  for (const std::int64_t at : {1000, 1100}) {
    p.op(0, at, at + 90, "record_param_comms");
    set_comm(p, "_allgather_base", at, 4 * at, "0");
  }
  p.op(0, 1200, 1300, "nccl:coalesced");
  p.set(attr::pg_name, "0");
  p.call(0, 1210, 1220);
  p.device(7, 2000, 2500, "ncclDevKernel_AllGather(args)");
  const LinkedTrace l = p.link();
  EXPECT_EQ(communications(l.trace), 2U);
  EXPECT_EQ(l.report.communication.at({"all_gather", "0"}).bytes, 4U * (1000 + 1100));
}

// PyTorch names no process group at the end of a batch.
TEST(LinkCommunication, ABatchWithoutAGroupCollectsTheLastCallsOfOneGroup) {
  Program p;
  const auto call = [&](std::int64_t at, std::string_view kind, std::string_view group,
                        std::string_view annotation) {
    const NodeId outer = p.op(0, at, at + 90, "record_param_comms");
    set_comm(p, kind, 10, 10, group);
    p.op(0, at + 10, at + 80, annotation, {.caller = outer});
  };
  call(1000, "allreduce", "7", "nccl:all_reduce");
  p.call(0, 1020, 1030);
  p.device(7, 1100, 1200, "ncclDevKernel_AllReduce(args)");
  call(1200, "send", "0", "nccl:send 0->1");
  call(1300, "recv", "0", "nccl:recv 0<-1");
  p.op(0, 1400, 1500, "nccl:coalesced");
  p.call(0, 1410, 1420);
  p.device(7, 2000, 2500, "ncclDevKernel_SendRecv(args)");
  call(3000, "_allgather_base", "7", "nccl:_all_gather_base");
  call(3100, "_allgather_base", "7", "nccl:_all_gather_base");
  p.op(0, 3200, 3300, "nccl:coalesced");
  p.call(0, 3210, 3220);
  p.device(7, 4000, 4500, "ncclDevKernel_AllGather(args)");
  const LinkedTrace l = p.link();
  std::vector<std::string> all;
  for (const Node& n : l.trace.nodes.nodes) {
    if (n.type != NodeType::comp) all.push_back(said(l.trace, n));
  }
  EXPECT_EQ(all,
            (std::vector<std::string>{"0 40 of 4", "send 0>1 40 #0", "recv 1>0 40 #0", "2 40 of 4", "2 40 of 4"}));
  EXPECT_EQ(count(l.report, Unmatched::communication_unknown), 0U);
}

// Many messages on either side of a kernel would otherwise depend on each other pairwise.
TEST(LinkCommunication, LargeGroupsAreJoined) {
  Program p;
  std::int64_t at = 1000;
  constexpr std::int64_t messages = 200;
  for (int group = 0; group < 2; ++group) {
    for (std::int64_t i = 0; i < messages; ++i, at += 10) {
      p.op(0, at, at + 10, "nccl:send 0->" + std::to_string(i + 1));
      set_comm(p, "send", 1, 1, "0");
    }
    p.op(0, at, at + 10, "nccl:coalesced");
    p.set(attr::pg_name, "0");
    p.call(0, at, at + 10);
    p.device(7, at + 10, at + 1000, "ncclDevKernel_SendRecv(args)");
    at += 2000;
  }
  for (const bool reduce : {false, true}) {
    const LinkedTrace l = p.link({.reduce = reduce});
    EXPECT_EQ(communications(l.trace), 2 * messages);
    EXPECT_EQ(l.report.deps[static_cast<std::size_t>(DepRule::stream_order)], 2U * messages);
    const Node& join = node_named(l.trace, "[join]");
    EXPECT_EQ(l.trace.nodes.data_deps(join).size(), messages);
    EXPECT_EQ(displaced(l.trace), Lines{});
  }
}

TEST(LinkCommunication, GroupsWhoseNamesAreNoNumbersGetOneAboveTheOthers) {
  GroupTable table({{.name = "default_pg", .ranks = {0, 1}}});
  CommFacts facts;
  facts.group = "0";
  EXPECT_EQ(table.of(facts).id, 0);
  facts.group = "";  // all ranks
  EXPECT_EQ(table.of(facts).id, 0);
  facts.group = "01";  // 1 is not written like this
  EXPECT_GE(table.of(facts).id, 1'000'000'000);
  facts.group = "1";
  EXPECT_EQ(table.of(facts).id, 1);
  facts.group = "default_pg";
  const std::int64_t id = table.of(facts).id;
  EXPECT_GE(id, 1'000'000'000);
  EXPECT_EQ(table.of(facts).ranks, (std::vector<std::uint32_t>{0, 1}));
  GroupTable other({});
  EXPECT_EQ(other.of(facts).id, id);  // on every rank
  facts.group_ranks = "[0, 1, 2]";
  facts.group_size = 3;
  EXPECT_EQ(other.of(facts).ranks.size(), 3U);
  EXPECT_EQ(other.of(facts).size, 3U);
}

TEST(LinkCommunication, TextsThatAreCutOrTooLargeAreNoNumbers) {
  EXPECT_EQ(tensor_bytes("[[1, 2, 0, 10, 4, 'cuda:0'], [3, 4, 0, 5, 2, 'cpu']]"), 50);
  EXPECT_EQ(tensor_bytes("[[1, 2, 0, 10, 4"), 0);
  EXPECT_EQ(tensor_bytes("[[1, 2, 0, 9223372036854775807, 4, 'cuda:0']]"), -1);
  EXPECT_EQ(tensor_bytes("[[1, 2, 0, -10, 4, 'cuda:0']]"), 0);
  EXPECT_EQ(integer_list("[2, 2]"), (std::vector<std::int64_t>{2, 2}));
  EXPECT_EQ(integer_list("[]"), std::vector<std::int64_t>{});
  EXPECT_EQ(integer_list("[2, ...]"), std::nullopt);
  EXPECT_EQ(integer_list("[99999999999999999999]"), std::nullopt);
}

TEST(LinkCommunication, KernelsShareTheEstimateOfTheirOperator) {
  Program p;
  p.op(0, 1000, 2000, "aten::mm",
       {.inputs = "[[1, 2, 0, 6, 4, 'cuda:0'], [3, 4, 0, 12, 4, 'cuda:0']]",
        .input_types = "['Tensor(float)', 'Tensor(float)']",
        .outputs = "[[5, 6, 0, 8, 4, 'cuda:0']]",
        .output_types = "['Tensor(float)']"});
  Trace host = p.host();
  IoInfo& in = host.nodes.io[host.nodes.nodes.back().inputs - 1];
  in.shapes = host.nodes.add_text("[[2, 3], [3, 4]]");
  IoInfo& out = host.nodes.io[host.nodes.nodes.back().outputs - 1];
  out.shapes = host.nodes.add_text("[[2, 4]]");
  p.call(0, 1100, 1200);
  p.device(7, 1300, 1400, "k1");
  p.device(7, 1400, 1700, "k2");
  const LinkedTrace l = link(std::move(host), p.profile(), {}, {});
  // 2 · 2 · 3 · 4 operations and (6 + 12 + 8) · 4 bytes, a quarter of the time in the first kernel.
  EXPECT_EQ(int_of(l.trace, node_named(l.trace, "k1"), attr::num_ops, -1), 12);
  EXPECT_EQ(int_of(l.trace, node_named(l.trace, "k2"), attr::num_ops, -1), 36);
  EXPECT_EQ(int_of(l.trace, node_named(l.trace, "k1"), attr::tensor_size, -1), 26);
  EXPECT_EQ(int_of(l.trace, node_named(l.trace, "k2"), attr::tensor_size, -1), 78);
  EXPECT_EQ(l.report.estimated_nodes, 2U);
}

}  // namespace
}  // namespace convert::test
