// SPDX-License-Identifier: MIT
#include "simulate/replay.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include "simulate/npu_events.h"

namespace convert {
namespace {

// Receives that were posted before their message came, per channel in order; or messages that came first.
class Matcher {
 public:
  explicit Matcher(std::size_t channels) : channels_(channels) {}

  // True if a message lies ready; it is taken then.
  bool post(std::uint32_t channel, std::uint32_t op) {
    State& c = channels_[channel];
    if (c.unclaimed != 0) {
      --c.unclaimed;
      return true;
    }
    const std::uint32_t entry = new_entry();
    waiting_[entry].op = op;
    if (c.tail == 0) {
      waiting_[entry].next = entry;
    } else {
      waiting_[entry].next = waiting_[c.tail - 1].next;
      waiting_[c.tail - 1].next = entry;
    }
    c.tail = entry + 1;
    return false;
  }

  // The receive that takes the message which has arrived, or no_message.
  std::uint32_t arrive(std::uint32_t channel) {
    State& c = channels_[channel];
    if (c.tail == 0) {
      ++c.unclaimed;
      return no_message;
    }
    const std::uint32_t last = c.tail - 1;
    const std::uint32_t first = waiting_[last].next;
    waiting_[last].next = waiting_[first].next;
    if (first == last) c.tail = 0;
    unused_.push_back(first);
    return waiting_[first].op;
  }

  void prefetch(std::uint32_t channel) const {
    if (channel < channels_.size()) __builtin_prefetch(&channels_[channel]);
  }
  [[nodiscard]] bool any_unclaimed() const {
    return std::any_of(channels_.begin(), channels_.end(), [](const State& c) { return c.unclaimed != 0; });
  }
  [[nodiscard]] ReplayRemains remains(const ReplayProgram& program) const {
    ReplayRemains left{.program = program, .unclaimed = {}, .posted = {}};
    for (const State& c : channels_) {
      left.unclaimed.push_back(c.unclaimed);
      if (c.tail == 0) continue;
      std::uint32_t entry = c.tail - 1;
      do {
        entry = waiting_[entry].next;
        left.posted.push_back(waiting_[entry].op);
      } while (entry != c.tail - 1);
    }
    return left;
  }

 private:
  struct State {
    std::uint32_t tail = 0;  // 1 + last entry of a circular list of posted receives
    std::uint32_t unclaimed = 0;
  };
  struct Entry {
    std::uint32_t op;
    std::uint32_t next;
  };
  std::uint32_t new_entry() {
    if (unused_.empty()) {
      waiting_.emplace_back();
      return static_cast<std::uint32_t>(waiting_.size() - 1);
    }
    const std::uint32_t entry = unused_.back();
    unused_.pop_back();
    return entry;
  }

  std::vector<State> channels_;
  std::vector<Entry> waiting_;
  std::vector<std::uint32_t> unused_;
};

// Begin times and message numbers, kept for a timeline only.
class TimelineRecorder {
 public:
  TimelineRecorder(const ReplayProgram& program, Timeline& timeline)
      : program_(program),
        timeline_(timeline),
        begin_(program.ops.size()),
        sent_(program.channels.size()),
        posted_(program.channels.size()),
        flow_(program.ops.size()) {}

  void begin(std::uint32_t index, Picoseconds now) {
    const Op& op = program_.ops[index];
    begin_[index] = now;
    if (op.type == OpType::send) flow_[index] = ++sent_[op.channel];
    if (op.type == OpType::recv) flow_[index] = ++posted_[op.channel];
  }

  void end(std::uint32_t index, Picoseconds now) {
    const Op& op = program_.ops[index];
    const RankProgram& rank = program_.ranks[op.rank];
    const std::uint32_t node = index - rank.first_op;
    Slice s{.rank = op.rank, .lane = lane_of(op), .begin_ps = begin_[index], .end_ps = now, .node = rank.id(node)};
    s.name = timeline_.add_text(rank.node_name(node));
    if (op.type == OpType::send || op.type == OpType::recv) {
      s.bytes = op.value;
      s.peer = op.peer;
      s.flow = (std::uint64_t{op.channel} << 32) + flow_[index];
    }
    timeline_.slices.push_back(s);
  }

 private:
  static Lane lane_of(const Op& op) {
    switch (op.type) {
      case OpType::send: return Lane::send;
      case OpType::recv: return Lane::recv;
      case OpType::memory: return op.slot == Slot::cpu ? Lane::cpu : Lane::memory;
      case OpType::invalid:
      case OpType::compute: break;
    }
    return op.slot == Slot::cpu ? Lane::cpu : Lane::compute;
  }

