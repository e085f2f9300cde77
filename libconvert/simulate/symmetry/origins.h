// SPDX-License-Identifier: MIT
// Origin rank of each event's causal chain, for all ranks of a class at once.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "simulate/symmetry/symmetry.h"
#include "simulate/symmetry/touches.h"
#include "util/divisor.h"

namespace convert {

// An origin contains the offset of the origin rank as seen from a rank, for each digit along which ranks move: a
// difference or an XOR. For a mixed digit it contains the number of a permutation of the digit's values. An event
// of undetermined order is an origin itself. Such events are numbered; number 0 is the beginning of the replay.
class SeenOrigins {
 public:
  explicit SeenOrigins(const Symmetry& symmetry) {
    std::uint32_t mixed = 0;
    std::uint32_t bits = 0;
    const auto bits_of = [](std::uint32_t base) { return static_cast<std::uint32_t>(std::bit_width(base - 1)); };
    for (const Symmetry::Digit& d : symmetry.digits()) {
      if (d.motion == Motion::mixed) ++mixed;
      if (d.motion == Motion::shift || d.motion == Motion::exchange) bits += bits_of(d.base);
    }
    const std::uint32_t rest = most_bits - std::min(bits, most_bits);
    const std::uint32_t of_mixed = mixed == 0 ? 0 : std::min(most_permutation_bits, rest / mixed);
    Rank stride = 1;
    for (const Symmetry::Digit& d : symmetry.digits()) {
      if (d.motion != Motion::fixed) {
        digits_.push_back({.base = d.base,
                           .motion = d.motion,
                           .by_base = Divisor(d.base),
                           .by_stride = Divisor(stride),
                           .first_bit = places_bits_,
                           .bits = d.motion == Motion::mixed ? of_mixed : bits_of(d.base)});
        if (d.motion == Motion::mixed) add_identity(digits_.back());
        places_bits_ += digits_.back().bits;
      }
      stride *= d.base;
    }
  }

  // Returns the origin of the events that an event of undetermined order pushes, as seen from the NPU it touches.
  [[nodiscard]] Origin next() {
    if (events_ >= (UINT64_MAX >> places_bits_) - 1) return unknown_origin;
    return ++events_ << places_bits_;
  }

  // Returns the origin as seen from rank `at`, given the origin as seen from the representative of its class. Moves
  // by XOR or by difference.
  [[nodiscard]] Origin at(Origin origin, Rank at, bool exchange) { return moved(origin, at, exchange, true); }
  // Returns the origin as seen from the representative, given the origin as seen from `at`.
  [[nodiscard]] Origin from(Origin origin, Rank at, bool exchange) { return moved(origin, at, exchange, false); }
  // Returns the origin of events after a closed phase (see ClosedPhase) that has begun in this turn with `origin`.
  // Only phases of one shape end in the order in which they began.
  [[nodiscard]] Origin after_closed(Origin origin, std::uint64_t turn, std::uint32_t shape) {
    forget();
    Origin& number = numbers_[{origin, ~shape, turn}];
    if (number == 0) number = next();
    return number;
  }

  // Returns the origin as seen from the next member of a class ring (see ClassRings), given the origin as seen from
  // a member. With `forth` false, returns it as seen from the previous member. Equal origins stay equal.
  [[nodiscard]] Origin next_in_ring(Origin origin, std::uint32_t ring, bool forth) {
    if (origin == unknown_origin) return origin;
    InRing seen{origin, ring, 0};
    if (const auto known = in_rings_.find(origin); known != in_rings_.end() && known->second.ring == ring)
      seen = known->second;
    seen.steps += forth ? 1 : -1;
    if (seen.steps == 0) return seen.origin;
    forget();
    Origin& number = numbers_[{seen.origin, seen.ring, static_cast<std::uint64_t>(seen.steps)}];
    if (number == 0) {
      number = next();
      in_rings_.emplace(number, seen);
    }
    return number;
  }

 private:
  // An origin as seen from a member `steps` further in a ring. Each has a number, like an event of undetermined
  // order.
  struct InRing {
    Origin origin = 0;
    std::uint32_t ring = 0;
    std::int64_t steps = 0;
  };
  // Limits the tables: after that, origins may differ unnecessarily, which is safe.
  void forget() {
    if (numbers_.size() < most_numbers) return;
    in_rings_.clear();
    numbers_.clear();
  }

