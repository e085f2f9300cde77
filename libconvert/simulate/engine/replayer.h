// SPDX-License-Identifier: MIT
// Event loop of a replay; for replay.cpp only. Implements the actions of each NPU at the end of an activity.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "simulate/astra/checks.h"
#include "simulate/engine/activity.h"
#include "simulate/engine/collective_exposure.h"
#include "simulate/engine/messages.h"
#include "simulate/engine/node_recorder.h"
#include "simulate/engine/npu_events.h"
#include "simulate/engine/observer.h"
#include "simulate/engine/remote_memory.h"
#include "simulate/engine/replay.h"
#include "simulate/engine/waiting_in_calls.h"
#include "simulate/system/layer.h"
#include "util/huge_pages.h"

namespace convert {

template <class Observer, class Recorder>
class Replayer final : private CollectiveListener {
  // Data that each event of an NPU accesses, mostly in four cache lines.
  struct alignas(64) Npu {
    Feeder feeder{};  // two cache lines
    Activity activity{};
    const Op* ops = nullptr;
    LineArray<const LinkedMessage> messages{};
    const std::uint32_t* plans = nullptr;  // by call
    Picoseconds compute_ps = 0;
    std::uint8_t busy = 0;                 // bit per Slot in use
    const ScheduledWay* way_of = nullptr;  // by node; null: no routes
  };

 public:
  // Prepares a replay of `program`, which must outlive this; ranks without code do not run. `of_observer` are
  // constructor arguments of the observer after the queue.
  template <typename... OfObserver>
  explicit Replayer(const LinkedProgram& program, OfObserver&&... of_observer)
      : program_(program),
        observer_(queue_, std::forward<OfObserver>(of_observer)...),
        recorder_(program, result_),
        network_(make_network(program.network, program.options.network, queue_, observer_)),
        npu_events_(queue_, program.ranks.size(), observer_),
        messages_(queue_, *network_, program, program.options.system->rendezvous, observer_),
        system_(program, queue_, npu_events_, messages_, *this, observer_),
        launch_(program_launch(program)),
        memory_(program.options.system->memory, static_cast<Rank>(program.ranks.size())),
        exposure_(program.ranks.size()),
        waits_for_(program.nodes_by_rank()),
        npus_(program.ranks.size()),
        has_slots_(program.options.issue == IssueMode::workload),
        has_streams_(!program.plans.empty()),
        waits_for_round_(has_slots_ && program.rules.invalid_nodes_free_in_next_round()),
        waits_communicate_(program.rules.all_but_computation_is_exposed()) {
    result_.npus.resize(program.ranks.size());
    if (!program.turns.empty()) network_->use_turns(program.turns);
    if (program.options.traffic) messages_.count_in(traffic_);
    if (system_.runs_whole_rings()) touched_.resize(program.ranks.size());
  }

  ReplayOutcome run() {
    for (Rank r = 0; r < program_.ranks.size(); ++r) {
      if (program_.ranks[r].code == nullptr) continue;  // represented by another rank
      npus_[r].feeder = Feeder(program_.ranks[r].code->feeder, waits_for_[r]);
      npus_[r].ops = program_.ranks[r].code->ops.data();
      npus_[r].messages = program_.messages[r];
      npus_[r].plans = program_.ranks[r].plans->data();
      if (program_.ranks[r].way_of != nullptr) npus_[r].way_of = program_.ranks[r].way_of->data();
      if (npus_[r].feeder.size() == 0) result_.npus[r].finish_ps = 0;
    }
    for (Rank r = 0; r < program_.ranks.size(); ++r) {
      issue(npus_[r], r);
    }
    if ((!queue_.empty() && queue_.next_time() == 0) || system_.began_at_zero()) note_time_zero();
    const Picoseconds until = program_.options.until.value_or(std::numeric_limits<Picoseconds>::max());
    while (!observer_.stops() && !order_is_open() && (queue_.ready() || (offer_again() && queue_.ready())) &&
           queue_.next_time() <= until) {
      prefetch();
      handle(queue_.take());
    }
    finish();
    return {std::move(result_), exposure_.list(program_, system_.runs())};
  }

