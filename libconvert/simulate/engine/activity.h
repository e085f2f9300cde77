// SPDX-License-Identifier: MIT
// Measures the time in which an NPU computes, communicates, does both or is idle.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "core/units.h"
#include "simulate/program/op.h"

namespace convert {

// Durations; each instant counts once, independent of the number of nodes under way. A node is under way from its
// issue to its end.
struct ActivityTimes {
  Picoseconds compute = 0;        // nodes in the compute slot
  Picoseconds communication = 0;  // receives from the send of their message, collectives from their last call
  Picoseconds overlap = 0;        // of compute and communication
  Picoseconds waiting = 0;  // receives and collectives before that, without concurrent compute or communication
  Picoseconds called = 0;   // communication and all waits, as in ASTRA-sim
  Picoseconds memory = 0;   // remote memory
  Picoseconds cpu = 0;
  Picoseconds busy = 0;   // any of the above
  bool computes = false;  // there was such a node, possibly of duration 0
  bool communicates = false;
};

class Activity {
 public:
  enum Kind : std::uint8_t { compute, communication, waiting, memory, cpu };
  static Kind kind_of(NodeEnd end) { return kinds[end.type_and_slot()]; }

  void begin(Kind kind, Picoseconds now) {
    if (active_[kind]++ == 0) change(1U << kind, now);
  }
  void end(Kind kind, Picoseconds now) {
    if (--active_[kind] == 0) change(1U << kind, now);
  }
  // A waiting receive or collective communicates from now on.
  void end_wait(Picoseconds now) {
    const unsigned ended = --active_[waiting] == 0 ? 1U << waiting : 0;
    const unsigned begun = active_[communication]++ == 0 ? 1U << communication : 0;
    if ((ended | begun) != 0) change(ended | begun, now);
  }
  // Returns the total time without computation until now.
  [[nodiscard]] Picoseconds without_compute(Picoseconds now) const {
    return now - sum(1U << compute) - (has(compute) ? now - since_ : 0);
  }
  [[nodiscard]] ActivityTimes times(Picoseconds now) const {
    Activity at_end = *this;
    at_end.book(now);
    constexpr unsigned computing = 1U << compute, communicating = 1U << communication, waits = 1U << waiting;
    const auto& length = at_end.length_;
    return {.compute = at_end.sum(computing),
            .communication = at_end.sum(communicating),
            .overlap = length[computing | communicating] + length[computing | communicating | waits],
            .waiting = length[waits],
            .called = at_end.sum(communicating | waits),
            .memory = at_end.memory_,
            .cpu = at_end.cpu_,
            .busy = at_end.sum(computing | communicating | waits) + at_end.only_others_,
            .computes = (seen_ & computing) != 0,
            .communicates = (seen_ & (communicating | waits)) != 0};
  }

 private:
  static constexpr unsigned main_kinds = 1U << compute | 1U << communication | 1U << waiting;

  [[nodiscard]] bool has(Kind kind) const { return (under_way_ & 1U << kind) != 0; }
  // Returns the time in which any of these main kinds was under way.
  [[nodiscard]] Picoseconds sum(unsigned any_of) const {
    Picoseconds length = 0;
    for (unsigned set = 1; set <= main_kinds; ++set) length += (set & any_of) != 0 ? length_[set] : 0;
    return length;
  }
  void change(unsigned changed, Picoseconds now) {
    book(now);
    under_way_ ^= static_cast<std::uint8_t>(changed);
    seen_ |= under_way_;
  }
  void book(Picoseconds now) {
    const Picoseconds length = now - std::exchange(since_, now);
    length_[under_way_ & main_kinds] += length;
    if (under_way_ > main_kinds) book_others(length);
  }
  void book_others(Picoseconds length) {
    if (has(memory)) memory_ += length;
    if (has(cpu)) cpu_ += length;
    if ((under_way_ & main_kinds) == 0) only_others_ += length;
  }

  static constexpr std::array<Kind, 32> kinds = [] {  // by NodeEnd::type_and_slot
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
  Picoseconds memory_ = 0;
  Picoseconds cpu_ = 0;
  Picoseconds only_others_ = 0;                       // memory or cpu without a main kind
  std::array<Picoseconds, main_kinds + 1> length_{};  // by set of main kinds under way
};

}  // namespace convert
