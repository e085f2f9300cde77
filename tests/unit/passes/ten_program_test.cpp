// SPDX-License-Identifier: MIT
// Schedule → Algorithm → traces: node by node, proved, and back to MSCCL-IR.
#include <gtest/gtest.h>

#include "common/expect_error.h"
#include "common/findings.h"
#include "passes/lower/export.h"
#include "passes/lower/lower.h"
#include "passes/provenance.h"
#include "passes/ten/algorithm.h"
#include "passes/ten/check.h"
#include "passes/ten/relays.h"
#include "passes/verify/verify.h"
#include "unit/passes/lowered.h"
#include "unit/passes/ten_builder.h"

namespace convert {
namespace {

using test::lower;
using test::ring;
using test::ScheduleMaker;
using Time = Schedule::Time;

Algorithm algorithm(const Schedule& s) {
  Diagnostics diagnostics;
  Schedule timed;
  const Flow flow = check_schedule(s, timed, diagnostics);
  for (const Diagnostic& d : diagnostics.all()) EXPECT_NE(d.severity, Severity::error) << format_diagnostic(d);
  return make_algorithm(s, timed, flow);
}

std::string proof(const StepGraph& p) {
  Diagnostics diagnostics;
  verify(p, {.dataflow = true, .collective = {}, .soft = Severity::error}, diagnostics);
  std::string out;
  for (const Diagnostic& d : diagnostics.all()) {
    // An order that exists only through other ranks gives a warning for protocols without fences.
    if (d.message.find("ordered only through other ranks") == std::string::npos) out += format_diagnostic(d) + "\n";
  }
  return out;
}
std::string proof(const std::vector<Trace>& traces) {
  Diagnostics diagnostics;
  return proof(make_step_graph(traces, diagnostics));
}

// One line per node, such as "0 send 0>1 tag 7 1000 B chunk 2 link 1 at 0-500 <- 3 after 2": id, sender and
// receiver, tag, size in bytes, chunk, link, begin and end in ps, data dependencies, control dependencies. A
// computation has operations, bytes and ns instead of an address; "-" is no value.
std::string program_text(const Trace& t) {
  std::string out;
  for (const Node& n : t.nodes.nodes) {
    const auto attrs = t.nodes.attributes(n);
    const auto value = [&](Name name) {
      const IntValue v = int_value(attrs, name);
      return v ? std::to_string(v.value) : std::string("-");
    };
    out += std::to_string(n.id) + ' ';
    if (n.type == NodeType::comp) {
      out += "comp " + value(attr::num_ops) + " ops " + value(attr::tensor_size) + " B " +
             value(attr::duration_nanos) + " ns";
    } else {
      out += (n.type == NodeType::comm_send ? "send " : "recv ") + value(attr::comm_src) + '>' +
             value(attr::comm_dst) + " tag " + value(attr::comm_tag) + ' ' + value(attr::comm_size) + " B";
    }
    out += " chunk " + value(attr::chunk_id) + " link " + value(attr::ten_link) + " at " +
           value(attr::ten_start_ps) + '-' + value(attr::ten_end_ps);
    if (n.data_deps.count > 0) out += " <-";
    for (const NodeId d : t.nodes.data_deps(n)) out += ' ' + std::to_string(d);
    if (n.ctrl_deps.count > 0) out += " after";
    for (const NodeId d : t.nodes.ctrl_deps(n)) out += ' ' + std::to_string(d);
    out += '\n';
  }
  return out;
}

ScheduleMaker star() {
  ScheduleMaker m(Collective::all_reduce, 3);
  m.wire(1, 0).wire(2, 0).wire(0, 1).wire(0, 2).chunk({}, {});
  m.reduce(1, 0, 0, 0, 1).reduce(2, 0, 0, 0, 1).move(0, 1, 0, 1, 2).move(0, 2, 0, 1, 2);
  return m;
}

TEST(TenProgram, AnAllReduceNodeByNode) {
  const Algorithm a = algorithm(star().s);
  EXPECT_TRUE(a.scheduled);
  EXPECT_EQ(a.collective, Collective::all_reduce);
  const std::vector<Trace> traces = lower(a);
  EXPECT_EQ(program_text(traces[0]),
            "0 recv 1>0 tag 0 1000 B chunk 0 link 0 at 0-1000000\n"
            "1 comp 250 ops 1000 B 0 ns chunk 0 link 0 at 0-1000000 <- 0\n"
            "2 recv 2>0 tag 1 1000 B chunk 0 link 1 at 0-1000000\n"
            "3 comp 250 ops 1000 B 0 ns chunk 0 link 1 at 0-1000000 <- 2\n"
            "4 send 0>1 tag 2 1000 B chunk 0 link 2 at 1000000-2000000 <- 1 3\n"
            "5 send 0>2 tag 3 1000 B chunk 0 link 3 at 1000000-2000000 <- 1 3\n");
  EXPECT_EQ(program_text(traces[1]),
            "0 send 1>0 tag 0 1000 B chunk 0 link 0 at 0-1000000\n"
            "1 recv 0>1 tag 2 1000 B chunk 0 link 2 at 1000000-2000000\n");
  EXPECT_EQ(proof(make_step_graph(a)), "");
  EXPECT_EQ(proof(traces), "");
}

TEST(TenProgram, TheOrderOnAWireIsAControlDependency) {
  ScheduleMaker m(Collective::broadcast, 3);
  m.wire(0, 1).wire(1, 2).chunk({0}, {}).chunk({0}, {});
  m.s.time = Time::order;
  m.move(0, 1, 1, 0, 0).move(0, 1, 0, 1, 0).move(1, 2, 0, 0, 0).move(1, 2, 1, 1, 0);
  const std::vector<Trace> traces = lower(algorithm(m.s));
  EXPECT_EQ(program_text(traces[1]),
            "0 recv 0>1 tag 0 1000 B chunk 1 link 0 at ---\n"
            "1 recv 0>1 tag 1 1000 B chunk 0 link 0 at ---\n"
            "2 send 1>2 tag 2 1000 B chunk 0 link 1 at --- <- 1\n"
            "3 send 1>2 tag 3 1000 B chunk 1 link 1 at --- <- 0 after 2\n");
  EXPECT_EQ(proof(traces), "");
}

TEST(TenProgram, SizesAndElementsAreThoseOfTheChunks) {
  ScheduleMaker m(Collective::reduce, 2);
  m.wire(1, 0).chunk({}, {0}).chunk({}, {0});
  m.s.chunks[1].bytes = 3;
  Algorithm a = algorithm(m.reduce(1, 0, 0, 0, 1).reduce(1, 0, 1, 1, 2).s);
  a.element_bytes = 2;
  const std::string root = program_text(lower(a)[0]);
  EXPECT_NE(root.find("comp 500 ops 1000 B 0 ns chunk 0"), std::string::npos) << root;
  EXPECT_NE(root.find("recv 1>0 tag 1 3 B"), std::string::npos) << root;
  EXPECT_NE(root.find("comp 1 ops 3 B 0 ns chunk 1"), std::string::npos) << root;
}

ScheduleMaker a2a() {
  ScheduleMaker m(Collective::all_to_all, 3);
  m.s.time = Time::order;
  m.wire(0, 1).wire(1, 2).wire(2, 0);
  m.chunk({0}, {1}).chunk({0}, {2}).chunk({1}, {2}).chunk({1}, {0}).chunk({2}, {0}).chunk({2}, {1});
  m.move(0, 1, 1, 0, 0).move(0, 1, 0, 1, 0).move(0, 1, 5, 2, 0);
  m.move(1, 2, 3, 0, 0).move(1, 2, 1, 1, 0).move(1, 2, 2, 2, 0);
  m.move(2, 0, 4, 0, 0).move(2, 0, 3, 1, 0).move(2, 0, 5, 2, 0);
  return m;
}

TEST(TenProgram, AnAllToAllGoesThroughScratchSpace) {
  const Algorithm a = algorithm(a2a().s);
  EXPECT_EQ(a.collective, Collective::all_to_all);
  EXPECT_EQ(a.gpus[1].s_chunks, 1);
  const std::vector<Trace> traces = lower(a);
  EXPECT_EQ(traces[0].nodes.nodes.size(), 6U) << "nothing but messages";
  EXPECT_EQ(proof(make_step_graph(a)), "");
  EXPECT_EQ(proof(traces), "");
}

TEST(TenProgram, UnevenOwnersAndRelaysAreCustom) {
  ScheduleMaker uneven(Collective::all_gather, 2);
  uneven.wire(0, 1).chunk({0}, {}).chunk({0}, {}).move(0, 1, 0, 0, 1).move(0, 1, 1, 1, 2);
  EXPECT_EQ(algorithm(uneven.s).collective, Collective::custom);
  ScheduleMaker relayed(Collective::all_gather, 3);
  relayed.s.relays = {1};
  relayed.wire(0, 1).wire(1, 2).wire(2, 1).wire(1, 0).chunk({0}, {}).chunk({2}, {});
  relayed.move(0, 1, 0, 0, 1).move(1, 2, 0, 1, 2).move(2, 1, 1, 0, 1).move(1, 0, 1, 1, 2);
  const Algorithm a = algorithm(relayed.s);
  EXPECT_EQ(a.collective, Collective::custom);
  EXPECT_EQ(claimed_collective(a), Collective::all_gather);
  EXPECT_EQ(a.ranks(), 3);
  EXPECT_EQ(proof(lower(a)), "");
  EXPECT_EQ(claimed_collective(algorithm(uneven.s)), Collective::custom);
}

TEST(TenProgram, PartsOfAGatherOrScatterStandInTheOrderOfTheRanks) {
  ScheduleMaker gather(Collective::gather, 3);  // its root has no chunk of its own, which leaves a free slot
  gather.wire(2, 1).wire(0, 1).chunk({2}, {1}).chunk({0}, {1, 0}).move(2, 1, 0, 0, 1).move(0, 1, 1, 0, 1);
  const Algorithm a = algorithm(gather.s);
  EXPECT_EQ(a.collective, Collective::gather);
  EXPECT_EQ(a.chunks, 3);
  EXPECT_EQ(proof(make_step_graph(a)), "");
  EXPECT_EQ(proof(lower(a)), "");
  ScheduleMaker scatter(Collective::scatter, 3);
  scatter.wire(0, 2).wire(0, 1).chunk({0}, {2}).chunk({0}, {0}).chunk({0}, {1});
  scatter.move(0, 2, 0, 0, 1).move(0, 1, 2, 0, 1);
  const Algorithm b = algorithm(scatter.s);
  EXPECT_EQ(b.chunks, 3);
  EXPECT_EQ(proof(lower(b)), "");
  scatter.chunk({0}, {1}).move(0, 1, 3, 1, 2);
  EXPECT_EQ(algorithm(scatter.s).collective, Collective::custom) << "rank 1 gets two, rank 2 one";
}

// A relay does not take part: sizes are shards of the other nodes' data.
TEST(TenProgram, AnAllToAllAroundARelay) {
  ScheduleMaker m(Collective::all_to_all, 4);
  m.s.relays = {1};
  m.wire(0, 1).wire(2, 1).wire(3, 1).wire(1, 0).wire(1, 2).wire(1, 3);
  std::uint32_t c = 0;
  for (const std::uint32_t a : {0U, 2U, 3U}) {
    for (const std::uint32_t b : {0U, 2U, 3U}) {
      if (a == b) continue;
      m.chunk({a}, {b}).move(a, 1, c, c, c + 1).move(1, b, c, c + 1, c + 2);
      ++c;
    }
  }
  const Algorithm a = algorithm(m.s);
  EXPECT_EQ(a.collective, Collective::custom);
  EXPECT_EQ(claimed_collective(a), Collective::all_to_all);
  EXPECT_EQ(a.chunks, 3) << "of the participants only";
  EXPECT_EQ(a.relays, std::vector<std::int32_t>{1});
  EXPECT_EQ(a.gpus[1].i_chunks, 0);
  EXPECT_EQ(a.gpus[2].i_chunks, 3);
  EXPECT_EQ(a.gpus[3].copies.size(), 1U) << "what it keeps";
  const std::vector<Trace> traces = lower(a);
  EXPECT_EQ(proof(traces), "");
  const Algorithm again = raise_algorithm(traces);
  EXPECT_EQ(claimed_collective(again), Collective::all_to_all);
  EXPECT_EQ(again.relays, a.relays);
  Algorithm wrong = a;
  wrong.steps[0].src_off = wrong.steps[0].dst_off = 2;
  EXPECT_NE(proof(lower(wrong)).find("[postcondition]"), std::string::npos);
}

// Ranks 0, 2 and 3 around relays 1 and 4, which each forward one partial sum. Chunks are not ordered by owner.
class AroundRelays {
 public:
  explicit AroundRelays(Collective c) : m_(c, 5) {
    m_.s.relays = {1, 4};
    for (const std::uint32_t n : {0U, 2U, 3U}) m_.wire(n, 1).wire(1, n).wire(n, 4).wire(4, n);
    using enum Collective;
    switch (c) {
      case all_gather:
        for (const std::uint32_t owner : {3U, 0U, 2U, 2U, 3U, 0U}) copy(owner, {});
        break;
      case broadcast:
        for (int k = 0; k < 2; ++k) copy(2, {});
        break;
      case gather:
        for (const std::uint32_t owner : {3U, 0U}) copy(owner, {2});
        break;
      case scatter:
        for (const std::uint32_t owner : {3U, 0U}) copy(2, {owner});
        break;
      case reduce:
        for (int k = 0; k < 2; ++k) sum(3, {3});
        break;
      case reduce_scatter:
        for (const std::uint32_t owner : {3U, 0U, 2U, 2U, 3U, 0U}) sum(owner, {owner});
        break;
      default:
        for (const std::uint32_t owner : {3U, 0U}) sum(owner, {});
    }
  }
  [[nodiscard]] const Schedule& schedule() const { return m_.s; }

