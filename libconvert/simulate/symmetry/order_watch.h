// SPDX-License-Identifier: MIT
// Watches a run in which one rank stands for its class, and finds whether the order of simultaneous events, which
// may differ from rank to rank, could matter.
//
// Events of one time run in the order in which they were pushed. Which of two comes first is therefore settled by
// when they were pushed, if the times differ; else by what pushed them, in the same way; and in the end by the
// ranks that began both chains at time 0. Events that nothing but that tells apart make up a turn: those of one
// time that were pushed in one turn. They run one after the other, so turns are counted, and the beginning is
// turn 0. Of events of two turns the order is the same on every rank, for their chains have the same times there.
// Two events of one turn that touch an NPU (or a wire) come in the same order on every rank of the class if both
// go back to the same rank, shifted along; else the order is open, and they must commute. What an event with an
// open place pushes goes back to that event. Each event carries in which turn it was pushed and to what it goes
// back: its origin, in the frame of the NPU that it touches. Of the origin only the dimensions along which ranks
// move count: of ranks that differ in others only, the lower one begins first, wherever the class is.
//
// What commutes: ends of nodes, if only one of them lets others begin; messages that wait for their receives;
// messages for one stream of a collective, which counts them; and messages for different streams. The latter may
// add to one entry of the NPU's event table in an order that is open: such an entry is loose. Its items commute as
// long as they touch nothing but their own streams, except for one or for streams of one collective, and whatever
// they push has an open place.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include "core/trace.h"
#include "core/units.h"
#include "simulate/closed/watch.h"
#include "simulate/engine/waiter.h"
#include "simulate/symmetry/origins.h"
#include "simulate/symmetry/touches.h"

namespace convert {

class OrderWatch {
 public:
  // `streams_commute` says that the streams of an NPU share nothing but queues.
  OrderWatch(std::size_t npus, bool streams_commute, SeenOrigins& origins, ClosedWatch& closed)
      : npus_(npus), streams_commute_(streams_commute), origins_(origins), closed_(closed) {}

  // The event that is being run, in the frame of the NPU that it touches, or of its source if it is a message under
  // way. What it pushes goes back to the same rank.
  Pushed current{};
  // Set while a node that was offered begins a collective: the nodes of its algorithm come with it.
  bool begins_collective = false;

  // Tells that an event is run that was pushed so, which may touch several NPUs or wires.
  void begin_event(Picoseconds now, const Pushed& pushed) {
    begin_turn(now, pushed);
    if (!unplaced_here_.empty()) meet_unplaced(pushed.turn, nullptr);
  }
  [[nodiscard]] std::uint64_t turn() const { return turn_; }
  // Returns how things are pushed that the current event pushes.
  [[nodiscard]] Pushed pushes() const { return {turn_, current.origin}; }

  // Names the end of a closed phase, see ClosedPhase.
  struct ClosedEnd {
    Picoseconds comes = 0;
    Picoseconds began = 0;
    Rank npu = 0;
    std::uint32_t shape = 0;
    std::size_t pushed = 0;  // index into times_
    friend auto operator<=>(const ClosedEnd&, const ClosedEnd&) = default;
  };
  // Tells that at `time`, which is to come, such an end is pushed; and that it is pushed now. Of those that began
  // together and have one shape the order is known, but not their place among all else that is pushed then: nothing
  // of that may come when they do.
  void expect_closed_end(Picoseconds time) { expected_.push(time); }
  void push_closed_end(ClosedEnd end) {
    end.pushed = times_.size() - 1;
    closed_ends_.push(end);
  }
  // Does the same as begin_event() for the end itself.
  void begin_closed_end(Picoseconds now, const Pushed& pushed, const ClosedEnd& end) {
    begin_turn(now, pushed);
    meet_unplaced(pushed.turn, &end);
  }

  [[nodiscard]] bool broken() const { return !open_.what.empty(); }
  // Says where the order is open and could matter: "at 1.5 us on NPU 3: messages come to a link"; if it is broken.
  [[nodiscard]] std::string why() const {
    return "at " + format_time(open_.time) + " on NPU " + std::to_string(open_.npu) + ": " + open_.what;
  }
  // Tells what comes in an open order where it matters.
  void give_up(Rank npu, std::string what) {
    if (!broken()) open_ = {npu, std::max<Picoseconds>(time_, 0), std::move(what)};
  }

