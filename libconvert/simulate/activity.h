// SPDX-License-Identifier: MIT
// How long an NPU has computed, communicated, done both or nothing.
#pragma once

#include <array>
#include <cstdint>

#include "core/units.h"
#include "simulate/op.h"

namespace convert {

// Lengths of time, each instant counted once however many nodes are under way. A node is so from its issue to its
// end: a receive also while it waits.
struct ActivityTimes {
  Picoseconds compute = 0;  // nodes in the compute slot
  Picoseconds communication = 0;
  Picoseconds overlap = 0;  // of these two
  Picoseconds memory = 0;   // remote memory
  Picoseconds cpu = 0;
  Picoseconds busy = 0;   // any of them
  bool computes = false;  // there was such a node, perhaps of no length
  bool communicates = false;
};

class Activity {
 public:
  enum Kind : std::uint8_t { compute, communication, memory, cpu };
  static Kind kind_of(const Op& op) {
    if (op.slot == Slot::cpu) return cpu;
    if (op.slot == Slot::compute) return compute;
    return op.type == OpType::memory ? memory : communication;
  }

  void begin(Kind kind, Picoseconds now) {
    if (active_[kind]++ == 0) change(kind, now);
  }
  void end(Kind kind, Picoseconds now) {
    if (--active_[kind] == 0) change(kind, now);
  }
  [[nodiscard]] ActivityTimes times(Picoseconds now) const {
    Activity at_end = *this;
    at_end.book(now);
    at_end.times_.computes = (seen_ & 1U << compute) != 0;
    at_end.times_.communicates = (seen_ & 1U << communication) != 0;
    return at_end.times_;
  }

 private:
  void change(Kind kind, Picoseconds now) {
    book(now);
    under_way_ ^= static_cast<std::uint8_t>(1U << kind);
    seen_ |= under_way_;
  }
  void book(Picoseconds now) {
    const Picoseconds length = now - since_;
    since_ = now;
    if (length == 0 || under_way_ == 0) return;
    times_.busy += length;
    constexpr unsigned both = 1U << compute | 1U << communication;
    if ((under_way_ & 1U << compute) != 0) times_.compute += length;
    if ((under_way_ & 1U << communication) != 0) times_.communication += length;
    if ((under_way_ & both) == both) times_.overlap += length;
    if ((under_way_ & 1U << memory) != 0) times_.memory += length;
    if ((under_way_ & 1U << cpu) != 0) times_.cpu += length;
  }

  std::array<std::uint32_t, 4> active_{};
  std::uint8_t under_way_ = 0;  // bit per kind
  std::uint8_t seen_ = 0;
  Picoseconds since_ = 0;
  ActivityTimes times_{};
};

}  // namespace convert
