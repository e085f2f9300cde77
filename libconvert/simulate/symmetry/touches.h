// SPDX-License-Identifier: MIT
// Keeps the origins of events that touch an NPU or a wire at one time; see OrderWatch.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/trace.h"

namespace convert {

// Says of a rank which it is as seen from another; see SeenOrigins.
using Origin = std::uint64_t;
inline constexpr Origin unknown_origin = UINT64_MAX;

// Says in which turn an event was pushed (see OrderWatch), and to which rank it goes back.
struct Pushed {
  std::uint64_t turn = 0;
  Origin origin = 0;
};

// Returns whether the order of two events of one turn with these origins is open.
[[nodiscard]] inline bool order_is_open(Origin a, Origin b) { return a != b || a == unknown_origin; }

// Holds the events of one turn that have come to an NPU or a wire. Later events are compared with these: does one
// differ in origin, or in both origin and index? An event is left out if those kept answer that for every later
// one, so about ten stay of each kind.
class Touches {
 public:
  struct Touch {
    Origin origin = 0;
    std::uint32_t kind = 0;
    std::uint64_t index = 0;
  };
  // With more, the search for symmetry gives up.
  static constexpr std::size_t too_many = 1000;

  void clear() { touches_.clear(); }
  void add(const Touch& touch) {
    if (!covered(touch)) touches_.push_back(touch);
  }
  [[nodiscard]] std::size_t size() const { return touches_.size(); }
  [[nodiscard]] auto begin() const { return touches_.begin(); }
  [[nodiscard]] auto end() const { return touches_.end(); }

 private:
  // Returns whether those kept answer for this one too: three that share its kind and either origin or index, or
  // three that pairwise share neither.
  [[nodiscard]] bool covered(const Touch& touch) const {
    std::array<const Touch*, 3> apart{};
    std::size_t aparts = 0;
    std::size_t same_origin = 0;
    std::size_t same_index = 0;
    const auto overlap = [](const Touch& a, const Touch& b) { return a.origin == b.origin || a.index == b.index; };
    for (const Touch& t : touches_) {
      if (t.kind != touch.kind) continue;
      const bool origin = t.origin == touch.origin;
      const bool index = t.index == touch.index;
      if (origin && index) return true;
      same_origin += origin ? 1 : 0;
      same_index += index ? 1 : 0;
      const auto end = apart.begin() + static_cast<std::ptrdiff_t>(aparts);
      if (std::none_of(apart.begin(), end, [&](const Touch* other) { return overlap(*other, t); }))
        apart[aparts++] = &t;
      if (same_origin == 3 || same_index == 3 || aparts == 3) return true;
    }
    return false;
  }

  std::vector<Touch> touches_;
};

}  // namespace convert
