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
// issue to its end.
struct ActivityTimes {
  Picoseconds compute = 0;        // nodes in the compute slot
  Picoseconds communication = 0;  // a receive from when its message is sent, a collective from its last call
  Picoseconds overlap = 0;        // of these two
  Picoseconds waiting = 0;  // receives and collectives before that, without compute or communication under way
  Picoseconds called = 0;   // communication and all waits, as in ASTRA-sim
  Picoseconds memory = 0;   // remote memory
  Picoseconds cpu = 0;
  Picoseconds busy = 0;   // any of them
  bool computes = false;  // there was such a node, perhaps of no length
  bool communicates = false;
};

class Activity {
 public:
  enum Kind : std::uint8_t { compute, communication, waiting, memory, cpu };
  static Kind kind_of(OpType type, Slot slot) {
    return kinds[static_cast<std::size_t>(slot) << 3U | static_cast<std::size_t>(type)];
  }

  void begin(Kind kind, Picoseconds now) {
    if (active_[kind]++ == 0) change(kind, now);
  }
  void end(Kind kind, Picoseconds now) {
    if (--active_[kind] == 0) change(kind, now);
  }
  // A waiting receive or collective communicates from now on.
  void end_wait(Picoseconds now) {
    end(waiting, now);
    begin(communication, now);
  }
  // Returns for how long nothing was computed until now.
  [[nodiscard]] Picoseconds without_compute(Picoseconds now) const {
    Picoseconds time = (under_way_ & 1U << compute) == 0 ? now - since_ : 0;
    for (unsigned set = 0; set < sets; ++set) {
      if ((set & 1U << compute) == 0 && !is_merged(set)) time += length_[place_of[set]];
    }
    return time;
  }
  [[nodiscard]] ActivityTimes times(Picoseconds now) const {
    Activity at_end = *this;
    at_end.book(now);
    ActivityTimes times;
    for (unsigned set = 1; set < sets; ++set) {
      if (is_merged(set)) continue;
      const Picoseconds length = at_end.length_[place_of[set]];
      const auto has = [set](Kind kind) { return (set & 1U << kind) != 0; };
      times.busy += length;
      if (has(compute)) times.compute += length;
      if (has(communication)) times.communication += length;
      if (has(compute) && has(communication)) times.overlap += length;
      if (has(waiting) && !has(compute)) times.waiting += length;
      if (has(waiting) || has(communication)) times.called += length;
      if (has(memory)) times.memory += length;
      if (has(cpu)) times.cpu += length;
    }
    times.computes = (seen_ & 1U << compute) != 0;
    times.communicates = (seen_ & (1U << communication | 1U << waiting)) != 0;
    return times;
  }

 private:
  static constexpr unsigned sets = 32;  // of kinds
  // Returns whether a set counts as the set without `waiting`: beside communication, waiting makes no difference.
  static constexpr auto is_merged = [](unsigned set) {
    constexpr unsigned both = 1U << communication | 1U << waiting;
    return (set & both) == both;
  };
  static constexpr std::size_t places = 24;
  static constexpr std::array<std::uint8_t, sets> place_of = [] {
    std::array<std::uint8_t, sets> place{};
    std::uint8_t next = 0;
    for (unsigned set = 0; set < sets; ++set) place[set] = is_merged(set) ? place[set & ~(1U << waiting)] : next++;
    return place;
  }();
  static_assert(place_of[sets - 1] < places);

  void change(Kind kind, Picoseconds now) {
    book(now);
    under_way_ ^= static_cast<std::uint8_t>(1U << kind);
    seen_ |= under_way_;
  }
  void book(Picoseconds now) { length_[place_of[under_way_]] += now - std::exchange(since_, now); }

  static constexpr std::array<Kind, 32> kinds = [] {  // by slot and type
    std::array<Kind, 32> kinds{};
    for (std::size_t i = 0; i < kinds.size(); ++i) {
      const auto slot = static_cast<Slot>(i >> 3U);
      const bool is_memory = static_cast<OpType>(i & 7U) == OpType::memory;
      kinds[i] = slot == Slot::cpu ? cpu : slot == Slot::compute ? compute : is_memory ? memory : communication;
    }
    return kinds;
  }();

  std::array<std::uint32_t, 5> active_{};
  std::uint8_t under_way_ = 0;  // bit per kind
  std::uint8_t seen_ = 0;
  Picoseconds since_ = 0;
  std::array<Picoseconds, places> length_{};  // by place_of under_way_
};

}  // namespace convert
