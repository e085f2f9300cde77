// SPDX-License-Identifier: MIT
// Where events that touch an NPU or a wire at one time come from; see OrderWatch.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/trace.h"
#include "core/units.h"

namespace convert {

inline constexpr Rank unknown_origin = 0xffffffff;

struct Pushed {
  Picoseconds time = -1;
  Rank origin = 0;
};

// Whether the order of two events of one time is open.
[[nodiscard]] inline bool order_is_open(const Pushed& a, const Pushed& b) {
  return a.time == b.time && (a.origin != b.origin || a.origin == unknown_origin);
}

// What has come to an NPU or a wire at one time, as far as it matters for what may come yet: enough that, if any
// of all had another origin than that, or both another origin and another index, one of these has. So there are
// about ten at most of a kind that were pushed at one time.
class Touches {
 public:
  struct Touch {
    Pushed pushed{};
    std::uint32_t kind = 0;
    std::uint64_t index = 0;
  };
  // Beyond, nothing is to be gained by going on.
  static constexpr std::size_t too_many = 1000;

  void clear() { touches_.clear(); }
  void add(const Touch& touch) {
    if (!covered(touch)) touches_.push_back(touch);
  }
  [[nodiscard]] std::size_t size() const { return touches_.size(); }
  [[nodiscard]] auto begin() const { return touches_.begin(); }
  [[nodiscard]] auto end() const { return touches_.end(); }

 private:
  // Three of one origin differ from any index, but for one, in two ways; as do three of one index, or three that
  // have nothing in common.
  [[nodiscard]] bool covered(const Touch& touch) const {
    std::array<const Touch*, 3> apart{};
    std::size_t aparts = 0;
    std::size_t same_origin = 0;
    std::size_t same_index = 0;
    const auto overlap = [](const Touch& a, const Touch& b) {
      return a.pushed.origin == b.pushed.origin || a.index == b.index;
    };
    for (const Touch& t : touches_) {
      if (t.pushed.time != touch.pushed.time || t.kind != touch.kind) continue;
      const bool origin = t.pushed.origin == touch.pushed.origin;
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