  const ReplayProgram& program_;
  Timeline& timeline_;
  std::vector<Picoseconds> begin_;
  std::vector<std::uint32_t> sent_;  // by channel
  std::vector<std::uint32_t> posted_;
  std::vector<std::uint32_t> flow_;  // by op: its number within the channel, from 1
};

class Replayer {
  // What each event of an NPU touches, in one cache line.
  struct alignas(64) Npu {
    Feeder* feeder = nullptr;
    std::uint32_t first_op = 0;
    std::uint8_t busy = 0;  // bit per Slot in use
    Picoseconds compute_ps = 0;
    std::uint64_t sends = 0;
    std::int64_t bytes_sent = 0;
  };

 public:
  explicit Replayer(ReplayProgram& program)
      : program_(program),
        network_(make_network(program.network, program.options.model, queue_)),
        npu_events_(queue_, program.ranks.size()),
        matcher_(program.channels.size()),
        npus_(program.ranks.size()),
        has_slots_(program.options.issue == IssueMode::workload) {
    result_.model = program.options.model;
    result_.issue = program.options.issue;
    result_.npus.resize(program.ranks.size());
    if (program.options.timeline) recorder_.emplace(program, result_.timeline);
  }

  ReplayResult run() {
    for (Rank r = 0; r < program_.ranks.size(); ++r) {
      program_.ranks[r].feeder.reset();
      npus_[r].feeder = &program_.ranks[r].feeder;
      npus_[r].first_op = program_.ranks[r].first_op;
      if (program_.ranks[r].feeder.size() == 0) result_.npus[r].finish_ps = 0;
    }
    for (Rank r = 0; r < program_.ranks.size(); ++r) issue(npus_[r], r);
    const Picoseconds until = program_.options.until.value_or(std::numeric_limits<Picoseconds>::max());
    while (!queue_.empty() && queue_.next_time() <= until) {
      prefetch();
      handle(queue_.pop());
    }
    finish();
    return std::move(result_);
  }

 private:
  void handle(const Event& e) {
    switch (e.kind) {
      case event_npu: npu_events_.run(e.arg, [this](std::uint32_t op) { complete(op); }); break;
      case event_receive: complete(e.arg); break;
      case event_arrival: arrive(e.arg); break;
      default:
        if (const MessageToken m = network_->advance(e); m != no_message) arrive(m);
    }
  }

  // The send ends, then the receive if one is posted, both in this tick.
  void arrive(std::uint32_t send) {
    const std::uint32_t channel = program_.ops[send].channel;
    complete(send);
    if (const std::uint32_t recv = matcher_.arrive(channel); recv != no_message) complete(recv);
  }

  void complete(std::uint32_t index) {
    const Op& op = program_.ops[index];
    Npu& npu = npus_[op.rank];
    npu.busy &= static_cast<std::uint8_t>(~slot_bit(op));
    end(op, index, npu);
    issue(npu, op.rank);
  }

  // Books the end of a node and frees its children.
  void end(const Op& op, std::uint32_t index, Npu& npu) {
    if (op.type == OpType::compute && op.slot == Slot::compute &&
        __builtin_add_overflow(npu.compute_ps, op.value, &npu.compute_ps)) {
      EventQueue::too_late();
    }
    if (recorder_) recorder_->end(index, queue_.now());
    result_.total_ps = queue_.now();
    npu.feeder->complete(index - npu.first_op);
    __builtin_prefetch(&op + 5);
    npu.feeder->prefetch_after(index - npu.first_op);
    if (npu.feeder->done()) result_.npus[op.rank].finish_ps = queue_.now();
  }

  // An INVALID node ends at once. In a workload, as in ASTRA-sim, what it frees waits for the next round; unless
  // that would never come, because nothing of this NPU is in flight.
  void issue(Npu& npu, Rank r) {
    do {
      npu.feeder->issue([&](std::uint32_t node) { return try_issue(npu, r, node); });
    } while (npu.feeder->free_nodes() != 0 && (!has_slots_ || npu.feeder->in_flight() == 0));
  }