  // Returns a number that grows with each event and NPU (or wire) that it touches.
  [[nodiscard]] std::uint64_t visit() const { return visit_; }
  void next_visit() {
    ++visit_;
    loose_ = in_entry_ = false;
    shared_ = 0;
    shared_run_ = no_run;
  }
  // Returns whether the order is open in which the current event does things.
  [[nodiscard]] bool loose() const { return loose_; }

  // Tells that entry `entry` of the NPU's event table is run.
  void touch_entry(Rank npu, Picoseconds now, std::uint32_t entry) {
    const Entry e = entries_[entry];
    begin_event(now, e.pushed);
    touch(npu, e.pushed.origin, {Waiter::npu_entry, entry});
    if (!e.loose) return;
    loose_ = in_entry_ = true;
  }
  // Tells that the next item of an entry is run, in an open order if the entry is loose.
  void begin_item() {
    if (loose_) current.origin = origins_.next();
  }

  // Tells that the current event, with its origin as seen from there, touches `npu` to do `what`.
  void touch(Rank npu, Origin origin, Waiter what) {
    next_visit();
    current.origin = origin;
    Npu& n = at(npu);
    const bool ends_node = what.kind() == Waiter::op || what.kind() == Waiter::custom_op;
    const Touches::Touch touch{origin, what.kind(), ends_node ? 0 : what.index()};
    bool is_open = false;
    for (const Touches::Touch& t : n.touches) {
      if (!order_is_open(t.origin, origin)) continue;
      is_open = true;
      if (t.kind == touch.kind && t.index == touch.index) continue;
      if (only_waits(t.kind, touch.kind)) continue;
      if (t.kind != touch.kind || what.kind() != Waiter::phase_recv || !streams_commute_)
        give_up(npu, describe(t.kind) + " and " + describe(touch.kind));
      loose_ = true;
    }
    if (is_open) {
      current.origin = origins_.next();
      n.open_ends = n.open_ends || ends_node;
      open_entries(n);
      check(n);
    }
    n.touches.add(touch);
    if (n.touches.size() > Touches::too_many) give_up(npu, "very many events");
  }

  // Tells that a free node is offered. If ends of nodes come in open order, only one node may be offered: in any
  // order the last end that it waits for leads to that. Several might come together in one order only.
  void offered(Rank npu) {
    if (begins_collective) return;
    Npu& n = at(npu);
    ++n.offers;
    check(n);
  }

  // Tells that what a node has freed is offered with the next end of a node, whenever that comes.
  void deferred(Rank npu) {
    Npu& n = at(npu);
    n.offers += 2;
    check(n);
  }

  // Tells that more than the state of one stream is touched.
  void share() {
    if (loose_ && (!in_entry_ || ++shared_ > 1)) give_up(npu_, "ends of nodes or of several collectives");
    shared_run_ = no_run;
  }
  // Tells that a stream of collective `run` ends a phase, with a queue for the streams of that alone: which of its
  // streams does that first makes no difference, the last one ends the collective.
  void share_run(std::uint32_t run) {
    if (shared_ != 0 && run == shared_run_) return;
    share();
    shared_run_ = run;
  }

  // Tell that the current event pushes entry `entry` of the NPU's event table, or adds an item to it.
  void push_entry(Rank npu, std::uint32_t entry) {
    if (entry >= entries_.size()) entries_.resize(std::size_t{entry} + 1);
    entries_[entry] = {pushes(), loose_};
    at(npu).entries.emplace_back(entry, true);
  }
  void add_to_entry(Rank npu, std::uint32_t entry) {
    entries_[entry].loose = entries_[entry].loose || loose_;
    at(npu).entries.emplace_back(entry, false);
  }

 private:
  // Says which turns a time had when ends of closed phases were pushed.
  struct Turns {
    std::uint64_t first = 0;
    std::uint64_t last = 0;
  };
  template <typename T>
  using Soonest = std::priority_queue<T, std::vector<T>, std::greater<>>;