  [[nodiscard]] const LinkedProgram& program() const { return program_; }
  // Returns whether the replay has ended early and must be run again with each message of rings. Possible only if
  // rings are run as wholes; otherwise the check is one test per event.
  [[nodiscard]] bool order_is_open() const {
    return !touched_.empty() && (order_is_open_ || system_.order_is_open());
  }
  [[nodiscard]] const Observer& observer() const { return observer_; }
  [[nodiscard]] const SystemState& system() const { return system_; }
  [[nodiscard]] const Network& network() const { return *network_; }
  // Returns the wait report of a run that could not continue.
  [[nodiscard]] WaitReport waits() const {
    std::vector<const Feeder*> feeders;
    for (const Npu& npu : npus_) feeders.push_back(&npu.feeder);
    std::vector<HeldSend> held;
    for (const HeldMessage& m : network_->held()) {
      const auto sender = messages_.sender(m.message);
      held.push_back({sender.npu, sender.waiter, m});
    }
    return report_waits({program_, std::move(feeders), messages_, system_, refused_, std::move(held)});
  }

 private:
  void handle(Event e) {
    on_network_ = e.kind() != event_npu;
    switch (e.kind()) {
      case event_npu:
        touch(npu_events_.npu_of(e.arg()), own_events);
        npu_events_.run(e.arg(), [this](Rank npu, Waiter w) { fire(npu, w); });
        if constexpr (Observer::is_reduced) system_.run_closed();
        break;
      case event_receive: fire(messages_.take_late(e.arg())); break;
      case event_arrival:
        observer_.arrives(e.arg());
        arrive(e.arg());
        break;
      case event_last: system_.take_last(e.arg()); break;
      case event_sent: system_.send_last(e.arg()); break;
      case event_call:
        if (const auto call = network_->take_call(e.arg())) system_.end_call(*call);
        break;
      default:
        if (const MessageToken m = network_->advance(e); m != no_message) arrive(m);
    }
  }

  void arrive(MessageToken m) {
    const typename Messages<Observer>::Call sent = messages_.sent(m);
    if (sent.waiter.kind() != Waiter::nobody) touch(sent.npu, sent.npu);
    fire(sent);
    if (messages_.is_for_stream(m)) return system_.arrive(messages_.take(m));
    const typename Messages<Observer>::Call received = messages_.arrive(m);
    touch(received.npu, sent.npu);
    fire(received);
  }

  // Records that events of an NPU, or the end of a message from `source`, reach it now. If rings are run as wholes,
  // the order of simultaneous events is undetermined, except for messages of one source.
  void touch(Rank npu, Rank source) {
    if (touched_.empty()) return;
    Touch& last = touched_[npu];
    order_is_open_ = order_is_open_ || (last.time == queue_.now() && last.source != source);
    last = {queue_.now(), source};
  }

  void fire(const typename Messages<Observer>::Call& call) { fire(call.npu, call.waiter); }
  void fire(Rank npu, Waiter w) {
    observer_.fires(w);
    switch (w.kind()) {
      case Waiter::nobody: break;
      case Waiter::op: complete(npu, w.index(), w.end()); break;
      case Waiter::launch: begin_work(npus_[npu], npu, w.index()); break;
      case Waiter::control_sent: messages_.control_sent(w.index()); break;
      case Waiter::control_recv: messages_.control_received(w.index()); break;
      case Waiter::memory:
        fire(npu, memory_.take(w.index()));
        begin_access(memory_.go_on(w.index()));
        break;
      default: system_.fire(npu, w);
    }
  }

  void collective_called(Rank npu, std::uint32_t node, std::uint32_t run) override {
    if (waits_communicate_) return;
    const std::uint32_t group = program_.plans[system_.runs()[run].plan].call.group;
    const Op& op = npus_[npu].ops[node];
    call_waits_.call(run, npu, observer_.weight(group, npu), program_.groups[group].size(program_.model),
                     Activity::kind_of(op.end) == Activity::communication,
                     [this](Rank waited) { npus_[waited].activity.end_wait(queue_.now()); });
  }

  void collective_done(Rank npu, std::uint32_t op, NodeEnd end, std::uint32_t run) override {
    const std::uint32_t group = program_.plans[system_.runs()[run].plan].call.group;
    if (!waits_communicate_ && call_waits_.end(run, npu)) npus_[npu].activity.end_wait(queue_.now());
    exposure_.end(npu, op, run, observer_.weight(group, npu), npus_[npu].activity.without_compute(queue_.now()));
    complete(npu, op, end);
  }

  void complete(Rank r, std::uint32_t node, NodeEnd what) {
    Npu& npu = npus_[r];
    if (has_slots_) npu.busy &= static_cast<std::uint8_t>(~slot_bit(what.slot()));
    end(npu, r, node, what);
    observer_.frees(node);
    if (npu.feeder.free_nodes() != 0) issue(npu, r);
    observer_.freed();
  }

