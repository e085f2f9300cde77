// SPDX-License-Identifier: MIT
// Event queue of the simulator, by time; simultaneous events are in the order in which they were added.
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

// Time and contents of an event, in two registers. The meaning of `arg` depends on `kind`.
struct Event {
  Picoseconds time;
  std::uint64_t what;

  [[nodiscard]] std::uint32_t arg() const { return static_cast<std::uint32_t>(what >> 32U); }
  [[nodiscard]] std::uint32_t kind() const { return static_cast<std::uint32_t>(what); }
};

// The clock and the pending events, by time and then by order of insertion. A radix heap; time never decreases. The
// base is the time of the last refill. The bucket of an event is given by the highest digit in which its time
// differs from the base, and the value of that digit. The event moves down a digit at a time. Buckets are lists of
// chunks from one pool, appended at the end and moved in order, so that equal times keep their order of insertion.
// No memory is allocated per event.
//
// The next events are contiguous in the front. The front is a chunk of events of the base's own time (the tick), or
// the run: buckets with few events are sorted at once, which takes fewer moves and shows the next events.
class EventQueue {
 public:
  EventQueue() : run_(2 * longest_run), front_(run_.data()), front_end_(front_) {}
  EventQueue(const EventQueue&) = delete;
  EventQueue& operator=(const EventQueue&) = delete;

  [[nodiscard]] Picoseconds now() const { return now_; }
  [[nodiscard]] bool empty() const {
    return front_ == front_end_ && rest_of_tick() == nullptr && used_levels_ == 0;
  }
  // Returns the time of the next event. The queue must not be empty.
  [[nodiscard]] Picoseconds next_time() const {
    if (front_ != front_end_) return front_->time;
    return rest_of_tick() != nullptr ? base_ : times_of(buckets_[first_bucket()]).min;
  }

  // Returns whether no event is left at the current time.
  [[nodiscard]] bool tick_ends() const {
    return front_ != front_end_ ? front_->time != now_ : rest_of_tick() == nullptr || base_ != now_;
  }

  // Adds an event at now + `delay`, after all other events of that time. Throws Error if the time exceeds 2^63 ps,
  // or if `delay` is negative, the result of an overflowed sum.
  void push_after(Picoseconds delay, std::uint32_t arg, std::uint32_t kind) {
    const auto left = static_cast<std::uint64_t>(std::numeric_limits<Picoseconds>::max() - now_);
    if (static_cast<std::uint64_t>(delay) > left) too_late();
    push({now_ + delay, std::uint64_t{arg} << 32U | kind});
  }

  // Makes the next event ready; returns false if there is no event. No event may be pushed before take().
  [[nodiscard]] bool ready() { return front_ != front_end_ || refill(); }
  // Returns the event `ahead` events after the next one, for prefetching; null if it is not readily available.
  [[nodiscard]] const Event* upcoming(std::uint32_t ahead) const {
    const auto left = static_cast<std::size_t>(front_end_ - front_);
    return ahead < left ? front_ + ahead : behind_front(ahead - left);
  }

  // Removes the next event and advances the clock to it. The queue must not be empty.
  Event pop() {
    (void)ready();
    return take();
  }
  // Does the same if the event is ready.
  Event take() {
    const Event e = *front_++;
    now_ = e.time;
    if (front_ == run_low_) top_up();
    return e;
  }

  // Returns the sum of two times. Throws Error if it exceeds the clock.
  [[nodiscard]] static Picoseconds sum(Picoseconds a, Picoseconds b) {
    if (__builtin_add_overflow(a, b, &a)) too_late();
    return a;
  }
  [[noreturn]] static void too_late() { throw Error("simulated time exceeds 2^63 ps (106 days)"); }

 private:
  // Full, except for the last chunk of its bucket.
  struct Chunk {
    // With a power-of-two size, the heads of chunks would share a few cache sets.
    static constexpr std::uint32_t capacity = 61;
    Chunk* next;
    std::array<Event, capacity> events;
    [[nodiscard]] Event* end() { return events.data() + capacity; }
  };
  struct Bucket {
    Chunk* head = nullptr;
    Chunk* tail = nullptr;
    Event* end = nullptr;    // end of the events, in the tail
    Event* limit = nullptr;  // end of the tail
    [[nodiscard]] Event* end_in(Chunk* c) const { return c == tail ? end : c->end(); }
    [[nodiscard]] std::ptrdiff_t size_of_one() const { return end - head->events.data(); }  // of one chunk
  };

