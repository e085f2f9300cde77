// SPDX-License-Identifier: MIT
// Origins of events that touch an NPU or a link in one turn; see OrderWatch.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/trace.h"

namespace convert {

// Origin of an event as seen from a rank; see SeenOrigins.
using Origin = std::uint64_t;
inline constexpr Origin unknown_origin = UINT64_MAX;

// Turn in which an event was pushed (see OrderWatch), and the event's origin.
struct Pushed {
  std::uint64_t turn = 0;
  Origin origin = 0;
};

// Returns whether the order of two events of one turn with these origins is undetermined.
[[nodiscard]] inline bool order_is_open(Origin a, Origin b) { return a != b || a == unknown_origin; }

// Events of one turn that have touched an NPU or a link. A later event is compared with them: does any differ in
// origin, or in both origin and index? An event is omitted if the stored events give the same answer for every
// later event, so about ten are stored of each kind.
class Touches {
 public:
  struct Touch {
    Origin origin = 0;
    std::uint32_t kind = 0;
    std::uint64_t index = 0;
  };
  // The search for symmetry gives up above this number.
  static constexpr std::size_t too_many = 1000;

  void clear() { touches_.clear(); }
  void add(const Touch& touch) {
    if (!covered(touch)) touches_.push_back(touch);
  }
  [[nodiscard]] std::size_t size() const { return touches_.size(); }
  [[nodiscard]] auto begin() const { return touches_.begin(); }
  [[nodiscard]] auto end() const { return touches_.end(); }

 private:
  // Returns whether the stored events give the same answers as `touch`: three that share its kind and either origin
  // or index, or three that pairwise share neither.
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
