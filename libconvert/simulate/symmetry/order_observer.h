// SPDX-License-Identifier: MIT
// Checks a replay of representatives for events that could differ on other ranks; see OrderWatch.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "simulate/closed/watch.h"
#include "simulate/engine/engine.h"
#include "simulate/engine/observer.h"
#include "simulate/symmetry/order_watch.h"
#include "simulate/symmetry/origins.h"
#include "simulate/symmetry/symmetry.h"
#include "simulate/symmetry/wire_watch.h"

namespace convert {

// An NPU that calls a collective as its node `op`.
struct Caller {
  Rank npu;
  std::uint32_t op;
};
using FirstCallers = std::vector<std::vector<Caller>>;  // by run: the callers at its begin

class OrderObserver : public NoObserver {
 public:
  static constexpr bool is_reduced = true;
  static constexpr bool sees_hops = true;

  // `program` is the reduced program. It and `equivalence` must outlive this.
  OrderObserver(const EventQueue& queue, const LinkedProgram& program, const Equivalence& equivalence,
                ClosedLimits limits = {.none = true})
      : NoObserver(queue),
        queue_(queue),
        program_(program),
        symmetry_(equivalence.ranks),
        origins_(symmetry_),
        closed_(std::move(limits), program.ranks.size()),
        order_(program.ranks.size(), !program.model.shared_bus, origins_, closed_) {
    const NetworkModel model = program.options.network.model;
    const bool has_wires = model != NetworkModel::unaware && model != NetworkModel::fair && !program.network.ideal;
    const auto has_orders = [](const CollectivePlan& plan) { return !plan.order_of.empty(); };
    const bool by_priority = std::ranges::any_of(program.plans, has_orders);  // see SystemState::priority
    if (has_wires) wires_.emplace(program.network, symmetry_, origins_, order_, closed_, queue, by_priority);
  }

  // Returns whether the results for the representatives hold for all ranks.
  [[nodiscard]] bool symmetric() const { return !order_.broken(); }
  // Returns the reason if they do not.
  [[nodiscard]] std::string why_not() const { return order_.why(); }
  [[nodiscard]] const FirstCallers& first_callers() const { return first_callers_; }

  [[nodiscard]] bool stops() const { return order_.broken() || closed_.stops(); }
  [[nodiscard]] const ClosedWatch& closed() const { return closed_; }

  void offered(Rank npu) { order_.offered(npu); }
  void deferred(Rank npu) { order_.deferred(npu); }

  void pushes_entry(Rank npu, std::uint32_t entry) { order_.push_entry(npu, entry); }
  void adds_to_entry(Rank npu, std::uint32_t entry) { order_.add_to_entry(npu, entry); }
  void runs(std::uint32_t /*item*/) { order_.begin_item(); }
  void runs_entry(Rank npu, std::uint32_t entry) {
    order_.touch_entry(npu, queue_.now(), entry);
    closed_.run_entry(npu, queue_.now());
  }
  void fires(Waiter whom) {
    switch (whom.kind()) {
      case Waiter::nobody:
      case Waiter::phase_step:
      case Waiter::phase_recv:
      case Waiter::reduction: break;
      default: order_.share();
    }
  }

  // Returns the key in the frame of its source; for a class ring, with representatives as ends.
  [[nodiscard]] ChannelKey framed(ChannelKey key) const {
    const Rank src = key.src;
    if (key.class_ring) {
      key.src = symmetry_.representative(key.src);
      key.dst = symmetry_.representative(key.dst);
      return key;
    }
    key.src = symmetry_.back(src, src, key.exchange);
    key.dst = symmetry_.back(key.dst, src, key.exchange);
    return key;
  }
  [[nodiscard]] Rank destination(const ChannelKey& key) const {
    return symmetry_.back(key.dst, key.dst, key.exchange);
  }
  void sends(std::uint32_t m, Rank /*to*/, std::int64_t /*bytes*/, bool exchange, std::uint32_t class_ring) {
    push(pushed_, m);
    if (wires_) wires_->launch(m, exchange, class_ring);
  }
  void arrives(std::uint32_t m) {
    order_.next_visit();
    order_.begin_event(queue_.now(), pushed_[m]);
  }
  void tells_sender(Rank npu, Waiter sent) {
    arrived_ = order_.current.origin;
    if (sent.kind() != Waiter::nobody) order_.touch(npu, arrived_, sent);
  }
  void tells_receiver(const ChannelKey& key, Rank npu, Waiter received) {
    const Origin origin = key.class_ring ? origins_.next_in_ring(arrived_, key.run, true)
                                         : origins_.at(arrived_, key.dst, key.exchange);
    order_.touch(npu, origin, received);
  }
  void finds_message(std::uint32_t index) { push(late_, index); }
  void takes_message(std::uint32_t index, Rank npu, Waiter received) {
    order_.begin_event(queue_.now(), late_[index]);
    order_.touch(npu, late_[index].origin, received);
  }

