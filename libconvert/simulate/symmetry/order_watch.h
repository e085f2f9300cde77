// SPDX-License-Identifier: MIT
// Checks a run in which one rank represents its class: finds whether the order of simultaneous events, which may
// differ from rank to rank, could matter.
//
// Simultaneous events run in the order in which they were pushed. The order of two events therefore depends on the
// times of their pushes; if these are equal, on the order of the pushing events, in the same way; and finally on
// the ranks that began both chains at time 0. A turn is a set of events that only the last criterion orders: events
// of one time that were pushed in one turn. The events of a turn run one after the other, so turns are counted; the
// beginning is turn 0. Events of different turns have the same order on every rank, as their chains have the same
// times there.
//
// Consider two events of one turn that touch an NPU (or a link). They have the same order on every rank of the
// class if both originate from the same rank, shifted along. Otherwise their order is undetermined, and they must
// commute. Events that an event of undetermined order pushes have that event as origin. Each event stores the turn
// in which it was pushed, and its origin in the frame of the NPU that it touches. Only the dimensions along which
// ranks move count for an origin: of ranks that differ only in others, the lower one begins first, independent of
// the class's position.
//
// Events that commute:
// - ends of nodes, if only one end frees others;
// - messages that wait for their receives;
// - messages for one stream of a collective, which counts them;
// - messages for different streams. These may add to one entry of the NPU's event table in undetermined order; such
//   an entry is loose. Items of a loose entry commute as long as they touch only their own streams, except for one
//   item or for streams of one collective. All events that they push have undetermined order.
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
  // `streams_commute`: the streams of an NPU share only queues.
  OrderWatch(std::size_t npus, bool streams_commute, SeenOrigins& origins, ClosedWatch& closed)
      : npus_(npus), streams_commute_(streams_commute), origins_(origins), closed_(closed) {}

  // The current event, in the frame of the NPU that it touches, or of its source if it is a message under way.
  // Events that it pushes have the same origin.
  Pushed current{};
  // Set while an offered node begins a collective; the nodes of its algorithm are offered with it.
  bool begins_collective = false;

  // Records that an event runs that was pushed as described by `pushed`. It may touch several NPUs or links.
  void begin_event(Picoseconds now, const Pushed& pushed) {
    begin_turn(now, pushed);
    if (!unplaced_here_.empty()) meet_unplaced(pushed.turn, nullptr);
  }
  [[nodiscard]] std::uint64_t turn() const { return turn_; }
  // Starts a turn for events that the current event pushes from now on: they follow the previous ones on all ranks.
  void next_turn() { ++turn_; }
  // Returns the turn and origin of events that the current event pushes.
  [[nodiscard]] Pushed pushes() const { return {turn_, current.origin}; }

  // End of a closed phase; see ClosedPhase.
  struct ClosedEnd {
    Picoseconds comes = 0;
    Picoseconds began = 0;
    Rank npu = 0;
    std::uint32_t shape = 0;
    std::size_t pushed = 0;  // index in times_
    friend auto operator<=>(const ClosedEnd&, const ClosedEnd&) = default;
  };
  // expect_closed_end() records that such an end will be pushed at `time`; push_closed_end() records that it is
  // pushed now. The order of ends that began together with one shape is known. Their order among other events
  // pushed then is unknown, so no such event may coincide with them.
  void expect_closed_end(Picoseconds time) { expected_.push(time); }
  void push_closed_end(ClosedEnd end) {
    end.pushed = times_.size() - 1;
    closed_ends_.push(end);
  }
  // Does the same as begin_event(), for the end itself.
  void begin_closed_end(Picoseconds now, const Pushed& pushed, const ClosedEnd& end) {
    begin_turn(now, pushed);
    meet_unplaced(pushed.turn, &end);
  }

  [[nodiscard]] bool broken() const { return !open_.what.empty(); }
  // Returns the first undetermined order that could matter, if broken(): "at 1.5 us on NPU 3: messages come to a
  // link".
  [[nodiscard]] std::string why() const {
    return "at " + format_time(open_.time) + " on NPU " + std::to_string(open_.npu) + ": " + open_.what;
  }
  // Records that events of undetermined order matter.
  void give_up(Rank npu, std::string what) {
    if (!broken()) open_ = {npu, std::max<Picoseconds>(time_, 0), std::move(what)};
  }

  // Returns a number that grows with each event and with each NPU (or link) that it touches.
  [[nodiscard]] std::uint64_t visit() const { return visit_; }
  void next_visit() {
    ++visit_;
    loose_ = in_entry_ = false;
    shared_ = 0;
    shared_run_ = no_run;
  }
  // Returns whether the actions of the current event have undetermined order.
  [[nodiscard]] bool loose() const { return loose_; }

  // Records that entry `entry` of the NPU's event table is run.
  void touch_entry(Rank npu, Picoseconds now, std::uint32_t entry) {
    const Entry e = entries_[entry];
    begin_event(now, e.pushed);
    touch(npu, e.pushed.origin, {Waiter::npu_entry, entry});
    if (!e.loose) return;
    loose_ = in_entry_ = true;
  }
  // Records that the next item of an entry is run, in undetermined order if the entry is loose.
  void begin_item() {
    if (loose_) current.origin = origins_.next();
  }

  // Records that the current event, with its origin as seen from `npu`, touches `npu` to do `what`.
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
    if (n.touches.size() > Touches::too_many) give_up(npu, "too many simultaneous events");
  }

  // Records that a free node is offered. If ends of nodes have undetermined order, only one node may be offered: in
  // any order, the last end for which it waits leads to the offer. Several nodes might become free together in only
  // one order.
  void offered(Rank npu) {
    if (begins_collective) return;
    Npu& n = at(npu);
    ++n.offers;
    check(n);
  }

  // Records that nodes freed by a node are offered with the next end of a node, whenever that comes.
  void deferred(Rank npu) {
    Npu& n = at(npu);
    n.offers += 2;
    check(n);
  }

  // Records that more than the state of one stream is touched.
  void share() {
    if (loose_ && (!in_entry_ || ++shared_ > 1)) give_up(npu_, "ends of nodes or of several collectives");
    shared_run_ = no_run;
  }
  // Records that a stream of collective `run`, which has its own queue, ends a phase. The order of its streams
  // makes no difference: the last one ends the collective.
  void share_run(std::uint32_t run) {
    if (shared_ != 0 && run == shared_run_) return;
    share();
    shared_run_ = run;
  }

  // Record that the current event pushes entry `entry` of the NPU's event table, or adds an item to it.
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
  // Turns of a time at which ends of closed phases were pushed.
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
  // Reports the current ends to ClosedWatch if an event, or another end, was pushed in the same turns.
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
  // Events that have touched an NPU in one turn.
  struct Npu {
    std::uint64_t turn = 0;
    Touches touches{};
    std::vector<std::pair<std::uint32_t, bool>> entries{};  // entries that were pushed (true) or added to
    std::size_t opened = 0;    // number of entries that have undetermined order already
    std::size_t loosened = 0;  // number of entries that are loose
    std::uint64_t offers = 0;  // number of offered nodes
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
      case Waiter::npu_entry: return "an end of local work";
      default: return "another event";
    }
  }
  // Marks entries as undetermined: on other ranks, the current event may come first and push them.
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
  bool in_entry_ = false;     // the current event is a loose entry
  std::uint32_t shared_ = 0;  // number of its items that touched more than their streams
  static constexpr std::uint32_t no_run = UINT32_MAX;
  std::uint32_t shared_run_ = no_run;  // the collective whose queue the last such item touched
  // The current event: its turn, the turn in which the events of this turn were pushed, and the NPU that it touches
  // last.
  std::uint64_t turn_ = 0;
  Picoseconds time_ = -1;
  std::uint64_t pushed_in_ = 0;
  Soonest<Picoseconds> expected_;  // times at which ends of closed phases are pushed
  bool is_expected_ = false;       // whether this is such a time
  std::vector<Turns> times_;       // such times so far
  Soonest<ClosedEnd> closed_ends_;
  std::vector<ClosedEnd> unplaced_here_;  // closed ends that come now
  Rank npu_ = 0;
  struct Open {
    Rank npu = 0;
    Picoseconds time = 0;
    std::string what{};  // empty: no undetermined order has mattered
  };
  Open open_{};
};

}  // namespace convert
