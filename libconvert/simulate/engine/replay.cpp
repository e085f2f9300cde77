// SPDX-License-Identifier: MIT
#include "simulate/engine/replay.h"

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <span>
#include <utility>

#include "simulate/astra/checks.h"
#include "simulate/engine/activity.h"
#include "simulate/engine/collective_exposure.h"
#include "simulate/engine/messages.h"
#include "simulate/engine/npu_events.h"
#include "simulate/engine/remote_memory.h"
#include "simulate/engine/timeline_recorder.h"
#include "simulate/report/collective_list.h"
#include "simulate/symmetry/symmetry.h"
#include "simulate/system/layer.h"
#include "util/huge_pages.h"

namespace convert {
namespace {

class Replayer final : private CollectiveListener {
  // What each event of an NPU touches.
  struct alignas(64) Npu {
    Activity activity{};
    const Op* ops = nullptr;
    std::uint8_t busy = 0;  // bit per Slot in use
    Picoseconds compute_ps = 0;
    Feeder feeder{};
  };

 public:
  // With a symmetry the program is reduced to its representatives.
  explicit Replayer(const ReplayProgram& program, const Equivalence* equivalence = nullptr)
      : program_(program),
        equivalence_(equivalence),
        network_(make_network(program.network, program.options.network, queue_)),
        npu_events_(queue_, program.ranks.size()),
        messages_(queue_, *network_, program.channels, program.ranks.size(), program.options.system->rendezvous),
        system_(program.model, program.groups, program.plans, program.customs,
                static_cast<Rank>(program.ranks.size()), queue_, npu_events_, messages_, *this),
        memory_(program.options.system->memory, npu_events_, static_cast<Rank>(program.ranks.size())),
        exposure_(program, equivalence),
        npus_(program.ranks.size()),
        has_slots_(program.options.issue == IssueMode::workload),
        waits_for_round_(has_slots_ && program.options.astra) {
    const NetworkOptions& network = program.options.network;
    result_.model = network.model;
    result_.ideal_network = program.network.ideal;
    if (network.model == NetworkModel::wires && !program.network.ideal)
      result_.forwarding = network.forwarding.value_or(Forwarding::switches);
    result_.issue = program.options.issue;
    result_.npus.resize(program.ranks.size());
    if (equivalence != nullptr) {
      const Symmetry& symmetry = equivalence->ranks;
      watch_.emplace(program.ranks.size(), !program.model.shared_bus);
      network_->reduce(program.network, symmetry, *watch_);
      messages_.reduce(symmetry, *watch_);
      npu_events_.note_origins(*watch_);
      system_.reduce(*watch_);
    }
    if (program.options.timeline) recorder_.emplace(program, result_.timeline);
    if (program.options.memory != MemoryTracking::off) {
      for (const RankProgram& r : program.ranks) spans_.emplace_back(r.code != nullptr ? r.code->ops.size() : 0);
    }
    observed_ = recorder_ || !spans_.empty();
  }

  // Also finds the causes of the start of node `target` (nothing: of the end of the replay). With `wanted` their
  // details.
  Replayer(const ReplayProgram& program, std::optional<ReplayProgram::Place> target,
           const std::vector<std::uint32_t>* wanted)
      : Replayer(program) {
    target_ = target;
    Causes& causes = wanted == nullptr ? causes_.emplace(queue_) : causes_.emplace(queue_, *wanted);
    npu_events_.note_causes(causes);
    messages_.note_causes(causes);
    network_->note_causes(causes);
    system_.note_causes(causes);
    memory_.note_causes(causes);
  }

  ReplayResult run() {
    for (Rank r = 0; r < program_.ranks.size(); ++r) {
      if (program_.ranks[r].code == nullptr) continue;  // another rank stands for it
      npus_[r].feeder = program_.ranks[r].code->feeder;
      npus_[r].ops = program_.ranks[r].code->ops.data();
      if (npus_[r].feeder.size() == 0) result_.npus[r].finish_ps = 0;
    }
    for (Rank r = 0; r < program_.ranks.size(); ++r) {
      issue(npus_[r], r);
    }
    if (!queue_.empty() && queue_.next_time() == 0) note_time_zero();
    const Picoseconds until = program_.options.until.value_or(std::numeric_limits<Picoseconds>::max());
    if (watch_) {
      while (!queue_.empty() && queue_.next_time() <= until && !watch_->broken()) handle_watched(queue_.pop());
    }
    while (!watch_ && !target_begun_ && (!queue_.empty() || offer_again()) && queue_.next_time() <= until) {
      prefetch();
      handle(queue_.pop());
    }
    finish();
    return std::move(result_);
  }

