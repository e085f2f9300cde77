// SPDX-License-Identifier: MIT
// Times of a profile's events: their resolution, and the events without a time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/profile.h"

namespace convert {

class KinetoTimes {
 public:
  // Adds an event; line() returns the line on which it begins.
  template <class Line>
  void add(std::int64_t start_ns, std::int64_t duration_ns, const Line& line) {
    for (; start_ns % resolution_ns_ != 0 || duration_ns % resolution_ns_ != 0; resolution_ns_ /= 10) {
    }
    if (start_ns == 0 && duration_ns == 0) {
      if (empty_++ == 0) first_empty_line_ = line();
      return;
    }
    if (start_ns < first_ns_ / 2) early_.push_back({start_ns, line()});
    first_ns_ = std::min(first_ns_, start_ns);
    last_ns_ = std::max(last_ns_, start_ns);
  }

  // Returns the resolution of the times: the last digit in use, unless a double of that size (Python) is less
  // precise.
  [[nodiscard]] std::int64_t resolution_ns() const;

  struct Absent {
    std::uint64_t events = 0;
    std::uint64_t first_line = 0;
    bool all_empty = false;  // all events begin at 0 with duration 0
  };
  // Drops the events that begin so long before all others that their time must be missing.
  Absent drop_absent(Profile& profile) const;

 private:
  struct Begin {
    std::int64_t start_ns = 0;
    std::uint64_t line = 0;
  };
  [[nodiscard]] Absent drop_early(Profile& profile) const;

  std::int64_t resolution_ns_ = 1000;  // divides all times so far
  std::uint64_t empty_ = 0;            // events that begin at 0 with duration 0
  std::uint64_t first_empty_line_ = 0;
  std::int64_t first_ns_ = std::numeric_limits<std::int64_t>::max(), last_ns_ = 0;  // begins of the other events
  std::vector<Begin> early_;  // candidates: each begins at most half as late as all events before it
};

}  // namespace convert
