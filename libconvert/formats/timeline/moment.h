// SPDX-License-Identifier: MIT
// Orders the begins and ends of the slices of a timeline.
#pragma once

#include <cstdint>

namespace convert {

// The begin or end of a slice. Sorted, they are what a track needs: at one time the end of what began earlier, then
// slices of no length, then a begin; and receives behind the sends that they may be of.
struct Moment {
  std::uint64_t time = 0;
  std::uint64_t what = 0;  // 1 bit receive, 2 bits phase, the slice's number, 1 bit end

  enum Phase : std::uint64_t { ends, empty, begins };
  Moment(std::uint64_t at, bool receive, Phase phase, std::uint64_t slice, bool is_end)
      : time(at), what(std::uint64_t{receive} << 63U | phase << 61U | slice << 1U | std::uint64_t{is_end}) {}
  [[nodiscard]] bool is_end() const { return (what & 1U) != 0; }
  [[nodiscard]] std::uint64_t slice() const { return what << 3U >> 4U; }
  bool operator<(const Moment& o) const { return time != o.time ? time < o.time : what < o.what; }
};

}  // namespace convert
