// SPDX-License-Identifier: MIT
// Watches a run in which one rank stands for its class, and finds whether the order of simultaneous events, which
// may differ from rank to rank, could matter.
//
// Events of one time run in the order in which they were pushed. Which of two comes first is therefore settled by
// when they were pushed, if the times differ; else by what pushed them, in the same way; and in the end by the
// ranks that began both chains at time 0. So two events that touch an NPU (or a wire) at the same time and were
// pushed at the same time come in the same order on every rank of the class if both go back to the same rank,
// shifted along; else the order is open, and they must commute. Each event carries when it was pushed and to which
// rank it goes back: its origin, in the frame of the NPU that it touches. Of the origin only the dimensions along
// which ranks move count: of ranks that differ in others only, the lower one begins first, wherever the class is.
//
// What commutes: ends of nodes, if only one of them lets others begin; messages for one stream of a collective,
// which counts them; and messages for different streams. The latter may add to one entry of the NPU's event table
// in an order that is open: such an entry is loose. Its items commute as long as they touch nothing but their own
// streams, except for one, and whatever they push has an open place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/trace.h"
#include "core/units.h"
#include "simulate/engine/waiter.h"
#include "simulate/symmetry/touches.h"

namespace convert {

class OrderWatch {
 public:
  // `streams_commute` says that the streams of an NPU share nothing but queues.
  OrderWatch(std::size_t npus, bool streams_commute) : npus_(npus), streams_commute_(streams_commute) {}

  // The event that is being run, in the frame of the NPU that it touches, or of its source if it is a message under
  // way. What it pushes goes back to the same rank.
  Pushed current{};
  // Set while a node that was offered begins a collective: the nodes of its algorithm come with it.
  bool begins_collective = false;

  [[nodiscard]] bool broken() const { return broken_; }
  void give_up() { broken_ = true; }

  // Returns a number that grows with each event and NPU (or wire) that it touches.
  [[nodiscard]] std::uint64_t visit() const { return visit_; }
  void next_visit() {
    ++visit_;
    loose_ = in_entry_ = false;
    shared_ = 0;
  }
  // Returns whether the order is open in which the current event does things.
  [[nodiscard]] bool loose() const { return loose_; }

  // Tells that entry `entry` of the NPU's event table is run.
  void touch_entry(Rank npu, Picoseconds now, std::uint32_t entry) {
    const Entry e = entries_[entry];
    touch(npu, now, e.pushed, {Waiter::npu_entry, entry});
    if (!e.loose) return;
    loose_ = in_entry_ = true;
    current.origin = unknown_origin;
  }

  // Tells that an event, with when and by whom it was pushed, touches `npu` now to do `what`.
  void touch(Rank npu, Picoseconds now, const Pushed& pushed, Waiter what) {
    next_visit();
    current = pushed;
    Npu& n = at(npu, now);
    const bool ends_node = what.kind() == Waiter::op || what.kind() == Waiter::custom_op;
    const Touches::Touch touch{pushed, what.kind(), ends_node ? 0 : what.index()};
    bool is_open = false;
    for (const Touches::Touch& t : n.touches) {
      if (!order_is_open(t.pushed, pushed)) continue;
      is_open = true;
      if (t.kind == touch.kind && t.index == touch.index) continue;
      if (t.kind != touch.kind || what.kind() != Waiter::phase_recv || !streams_commute_) broken_ = true;
      loose_ = true;
    }
    if (is_open) {
      current.origin = unknown_origin;
      n.open_ends = n.open_ends || ends_node;
      open_entries(n);
      check(n);
    }
    n.touches.add(touch);
    if (n.touches.size() > Touches::too_many) broken_ = true;
  }

  // Tells that a free node is offered. If ends of nodes come in open order, only one node may be offered: in any
  // order the last end that it waits for leads to that. Several might come together in one order only.
  void offered(Rank npu, Picoseconds now) {
    if (begins_collective) return;
    Npu& n = at(npu, now);
    ++n.offers;
    check(n);
  }

  // Tells that what a node has freed is offered with the next end of a node, whenever that comes.
  void deferred(Rank npu, Picoseconds now) {
    Npu& n = at(npu, now);
    n.offers += 2;
    check(n);
  }

  // Tells that more than the state of one stream is touched.
  void share() {
    if (loose_ && (!in_entry_ || ++shared_ > 1)) broken_ = true;
  }

  // Tell that the current event pushes entry `entry` of the NPU's event table, or adds an item to it.
  void push_entry(Rank npu, Picoseconds now, std::uint32_t entry) {
    if (entry >= entries_.size()) entries_.resize(std::size_t{entry} + 1);
    entries_[entry] = {{now, current.origin}, loose_};
    at(npu, now).entries.emplace_back(entry, true);
  }
  void add_to_entry(Rank npu, Picoseconds now, std::uint32_t entry) {
    entries_[entry].loose = entries_[entry].loose || loose_;
    at(npu, now).entries.emplace_back(entry, false);
  }

 private:
  struct Entry {
    Pushed pushed;
    bool loose = false;
  };
  // Holds what has come to an NPU at one time.
  struct Npu {
    Picoseconds time = -1;
    Touches touches{};
    std::vector<std::pair<std::uint32_t, bool>> entries{};  // that were pushed (true) or added to
    std::size_t opened = 0;                                 // so many of them have an open place already
    std::size_t loosened = 0;                               // and so many are loose
    std::uint64_t offers = 0;                               // of nodes
    bool open_ends = false;
  };
  Npu& at(Rank npu, Picoseconds now) {
    Npu& n = npus_[npu];
    if (n.time != now) {
      n.time = now;
      n.touches.clear();
      n.entries.clear();
      n.opened = n.loosened = 0;
      n.offers = 0;
      n.open_ends = false;
    }
    return n;
  }
  // Opens the places of entries: on other ranks the current event may come first, and be what pushes them.
  void open_entries(Npu& n) {
    for (; n.opened < n.entries.size(); ++n.opened) {
      const auto& [entry, was_pushed] = n.entries[n.opened];
      if (was_pushed) entries_[entry].pushed.origin = unknown_origin;
    }
    for (; loose_ && n.loosened < n.entries.size(); ++n.loosened)
      entries_[n.entries[n.loosened].first].loose = true;
  }
  void check(const Npu& n) {
    if (n.open_ends && n.offers > 1) broken_ = true;
  }

  std::vector<Npu> npus_;
  std::vector<Entry> entries_;
  const bool streams_commute_;
  std::uint64_t visit_ = 0;
  bool loose_ = false;
  bool in_entry_ = false;     // the current event is an entry, and loose
  std::uint32_t shared_ = 0;  // items of it that touched more than their streams
  bool broken_ = false;
};

}  // namespace convert