  // Records the end of a node and frees its children.
  void end(Npu& npu, Rank r, std::uint32_t node, NodeEnd what) {
    if (what.is_compute()) npu.compute_ps = EventQueue::sum(npu.compute_ps, npu.ops[node].value);
    recorder_.end(r, node, queue_.now());
    if (what.type() != OpType::invalid) npu.activity.end(Activity::kind_of(what), queue_.now());
    result_.total_ps = queue_.now();
    observer_.node_ends();
    if (what.needs_list()) {
      npu.feeder.complete(node);
    } else if (what.is_leaf()) {
      npu.feeder.complete_leaf();
    } else {
      npu.feeder.complete_before(node + what.to_child(), what.has_pair());
    }
    if (!npu.feeder.done()) return;
    result_.npus[r].finish_ps = queue_.now();
    if (program_.rules.notes_gaps() && on_network_ && has_unknown_to_statistics(*program_.ranks[r].code))
      result_.gaps.add(AstraGap::statistics);
  }

  // Records `gap`, unless the program has the gap `unless`, which is then its cause and has stopped ASTRA-sim
  // before.
  void note_gap(AstraGap gap, AstraGap unless) {
    if (!program_.gaps.has(unless)) result_.gaps.add(gap);
  }
  void note_time_zero() {
    if (program_.rules.notes_gaps() && program_.options.network.model != NetworkModel::wires)
      note_gap(AstraGap::time_zero, AstraGap::gathers_less_than_chunks);
  }

  // An INVALID node ends at once. In ASTRA-sim, nodes that it frees wait for the next round. The exception is that
  // no node of this NPU is in flight, so that no round would come.
  void issue(Npu& npu, Rank r) {
    const auto round = [&] { npu.feeder.issue([&](std::uint32_t node) { return try_issue(npu, r, node); }); };
    round();
    while (waits_for_round_ ? npu.feeder.free_nodes() != 0 && npu.feeder.in_flight() == 0
                            : npu.feeder.fresh_nodes() != 0) {
      if (waits_for_round_) note_gap(AstraGap::invalid_node, AstraGap::metadata_node);
      round();
    }
  }

  // Called when no events are left: nodes freed by an INVALID node need not wait for another end on their NPU. It
  // is not proved that this is the same for all ranks of a class. Returns whether there are events now.
  bool offer_again() {
    if (Observer::is_reduced) return false;
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
    __builtin_prefetch(&op + 8);                        // for nodes that are due soon
    if (node % 8 == 0) npu.feeder.prefetch(node + 16);  // a line has the counts of 16 nodes
    if (op.end.needs_list()) npu.feeder.prefetch_children(node);
    observer_.offered(r);
    if (has_slots_ && (npu.busy & slot_bit(op.slot)) != 0) return false;
    const Message message = message_of(npu, op);
    if (message.ends != nullptr) prefetch_messages(npu, op.channel, message.ends);
    observer_.node_starts(r, node);
    recorder_.begin(r, node, queue_.now());
    if (op.type != OpType::invalid) npu.activity.begin(first_kind(op, message), queue_.now());
    if (has_slots_ && op.type != OpType::invalid && op.slot != Slot::recv) npu.busy |= slot_bit(op.slot);
    if (op.program.is_first()) {
      npu_events_.add(r, launch_, {Waiter::launch, node});
    } else {
      begin(npu, r, node, op, message);
    }
    observer_.node_started();
    return true;
  }

  // The message of a send or receive.
  struct Message {
    const LinkedMessage* ends = nullptr;
    Channels::Fixed* channel = nullptr;
  };
  [[nodiscard]] Message message_of(const Npu& npu, const Op& op) {
    if (op.type != OpType::send && op.type != OpType::recv) return {};
    const LinkedMessage* const ends = &npu.messages[op.channel];
    return {ends, &messages_.fixed(ends->place)};
  }
  // Returns the first activity of a node. A collective waits until all NPUs have called it.
  [[nodiscard]] Activity::Kind first_kind(const Op& op, const Message& message) const {
    const Activity::Kind kind = Activity::kind_of(op.end);
    if (waits_communicate_ || kind != Activity::communication) return kind;
    const bool waits =
        op.type == OpType::collective || (op.type == OpType::recv && message.channel->receives_ahead());
    return waits ? Activity::waiting : kind;
  }