  // Whether what was found for the representatives holds for all.
  [[nodiscard]] bool symmetric() const { return watch_ && !watch_->broken(); }

  // The numbers of what led to the target; nothing if it never started. Of the first run with causes.
  [[nodiscard]] std::optional<std::vector<std::uint32_t>> chain() const {
    if (target_ && !target_begun_) return std::nullopt;
    return causes_->chain(last_cause_);
  }
  // Returns what the second one found.
  [[nodiscard]] Explanation explanation() const {
    const std::optional<Causes::Detail> target = target_ ? target_begun_ : std::nullopt;
    const Picoseconds at = target ? target->begin : result_.total_ps;
    return explain({program_, system_, *network_, causes_->details(), target, at});
  }

 private:
  void handle_watched(Event e) {
    if (e.kind() == event_npu) {
      watch_->touch_entry(npu_events_.npu(e.arg()), queue_.now(), e.arg());
    } else if (e.kind() == event_receive) {
      messages_.touch_late(e.arg());
    } else if (e.kind() == event_arrival) {
      watch_->current = messages_.pushed(e.arg());
    }
    handle(e);
  }
  void handle(Event e) {
    on_network_ = e.kind() != event_npu;
    switch (e.kind()) {
      case event_npu: npu_events_.run(e.arg(), [this](Rank npu, Waiter w) { fire(npu, w); }); break;
      case event_receive: fire(messages_.take_late(e.arg())); break;
      case event_arrival:
        if (causes_) causes_->arrives(e.arg());
        arrive(e.arg());
        break;
      default:
        if (const MessageToken m = network_->advance(e); m != no_message) arrive(m);
    }
  }

  void arrive(MessageToken m) {
    if (watch_) return arrive_watched(m);
    fire(messages_.sent(m));
    fire(messages_.arrive(m));
  }
  void arrive_watched(MessageToken m) {
    const Pushed pushed = watch_->current;
    messages_.touch_sender(m, pushed);
    fire(messages_.sent(m));
    messages_.touch_receiver(m, pushed);
    fire(messages_.arrive(m));
  }

  void fire(const Messages::Call& call) { fire(call.npu, call.waiter); }
  void fire(Rank npu, Waiter w) {
    if (watch_ && w.kind() != Waiter::phase_step && w.kind() != Waiter::phase_recv && w.kind() != Waiter::reduction)
      watch_->share();
    switch (w.kind()) {
      case Waiter::nobody: break;
      case Waiter::op: complete(npu, w.index(), w.end()); break;
      case Waiter::control_sent: messages_.control_sent(w.index()); break;
      case Waiter::control_recv: messages_.control_received(w.index()); break;
      case Waiter::memory:
        fire(npu, memory_.take(w.index()));
        memory_.go_on(w.index());
        break;
      default: system_.fire(npu, w);
    }
  }

  void collective_done(Rank npu, std::uint32_t op, std::uint32_t run) override {
    const std::uint32_t group = program_.plans[system_.runs()[run].call].call.group;
    exposure_.end(npu, op, run, group, npus_[npu].activity.without_compute(queue_.now()));
    complete(npu, op, npus_[npu].ops[op].end);
  }

  void complete(Rank r, std::uint32_t node, NodeEnd what) {
    Npu& npu = npus_[r];
    npu.busy &= static_cast<std::uint8_t>(~slot_bit(what.slot()));
    end(npu, r, node, what);
    if (causes_) causes_->node_ends(node);
    if (npu.feeder.free_nodes() != 0) issue(npu, r);
    if (causes_) causes_->freed();
  }

  // Books the end of a node and frees its children.
  void end(Npu& npu, Rank r, std::uint32_t node, NodeEnd what) {
    if (what.is_compute() && __builtin_add_overflow(npu.compute_ps, npu.ops[node].value, &npu.compute_ps))
      EventQueue::too_late();
    if (observed_) note_end(r, node);
    if (what.type() != OpType::invalid) npu.activity.end(Activity::kind_of(what.type(), what.slot()), queue_.now());
    result_.total_ps = queue_.now();
    if (causes_ && !target_) last_cause_ = causes_->current();
    if (what.is_leaf()) {
      npu.feeder.complete_leaf();
    } else if (what.to_child() != 0) {
      npu.feeder.complete_before(node + what.to_child());
    } else {
      npu.feeder.complete(npu.ops[node].children);
    }
    if (!npu.feeder.done()) return;
    result_.npus[r].finish_ps = queue_.now();
    if (program_.options.astra && on_network_ && has_unknown_to_statistics(*program_.ranks[r].code))
      result_.gaps.add(AstraGap::statistics);
  }

