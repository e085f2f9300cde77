// SPDX-License-Identifier: MIT
// Random programs, run on a small model of threads and streams, give consistent recordings. These tests check
// properties of all links, and random invalid data.
#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <random>
#include <set>

#include "link_builder.h"
#include "sanitized.h"

namespace convert::test {
namespace {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  std::int64_t below(std::int64_t n) {
    return static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(n));
  }
  bool once_in(std::int64_t n) { return below(n) == 0; }

 private:
  std::mt19937_64 engine_;
};

// Threads advance in the order of their times. Operations launched by a thread run on its stream in the order of
// the launches.
class Machine {
 public:
  Machine(std::uint64_t seed, std::int64_t unit_ns)
      : random_(seed),
        unit_(unit_ns),
        threads_(static_cast<std::size_t>(1 + random_.below(4))),
        streams_(static_cast<std::size_t>(1 + random_.below(4))),
        program_(threads_.size()) {
    for (std::size_t t = 0; t < threads_.size(); ++t) threads_[t].now = 1000 * unit_ + time(20);
  }

  Program& run(std::size_t steps) {
    for (std::size_t i = 0; i < steps; ++i) step();
    for (std::uint32_t t = 0; t < threads_.size(); ++t) {
      while (!threads_[t].open.empty()) end(t);
      begin(t);
      end(t);
    }
    write();
    return program_;
  }
  // Returns the time of all threads together, in ns, each from `first` to its end.
  [[nodiscard]] std::int64_t thread_time(std::int64_t first) const {
    std::int64_t sum = 0;
    for (const Thread& t : threads_) sum += t.now - first;
    return sum;
  }
  [[nodiscard]] const std::map<std::string, std::int64_t>& starts() const { return starts_; }

 private:
  struct Op {
    std::uint32_t thread = 0;
    std::size_t parent = 0;  // 1 + index
    std::int64_t start = 0, end = 0;
    std::int64_t forward_tid = 0;
  };
  struct Thread {
    std::int64_t now = 0;
    std::vector<std::size_t> open;  // into ops_
    std::int64_t forward_tid = 0;
  };
  struct Stream {
    std::int64_t free = 0;  // end of its last operation
    std::int64_t wait = 0;  // until then it waits for other streams
  };
  struct Record {
    std::int64_t ended = 0;
    std::size_t stream = 0;
    std::int64_t correlation = 0;
  };

  std::int64_t time(std::int64_t most) { return unit_ * random_.below(most); }
  std::int64_t number(std::size_t stream) const { return static_cast<std::int64_t>(stream) + 7; }

