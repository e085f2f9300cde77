// SPDX-License-Identifier: MIT
// Order of the begins and ends of slices in a timeline.
#pragma once

#include <cstdint>

namespace convert {

// The begin or end of a slice. The sort order is the order of events on a track. At one time: ends of earlier
// slices, then slices of duration 0, then begins. Receives follow the sends that they may match.
struct Moment {
  std::uint64_t time = 0;
  std::uint64_t what = 0;  // 1 bit receive, 2 bits phase, slice number, 1 bit end

  enum Phase : std::uint64_t { ends, empty, begins };
  Moment(std::uint64_t at, bool receive, Phase phase, std::uint64_t slice, bool is_end)
      : time(at), what(std::uint64_t{receive} << 63U | phase << 61U | slice << 1U | std::uint64_t{is_end}) {}
  [[nodiscard]] bool is_end() const { return (what & 1U) != 0; }
  [[nodiscard]] std::uint64_t slice() const { return what << 3U >> 4U; }
  bool operator<(const Moment& o) const { return time != o.time ? time < o.time : what < o.what; }
};

}  // namespace convert
