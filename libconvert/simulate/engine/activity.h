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
  // Returns for how long nothing was computed until now.
  [[nodiscard]] Picoseconds without_compute(Picoseconds now) const {
    const Picoseconds computed = length_[place_compute] + ((under_way_ & 1U << compute) == 0 ? 0 : now - since_);
    return now - computed;
  }
  [[nodiscard]] ActivityTimes times(Picoseconds now) const {
    Activity at_end = *this;
    at_end.book(now);
    const auto& length = at_end.length_;
    return {.compute = length[place_compute],
            .communication = length[place_communication],
            .overlap = length[place_overlap],
            .waiting = length[place_waiting],
            .called = length[place_called],
            .memory = length[place_memory],
            .cpu = length[place_cpu],
            .busy = length[place_busy],
            .computes = (seen_ & 1U << compute) != 0,
            .communicates = (seen_ & (1U << communication | 1U << waiting)) != 0};
  }

 private:
  // Members of ActivityTimes.
  enum Place : std::uint8_t {
    place_compute,
    place_communication,
    place_overlap,
    place_waiting,
    place_called,
    place_memory,
    place_cpu,
    place_busy,
    places
  };
  // By set of kinds under way: -1 in each place to which its time counts, else 0.
  static constexpr std::array<std::array<Picoseconds, places>, 32> masks = [] {
    std::array<std::array<Picoseconds, places>, 32> all{};
    for (unsigned set = 0; set < all.size(); ++set) {
      const auto has = [set](Kind kind) { return (set & 1U << kind) != 0; };
      const auto counts = [&](Place place, bool counted) { all[set][place] = counted ? -1 : 0; };
      counts(place_compute, has(compute));
      counts(place_communication, has(communication));
      counts(place_overlap, has(compute) && has(communication));
      counts(place_waiting, has(waiting) && !has(compute) && !has(communication));
      counts(place_called, has(waiting) || has(communication));
      counts(place_memory, has(memory));
      counts(place_cpu, has(cpu));
      counts(place_busy, set != 0);
    }
    return all;
  }();

  void change(unsigned changed, Picoseconds now) {
    book(now);
    under_way_ ^= static_cast<std::uint8_t>(changed);
    seen_ |= under_way_;
  }
  void book(Picoseconds now) {
    const Picoseconds length = now - std::exchange(since_, now);
    if (length == 0) return;
    for (std::size_t i = 0; i < places; ++i) length_[i] += length & masks[under_way_][i];
  }

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
  std::array<Picoseconds, places> length_{};
};

}  // namespace convert