  using Permutation = std::vector<std::uint32_t>;
  struct Digit {
    std::uint32_t base;
    Motion motion;
    Divisor by_base;
    Divisor by_stride;
    std::uint32_t first_bit;  // bits of its value in an origin
    std::uint32_t bits;
    std::vector<Permutation> permutations{};
    std::map<Permutation, std::uint32_t> numbers{};
    std::vector<std::uint32_t> moves{};  // by number, motion and distance: 1 + number; 0: unknown
  };
  static constexpr std::uint32_t most_bits = 31;  // of all digits
  static constexpr std::uint32_t most_permutation_bits = 16;
  static constexpr std::size_t most_held = 1 << 24;  // values of all permutations of a digit
  static constexpr std::uint32_t no_number = UINT32_MAX;

  static void add_identity(Digit& d) {
    Permutation identity;
    for (std::uint32_t i = 0; i < d.base; ++i) identity.push_back(i);
    d.numbers.emplace(identity, 0);
    d.permutations.push_back(std::move(identity));
  }

  Origin moved(Origin origin, Rank by, bool exchange, bool back) {
    if (origin == unknown_origin) return origin;
    Origin result = origin;
    for (Digit& d : digits_) {
      const std::uint32_t distance = d.by_base.remainder(d.by_stride.quotient(by));
      if (distance == 0) continue;
      const auto value = static_cast<std::uint32_t>(origin >> d.first_bit & ((Origin{1} << d.bits) - 1));
      const std::uint32_t now = moved_value(d, value, distance, exchange, back);
      if (now == no_number) return unknown_origin;
      result ^= Origin{now ^ value} << d.first_bit;
    }
    return result;
  }
  static std::uint32_t moved_value(Digit& d, std::uint32_t value, std::uint32_t distance, bool exchange,
                                   bool back) {
    if (d.motion == Motion::mixed)
      return permuted(d, value, exchange ? distance : back ? d.base - distance : distance, exchange);
    if (d.motion == Motion::exchange) return value ^ distance;
    const std::uint32_t sum = value + (back ? d.base - distance : distance);
    return sum >= d.base ? sum - d.base : sum;
  }
  // Returns the number of the permutation after a shift or an XOR; no_number if there are too many.
  static std::uint32_t permuted(Digit& d, std::uint32_t number, std::uint32_t distance, bool exchange) {
    const std::size_t move = (std::size_t{number} * 2 + (exchange ? 1 : 0)) * d.base + distance;
    if (move < d.moves.size() && d.moves[move] != 0) return d.moves[move] - 1;
    const std::uint32_t after = permute(d, number, distance, exchange);
    if (after == no_number) return no_number;
    if (move >= d.moves.size()) d.moves.resize(d.permutations.size() * 2 * d.base);
    d.moves[move] = after + 1;
    return after;
  }
  static std::uint32_t permute(Digit& d, std::uint32_t number, std::uint32_t distance, bool exchange) {
    const Permutation& before = d.permutations[number];
    Permutation after(d.base);
    for (std::uint32_t i = 0; i < d.base; ++i) {
      const std::uint32_t source = exchange ? i ^ distance : (i + distance) % d.base;
      if (source >= d.base) return no_number;
      after[i] = before[source];
    }
    if (const auto known = d.numbers.find(after); known != d.numbers.end()) return known->second;
    const std::size_t count = d.permutations.size();
    if (count >> d.bits != 0 || count * d.base >= most_held) return no_number;
    d.numbers.emplace(after, static_cast<std::uint32_t>(count));
    d.permutations.push_back(std::move(after));
    return static_cast<std::uint32_t>(count);
  }

  std::vector<Digit> digits_;
  std::uint32_t places_bits_ = 0;
  std::uint64_t events_ = 0;  // events of undetermined order, and origins as seen along rings
  static constexpr std::size_t most_numbers = 1U << 20U;
  std::map<std::tuple<Origin, std::uint32_t, std::uint64_t>, Origin> numbers_;  // by origin, ring and steps
  std::unordered_map<Origin, InRing> in_rings_;                                 // by number
};

}  // namespace convert