  // Begins a node after the launch of its program.
  void begin_work(Npu& npu, Rank r, std::uint32_t node) {
    const Op& op = npu.ops[node];
    begin(npu, r, node, op, message_of(npu, op));
  }
  void begin(Npu& npu, Rank r, std::uint32_t node, const Op& op, const Message& message) {
    const Waiter done{Waiter::op, node, op.end};
    switch (op.type) {
      case OpType::invalid:
        if (waits_for_round_) observer_.deferred(r);
        end(npu, r, node, op.end);
        break;
      case OpType::timed: npu_events_.add(r, op.value, done); break;
      case OpType::memory: begin_access(memory_.access(r, op.value, done)); break;
      case OpType::send:
        if (!waits_communicate_ && message.channel->sends_to_receive())
          npus_[message.ends->peer].activity.end_wait(queue_.now());
        if (npu.way_of != nullptr) messages_.go_by(npu.way_of[node]);
        if (op.program.of_program()) messages_.next_is_of_program(op.program.protocol());
        messages_.send(message.ends->place, done, r, message.ends->peer, op.value, 0);
        break;
      case OpType::recv: messages_.receive(message.ends->place, *message.channel, r, done); break;
      case OpType::collective:
        exposure_.begin(r, node, npu.activity.without_compute(queue_.now()));
        observer_.begins_collective(true);
        if (const CollectiveRun* other =
                system_.start(r, npu.plans[op.channel], node, op.end, op.peer))  // never starts
          refused_.push_back({r, node, static_cast<std::uint32_t>(other - system_.runs().data())});
        observer_.begins_collective(false);
        break;
    }
  }

  // If message `number`, at `line`, is the first of its line, prefetches the next line, and the states of the
  // channels of its own line. Lines are whole: see RankArrays.
  [[gnu::always_inline]] void prefetch_messages(const Npu& npu, std::uint32_t number,
                                                const LinkedMessage* line) const {
    constexpr std::uint32_t per_line = decltype(npu.messages)::per_line;
    if (number % per_line != 0) return;
    npu.messages.prefetch(number + per_line);
    for (std::uint32_t i = 1; i < per_line; ++i) messages_.prefetch_fixed(line[i].place);
  }

  void begin_access(const std::optional<RemoteMemory::Begun>& access) {
    if (!access) return;
    observer_.acts([&] { return Actor{.npu = access->npu, .op = access->op}; });
    npu_events_.add(access->npu, access->duration, access->end);
  }

  // The data of events are scattered in memory. They are prefetched while earlier events run, step by step, as each
  // step needs the data of the previous step. A few events are handled at a time, which costs less than one by one.
  // If few messages and no collectives are under way, nothing is prefetched, as finding the data takes longer than
  // waiting for it.
  [[gnu::always_inline]] void prefetch() {
    constexpr std::size_t few = 8192;
    if (++turn_ % fetched_at_once != 0 || (!has_streams_ && messages_.most_under_way() <= few)) return;
    prefetch_up_to(12, fetched_[0], [this](const Event& e) {
      switch (e.kind()) {
        case event_npu: npu_events_.prefetch(e.arg()); break;
        case event_receive: break;
        case event_arrival: messages_.prefetch(e.arg()); break;
        case event_last:
        case event_sent: system_.prefetch(e.arg()); break;
        case event_call: break;
        default: network_->prefetch(e);
      }
    });
    prefetch_up_to(8, fetched_[1], [this](const Event& e) {
      switch (e.kind()) {
        case event_npu: prefetch_npu(e.arg()); break;
        case event_receive:
        case event_last:
        case event_sent:
        case event_call: break;
        case event_arrival:
          if (messages_.is_for_stream(e.arg())) {
            system_.prefetch(messages_.stream_of(e.arg()));
          } else {
            messages_.prefetch_channel(e.arg());
          }
          break;
        default: network_->prefetch_more(e);
      }
    });
  }
  [[gnu::always_inline]] void prefetch_npu(std::uint32_t entry) const {
    npu_events_.prefetch_npu(entry);
    messages_.prefetch_sender(npu_events_.npu_of(entry));
    const Waiter first = npu_events_.first(entry);
    if (first.kind() == Waiter::phase_step) system_.prefetch(first.index());
  }
  // Calls fetch(event) for the next events, up to `ahead` after the first, that are not yet prefetched.
  // `fetched` events are prefetched already, including events taken since then.
  template <typename Fetch>
  [[gnu::always_inline]] void prefetch_up_to(std::uint32_t ahead, std::uint32_t& fetched, const Fetch& fetch) {
    fetched -= std::min(fetched, fetched_at_once);
    for (const Event* e; fetched <= ahead && (e = queue_.upcoming(fetched)) != nullptr; ++fetched) fetch(*e);
  }

  [[nodiscard]] std::uint8_t slot_bit(Slot slot) const {
    if (slot == Slot::communication && !program_.rules.one_communication_at_a_time()) return 0;
    return static_cast<std::uint8_t>(1U << static_cast<unsigned>(slot));
  }