  bool try_issue(Npu& npu, Rank r, std::uint32_t node) {
    const std::uint32_t index = npu.first_op + node;
    const Op& op = program_.ops[index];
    if (has_slots_ && (npu.busy & slot_bit(op)) != 0) return false;
    if (recorder_) recorder_->begin(index, queue_.now());
    switch (op.type) {
      case OpType::invalid: end(op, index, npu); return true;
      case OpType::compute:
      case OpType::memory: npu_events_.add(r, op.value, index); break;
      case OpType::send:
        ++npu.sends;
        if (__builtin_add_overflow(npu.bytes_sent, op.value, &npu.bytes_sent))
          throw Error("an NPU sends 2^63 bytes or more");
        network_->send(r, op.peer, op.value, index);
        break;
      case OpType::recv:
        if (matcher_.post(op.channel, index)) queue_.push_after(0, index, event_receive);
        return true;
    }
    if (has_slots_) npu.busy |= slot_bit(op);
    return true;
  }

  // Memory is touched far and wide, event after event; what the next ones need can be on its way meanwhile.
  void prefetch() const {
    if (const Event* e = queue_.upcoming(8)) {
      if (e->kind <= event_arrival) __builtin_prefetch(&program_.ops[op_of(*e)]);
    }
    if (const Event* e = queue_.upcoming(5)) {
      if (e->kind > event_arrival) return;
      const Op& op = program_.ops[op_of(*e)];
      prefetch_npu(op.rank);
      if (op.type == OpType::send) prefetch_npu(op.peer);
      matcher_.prefetch(op.channel);
    }
    if (const Event* e = queue_.upcoming(2)) {
      if (e->kind > event_arrival) return;
      const std::uint32_t index = op_of(*e);
      const Npu& npu = npus_[program_.ops[index].rank];
      npu.feeder->prefetch(index - npu.first_op);
    }
  }
  void prefetch_npu(Rank r) const {
    __builtin_prefetch(&npus_[r]);
    __builtin_prefetch(&program_.ranks[r].feeder);
    __builtin_prefetch(reinterpret_cast<const char*>(&program_.ranks[r].feeder) + 64);
  }
  [[nodiscard]] std::uint32_t op_of(const Event& e) const {
    return e.kind == event_npu ? npu_events_.first(e.arg) : e.arg;
  }

  static std::uint8_t slot_bit(const Op& op) {
    return static_cast<std::uint8_t>(1U << static_cast<unsigned>(op.slot));
  }

  void finish() {
    bool all_done = true;
    for (Rank r = 0; r < program_.ranks.size(); ++r) {
      NpuResult& npu = result_.npus[r];
      const Feeder& feeder = program_.ranks[r].feeder;
      npu.compute_ps = npus_[r].compute_ps;
      npu.sends = npus_[r].sends;
      npu.bytes_sent = npus_[r].bytes_sent;
      npu.nodes = feeder.size();
      npu.nodes_done = feeder.completed();
      all_done = all_done && feeder.done();
      if (!npu.finish_ps) continue;
      npu.exposed_communication_ps = *npu.finish_ps - (result_.issue == IssueMode::workload ? npu.compute_ps : 0);
    }
    if (!queue_.empty()) {
      result_.status = ReplayStatus::stopped;
    } else if (!all_done) {
      result_.status = ReplayStatus::deadlock;
    } else if (matcher_.any_unclaimed()) {
      result_.status = ReplayStatus::unmatched;
    }
    if (result_.status == ReplayStatus::deadlock || result_.status == ReplayStatus::unmatched) {
      result_.waits = report_waits(matcher_.remains(program_));
    }
  }

  ReplayProgram& program_;
  ReplayResult result_;
  EventQueue queue_;
  std::unique_ptr<Network> network_;
  NpuEvents npu_events_;
  Matcher matcher_;
  std::vector<Npu> npus_;
  const bool has_slots_;
  std::optional<TimelineRecorder> recorder_;
};

}  // namespace

std::string_view name(ReplayStatus status) {
  switch (status) {
    case ReplayStatus::complete: return "complete";
    case ReplayStatus::unmatched: return "unmatched";
    case ReplayStatus::deadlock: return "deadlock";
    case ReplayStatus::stopped: return "stopped";
  }
  return "";
}

ReplayResult replay(ReplayProgram& program) { return Replayer(program).run(); }

std::optional<ReplayResult> replay(std::span<const Trace> traces, const NetworkConfig& network,
                                   const ReplayOptions& options, Diagnostics& diagnostics) {
  ReplayBuilder builder(network, options, diagnostics);
  for (const Trace& t : traces) builder.add(t);
  std::optional<ReplayProgram> program = builder.finish();
  if (!program) return std::nullopt;
  return replay(*program);
}

}  // namespace convert
