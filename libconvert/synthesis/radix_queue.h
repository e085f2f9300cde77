// SPDX-License-Identifier: MIT
// Holds what is to happen, by its time.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/units.h"

namespace convert {

// A radix heap (Ahuja, Mehlhorn, Orlin and Tarjan, Journal of the ACM 37, 1990): nothing is pushed before the time
// that was taken last, so that an event moves at most once for each bit of its time, mostly far less often.
class RadixQueue {
 public:
  [[nodiscard]] bool empty() const { return filled_ == 0; }

  // `time`: not before that taken last, or 0.
  void push(Picoseconds time, std::uint32_t what) { place({time, what}); }

  // Replaces `all` by what happens at the earliest time, in the order in which it was pushed, and returns that
  // time. The queue must not be empty.
  Picoseconds take(std::vector<std::uint32_t>& all) {
    if ((filled_ & 1U) == 0) move_on();
    all.clear();
    for (const Event& e : places_[0]) all.push_back(e.what);
    places_[0].clear();
    filled_ &= ~std::uint64_t{1};
    return now_;
  }

 private:
  struct Event {
    Picoseconds time = 0;
    std::uint32_t what = 0;
  };

  // An event's place is the number of low bits in which its time may differ from now.
  void place(const Event& event) {
    const auto place = static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(event.time ^ now_)));
    places_[place].push_back(event);
    filled_ |= std::uint64_t{1} << place;
  }

  void move_on() {
    const auto first = static_cast<std::size_t>(std::countr_zero(filled_));
    std::vector<Event>& events = places_[first];
    now_ = std::ranges::min_element(events, {}, &Event::time)->time;
    for (const Event& e : events) place(e);
    events.clear();
    filled_ &= ~(std::uint64_t{1} << first);
  }

  Picoseconds now_ = 0;
  std::array<std::vector<Event>, 64> places_{};
  std::uint64_t filled_ = 0;  // by place: whether it has events
};

}  // namespace convert