  void step() {
    std::uint32_t t = 0;
    for (std::uint32_t i = 1; i < threads_.size(); ++i) {
      if (threads_[i].now < threads_[t].now) t = i;
    }
    Thread& thread = threads_[t];
    switch (random_.below(12)) {
      case 0:
      case 1:
      case 2: begin(t); break;
      case 3:
      case 4:
      case 5:
        if (!thread.open.empty()) end(t);
        break;
      case 6:
      case 7: launch(t); break;
      case 8: synchronise(t); break;
      case 9: record_or_wait(t); break;
      case 10: hand_over(t); break;
      default: thread.now += time(10); break;
    }
    if (random_.once_in(2)) thread.now += time(5);
  }
  void begin(std::uint32_t t) {
    Thread& thread = threads_[t];
    if (thread.open.empty() && random_.once_in(3))
      thread.forward_tid = random_.below(static_cast<std::int64_t>(threads_.size()) + 1);
    ops_.push_back({t, thread.open.empty() ? 0 : thread.open.back() + 1, thread.now, 0, thread.forward_tid});
    thread.open.push_back(ops_.size() - 1);
  }
  void end(std::uint32_t t) {
    ops_[threads_[t].open.back()].end = threads_[t].now;
    threads_[t].open.pop_back();
  }
  void launch(std::uint32_t t) {
    Thread& thread = threads_[t];
    const std::int64_t start = thread.now;
    Profile::Call& call = program_.call(t, start, start + time(6));
    if (!thread.open.empty()) call.external_id = static_cast<std::int64_t>(thread.open.back());
    const bool blocking = random_.once_in(8);
    const std::int64_t kernels = random_.once_in(6) ? 1 + random_.below(5) : 1;
    std::int64_t last = start;
    for (std::int64_t k = 0; k < kernels; ++k) {
      const std::size_t s = static_cast<std::size_t>(random_.below(static_cast<std::int64_t>(streams_.size())));
      const std::int64_t begins = std::max({start + time(10), streams_[s].free, streams_[s].wait});
      const std::int64_t ends = begins + time(30);
      streams_[s].free = ends;
      const std::string name = "k" + std::to_string(devices_++);
      program_.device(number(s), begins, ends, name);
      starts_[name] = begins;
      last = std::max(last, ends);
    }
    std::int64_t returns = call.end_ns();
    if (blocking) {
      call.kind = CallKind::blocking;
      returns = std::max(returns, last + time(3));
      call.duration_ns = returns - start;
    }
    thread.now = returns;
  }
  void synchronise(std::uint32_t t) {
    Thread& thread = threads_[t];
    const std::int64_t kind = random_.below(3);
    const std::size_t s = static_cast<std::size_t>(random_.below(static_cast<std::int64_t>(streams_.size())));
    if (kind == 2 && records_.empty()) return;
    std::int64_t until = streams_[s].free;
    Record record;
    if (kind == 1) {
      for (const Stream& stream : streams_) until = std::max(until, stream.free);
    } else if (kind == 2) {
      record = records_[static_cast<std::size_t>(random_.below(static_cast<std::int64_t>(records_.size())))];
      until = record.ended;
    }
    const std::int64_t end = std::max(thread.now, until) + time(3);
    const CallKind kinds[] = {CallKind::stream_sync, CallKind::device_sync, CallKind::event_sync};
    program_.call(t, thread.now, end, kinds[kind]);
    if (!random_.once_in(3)) {
      if (kind == 2) {
        program_.sync(-1, number(record.stream), record.correlation);
      } else {
        program_.sync(kind == 0 ? number(s) : -1);
      }
    }
    thread.now = end;
  }
  void record_or_wait(std::uint32_t t) {
    Thread& thread = threads_[t];
    const std::size_t s = static_cast<std::size_t>(random_.below(static_cast<std::int64_t>(streams_.size())));
    const std::int64_t end = thread.now + time(2);
    if (records_.empty() || random_.once_in(2)) {
      program_.call(t, thread.now, end, CallKind::event_record);
      records_.push_back({streams_[s].free, s, program_.last_correlation()});
    } else {
      const Record& r =
          records_[static_cast<std::size_t>(random_.below(static_cast<std::int64_t>(records_.size())))];
      program_.call(t, thread.now, end, CallKind::stream_wait);
      if (!random_.once_in(4)) program_.sync(number(s), number(r.stream), r.correlation);
      streams_[s].wait = std::max(streams_[s].wait, r.ended);
    }
    thread.now = end;
  }
  // Another thread works for this one, which waits.
  void hand_over(std::uint32_t t) {
    const auto other = static_cast<std::uint32_t>(random_.below(static_cast<std::int64_t>(threads_.size())));
    Thread& worker = threads_[other];
    if (other == t || !worker.open.empty() || worker.now > threads_[t].now) return;
    worker.now = threads_[t].now;
    worker.forward_tid = t + 1;
    for (std::int64_t i = random_.below(6); i >= 0; --i) {
      begin(other);
      worker.now += time(4);
      if (random_.once_in(2)) launch(other);
      // Only if no other thread can begin before.
      const auto later = [&](const Thread& any) { return any.now >= worker.now; };
      if (random_.once_in(3) && std::all_of(threads_.begin(), threads_.end(), later)) synchronise(other);
      end(other);
      worker.now += time(3) * random_.below(2);
    }
    threads_[t].now = std::max(threads_[t].now, ops_.back().end) + time(2) * random_.below(2);
  }
  void write() {
    std::vector<NodeId> ids;
    for (std::size_t i = 0; i < ops_.size(); ++i) {
      const Op& op = ops_[i];
      const std::string name = "op" + std::to_string(i);
      const NodeId caller = op.parent == 0 ? 0 : ids[op.parent - 1];
      // Some operators are only in one of the two files; not the last of a thread, which determines its end.
      const std::int64_t which = i + threads_.size() < ops_.size() ? random_.below(12) : 12;
      if (which == 0) {
        ids.push_back(caller);
        starts_[name] = op.start;
        program_.event(op.thread, op.start, op.end, name);
      } else {
        ids.push_back(program_.op(op.thread, op.start, op.end, name,
                                  {.caller = caller,
                                   .forward_tid = op.forward_tid,
                                   .inputs = tensor(),
                                   .input_types = "['Tensor(float)']",
                                   .outputs = tensor()}));
        if (which == 1) {
          program_.profile().cpu_ops.pop_back();
          continue;
        }
        starts_[name] = op.start;
      }
      program_.profile().cpu_ops.back().external_id = static_cast<std::int64_t>(i);
    }
  }
  std::string_view tensor() {
    static constexpr std::string_view tensors[] = {"[]", "[[1, 2, 0, 4, 4, 'cuda:0']]",
                                                   "[[3, 4, 0, 4, 4, 'cuda:0']]",
                                                   "[[5, 6, 0, 4, 4, 'cuda:0'], [7, 2, 0, 4, 4, 'cuda:0']]"};
    return tensors[random_.below(4)];
  }