  void push(Event e) {
    if (e.time <= run_end_) return push_run(e);
    if (e.time == base_) return push_tick(e);
    push_later(e);
  }
  // Adds the event, which is later than the base, to its bucket.
  void push_later(Event e) {
    const auto time = static_cast<std::uint64_t>(e.time);
    const Digit digit = digits[static_cast<std::size_t>(std::bit_width(time ^ static_cast<std::uint64_t>(base_)))];
    const std::size_t bucket = digit.first_bucket + (time >> digit.shift & (digit_values - 1));
    Bucket& b = buckets_[bucket];
    if (b.end == b.limit) add_chunk_to(bucket);
    *b.end++ = e;
  }
  void push_tick(Event e) {
    if (tick_.end == tick_.limit) add_chunk(tick_);
    *tick_.end++ = e;
    if (reading_ == tick_.tail) front_end_ = tick_.end;
  }

  // Inserts the event into the run, after the events of the same time.
  void push_run(Event e) {
    if (front_ != run_.data() && (front_ == front_end_ || e.time < front_[(front_end_ - front_) / 2].time)) {
      Event* at = --front_;  // most events are due soon
      for (; at + 1 != front_end_ && at[1].time <= e.time; ++at) *at = at[1];
      *at = e;
      return;
    }
    if (front_end_ - front_ >= longest_run && front_->time != run_end_) {
      shorten_run();
      if (e.time > run_end_) return push_later(e);
    }
    if (front_end_ == run_.data() + run_.size()) move_run();
    insert_from_end(e, front_);
  }
  void insert_from_end(Event e, const Event* first) {
    Event* at = front_end_++;
    for (; at != first && at[-1].time > e.time; --at) *at = at[-1];
    *at = e;
  }
  // Moves the later half into buckets, unless all events have one time.
  [[gnu::noinline]] void shorten_run() {
    Picoseconds last = front_[(front_end_ - front_) / 2].time;
    if (last == run_end_) last = front_->time;
    Event* const later =
        std::upper_bound(front_, front_end_, last, [](Picoseconds t, const Event& e) { return t < e.time; });
    run_end_ = last;
    for (const Event* e = later; e != front_end_; ++e) push_later(*e);
    front_end_ = later;
    run_low_ = nullptr;
  }
  // Moves the run to the beginning of its memory, which is enlarged if half of it is used.
  [[gnu::noinline]] void move_run() {
    const auto size = static_cast<std::size_t>(front_end_ - front_);
    if (size > run_.size() / 2) {
      std::vector<Event> larger(run_.size() * 2);
      std::copy(front_, front_end_, larger.data() + room);
      run_.swap(larger);
    } else if (front_ > run_.data() + room) {
      std::copy(front_, front_end_, run_.data() + room);
    } else {
      return;
    }
    front_ = run_.data() + room;
    front_end_ = front_ + size;
    run_low_ = nullptr;
  }

  // Moves the next events to the front, which is empty; returns false if there are no events.
  [[gnu::noinline]] bool refill() {
    if (tick_.head != nullptr) {
      if (reading_ != nullptr) tick_.head = free_chunk(reading_);
      if (reading_ != tick_.tail) return read_tick();
      tick_ = {};
      reading_ = nullptr;
    }
    if (used_levels_ == 0) return false;
    const bool is_small = first_is_small();
    const Bucket b = take_first_bucket();
    const auto [min, max] = times_of(b);
    base_ = min;
    if (is_small) {
      front_ = front_end_ = run_.data() + room;
      add_to_run(b);
      top_up();
      return true;
    }
    run_end_ = -1;
    run_low_ = nullptr;
    if (min == max) {
      tick_ = b;
    } else {
      move_down(b);
    }
    return read_tick();
  }
  // Reads the first chunk of the tick.
  bool read_tick() {
    reading_ = tick_.head;
    front_ = reading_->events.data();
    front_end_ = tick_.end_in(reading_);
    return true;
  }
  // Returns the first chunk of the tick that is not in the front.
  [[nodiscard]] Chunk* rest_of_tick() const {
    if (reading_ == nullptr) return tick_.head;
    return reading_ == tick_.tail ? nullptr : reading_->next;
  }
  [[nodiscard]] const Event* behind_front(std::size_t ahead) const {
    Chunk* const c = rest_of_tick();
    if (c == nullptr || ahead >= static_cast<std::size_t>(tick_.end_in(c) - c->events.data())) return nullptr;
    return c->events.data() + ahead;
  }