  // `unless`: what stops ASTRA-sim before, and leads to the same here.
  void note_gap(AstraGap gap, AstraGap unless) {
    if (!program_.gaps.has(unless)) result_.gaps.add(gap);
  }
  void note_time_zero() {
    if (program_.options.astra && program_.options.network.model != NetworkModel::wires)
      note_gap(AstraGap::time_zero, AstraGap::gathers_less_than_chunks);
  }

  void note_begin(Rank r, std::uint32_t node) {
    if (recorder_) recorder_->begin(r, node, queue_.now());
    if (!spans_.empty()) spans_[r][node].begin = queue_.now();
  }
  void note_end(Rank r, std::uint32_t node) {
    if (recorder_) recorder_->end(r, node, queue_.now());
    if (!spans_.empty()) spans_[r][node].end = queue_.now();
  }

  // An INVALID node ends at once. In ASTRA-sim what it frees waits for the next round; unless that would never
  // come, because nothing of this NPU is in flight.
  void issue(Npu& npu, Rank r) {
    const auto round = [&] { npu.feeder.issue([&](std::uint32_t node) { return try_issue(npu, r, node); }); };
    round();
    while (waits_for_round_ ? npu.feeder.free_nodes() != 0 && npu.feeder.in_flight() == 0
                            : npu.feeder.fresh_nodes() != 0) {
      if (waits_for_round_) note_gap(AstraGap::invalid_node, AstraGap::metadata_node);
      round();
    }
  }

  // When nothing is to come any more: what an INVALID node has freed need not wait for another end on its NPU.
  bool offer_again() {
    for (Rank r = 0; r < npus_.size(); ++r) {
      Feeder& feeder = npus_[r].feeder;
      std::uint32_t taken = 0;
      do {
        taken = feeder.completed() + feeder.in_flight();
        if (waits_for_round_ && feeder.fresh_nodes() != 0)
          note_gap(AstraGap::invalid_node, AstraGap::metadata_node);
        if (feeder.free_nodes() != 0) issue(npus_[r], r);
      } while (taken != feeder.completed() + feeder.in_flight());
    }
    return !queue_.empty();
  }

  bool try_issue(Npu& npu, Rank r, std::uint32_t node) {
    const Op& op = npu.ops[node];
    __builtin_prefetch(&op + 6);  // what comes soon
    npu.feeder.prefetch_after(node);
    if (watch_) npu_events_.note_offer(r);
    if (has_slots_ && (npu.busy & slot_bit(op.slot)) != 0) return false;
    if (causes_) begin_node(r, node);
    if (observed_) note_begin(r, node);
    if (op.type != OpType::invalid) npu.activity.begin(Activity::kind_of(op.type, op.slot), queue_.now());
    if (has_slots_ && op.type != OpType::invalid && op.slot != Slot::recv) npu.busy |= slot_bit(op.slot);
    const Waiter done{Waiter::op, node, op.end};
    switch (op.type) {
      case OpType::invalid:
        if (watch_ && waits_for_round_) watch_->deferred(r, queue_.now());
        end(npu, r, node, op.end);
        break;
      case OpType::timed: npu_events_.add(r, op.value, done); break;
      case OpType::memory: memory_.access(r, op.value, done); break;
      case OpType::send:
        if (watch_) {
          messages_.send(op.channel, done);
        } else {
          messages_.send(op.channel, done, r, op.peer, op.value, 0);
        }
        break;
      case OpType::recv: messages_.receive(op.channel, r, done); break;
      case OpType::collective:
        exposure_.begin(r, node, npu.activity.without_compute(queue_.now()));
        if (watch_) watch_->begins_collective = true;
        if (const CollectiveRun* other = system_.start(r, op.channel, node, op.peer))  // never starts
          refused_.push_back({r, node, static_cast<std::uint32_t>(other - system_.runs().data())});
        if (watch_) watch_->begins_collective = false;
        break;
    }
    if (causes_) causes_->node_started();
    return true;
  }

