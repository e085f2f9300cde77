// SPDX-License-Identifier: MIT
// Measures how long an NPU computes, communicates, does both or nothing.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "core/units.h"
#include "simulate/program/op.h"

namespace convert {

// Holds lengths of time; each instant counts once however many nodes are under way. A node is under way from its
// issue to its end, a receive also while it waits.
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
  static Kind kind_of(OpType type, Slot slot) {
    return kinds[static_cast<std::size_t>(slot) << 3U | static_cast<std::size_t>(type)];
  }

  void begin(Kind kind, Picoseconds now) {
    if (active_[kind]++ == 0) change(kind, now);
  }
  void end(Kind kind, Picoseconds now) {
    if (--active_[kind] == 0) change(kind, now);
  }
  // Returns for how long nothing was computed until now.
  [[nodiscard]] Picoseconds without_compute(Picoseconds now) const {
    constexpr unsigned computes = 1U << compute;
    Picoseconds time = (under_way_ & computes) == 0 ? now - since_ : 0;
    for (unsigned set = 0; set < length_.size(); ++set) {
      if ((set & computes) == 0) time += length_[set];
    }
    return time;
  }
  [[nodiscard]] ActivityTimes times(Picoseconds now) const {
    Activity at_end = *this;
    at_end.book(now);
    ActivityTimes times;
    for (unsigned set = 1; set < length_.size(); ++set) {
      const Picoseconds length = at_end.length_[set];
      times.busy += length;
      constexpr unsigned both = 1U << compute | 1U << communication;
      if ((set & 1U << compute) != 0) times.compute += length;
      if ((set & 1U << communication) != 0) times.communication += length;
      if ((set & both) == both) times.overlap += length;
      if ((set & 1U << memory) != 0) times.memory += length;
      if ((set & 1U << cpu) != 0) times.cpu += length;
    }
    times.computes = (seen_ & 1U << compute) != 0;
    times.communicates = (seen_ & 1U << communication) != 0;
    return times;
  }

 private:
  void change(Kind kind, Picoseconds now) {
    book(now);
    under_way_ ^= static_cast<std::uint8_t>(1U << kind);
    seen_ |= under_way_;
  }
  void book(Picoseconds now) { length_[under_way_] += now - std::exchange(since_, now); }

  static constexpr std::array<Kind, 32> kinds = [] {  // by slot and type
    std::array<Kind, 32> kinds{};
    for (std::size_t i = 0; i < kinds.size(); ++i) {
      const auto slot = static_cast<Slot>(i >> 3U);
      const bool is_memory = static_cast<OpType>(i & 7U) == OpType::memory;
      kinds[i] = slot == Slot::cpu ? cpu : slot == Slot::compute ? compute : is_memory ? memory : communication;
    }
    return kinds;
  }();

  std::array<std::uint32_t, 4> active_{};
  std::uint8_t under_way_ = 0;  // bit per kind
  std::uint8_t seen_ = 0;
  Picoseconds since_ = 0;
  std::array<Picoseconds, 16> length_{};  // by under_way_
};

}  // namespace convert