  Random random_;
  std::int64_t unit_;
  std::vector<Thread> threads_;
  std::vector<Stream> streams_;
  Program program_;
  std::vector<Op> ops_;
  std::vector<Record> records_;
  std::map<std::string, std::int64_t> starts_;
  int devices_ = 0;
};

// Properties of all links: every device operation once, parents before children.
void expect_sound(const LinkedTrace& l, const Profile& p) {
  std::vector<std::size_t> seen;
  std::size_t device = 0;
  for (const Node& n : l.trace.nodes.nodes) {
    device += int_of(l.trace, n, attr::is_cpu_op, 1) == 0 ? 1 : 0;
  }
  EXPECT_EQ(device, p.device_ops.size());
  EXPECT_EQ(l.report.kernel_nodes + l.report.memcpy_nodes + l.report.memset_nodes, p.device_ops.size());
  const auto begin = replayed(l.trace);
  EXPECT_EQ(std::count(begin.begin(), begin.end(), -1), 0);
}

// By stream in the order of their begins, each device operation depends on the preceding one.
void expect_streams_ordered(const Trace& t) {
  std::map<std::int64_t, NodeId> last;
  for (const Node& n : t.nodes.nodes) {
    if (int_of(t, n, attr::is_cpu_op, 1) != 0) continue;
    const auto [at, first] = last.try_emplace(int_of(t, n, attr::stream, -1), n.id);
    if (first) continue;
    const auto deps = t.nodes.data_deps(n);
    EXPECT_NE(std::find(deps.begin(), deps.end(), at->second), deps.end()) << n.id;
    EXPECT_LE(start_of(t, t.nodes.nodes[at->second]), start_of(t, n));
    at->second = n.id;
  }
}

std::vector<std::set<NodeId>> ancestors(const Trace& t) {
  std::vector<std::set<NodeId>> out(t.nodes.nodes.size());
  for (const Node& n : t.nodes.nodes) {
    for (const NodeId d : t.nodes.data_deps(n)) {
      out[n.id].insert(out[d].begin(), out[d].end());
      out[n.id].insert(d);
    }
  }
  return out;
}

class LinkProperties : public testing::TestWithParam<std::int64_t> {};