  void begin_node(Rank r, std::uint32_t node) {
    causes_->node_starts(r, node);
    if (!target_ || target_begun_ || target_->rank != r || target_->node != node) return;
    last_cause_ = causes_->current();
    target_begun_ = causes_->detail(Causes::Kind::work);
  }

  // Messages and their channels lie anywhere: they can be on their way while the events before theirs run.
  [[gnu::always_inline]] void prefetch() const {
    if (const Event* e = queue_.upcoming(12); e != nullptr && e->kind() == event_arrival)
      messages_.prefetch(e->arg());
    if (const Event* e = queue_.upcoming(8); e != nullptr && e->kind() == event_arrival)
      messages_.prefetch_channel(e->arg());
  }

  // Only ASTRA-sim gives an NPU one communication at a time.
  [[nodiscard]] std::uint8_t slot_bit(Slot slot) const {
    if (slot == Slot::communication && !program_.options.astra) return 0;
    return static_cast<std::uint8_t>(1U << static_cast<unsigned>(slot));
  }

  // What nodes that still compute have done.
  void book_unended() {
    npu_events_.for_each([this](Rank r, Picoseconds end, Waiter w) {
      const Op* op = w.kind() == Waiter::op ? &npus_[r].ops[w.index()] : nullptr;
      if (op == nullptr || !op->is_compute) return;
      Picoseconds& compute = npus_[r].compute_ps;
      if (__builtin_add_overflow(compute, result_.reached_ps - (end - op->value), &compute)) EventQueue::too_late();
    });
  }

  void finish() {
    result_.reached_ps = queue_.now();
    if (!queue_.empty() && !target_begun_) result_.reached_ps = program_.options.until.value_or(queue_.now());
    if (!queue_.empty()) book_unended();
    bool all_done = true;
    for (Rank r = 0; r < program_.ranks.size(); ++r) {
      NpuResult& npu = result_.npus[r];
      const Feeder& feeder = npus_[r].feeder;
      npu.compute_ps = npus_[r].compute_ps;
      npu.times = npus_[r].activity.times(result_.reached_ps);
      npu.sends = messages_.sent_by(r).messages;
      npu.bytes_sent = messages_.sent_by(r).bytes;
      npu.nodes = feeder.size();
      npu.nodes_done = feeder.completed();
      all_done = all_done && feeder.done();
      if (!npu.finish_ps) continue;
      const bool subtracts = result_.issue != IssueMode::algorithm;
      npu.astra_exposed_ps = *npu.finish_ps - (subtracts ? npu.compute_ps : 0);
      npu.exposed_communication_ps =
          program_.options.astra ? npu.astra_exposed_ps : npu.times.communication - npu.times.overlap;
    }
    if (recorder_) recorder_->stop(result_.reached_ps);
    if (!spans_.empty()) add_peaks(program_, spans_, result_);
    if (program_.options.memory == MemoryTracking::trace) result_.spans = std::move(spans_);
    result_.collectives = list_collectives(program_, system_, exposure_, equivalence_);
    result_.wires = network_->wire_use(result_.reached_ps);
    result_.worst_port = network_->worst_port(result_.reached_ps);
    if (program_.options.astra && messages_.has_long_rendezvous()) result_.gaps.add(AstraGap::long_rendezvous);
    if (system_.stream_numbers_differ()) result_.gaps.add(AstraGap::uneven_group_use);
    if (!queue_.empty() || target_begun_) {
      result_.status = ReplayStatus::stopped;
    } else if (!all_done) {
      result_.status = ReplayStatus::deadlock;
    } else if (messages_.any_unclaimed()) {
      result_.status = ReplayStatus::unmatched;
    }
    if (watch_) return;  // all ranks are to be reported
    if (result_.status == ReplayStatus::deadlock || result_.status == ReplayStatus::unmatched) {
      std::vector<const Feeder*> feeders;
      for (const Npu& npu : npus_) feeders.push_back(&npu.feeder);
      result_.waits = report_waits({program_, std::move(feeders), messages_, system_, refused_});
    }
  }