  // A call begins with the last of its callers, and ends on its members in an order that may differ.
  void flow_begins(std::uint32_t run) {
    if (calls_.size() <= run) calls_.resize(std::size_t{run} + 1);
    calls_[run].pushed = {order_.turn(), origins_.next()};
  }
  void flow_ends(std::uint32_t /*run*/, Rank npu) {
    order_.touch(npu, origins_.next(), {Waiter::op, 0});
    order_.share();
  }
  void flows(FlowOf flow) {
    begin_event(pushed_of(flow));
    begun_of(flow) = order_.turn();
  }
  // All events of a time precede the computation of rates. So ends of flows that began in different turns have the
  // same order on all ranks.
  void computes_rates() {
    begin_event({order_.turn(), 0});
    last_begun_ = 0;
  }
  void pushes_end(FlowOf flow) {
    const std::uint64_t begun = begun_of(flow);
    if (last_begun_ != 0 && begun != last_begun_) order_.next_turn();
    last_begun_ = begun;
    pushed_of(flow).turn = order_.turn();
  }
  void end_comes(FlowOf flow) { begin_event(pushed_of(flow)); }

  std::uint32_t comes(std::uint32_t p, std::uint32_t wire) { return wires_->come(p, wire); }
  void takes_wire(std::uint32_t p, std::uint32_t wire, std::int64_t /*bytes*/) { wires_->transmit(p, wire); }
  void hop_ends(std::uint32_t p) { wires_->hop(p); }
  void wire_frees(std::uint32_t wire) { wires_->leave(wire); }
  [[nodiscard]] const Symmetry* symmetry() const { return &symmetry_; }

  // Closed phases: whether they may begin now on the NPU, in an order that is the same on all members; their links;
  // and that they have begun, end at `end`, and have passes that end at `entries`, relative to now.
  [[nodiscard]] bool may_close(Rank npu, const PhasePlan& phase) const {
    return closed_.may_close(npu, phase, queue_.now()) && !order_.loose();
  }
  [[nodiscard]] std::uint32_t wire_of(std::uint32_t wire) { return wires_->number_of(wire); }
  [[nodiscard]] bool can_claim(std::uint32_t wire, Rank npu) { return wires_->can_claim(wire, npu); }
  void claim(std::uint32_t wire, Rank npu) { wires_->claim(wire, npu); }
  void claim_until(std::uint32_t wire, Picoseconds end) { wires_->claim_until(wire, end); }
  void closes(Rank npu, Picoseconds end, const std::vector<Picoseconds>& entries) {
    closed_.begin(npu, queue_.now(), end, entries);
  }
  void leaves_open(const PhasePlan& phase, Rank npu) { closed_.leave_open(phase, npu); }
  // Events of the last message of stream `s`, of phases that have begun now: it is sent later, is sent, arrives.
  void sends_last_later(std::uint32_t s, Picoseconds sent, Picoseconds comes, const ClosedCause& cause) {
    if (last_.size() <= s) last_.resize(std::size_t{s} + 1);
    last_[s] = {.pushed = {order_.turn(), cause.is_open ? origins_.next() : after(cause)},
                .end = {.comes = comes, .began = queue_.now(), .npu = cause.npu, .shape = cause.shape}};
    order_.expect_closed_end(sent);
  }
  void sends_last(std::uint32_t s) {
    order_.next_visit();
    order_.begin_event(queue_.now(), last_[s].pushed);
    order_.push_closed_end(last_[s].end);
    last_[s].pushed = order_.pushes();
  }
  void last_comes(std::uint32_t s, Rank npu) {
    order_.begin_closed_end(queue_.now(), last_[s].pushed, last_[s].end);
    order_.touch(npu, last_[s].pushed.origin, {Waiter::phase_recv, s});
  }