TEST_P(LinkProperties, WhatWasRecordedIsReplayedExactly) {
  for (std::uint64_t seed = 0; seed < test::rounds(4000U); ++seed) {
    Machine machine(seed, GetParam());
    Program& p = machine.run(20 + seed % 200);
    const LinkedTrace l = p.link({.data_deps = seed % 2 == 0});
    expect_sound(l, p.profile());
    expect_streams_ordered(l.trace);
    EXPECT_EQ(displaced(l.trace), Lines{});
    std::int64_t nodes_ns = 0, first = std::numeric_limits<std::int64_t>::max();
    std::size_t found = 0;
    for (const Node& n : l.trace.nodes.nodes) {
      first = std::min(first, start_of(l.trace, n));
      const auto start = machine.starts().find(std::string(l.trace.nodes.name(n)));
      if (start != machine.starts().end()) {
        ++found;
        EXPECT_EQ(start_of(l.trace, n), start->second) << start->first;
      }
      if (int_of(l.trace, n, attr::is_cpu_op, 0) != 0) nodes_ns += duration_of(l.trace, n);
    }
    EXPECT_EQ(found, machine.starts().size());
    // A thread that hands over work after its own last operator lasts until that work ends.
    const std::int64_t accounted = nodes_ns + static_cast<std::int64_t>(l.report.blocked_ns);
    EXPECT_GE(accounted, machine.thread_time(first));
    if (l.report.deps[static_cast<std::size_t>(DepRule::hand_over)] == 0) {
      EXPECT_EQ(accounted, machine.thread_time(first));
    }
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
  }
}

TEST_P(LinkProperties, ReductionKeepsWhatIsImplied) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Machine machine(seed, GetParam());
    Program& p = machine.run(20 + seed % 100);
    const LinkedTrace all = p.link(), reduced = p.link({.reduce = true});
    EXPECT_EQ(displaced(reduced.trace), Lines{});
    const auto implied = ancestors(all.trace);
    EXPECT_EQ(ancestors(reduced.trace), implied);
    std::uint64_t deps = 0;
    for (const Node& n : reduced.trace.nodes.nodes) {
      for (const NodeId d : reduced.trace.nodes.data_deps(n)) {
        ++deps;
        for (const NodeId other : reduced.trace.nodes.data_deps(n)) EXPECT_FALSE(implied[other].contains(d));
      }
    }
    EXPECT_EQ(std::accumulate(reduced.report.deps.begin(), reduced.report.deps.end(), std::uint64_t{0}), deps);
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
  }
}

TEST_P(LinkProperties, WithoutGapsEverythingIsThere) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Machine machine(seed, GetParam());
    Program& p = machine.run(20 + seed % 100);
    const LinkedTrace l = p.link({.keep_gaps = false});
    expect_sound(l, p.profile());
    expect_streams_ordered(l.trace);
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Units, LinkProperties, testing::Values(1, 1000));

// Random data in every field.
class Rubbish {
 public:
  explicit Rubbish(std::uint64_t seed) : random_(seed), huge_(random_.once_in(3)) {
    const std::int64_t threads = random_.below(5);
    program_.profile().threads.assign(static_cast<std::size_t>(threads), "t");
    for (std::int64_t i = random_.below(60); i > 0; --i) node();
    for (std::int64_t i = threads == 0 ? 0 : random_.below(60); i > 0; --i) event(threads);
    for (std::int64_t i = random_.below(40); i > 0; --i) device();
    for (std::int64_t i = random_.below(20); i > 0; --i) {
      Profile::Sync& s = program_.sync(stream(), stream(), id());
      s.correlation = id();
      s.device = random_.below(2);
    }
  }
  Program& program() { return program_; }
  LinkOptions options() {
    return {.keep_gaps = random_.once_in(2),
            .data_deps = random_.once_in(2),
            .reduce = random_.once_in(2),
            .metadata_nodes = random_.once_in(2),
            .list_unmatched = true};
  }