  const ReplayProgram& program_;
  const Equivalence* equivalence_;
  ReplayResult result_;
  EventQueue queue_;
  std::unique_ptr<Network> network_;
  NpuEvents npu_events_;
  Messages messages_;
  SystemLayer system_;
  RemoteMemory memory_;
  CollectiveExposure exposure_;
  HugeVector<Npu> npus_;
  std::vector<RefusedCall> refused_;
  const bool has_slots_;
  const bool waits_for_round_;  // what an INVALID node has freed
  std::optional<TimelineRecorder> recorder_;
  std::optional<OrderWatch> watch_;
  std::optional<Causes> causes_;
  std::optional<ReplayProgram::Place> target_;
  std::optional<Causes::Detail> target_begun_;
  std::uint32_t last_cause_ = Causes::none;
  std::vector<NodeSpans> spans_;  // by rank, where local memory is tracked
  bool observed_ = false;
  bool on_network_ = true;  // what happens now is the network's doing, not an NPU's; the start counts as such
};

ReplayResult expand(ReplayResult result, const Symmetry& symmetry, const ReplayProgram& program) {
  std::vector<NpuResult> npus(program.ranks.size());
  for (Rank r = 0; r < npus.size(); ++r) npus[r] = result.npus[symmetry.representative(r)];
  result.npus = std::move(npus);
  result.classes = symmetry.classes();
  return result;
}

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

namespace {

std::optional<ReplayProgram::Place> find_target(const ReplayProgram& program) {
  const ExplainTarget& target = *program.options.explain;
  if (target.end) return std::nullopt;
  const auto no = [&](const std::string& what) {
    return usage_error("there is no " + what + std::to_string(target.rank) + " to explain");
  };
  if (target.rank >= program.ranks.size()) throw no("rank ");
  const RankCode& code = *program.ranks[target.rank].code;
  for (std::uint32_t node = 0; node < code.ops.size(); ++node) {
    if (code.id(node) == target.node) return ReplayProgram::Place{target.rank, node};
  }
  throw no("node " + std::to_string(target.node) + " of rank ");
}

// See Causes on why it runs twice.
ReplayResult run_explained(const ReplayProgram& program) {
  const std::optional<ReplayProgram::Place> target = find_target(program);
  std::optional<std::vector<std::uint32_t>> chain;
  {
    Replayer first(program, target, nullptr);
    ReplayResult result = first.run();
    const bool ended = result.status == ReplayStatus::complete || result.status == ReplayStatus::unmatched;
    if (target || ended) chain = first.chain();
    if (!chain) return result;
  }
  Replayer second(program, target, &*chain);
  ReplayResult result = second.run();
  result.explanation = second.explanation();
  return result;
}

ReplayResult run(const ReplayProgram& program) {
  if (program.options.explain) return run_explained(program);
  // Use of wires is counted for all NPUs.
  if (program.options.symmetry && !program.options.network.count_wires) {
    if (const std::optional<Equivalence> found = find_symmetry(program)) {
      const ReplayProgram reduced = reduce(program, *found);
      Replayer replayer(reduced, &*found);
      ReplayResult result = replayer.run();
      if (replayer.symmetric() && result.status != ReplayStatus::deadlock &&
          result.status != ReplayStatus::unmatched) {
        return expand(std::move(result), found->ranks, program);
      }
    }
  }
  return Replayer(program).run();
}

// Delays and sums that are too large have no line: the network is where they come from.
ReplayResult run_on_network(const ReplayProgram& program) {
  try {
    return run(program);
  } catch (const Error& e) {
    if (e.kind() != Error::Kind::input || !e.where().file.empty()) throw;
    throw input_error({.file = program.network.source}, e.what(), "network");
  }
}

}  // namespace

ReplayResult replay(const ReplayProgram& program) {
  ReplayResult result = run_on_network(program);
  result.gaps.add(program.gaps);
  if (program.options.astra) result.gaps.add(gaps_of(program.network, program.options.network.model));
  result.recorded_communication = program.options.recorded != Recorded::nothing;
  for (Rank r = 0; program.options.system->config.roofline && r < program.ranks.size(); ++r)
    result.npus[r].roofline = program.ranks[r].code->roofline;
  result.kinds = collective_kinds(program, program.options.bounds);
  return result;
}

std::optional<ReplayResult> replay(std::span<const Trace> traces, const NetworkConfig& network,
                                   const ReplayOptions& options, Diagnostics& diagnostics) {
  ReplayBuilder builder(network, options, diagnostics);
  for (const Trace& t : traces) builder.add(t);
  std::optional<ReplayProgram> program = builder.finish();
  if (!program) return std::nullopt;
  return replay(*program);
}

}  // namespace convert