  void begin_time(Picoseconds now) {
    if (is_expected_) times_.back().last = turn_;
    is_expected_ = !expected_.empty() && expected_.top() == now;
    if (is_expected_) times_.push_back({turn_ + 1, UINT64_MAX});
    while (!expected_.empty() && expected_.top() == now) expected_.pop();
    unplaced_here_.clear();
    for (; !closed_ends_.empty() && closed_ends_.top().comes == now; closed_ends_.pop())
      unplaced_here_.push_back(closed_ends_.top());
  }
  void begin_turn(Picoseconds now, const Pushed& pushed) {
    if (now != time_ || pushed.turn != pushed_in_) {
      if (now != time_) begin_time(now);
      ++turn_;
      time_ = now;
      pushed_in_ = pushed.turn;
    }
    current = pushed;
  }
  // Tells the ends that come now of an event, or another end, that was pushed when they were.
  void meet_unplaced(std::uint64_t turn, const ClosedEnd* other) {
    for (const ClosedEnd& end : unplaced_here_) {
      const Turns& turns = times_[end.pushed];
      const bool is_placed = other != nullptr && end.began == other->began && end.shape == other->shape;
      if (turn >= turns.first && turn <= turns.last && !is_placed) closed_.meet(end.npu, end.began);
    }
  }

  struct Entry {
    Pushed pushed;
    bool loose = false;
  };
  // Holds what has come to an NPU in one turn.
  struct Npu {
    std::uint64_t turn = 0;
    Touches touches{};
    std::vector<std::pair<std::uint32_t, bool>> entries{};  // that were pushed (true) or added to
    std::size_t opened = 0;                                 // so many of them have an open place already
    std::size_t loosened = 0;                               // and so many are loose
    std::uint64_t offers = 0;                               // of nodes
    bool open_ends = false;
  };
  Npu& at(Rank npu) {
    Npu& n = npus_[npu];
    npu_ = npu;
    if (n.turn != turn_) {
      n.turn = turn_;
      n.touches.clear();
      n.entries.clear();
      n.opened = n.loosened = 0;
      n.offers = 0;
      n.open_ends = false;
    }
    return n;
  }
  // Returns whether one of two messages only waits for its receive, which the other does not post.
  [[nodiscard]] static bool only_waits(std::uint32_t a, std::uint32_t b) {
    const auto is = [&](Waiter::Kind x, Waiter::Kind y) { return a == x && b == y; };
    return is(Waiter::nobody, Waiter::nobody) || is(Waiter::nobody, Waiter::phase_recv) ||
           is(Waiter::phase_recv, Waiter::nobody);
  }
  [[nodiscard]] static std::string describe(std::uint32_t kind) {
    switch (kind) {
      case Waiter::nobody: return "a message before its receive";
      case Waiter::op:
      case Waiter::custom_op: return "a message of a node";
      case Waiter::phase_recv: return "a message of a collective";
      case Waiter::npu_entry: return "an end";
      default: return "another event";
    }
  }
  // Opens the places of entries: on other ranks the current event may come first, and be what pushes them.
  void open_entries(Npu& n) {
    for (; n.opened < n.entries.size(); ++n.opened) {
      const auto& [entry, was_pushed] = n.entries[n.opened];
      if (was_pushed) entries_[entry].pushed.origin = origins_.next();
    }
    for (; loose_ && n.loosened < n.entries.size(); ++n.loosened)
      entries_[n.entries[n.loosened].first].loose = true;
  }
  void check(const Npu& n) {
    if (n.open_ends && n.offers > 1) give_up(npu_, "ends of nodes that free several nodes");
  }

  std::vector<Npu> npus_;
  std::vector<Entry> entries_;
  const bool streams_commute_;
  SeenOrigins& origins_;
  ClosedWatch& closed_;
  std::uint64_t visit_ = 0;
  bool loose_ = false;
  bool in_entry_ = false;     // the current event is an entry, and loose
  std::uint32_t shared_ = 0;  // items of it that touched more than their streams
  static constexpr std::uint32_t no_run = UINT32_MAX;
  std::uint32_t shared_run_ = no_run;  // the collective whose queue the last of them touched
  // Is the event that is being run: its turn, which those of this time have that were pushed in that turn, and what
  // it touches last.
  std::uint64_t turn_ = 0;
  Picoseconds time_ = -1;
  std::uint64_t pushed_in_ = 0;
  Soonest<Picoseconds> expected_;  // times at which ends of closed phases are pushed
  bool is_expected_ = false;       // this time
  std::vector<Turns> times_;       // those that have come
  Soonest<ClosedEnd> closed_ends_;
  std::vector<ClosedEnd> unplaced_here_;  // those that come now
  Rank npu_ = 0;
  struct Open {
    Rank npu = 0;
    Picoseconds time = 0;
    std::string what{};  // empty: the order has not mattered
  };
  Open open_{};
};

}  // namespace convert