 private:
  std::int64_t id() {
    if (random_.once_in(20)) return std::numeric_limits<std::int64_t>::max() - random_.below(2);
    if (random_.once_in(20)) return std::numeric_limits<std::int64_t>::min() + random_.below(2);
    return random_.below(20) - 1;
  }
  std::int64_t stream() { return random_.once_in(10) ? id() : random_.below(3); }
  void times(Profile::Event& e) {
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    e.start_ns = huge_ && random_.once_in(2) ? most - random_.below(50) : random_.below(50);
    e.duration_ns = std::min(huge_ && random_.once_in(4) ? most : random_.below(30), most - e.start_ns);
    e.external_id = id();
  }
  std::string_view name() {
    static constexpr std::string_view names[] = {"a",
                                                 "b",
                                                 "record_param_comms",
                                                 "nccl:send 0->1",
                                                 "gloo:all_reduce",
                                                 "nccl:coalesced",
                                                 "## process_group:init ##",
                                                 "[pytorch|profiler|execution_trace|thread]",
                                                 "aten::mm",
                                                 "nccl:recv 1<-0"};
    return names[random_.below(static_cast<std::int64_t>(std::size(names)))];
  }
  std::string_view text() {
    static constexpr std::string_view texts[] = {"[]",
                                                 "[[1, 2, 0, 4, 4, 'cuda:0']]",
                                                 "[[9223372036854775807, 2, 0,",
                                                 "",
                                                 "['",
                                                 "[5, ['0', 'pg'], 0, 'send', [], [], 0, 1, 2]",
                                                 "[[[["};
    return texts[random_.below(static_cast<std::int64_t>(std::size(texts)))];
  }
  void node() {
    program_.node({.id = static_cast<NodeId>(id()),
                   .name = name(),
                   .caller = static_cast<NodeId>(id()),
                   .rf_id = id(),
                   .tid = random_.below(4),
                   .forward_tid = id(),
                   .sequence = id(),
                   .inputs = text(),
                   .input_types = text(),
                   .outputs = text(),
                   .output_types = text()});
    if (random_.once_in(3)) program_.set(attr::collective_name, name());
    if (random_.once_in(3)) program_.set(attr::in_msg_nelems, id());
    if (random_.once_in(3)) program_.set(attr::dtype, "Float");
  }
  void event(std::int64_t threads) {
    const auto thread = static_cast<std::uint32_t>(random_.below(threads));
    if (random_.once_in(2)) {
      Profile::CpuOp& op = program_.event(thread, 0, 0, name(), random_.once_in(4) ? -1 : id());
      times(op);
      op.sequence = id();
      op.forward_thread = id();
      op.annotation = random_.once_in(4);
      return;
    }
    Profile::Call& c = program_.call(thread, 0, 0, static_cast<CallKind>(random_.below(7)));
    times(c);
    c.correlation = id();
  }
  void device() {
    static constexpr std::string_view names[] = {"k", "ncclDevKernel_SendRecv", "ncclDevKernel_AllReduce"};
    Profile::DeviceOp& d = program_.device(stream(), 0, 0, names[random_.below(3)]);
    times(d);
    d.correlation = id();
    d.device = random_.once_in(5) ? id() : 0;
    d.kind = static_cast<DeviceOpKind>(random_.below(3));
  }

  Random random_;
  bool huge_;
  Program program_{0};
};

TEST(LinkRubbish, GivesASoundTrace) {
  for (std::uint64_t seed = 0; seed < test::rounds(4000U); ++seed) {
    Rubbish rubbish(seed);
    const LinkedTrace l = rubbish.program().link(rubbish.options());
    std::size_t device = 0;
    for (const Node& n : l.trace.nodes.nodes) {
      device += find(l.trace.nodes.attributes(n), attr::stream) != nullptr ? 1 : 0;
      EXPECT_EQ(n.id, static_cast<NodeId>(&n - l.trace.nodes.nodes.data()));
      for (const NodeId d : l.trace.nodes.data_deps(n)) EXPECT_LT(d, n.id);
      for (const NodeId d : l.trace.nodes.ctrl_deps(n)) EXPECT_LT(d, n.id);
    }
    // No event is lost, except omitted ones.
    const std::size_t left_out = l.report.window ? l.report.window->device_events : 0;
    EXPECT_GE(device + left_out, rubbish.program().profile().device_ops.size());
    EXPECT_GE(l.report.kernel_nodes + l.report.memcpy_nodes + l.report.memset_nodes + left_out,
              rubbish.program().profile().device_ops.size());
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
    (void)rubbish.program().link_host();
  }
}

}  // namespace
}  // namespace convert::test
