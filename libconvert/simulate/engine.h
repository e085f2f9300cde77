// SPDX-License-Identifier: MIT
// The event queue of the simulator: ascending time, first in first out among equal times.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "core/diagnostic.h"
#include "core/units.h"

namespace convert {

// What `arg` means is up to whoever handles `kind`.
struct Event {
  Picoseconds time;
  std::uint32_t arg;
  std::uint32_t kind;
};

// A radix heap: time never goes back, so an event waits in the bucket of the highest bit in which its time differs
// from now, and moves down a bucket at a time. Buckets are lists of chunks from one pool, appended at the end and
// moved in order, so equal times keep the order of their insertion; nothing is allocated per event.
class EventQueue {
 public:
  EventQueue() = default;
  EventQueue(const EventQueue&) = delete;
  EventQueue& operator=(const EventQueue&) = delete;

  [[nodiscard]] Picoseconds now() const { return now_; }
  [[nodiscard]] bool empty() const { return used_ == 0; }
  // Time of the next event. The queue is not empty.
  [[nodiscard]] Picoseconds next_time() const {
    return buckets_[static_cast<std::size_t>(std::countr_zero(used_))].min;
  }

  // `delay` ≥ 0. An event for now runs after all others for now.
  void push_after(Picoseconds delay, std::uint32_t arg, std::uint32_t kind) {
    if (delay > std::numeric_limits<Picoseconds>::max() - now_) too_late();
    push({now_ + delay, arg, kind});
  }

  // The event that comes `ahead` after the next one, if that is easy to tell; for prefetching.
  [[nodiscard]] const Event* upcoming(std::uint32_t ahead) const {
    const Chunk* c = buckets_[0].head;
    if (c == nullptr) return nullptr;
    std::uint32_t at = read_ + ahead;
    if (at >= c->count) {
      at -= c->count;
      c = c->next;
    }
    return c != nullptr && at < c->count ? &c->events[at] : nullptr;
  }

  // Takes the next event and moves the clock to it. The queue is not empty.
  Event pop() {
    return pop([](const Event&, std::uint32_t) {});
  }
  // Calls soon(event, n) for events that come as one of the next n, or nearly so; for prefetching.
  template <typename Soon>
  Event pop(const Soon& soon) {
    if ((used_ & 1U) == 0) refill(soon);
    Bucket& b = buckets_[0];
    const Event e = b.head->events[read_++];
    if (read_ == b.head->count) drop_read_chunk(b);
    return e;
  }

  [[noreturn]] static void too_late() { throw Error("simulated time exceeds 2^63 ps (106 days)"); }

 private:
  struct Chunk {
    static constexpr std::uint32_t capacity = 63;
    Chunk* next;
    std::uint32_t count;
    std::array<Event, capacity> events;
  };
  struct Bucket {
    Chunk* head = nullptr;
    Chunk* tail = nullptr;
    Picoseconds min = 0;
    Picoseconds max = 0;
  };

  void push(const Event& e) {
    const auto diff = static_cast<std::uint64_t>(e.time ^ now_);
    const auto index = static_cast<std::size_t>(std::bit_width(diff));  // below 64: times are not negative
    Bucket& b = buckets_[index];
    if (b.head == nullptr) {
      used_ |= std::uint64_t{1} << index;
      b.head = b.tail = new_chunk();
      b.min = b.max = e.time;
    } else {
      if (b.tail->count == Chunk::capacity) b.tail = b.tail->next = new_chunk();
      b.min = std::min(b.min, e.time);
      b.max = std::max(b.max, e.time);
    }
    b.tail->events[b.tail->count++] = e;
  }

  // Bucket 0 is empty: moves the clock to the earliest time and its events there.
  template <typename Soon>
  void refill(const Soon& soon) {
    const auto index = static_cast<std::size_t>(std::countr_zero(used_));
    const Bucket from = std::exchange(buckets_[index], Bucket{});
    used_ &= used_ - 1;
    now_ = from.min;
    read_ = 0;
    if (from.min == from.max) {
      buckets_[0] = from;
      used_ |= 1U;
      return;
    }
    for (Chunk* c = from.head; c != nullptr;) {
      for (std::uint32_t i = 0; i < c->count; ++i) {
        soon(c->events[i], c->count);
        push(c->events[i]);
      }
      c = free_chunk(c);
    }
  }

  void drop_read_chunk(Bucket& b) {
    b.head = free_chunk(b.head);
    read_ = 0;
    if (b.head == nullptr) used_ &= ~std::uint64_t{1};
  }

  Chunk* new_chunk() {
    if (free_ == nullptr) grow();
    Chunk* c = std::exchange(free_, free_->next);
    c->next = nullptr;
    c->count = 0;
    return c;
  }
  // Returns the chunk behind it.
  Chunk* free_chunk(Chunk* c) {
    Chunk* next = c->next;
    c->next = free_;
    free_ = c;
    return next;
  }
  void grow() {
    constexpr std::size_t slab = 64;
    slabs_.push_back(std::make_unique_for_overwrite<Chunk[]>(slab));
    for (std::size_t i = 0; i < slab; ++i) free_chunk(&slabs_.back()[i]);
  }

  Picoseconds now_ = 0;
  std::uint64_t used_ = 0;  // bit per bucket that is not empty
  std::uint32_t read_ = 0;  // events of bucket 0's first chunk that were taken
  std::array<Bucket, 64> buckets_{};
  Chunk* free_ = nullptr;
  std::vector<std::unique_ptr<Chunk[]>> slabs_;
};

}  // namespace convert
