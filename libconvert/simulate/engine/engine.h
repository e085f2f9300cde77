// SPDX-License-Identifier: MIT
// Keeps the events of the simulator by time; those of one time come out in the order in which they were added.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "core/diagnostic.h"
#include "core/units.h"
#include "util/huge_pages.h"

namespace convert {

// Holds when something happens and what, in two registers; who handles a `kind` knows what its `arg` means.
struct Event {
  Picoseconds time;
  std::uint64_t what;

  [[nodiscard]] std::uint32_t arg() const { return static_cast<std::uint32_t>(what >> 32U); }
  [[nodiscard]] std::uint32_t kind() const { return static_cast<std::uint32_t>(what); }
};

// Holds the clock and the events to come, by time and then in the order in which they were pushed. Is a radix
// heap: time never goes back, so an event waits in the bucket of the highest digit in which its time differs from
// the base (the time of the last refill) and of the value of that digit, and moves down a digit at a time. Buckets
// are lists of chunks from one pool, appended at the end and moved in order, so equal times keep the order of
// their insertion; nothing is allocated per event. Buckets with few events are sorted at once instead, into a run:
// that takes fewer moves, and tells what comes next.
class EventQueue {
 public:
  EventQueue() = default;
  EventQueue(const EventQueue&) = delete;
  EventQueue& operator=(const EventQueue&) = delete;

  [[nodiscard]] Picoseconds now() const { return now_; }
  [[nodiscard]] bool empty() const { return used_levels_ == 0 && run_read_ == run_.size(); }
  // Returns the time of the next event. The queue must not be empty.
  [[nodiscard]] Picoseconds next_time() const {
    if (run_read_ != run_.size()) return run_[run_read_].time;
    return buckets_[first_bucket()].min;
  }

  // Adds an event at now + `delay`, behind all others of that time. Throws Error if that exceeds 2^63 ps, or if
  // `delay` is below 0, which is a sum that has overflowed.
  void push_after(Picoseconds delay, std::uint32_t arg, std::uint32_t kind) {
    const auto left = static_cast<std::uint64_t>(std::numeric_limits<Picoseconds>::max() - now_);
    if (static_cast<std::uint64_t>(delay) > left) too_late();
    push({now_ + delay, std::uint64_t{arg} << 32U | kind});
  }

  // Returns the event that comes `ahead` after the next one, null where that is not easy to tell; for prefetching.
  [[nodiscard]] const Event* upcoming(std::uint32_t ahead) const {
    if (run_read_ != run_.size()) return run_read_ + ahead < run_.size() ? &run_[run_read_ + ahead] : nullptr;
    const Chunk* c = buckets_[0].head;
    if (c == nullptr) return nullptr;
    std::uint32_t at = read_ + ahead;
    if (at >= c->count) {
      at -= c->count;
      c = c->next;
    }
    return c != nullptr && at < c->count ? &c->events[at] : nullptr;
  }

  // Takes the next event and moves the clock to it. The queue must not be empty.
  Event pop() {
    if (run_.size() - run_read_ < low_run && used_levels_ != 0 && (used_levels_ & 1U) == 0) refill();
    if (run_read_ == run_.size()) return pop_bucket();
    const Event e = run_[run_read_++];
    now_ = e.time;
    return e;
  }

  // Returns the sum of two times. Throws Error if it exceeds the clock.
  [[nodiscard]] static Picoseconds sum(Picoseconds a, Picoseconds b) {
    if (__builtin_add_overflow(a, b, &a)) too_late();
    return a;
  }
  [[noreturn]] static void too_late() { throw Error("simulated time exceeds 2^63 ps (106 days)"); }

 private:
  struct Chunk {
    // With a power of two of bytes the heads of chunks would share a few sets of the cache.
    static constexpr std::uint32_t capacity = 61;
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

  void push(Event e) {
    if (e.time <= run_end_) return push_run(e);
    push_bucket(e);
  }
  void push_bucket(Event e) {
    const auto time = static_cast<std::uint64_t>(e.time);
    const auto differ = static_cast<std::size_t>(std::bit_width(time ^ static_cast<std::uint64_t>(base_)));
    const std::size_t level = (differ + digit_bits - 1) / digit_bits;
    const std::size_t digit = level == 0 ? 0 : time >> (level - 1) * digit_bits & (digit_values - 1);
    Bucket& b = buckets_[level * digit_values + digit];
    if (b.head == nullptr) {
      used_levels_ |= 1U << level;
      used_[level] |= std::uint64_t{1} << digit;
      b.head = b.tail = new_chunk();
      b.min = b.max = e.time;
    } else {
      if (b.tail->count == Chunk::capacity) b.tail = b.tail->next = new_chunk();
      b.min = std::min(b.min, e.time);
      b.max = std::max(b.max, e.time);
    }
    b.tail->events[b.tail->count++] = e;
  }

  // Returns the bucket of the earliest events; there is one.
  [[nodiscard]] std::size_t first_bucket() const {
    const auto level = static_cast<std::size_t>(std::countr_zero(used_levels_));
    return level * digit_values + static_cast<std::size_t>(std::countr_zero(used_[level]));
  }

