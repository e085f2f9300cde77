// SPDX-License-Identifier: MIT
// Queue of events, by time.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/units.h"

namespace convert {

// A radix heap (Ahuja, Mehlhorn, Orlin and Tarjan, Journal of the ACM 37, 1990). No event may be pushed before the
// time taken last, so an event moves at most once for each bit of its time, and usually far less often.
class RadixQueue {
 public:
  [[nodiscard]] bool empty() const { return filled_ == 0; }

  // `time`: not before the time taken last, initially 0.
  void push(Picoseconds time, std::uint32_t what) { place({time, what}); }

  // Replaces `all` by the events of the earliest time, in the order of pushing, and returns that time. The queue
  // must not be empty.
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

  // An event's bucket is the number of low bits in which its time may differ from now.
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
  std::uint64_t filled_ = 0;  // by bucket: whether it has events
};

}  // namespace convert