  // Adds the time for which nodes that still compute have computed so far.
  void book_unended() {
    npu_events_.for_each([this](Rank r, Picoseconds end, Waiter w) {
      const Op* op = w.kind() == Waiter::op ? &npus_[r].ops[w.index()] : nullptr;
      if (op == nullptr || !op->is_compute) return;
      Picoseconds& compute = npus_[r].compute_ps;
      compute = EventQueue::sum(compute, result_.reached_ps - (end - op->value));
    });
  }

  void finish() {
    const bool stopped = observer_.stops();
    result_.reached_ps = queue_.now();
    if (!queue_.empty() && !stopped) result_.reached_ps = program_.options.until.value_or(queue_.now());
    if (!queue_.empty()) book_unended();
    bool all_done = true;
    for (Rank r = 0; r < program_.ranks.size(); ++r) {
      finish(r);
      all_done = all_done && npus_[r].feeder.done();
    }
    recorder_.finish();
    result_.wires = network_->wire_use(result_.reached_ps);
    if (network_->has_ties()) result_.spread = program_.options.network.spread();
    result_.timeline.hops = network_->logged_hops();
    list_busy_bins();
    result_.traffic = traffic_.list();
    result_.whole_rings = system_.ran_whole_rings();
    result_.closed_phases = system_.closed_phases();
    result_.worst_port = network_->worst_port(result_.reached_ps);
    if (program_.rules.notes_gaps() && messages_.has_long_rendezvous()) result_.gaps.add(AstraGap::long_rendezvous);
    if (system_.stream_numbers_differ()) result_.gaps.add(AstraGap::uneven_group_use);
    if (!queue_.empty() || stopped) {
      result_.status = ReplayStatus::stopped;
    } else if (!all_done) {
      result_.status = ReplayStatus::deadlock;
    } else if (messages_.any_unclaimed() || call_waits_.any_open()) {
      result_.status = ReplayStatus::unmatched;
    }
  }
  void list_busy_bins() {
    const BusyBins* bins = network_->busy_bins();
    if (bins == nullptr) return;
    result_.wire_bin_ps = bins->width();
    result_.wire_bins_each = bins->count(result_.reached_ps);
    for (const WireUse& w : result_.wires) bins->append(w.wire, result_.wire_bins_each, result_.wire_bins);
  }
  void finish(Rank r) {
    NpuResult& npu = result_.npus[r];
    const Feeder& feeder = npus_[r].feeder;
    npu.compute_ps = npus_[r].compute_ps;
    npu.times = npus_[r].activity.times(result_.reached_ps);
    npu.sends = messages_.sent_by(r).messages;
    npu.bytes_sent = messages_.sent_by(r).bytes;
    npu.nodes = feeder.size();
    npu.nodes_done = feeder.completed();
    if (!npu.finish_ps) return;
    const bool subtracts = program_.options.issue != IssueMode::algorithm;
    npu.astra_exposed_ps = *npu.finish_ps - (subtracts ? npu.compute_ps : 0);
    npu.exposed_communication_ps = program_.rules.all_but_computation_is_exposed()
                                       ? npu.astra_exposed_ps
                                       : npu.times.communication - npu.times.overlap;
  }

  const LinkedProgram& program_;
  ReplayResult result_;
  static constexpr std::uint32_t fetched_at_once = 4;
  std::uint32_t turn_ = 0;
  std::array<std::uint32_t, 2> fetched_{};  // by step of prefetch(): number of next events that are prefetched
  EventQueue queue_;
  Observer observer_;
  Recorder recorder_;
  std::unique_ptr<Network> network_;
  NpuEvents<Observer> npu_events_;
  Messages<Observer> messages_;
  Traffic traffic_;
  SystemLayer<Observer> system_;
  const Picoseconds launch_;  // of a program on a machine
  RemoteMemory memory_;
  CollectiveExposure exposure_;
  WaitingInCalls call_waits_;
  RankArrays<std::uint32_t> waits_for_;  // of the feeders
  HugeVector<Npu> npus_;
  std::vector<RefusedCall> refused_;
  static constexpr Rank own_events = UINT32_MAX;  // instead of a source
  struct Touch {
    Picoseconds time = -1;
    Rank source = 0;
  };
  std::vector<Touch> touched_;  // by NPU, if rings are run as wholes: the last event
  bool order_is_open_ = false;
  const bool has_slots_;
  const bool has_streams_;
  const bool waits_for_round_;    // nodes freed by an INVALID node wait for the next round
  const bool waits_communicate_;  // waits count as communication from the issue on, as in ASTRA-sim
  bool on_network_ = true;        // the current event comes from the network, not from an NPU; also at the start
};

}  // namespace convert