 private:
  // From one to others; to all if the list is empty.
  void copy(std::uint32_t from, const std::vector<std::uint32_t>& to) {
    m_.chunk({from}, to);
    deliver(from, to);
    ++chunk_;
  }
  void sum(std::uint32_t at, const std::vector<std::uint32_t>& to) {
    m_.chunk({}, to);
    std::uint32_t over = 1;
    for (const std::uint32_t n : {0U, 2U, 3U}) {
      if (n == at) continue;
      go(n, over, Schedule::Op::copy);
      go(over, at, Schedule::Op::reduce);
      over = 4;
    }
    if (to.empty()) deliver(at, to);
    ++chunk_;
  }
  void deliver(std::uint32_t from, const std::vector<std::uint32_t>& to) {
    go(from, 1, Schedule::Op::copy);
    for (const std::uint32_t n : {0U, 2U, 3U}) {
      if (n != from && (to.empty() || n == to[0])) go(1, n, Schedule::Op::copy);
    }
  }
  void go(std::uint32_t from, std::uint32_t to, Schedule::Op op) {
    m_.move(from, to, chunk_, time_, time_ + 1, op);
    ++time_;
  }

  ScheduleMaker m_;
  std::uint32_t chunk_ = 0;
  int time_ = 0;
};

TEST(TenProgram, WhatRanksAroundARelayEndWithIsProved) {
  using enum Collective;
  for (const Collective c : {all_gather, broadcast, gather, scatter, reduce, reduce_scatter, all_reduce}) {
    SCOPED_TRACE(name(c));
    const Algorithm sound = algorithm(AroundRelays(c).schedule());
    EXPECT_EQ(claimed_collective(sound), c);
    EXPECT_EQ(proof(lower(sound)), "");
    for (std::size_t i = 0; i < sound.steps.size(); ++i) {
      Algorithm a = sound;
      Step& s = a.steps[i];
      if (s.type == StepType::nop) continue;
      const std::int32_t offset = s.src_off + (s.src_off == 0 ? 1 : -1);
      if (reads_src(s.type)) s.src_off = offset;
      if (writes_dst(s.type)) s.dst_off = offset;
      EXPECT_NE(proof(lower(a)).find("[postcondition]"), std::string::npos) << i << proof(lower(a));
    }
  }
}

TEST(TenProgram, RelaysThatAreNoneAndPlacesThatLack) {
  const Algorithm sound = algorithm(AroundRelays(Collective::all_gather).schedule());
  for (const std::vector<std::int32_t>& relays :
       {std::vector{4, 1}, std::vector{1, 1}, std::vector{-1, 4}, std::vector{1, 5}, std::vector{1, INT32_MAX},
        std::vector{0, 1, 2, 3, 4}}) {
    Algorithm a = sound;
    a.relays = relays;
    const Error e = test::thrown_error([&] { (void)proof(lower(a)); });
    EXPECT_STREQ(e.what(), "ten.relays in the metadata must be some, not all, of the 5 ranks in ascending order");
  }
  Algorithm large = sound;
  large.chunks = INT32_MAX - INT32_MAX % 3;
  EXPECT_NE(proof(lower(large)).find("all_gather: rank 0 has room for 6 chunks, but must end with 2147483646"),
            std::string::npos)
      << proof(lower(large));
}

TEST(TenRelays, ThoseThatCarryNothingGo) {
  auto m = a2a();
  EXPECT_FALSE(has_idle_relays(m.s));
  ScheduleMaker wide(Collective::broadcast, 5);
  wide.s.relays = {0, 2, 4};
  wide.wire(1, 2).wire(2, 3).wire(3, 4).chunk({1}, {3}).move(1, 2, 0, 0, 1).move(2, 3, 0, 1, 2);
  ASSERT_TRUE(has_idle_relays(wide.s));
  const Schedule s = without_idle_relays(wide.s);
  EXPECT_EQ(s.nodes, 3U);
  EXPECT_EQ(s.relays, std::vector<std::uint32_t>{1});
  EXPECT_EQ(s.wires.size(), 2U);
  EXPECT_EQ(s.transfers[1].dst, 2U);
  EXPECT_EQ(listed(s, s.chunks[0].post)[0], 2U);
}

// Chunks need not start in the order of their owners.
TEST(TenProgram, ChunksLieWhereTheCollectiveWantsThem) {
  auto m = ring(Collective::all_gather, 2);
  m.chunk({1}, {}).chunk({0}, {}).chunk({0}, {}).chunk({1}, {});
  m.move(1, 0, 0, 0, 1).move(0, 1, 1, 0, 1).move(0, 1, 2, 1, 2).move(1, 0, 3, 1, 2);
  const Algorithm a = algorithm(m.s);
  EXPECT_EQ(a.collective, Collective::all_gather);
  EXPECT_EQ(proof(make_step_graph(a)), "");
}

TEST(TenProgram, ARedundantCopyGoesWhereNobodyLooks) {
  ScheduleMaker m(Collective::broadcast, 3);
  m.wire(0, 1).wire(0, 2).wire(2, 1).chunk({0}, {});
  m.move(0, 1, 0, 0, 1).move(0, 2, 0, 0, 1).move(2, 1, 0, 1, 2);
  const Algorithm a = algorithm(m.s);
  EXPECT_EQ(a.gpus[1].s_chunks, 1);
  EXPECT_EQ(proof(lower(a)), "");
}

// A send that waits for only one of the two reductions.
TEST(TenProgram, AMissingDependencyIsARace) {
  Algorithm a = algorithm(star().s);
  for (Step& s : a.steps) {
    if (s.type == StepType::nop) s.deps = s.depid = -1;
  }
  EXPECT_NE(proof(make_step_graph(a)).find("[races]"), std::string::npos);
  EXPECT_NE(proof(lower(a)).find("[races]"), std::string::npos);
}

TEST(TenProgram, VeryManyChunksNeedNoPlacesWhereTheyNeverCome) {
  constexpr std::uint32_t nodes = 2048;
  ScheduleMaker m(Collective::custom, nodes);
  for (std::uint32_t n = 0; n < nodes; ++n) m.wire(n, (n + 1) % nodes).chunk({n}, {(n + 1) % nodes});
  for (std::uint32_t n = 0; n < nodes; ++n) m.move(n, (n + 1) % nodes, n, 0, 1);
  const Algorithm a = algorithm(m.s);
  EXPECT_EQ(a.gpus[5].i_chunks, 2);
  EXPECT_EQ(proof(make_step_graph(a)), "");
}

std::string limits_and_errors(const Algorithm& a) {
  Diagnostics diagnostics;
  check_structure(a, diagnostics);
  return test::findings_text(diagnostics) + proof(make_step_graph(a));
}

TEST(TenExport, SumsGetAnOrder) {
  const Algorithm a = algorithm(star().s);
  Diagnostics diagnostics;
  const Algorithm out = runnable(a, diagnostics);
  EXPECT_FALSE(out.scheduled);
  EXPECT_EQ(diagnostics.all().size(), 0U);
  EXPECT_EQ(limits_and_errors(out), "");
  EXPECT_EQ(out.steps[1].type, StepType::rrc);
  EXPECT_EQ(out.steps[1].depid, 0);
  Algorithm unordered = a;
  unordered.scheduled = false;
  EXPECT_NE(limits_and_errors(unordered).find("[races]"), std::string::npos);
}

TEST(TenExport, TracesGiveTheSameProgram) {
  for (const Schedule& s : {star().s, a2a().s}) {
    const Algorithm a = algorithm(s);
    Diagnostics diagnostics;
    const Algorithm direct = runnable(a, diagnostics);
    const Algorithm raised = export_algorithm(lower(a), diagnostics);
    EXPECT_EQ(diagnostics.all().size(), 0U);
    EXPECT_EQ(limits_and_errors(raised), "");
    ASSERT_EQ(raised.steps.size(), direct.steps.size());
    for (std::size_t i = 0; i < raised.steps.size(); ++i) {
      EXPECT_EQ(raised.steps[i].type, direct.steps[i].type);
      EXPECT_EQ(raised.steps[i].depid, direct.steps[i].depid);
      EXPECT_EQ(raised.steps[i].deps, direct.steps[i].deps);
      EXPECT_EQ(raised.steps[i].hasdep, direct.steps[i].hasdep);
      EXPECT_EQ(raised.steps[i].dst_off, direct.steps[i].dst_off);
    }
  }
}

// Without threadblocks, only the actions of the nodes are known.
TEST(TenExport, EditedTracesAreScheduledAnew) {
  std::vector<Trace> traces = lower(algorithm(star().s));
  for (Trace& t : traces) {
    for (Node& n : t.nodes.nodes) {
      for (Attr& attribute : std::span(t.nodes.attrs).subspan(n.attrs.begin, n.attrs.count)) {
        if (attribute.name == attr::tb_id) attribute.name = Name(std::string_view("gone"));
      }
    }
  }
  Diagnostics diagnostics;
  const Algorithm out = export_algorithm(traces, diagnostics);
  EXPECT_FALSE(out.scheduled);
  EXPECT_EQ(proof(make_step_graph(out)), "");
}

TEST(TenExport, SizesThatAreLostAreTold) {
  ScheduleMaker m(Collective::broadcast, 2);
  m.wire(0, 1).chunk({0}, {}).chunk({0}, {});
  m.s.chunks[1].bytes = 10;
  Diagnostics diagnostics;
  (void)runnable(algorithm(m.move(0, 1, 0, 0, 1).move(0, 1, 1, 1, 2).s), diagnostics);
  ASSERT_EQ(diagnostics.all().size(), 1U);
  EXPECT_EQ(format_diagnostic(diagnostics.all()[0]),
            "f: warning: MSCCL-IR has chunks of one size; the sizes of these chunks (10 to 1000 bytes) are dropped "
            "[sizes]");
}

// Chunks that are adjacent at both ends are one message; others are several, in their link order.
TEST(TenProgram, SetsAreMessagesOfNeighbours) {
  ScheduleMaker m(Collective::custom, 3);
  m.wire(0, 1).wire(1, 2);
  for (int c = 0; c < 4; ++c) m.chunk({0}, {1});
  m.move(0, 1, 0, 0, 2).with({1}).move(0, 1, 3, 2, 3).move(0, 1, 2, 3, 4).move(1, 2, 0, 4, 8).with({1, 3});
  const Algorithm a = algorithm(m.s);
  const std::vector<Trace> traces = lower(a);
  EXPECT_EQ(program_text(traces[0]),
            "0 send 0>1 tag 0 2000 B chunk 0 link 0 at 0-2000000\n"
            "1 send 0>1 tag 1 1000 B chunk 3 link 0 at 2000000-3000000 after 0\n"
            "2 send 0>1 tag 2 1000 B chunk 2 link 0 at 3000000-4000000 after 1\n");
  EXPECT_EQ(program_text(traces[1]),
            "0 recv 0>1 tag 0 2000 B chunk 0 link 0 at 0-2000000\n"
            "1 recv 0>1 tag 1 1000 B chunk 3 link 0 at 2000000-3000000\n"
            "2 recv 0>1 tag 2 1000 B chunk 2 link 0 at 3000000-4000000\n"
            "3 send 1>2 tag 3 2000 B chunk 0 link 1 at 4000000-8000000 <- 0 1\n"
            "4 send 1>2 tag 4 1000 B chunk 3 link 1 at 4000000-8000000 <- 0 1 after 3\n");
  EXPECT_EQ(proof(traces), "");
}

}  // namespace
}  // namespace convert