  // Appends small buckets to the run as long as it is short.
  [[gnu::noinline]] void top_up() {
    if (front_ > run_.data() + short_run) move_run();
    while (used_levels_ != 0 && first_is_small() &&
           front_end_ - front_ + buckets_[first_bucket()].size_of_one() <= short_run)
      add_to_run(take_first_bucket());
    run_low_ = front_end_ - front_ > low_run ? front_end_ - low_run : nullptr;
  }
  // Returns whether the first bucket has so few events that sorting them is less work than moving them.
  [[nodiscard]] bool first_is_small() const {
    const Bucket& b = buckets_[first_bucket()];
    return b.head == b.tail && b.size_of_one() < short_run;
  }
  // Appends a bucket to the run. All its events are later, and in one chunk.
  void add_to_run(const Bucket& b) {
    const Event* const first = front_end_;
    for (const Event* e = b.head->events.data(); e != b.end; ++e) insert_from_end(*e, first);
    run_end_ = front_end_[-1].time;
    free_chunk(b.head);
  }
  void move_down(const Bucket& from) {
    for (Chunk* c = from.head; c != nullptr; c = free_chunk(c)) {
      const Event* const end = from.end_in(c);
      for (const Event* e = c->events.data(); e != end; ++e) {
        if (e->time == base_) {
          push_tick(*e);
        } else {
          push_later(*e);
        }
      }
    }
  }
  struct Times {
    Picoseconds min = std::numeric_limits<Picoseconds>::max();
    Picoseconds max = 0;
  };
  [[nodiscard]] static Times times_of(const Bucket& b) {
    Times times;
    for (Chunk* c = b.head; c != nullptr; c = c->next) {
      const Event* const end = b.end_in(c);
      for (const Event* e = c->events.data(); e != end; ++e) {
        times.min = std::min(times.min, e->time);
        times.max = std::max(times.max, e->time);
      }
    }
    return times;
  }

  // Returns the bucket of the earliest events; there must be one.
  [[nodiscard]] std::size_t first_bucket() const {
    const auto level = static_cast<std::size_t>(std::countr_zero(used_levels_));
    return level * digit_values + static_cast<std::size_t>(std::countr_zero(used_[level]));
  }
  Bucket take_first_bucket() {
    const std::size_t first = first_bucket();
    std::uint64_t& used = used_[first / digit_values];
    used &= used - 1;
    if (used == 0) used_levels_ &= used_levels_ - 1;
    return std::exchange(buckets_[first], Bucket{});
  }

  [[gnu::noinline]] void add_chunk_to(std::size_t bucket) {
    const std::size_t level = bucket / digit_values;
    used_levels_ |= 1U << level;
    used_[level] |= std::uint64_t{1} << bucket % digit_values;
    add_chunk(buckets_[bucket]);
  }
  void add_chunk(Bucket& b) {
    if (free_ == nullptr) grow();
    Chunk* c = std::exchange(free_, free_->next);
    c->next = nullptr;
    (b.head == nullptr ? b.head : b.tail->next) = c;
    b.tail = c;
    b.end = c->events.data();
    b.limit = c->end();
  }
  // Returns a chunk to the pool; returns the next chunk.
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

  // Level k has the buckets of digit k, from 1. Times are below 2^63.
  static constexpr std::uint32_t digit_bits = 6;
  static constexpr std::uint32_t digit_values = 1U << digit_bits;
  static constexpr std::size_t levels = 12;
  // Position of the digit that contains the highest differing bit of a time.
  struct Digit {
    std::uint32_t first_bucket;
    std::uint32_t shift;
  };
  static constexpr std::array<Digit, 65> digits = [] {
    std::array<Digit, 65> all{};
    for (std::uint32_t bits = 1; bits < all.size(); ++bits) {
      const std::uint32_t below = (bits - 1) / digit_bits;
      all[bits] = {.first_bucket = (below + 1) * digit_values, .shift = below * digit_bits};
    }
    return all;
  }();

  static constexpr std::ptrdiff_t low_run = 15;       // below this, the run is topped up
  static constexpr std::ptrdiff_t short_run = 48;     // up to this
  static constexpr std::ptrdiff_t longest_run = 256;  // except for events of one time
  static constexpr std::size_t room = 8;              // before the run, for immediate events

  std::vector<Event> run_;          // contains the run, by time, in its middle
  Event* front_;                    // next event
  Event* front_end_;                // end of the contiguous events
  const Event* run_low_ = nullptr;  // where the run is topped up
  Picoseconds now_ = 0;
  Picoseconds base_ = 0;
  Picoseconds run_end_ = -1;       // later events do not belong to the run
  Chunk* reading_ = nullptr;       // the front is the rest of this chunk of the tick; null: the front is the run
  Bucket tick_{};                  // events of the base's time, unless they are in the run
  std::uint32_t used_levels_ = 0;  // bit per level with an event
  std::array<std::uint64_t, levels> used_{};  // bit per non-empty bucket of the level
  std::array<Bucket, levels * digit_values> buckets_{};
  Chunk* free_ = nullptr;
  std::vector<HugeVector<Chunk>> slabs_;
};

}  // namespace convert