  // Puts the event into the run, behind those of the same time.
  void push_run(Event e) {
    if (run_read_ != 0 && (run_read_ == run_.size() || e.time < run_[(run_read_ + run_.size()) / 2].time)) {
      std::size_t at = --run_read_;  // most often it comes soon
      for (; at + 1 != run_.size() && run_[at + 1].time <= e.time; ++at) run_[at] = run_[at + 1];
      run_[at] = e;
      return;
    }
    if (run_.size() - run_read_ >= longest_run && run_[run_read_].time != run_end_) {
      shorten_run();
      if (e.time > run_end_) return push_bucket(e);
    }
    insert_from_end(e, run_read_);
  }
  void insert_from_end(Event e, std::size_t first) {
    std::size_t at = run_.size();
    run_.push_back(e);
    for (; at != first && run_[at - 1].time > e.time; --at) run_[at] = run_[at - 1];
    run_[at] = e;
  }
  // Drops what was read, and puts the later half into buckets, where not all are of one time.
  void shorten_run() {
    run_.erase(run_.begin(), run_.begin() + static_cast<std::ptrdiff_t>(run_read_));
    run_read_ = 0;
    Picoseconds last = run_[run_.size() / 2].time;
    if (last == run_end_) last = run_.front().time;
    const auto later =
        std::upper_bound(run_.begin(), run_.end(), last, [](Picoseconds t, const Event& e) { return t < e.time; });
    run_end_ = last;
    for (auto e = later; e != run_.end(); ++e) push_bucket(*e);
    run_.erase(later, run_.end());
  }

  Event pop_bucket() {
    now_ = base_;
    Bucket& b = buckets_[0];
    const Event e = b.head->events[read_++];
    if (read_ == b.head->count) drop_read_chunk(b);
    return e;
  }

  // Takes what comes next into the run, which is nearly empty, as bucket 0 is. Where that is much at once, waits
  // until the run is empty and moves the base to the earliest time.
  void refill() {
    if (run_read_ == run_.size()) {
      run_.clear();
      run_read_ = 0;
      run_end_ = -1;
      if (!first_is_small()) return move_base(take_first_bucket());
      base_ = buckets_[first_bucket()].min;
      add_to_run(take_first_bucket());
    } else if (run_read_ > short_run) {
      constexpr std::size_t room = 8;  // for what comes at once
      run_.erase(run_.begin(), run_.begin() + static_cast<std::ptrdiff_t>(run_read_ - room));
      run_read_ = room;
    }
    while (used_levels_ != 0 && first_is_small() &&
           run_.size() - run_read_ + buckets_[first_bucket()].head->count <= short_run)
      add_to_run(take_first_bucket());
  }
  // Returns whether the first bucket has so few events that to sort them is less work than to move them on.
  [[nodiscard]] bool first_is_small() const {
    const Bucket& b = buckets_[first_bucket()];
    return b.head == b.tail && (b.min != b.max || b.head->count < short_run);
  }
  void move_base(const Bucket& from) {
    base_ = from.min;
    read_ = 0;
    if (from.min == from.max) {
      buckets_[0] = from;
      used_levels_ |= 1U;
      used_[0] = 1;
      return;
    }
    for (Chunk* c = from.head; c != nullptr; c = free_chunk(c)) {
      for (std::uint32_t i = 0; i < c->count; ++i) push_bucket(c->events[i]);
    }
  }
  // Appends a bucket to the run: all of it is later, and in one chunk.
  void add_to_run(const Bucket& b) {
    const std::size_t first = run_.size();
    for (std::uint32_t i = 0; i < b.head->count; ++i) insert_from_end(b.head->events[i], first);
    run_end_ = b.max;
    free_chunk(b.head);
  }
  Bucket take_first_bucket() {
    const std::size_t first = first_bucket();
    std::uint64_t& used = used_[first / digit_values];
    used &= used - 1;
    if (used == 0) used_levels_ &= used_levels_ - 1;
    return std::exchange(buckets_[first], Bucket{});
  }

  void drop_read_chunk(Bucket& b) {
    b.head = free_chunk(b.head);
    read_ = 0;
    if (b.head == nullptr) used_levels_ &= ~1U;
  }

  Chunk* new_chunk() {
    if (free_ == nullptr) grow();
    Chunk* c = std::exchange(free_, free_->next);
    c->next = nullptr;
    c->count = 0;
    return c;
  }
  // Puts a chunk back into the pool; returns the one that came after it.
  Chunk* free_chunk(Chunk* c) {
    Chunk* next = c->next;
    c->next = free_;
    free_ = c;
    return next;
  }
  [[gnu::noinline]] void grow() {
    constexpr std::size_t slab = 64;
    slabs_.emplace_back(slab);
    for (Chunk& c : slabs_.back()) free_chunk(&c);
  }

  // Level 0 is bucket 0 alone, of the base's time; level k has the buckets of digit k. Times are below 2^63.
  static constexpr std::size_t digit_bits = 6;
  static constexpr std::size_t digit_values = 1U << digit_bits;
  static constexpr std::size_t levels = 12;

  static constexpr std::size_t low_run = 15;       // below, more is taken into the run
  static constexpr std::size_t short_run = 48;     // up to here
  static constexpr std::size_t longest_run = 256;  // but for events of one time

  Picoseconds now_ = 0;
  Picoseconds base_ = 0;
  std::vector<Event> run_;  // by time; before those in buckets
  std::size_t run_read_ = 0;
  Picoseconds run_end_ = -1;                  // events up to here belong into the run
  std::uint32_t read_ = 0;                    // events of bucket 0's first chunk that were taken
  std::uint32_t used_levels_ = 0;             // bit per level with an event
  std::array<std::uint64_t, levels> used_{};  // bit per bucket of the level that is not empty
  std::array<Bucket, levels * digit_values> buckets_{};
  Chunk* free_ = nullptr;
  std::vector<HugeVector<Chunk>> slabs_;
};

}  // namespace convert
