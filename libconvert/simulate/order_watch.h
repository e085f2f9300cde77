// SPDX-License-Identifier: MIT
// Watches a run in which one rank stands for its class: whether the order of simultaneous events, which may differ
// from rank to rank, could matter.
//
// Events of one time run in the order in which they were pushed. Two that touch an NPU at the same time and were
// pushed at the same time come in the same order on every rank of the class if both go back to the same rank
// (shifted along); else the order is open, and they must commute. Each event therefore carries when it was pushed
// and to which rank it goes back: its origin, in the frame of the NPU that it touches.
#pragma once

#include <cstdint>
#include <vector>

#include "core/trace.h"
#include "core/units.h"
#include "simulate/waiter.h"

namespace convert {

inline constexpr Rank unknown_origin = 0xffffffff;

struct Pushed {
  Picoseconds time = -1;
  Rank origin = 0;
};

class OrderWatch {
 public:
  explicit OrderWatch(std::size_t npus) : npus_(npus) {}

  // What is pushed from now on goes back to this.
  Rank origin = 0;

  [[nodiscard]] bool broken() const { return broken_; }
  void give_up() { broken_ = true; }

  // An event that was pushed so touches `npu` now, to do `what`.
  void touch(Rank npu, Picoseconds now, const Pushed& pushed, Waiter what) {
    origin = pushed.origin;
    Npu& n = npus_[npu];
    if (n.time != now) n = {.time = now};
    bool open = false;
    for (const Touch& t : n.touches) {
      if (t.pushed.time != pushed.time) continue;
      if (t.pushed.origin == pushed.origin && pushed.origin != unknown_origin) continue;
      open = true;
      if (t.what.kind == what.kind && (t.what.index == what.index || what.kind == Waiter::op)) continue;
      broken_ = true;
    }
    if (open) {
      origin = unknown_origin;
      n.open_ends = n.open_ends || what.kind == Waiter::op;
      check(n);
    }
    for (const Touch& t : n.touches) {
      if (t.pushed.time == pushed.time && t.pushed.origin == pushed.origin && t.what.kind == what.kind &&
          t.what.index == what.index) {
        return;
      }
    }
    n.touches.push_back({pushed, what});
  }

  // A free node was offered: if ends of nodes come in open order, only one may be.
  void offered(Rank npu, Picoseconds now) {
    Npu& n = npus_[npu];
    if (n.time != now) n = {.time = now};
    ++n.offers;
    check(n);
  }

 private:
  struct Touch {
    Pushed pushed;
    Waiter what;
  };
  struct Npu {
    Picoseconds time = -1;
    std::vector<Touch> touches{};
    std::uint32_t offers = 0;
    bool open_ends = false;
  };
  void check(const Npu& n) {
    if (n.open_ends && n.offers > 1) broken_ = true;
  }

  std::vector<Npu> npus_;
  bool broken_ = false;
};

}  // namespace convert
