// SPDX-License-Identifier: MIT
// The event table of each NPU: all completions of one NPU at one time run together, in the order of their
// registration, where the first of them was put into the global queue. What is registered for the current time
// while they run is run by the same pass.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/trace.h"
#include "core/units.h"
#include "simulate/engine/engine.h"
#include "simulate/engine/pool.h"
#include "simulate/engine/waiter.h"
#include "simulate/networks/network.h"
#include "util/huge_pages.h"

namespace convert {

template <class Observer>
class NpuEvents {
 public:
  NpuEvents(EventQueue& queue, std::size_t npus, Observer& observer)
      : queue_(queue), observer_(observer), latest_(npus, 0), table_(64, 0) {}

  // `what` completes `delay` from now. delay ≥ 0.
  void add(Rank npu, Picoseconds delay, Waiter what) {
    // If this wraps round it equals no time in the table, and push_after throws.
    const auto time =
        static_cast<Picoseconds>(static_cast<std::uint64_t>(queue_.now()) + static_cast<std::uint64_t>(delay));
    const std::uint32_t item = items_.add({what, 0});
    observer_.registered(item);
    std::uint32_t e = latest_[npu];
    if (e == 0 || entries_[e - 1].time != time) e = used_ == 0 ? 0 : find(npu, time);
    if (e == 0) {
      queue_.push_after(delay, insert(npu, time, item), event_npu);
      return;
    }
    observer_.adds_to_entry(npu, e - 1);
    items_[entries_[e - 1].last].next = item + 1;
    entries_[e - 1].last = item;
  }

  // Calls f(npu, time, what) for each that is to come, in no order.
  template <typename F>
  void for_each(const F& f) const {
    const auto list = [&](std::uint32_t place) {
      if (place == 0) return;
      const Entry& e = entries_[place - 1];
      for (std::uint32_t next = e.first + 1; next != 0; next = items_[next - 1].next)
        f(e.npu, e.time, items_[next - 1].what);
    };
    std::for_each(table_.begin(), table_.end(), list);
    std::for_each(latest_.begin(), latest_.end(), list);
  }

  // Runs entry `e` (the argument of its event): complete(npu, what) for each.
  template <typename Complete>
  void run(std::uint32_t e, Complete&& complete) {
    const Rank npu = entries_[e].npu;
    observer_.runs_entry(npu, e);
    std::uint32_t item = entries_[e].first;
    while (true) {
      observer_.runs(item);
      complete(npu, items_[item].what);
      const std::uint32_t next = items_[item].next;  // perhaps registered just now
      items_.remove(item);
      if (next == 0) break;
      item = next - 1;
    }
    if (latest_[npu] == e + 1) {
      latest_[npu] = 0;
    } else {
      erase(e);
    }
    entries_.remove(e);
  }

 private:
  struct Item {
    Waiter what;
    std::uint32_t next;  // 1 + item
  };
  struct Entry {
    Picoseconds time;
    Rank npu;
    std::uint32_t first;
    std::uint32_t last;
  };

  [[nodiscard]] std::size_t home(Rank npu, Picoseconds time) const {
    std::uint64_t h = (static_cast<std::uint64_t>(time) + npu * 0x9e3779b97f4a7c15U) * 0xbf58476d1ce4e5b9U;
    h ^= h >> 32;
    return h & (table_.size() - 1);
  }
  [[nodiscard]] std::uint32_t find(Rank npu, Picoseconds time) const {  // 1 + entry, 0: none
    for (std::size_t i = home(npu, time); table_[i] != 0; i = (i + 1) & (table_.size() - 1)) {
      const Entry& e = entries_[table_[i] - 1];
      if (e.time == time && e.npu == npu) return table_[i];
    }
    return 0;
  }
  std::uint32_t insert(Rank npu, Picoseconds time, std::uint32_t item) {
    const std::uint32_t e = entries_.add({time, npu, item, item});
    observer_.pushes_entry(npu, e);
    if (const std::uint32_t before = std::exchange(latest_[npu], e + 1)) {
      if (++used_ * 2 > table_.size()) grow();
      place(before - 1);
    }
    return e;
  }
  void place(std::uint32_t e) {
    std::size_t i = home(entries_[e].npu, entries_[e].time);
    while (table_[i] != 0) i = (i + 1) & (table_.size() - 1);
    table_[i] = e + 1;
  }
  void grow() {
    GrowingHugeVector<std::uint32_t> old(table_.size() * 2, 0);
    old.swap(table_);
    for (const std::uint32_t e : old) {
      if (e != 0) place(e - 1);
    }
  }
  // Takes the entry out of the table and closes the gap in its probe sequence.
  void erase(std::uint32_t e) {
    const std::size_t mask = table_.size() - 1;
    std::size_t hole = home(entries_[e].npu, entries_[e].time);
    while (table_[hole] != e + 1) hole = (hole + 1) & mask;
    for (std::size_t i = (hole + 1) & mask; table_[i] != 0; i = (i + 1) & mask) {
      const Entry& other = entries_[table_[i] - 1];
      if (((i - home(other.npu, other.time)) & mask) >= ((i - hole) & mask)) {
        table_[hole] = table_[i];
        hole = i;
      }
    }
    table_[hole] = 0;
    --used_;
  }

  EventQueue& queue_;
  Observer& observer_;
  HugeVector<std::uint32_t> latest_;        // by NPU: 1 + the entry made last, which is not in the table; 0: none
  GrowingHugeVector<std::uint32_t> table_;  // open addressing: 1 + entry; 0: unused
  std::size_t used_ = 0;
  Pool<Entry, &Entry::first> entries_;
  Pool<Item, &Item::next> items_;
};

}  // namespace convert
