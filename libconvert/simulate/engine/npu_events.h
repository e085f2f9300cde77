// SPDX-License-Identifier: MIT
// Groups all completions of one NPU at one time into one entry, which is an event of the queue from the first
// completion on. The entry runs its completions in the order of registration, including completions that are
// registered for the current time while it runs.
#pragma once

#include <cstdint>
#include <utility>

#include "core/index_table.h"
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
      : queue_(queue), observer_(observer), npus_(npus) {}

  // Registers `what`, which completes `delay` ≥ 0 from now. Throws Error if the clock overflows.
  void add(Rank npu, Picoseconds delay, Waiter what) { (void)add(npu, delay, what, false); }
  // Does the same for an end of unknown order among ends that are registered now for the same time. Returns the
  // previous such end, if any. If another end follows, order_is_open() becomes true.
  [[nodiscard]] Waiter add_unordered(Rank npu, Picoseconds delay, Waiter what) {
    return add(npu, delay, what, true);
  }
  [[nodiscard]] bool order_is_open() const { return order_is_open_; }

  // Prefetch the data for run(e): call prefetch() first, and prefetch_npu() some time later. Inlined, as g++
  // removes calls of functions that only prefetch.
  [[gnu::always_inline]] void prefetch(std::uint32_t e) const { __builtin_prefetch(&entries_[e]); }
  [[gnu::always_inline]] void prefetch_npu(std::uint32_t e) const { __builtin_prefetch(&npus_[entries_[e].npu]); }
  // Returns the NPU of entry `e`.
  [[nodiscard]] Rank npu_of(std::uint32_t e) const { return entries_[e].npu; }
  // Returns the first waiter that entry `e` fires.
  [[nodiscard]] Waiter first(std::uint32_t e) const { return entries_[e].first; }

  // Calls f(npu, time, what) for each pending completion, in no order.
  template <typename F>
  void for_each(const F& f) const {
    const auto list = [&](std::uint32_t place) {
      const Entry& e = entries_[place];
      f(e.npu, e.time, e.first);
      for (std::uint32_t next = e.next; next != 0; next = items_[next - 1].next)
        f(e.npu, e.time, items_[next - 1].what);
    };
    table_.for_each(list);
    for (const Npu& npu : npus_) {
      if (npu.latest != 0) list(npu.latest - 1);
    }
  }

  // Runs entry `e` (the argument of its event): calls complete(npu, what) for each item. The observer identifies
  // items by a number that is unique among registered items.
  template <typename Complete>
  void run(std::uint32_t e, Complete&& complete) {
    const Rank npu = entries_[e].npu;
    observer_.runs_entry(npu, e);
    observer_.runs(2 * e);
    complete(npu, entries_[e].first);
    for (std::uint32_t next = entries_[e].next; next != 0;) {  // possibly registered just now
      const std::uint32_t item = next - 1;
      observer_.runs(2 * item + 1);
      complete(npu, items_[item].what);
      next = items_[item].next;
      items_.remove(item);
    }
    if (npus_[npu].latest == e + 1) {
      npus_[npu].latest = 0;
    } else {
      --npus_[npu].in_table;
      table_.remove(e, hash_of());
    }
    entries_.remove(e);
  }

 private:
  Waiter add(Rank npu, Picoseconds delay, Waiter what, bool unordered) {
    // A wrapped sum equals no time in the table, and push_after throws.
    const auto time =
        static_cast<Picoseconds>(static_cast<std::uint64_t>(queue_.now()) + static_cast<std::uint64_t>(delay));
    std::uint32_t e = npus_[npu].latest;
    if (e == 0 || entries_[e - 1].time != time) e = npus_[npu].in_table == 0 ? 0 : find(npu, time);
    if (e == 0) {
      queue_.push_after(delay, insert(npu, time, what, unordered), event_npu);
      return {};
    }
    const std::uint32_t item = items_.emplace(what, 0U);
    observer_.registered(2 * item + 1);
    observer_.adds_to_entry(npu, e - 1);
    Entry& entry = entries_[e - 1];
    Waiter before;
    if (entry.registered == queue_.now()) {
      before = entry.last == 0 ? entry.first : items_[entry.last - 1].what;
      order_is_open_ = order_is_open_ || (entry.unordered && !unordered);
    }
    entry.registered = queue_.now();
    entry.unordered = unordered;
    (entry.last == 0 ? entry.next : items_[entry.last - 1].next) = item + 1;
    entry.last = item + 1;
    return before;
  }

  struct Item {
    Waiter what;
    std::uint32_t next;  // 1 + item
  };
  // The first item is in the entry itself, as most entries have only one.
  struct Entry {
    Picoseconds time;
    Waiter first;
    Picoseconds registered;  // registration time of the last item
    Rank npu;
    std::uint32_t next;  // 1 + second item
    std::uint32_t last;  // 1 + item; 0: the first
    bool unordered;      // the last item is from add_unordered()
  };
  struct Npu {
    std::uint32_t latest = 0;    // 1 + the last entry made, which is not in the table
    std::uint32_t in_table = 0;  // number of entries
  };

  [[nodiscard]] static std::size_t hash(Rank npu, Picoseconds time) {
    std::uint64_t h = (static_cast<std::uint64_t>(time) + npu * 0x9e3779b97f4a7c15U) * 0xbf58476d1ce4e5b9U;
    return h ^ h >> 32;
  }
  [[nodiscard]] auto hash_of() const {
    return [this](std::uint32_t e) { return hash(entries_[e].npu, entries_[e].time); };
  }
  [[nodiscard]] std::uint32_t find(Rank npu, Picoseconds time) const {  // 1 + entry, 0: none
    return 1 + table_.find(hash(npu, time),
                           [&](std::uint32_t e) { return entries_[e].time == time && entries_[e].npu == npu; });
  }
  std::uint32_t insert(Rank npu, Picoseconds time, Waiter what, bool unordered) {
    const std::uint32_t e = entries_.emplace(time, what, queue_.now(), npu, 0U, 0U, unordered);
    observer_.registered(2 * e);
    observer_.pushes_entry(npu, e);
    if (const std::uint32_t before = std::exchange(npus_[npu].latest, e + 1)) {
      ++npus_[npu].in_table;
      table_.add(before - 1, hash_of());
    }
    return e;
  }

  EventQueue& queue_;
  Observer& observer_;
  HugeVector<Npu> npus_;
  IndexTable<GrowingHugeVector<std::uint32_t>> table_;  // of entries_, by NPU and time
  Pool<Entry, &Entry::next> entries_;
  Pool<Item, &Item::next> items_;
  bool order_is_open_ = false;
};

}  // namespace convert