  void begins_collective(bool begins) { order_.begins_collective = begins; }
  template <typename SameTurns>
  void calls_first(std::uint32_t run, Rank npu, std::uint32_t op, const SameTurns& same_turns) {
    if (first_callers_.size() <= run) first_callers_.resize(std::size_t{run} + 1);
    first_callers_[run].push_back({npu, op});
    // The first caller, which sets the turns, may differ from class to class.
    if (!same_turns()) order_.give_up(npu, "NPUs whose previous collectives differ");
  }
  void shares(std::optional<std::uint32_t> run) { run ? order_.share_run(*run) : order_.share(); }
  [[nodiscard]] std::uint32_t weight(std::uint32_t group, Rank npu) {
    const std::vector<Rank>& members = program_.groups[group].ranks;
    if (members.empty()) return static_cast<std::uint32_t>(program_.model.npus / symmetry_.classes());
    weights_.resize(program_.groups.size());
    if (weights_[group].empty()) {
      for (const Rank r : members) ++weights_[group][symmetry_.representative(r)];
    }
    return weights_[group][npu];
  }

 private:
  // A call on a machine: the event that begins or ends it, and the turn in which it began to flow.
  struct Call {
    Pushed pushed{};
    std::uint64_t begun = 0;
  };
  [[nodiscard]] Pushed& pushed_of(FlowOf flow) {
    return flow.is_call ? calls_[flow.number].pushed : pushed_[flow.number];
  }
  [[nodiscard]] std::uint64_t& begun_of(FlowOf flow) {
    if (flow.is_call) return calls_[flow.number].begun;
    if (begun_.size() <= flow.number) begun_.resize(std::size_t{flow.number} + 1);
    return begun_[flow.number];
  }
  void begin_event(const Pushed& pushed) {
    order_.next_visit();
    order_.begin_event(queue_.now(), pushed);
  }
  [[nodiscard]] Origin after(const ClosedCause& cause) {
    Origin origin = order_.current.origin;
    const Rank to = symmetry_.back(cause.to, cause.npu, cause.exchange);
    for (std::int64_t i = 0; i < cause.steps; ++i)
      origin = cause.class_ring != 0 ? origins_.next_in_ring(origin, cause.class_ring, true)
                                     : origins_.at(origin, to, cause.exchange);
    return origins_.after_closed(origin, order_.turn(), cause.shape);
  }
  // Records that the current event pushes number `i`.
  void push(std::vector<Pushed>& all, std::uint32_t i) const {
    if (all.size() <= i) all.resize(std::size_t{i} + 1);
    all[i] = order_.pushes();
  }

  const EventQueue& queue_;
  const LinkedProgram& program_;
  const Symmetry& symmetry_;
  SeenOrigins origins_;
  ClosedWatch closed_;
  OrderWatch order_;
  std::optional<WireWatch> wires_;
  std::vector<Pushed> pushed_;        // by message
  std::vector<Pushed> late_;          // by receive that finds its message
  std::vector<std::uint64_t> begun_;  // by message: the turn in which it began to flow
  std::vector<Call> calls_;           // by run on a machine
  std::uint64_t last_begun_ = 0;      // of the flow whose end was pushed last by this computation of rates
  struct Last {
    Pushed pushed{};
    OrderWatch::ClosedEnd end{};
  };
  std::vector<Last> last_;  // by stream of a closed phase: its last message
  Origin arrived_ = 0;      // of the arriving message
  FirstCallers first_callers_;
  std::vector<std::unordered_map<Rank, std::uint32_t>> weights_;  // by group and representative
};

}  // namespace convert
