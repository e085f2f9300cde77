// SPDX-License-Identifier: MIT
// Keeps from which rank the chain of causes of an event goes back, as seen from each rank of a class at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "simulate/symmetry/symmetry.h"
#include "simulate/symmetry/touches.h"
#include "util/divisor.h"

namespace convert {

// An origin says for each digit along which ranks move where it stands as seen from a rank: so much further on, or
// the XOR of so much. Where a digit is mixed that is a permutation of its values, of which each has a number. An
// event with an open place is an origin itself: such events are numbered, the beginning of the replay is 0.
class SeenOrigins {
 public:
  explicit SeenOrigins(const Symmetry& symmetry) {
    std::size_t mixed = 0;
    std::uint64_t rest = most_places;
    for (const Symmetry::Digit& d : symmetry.digits()) {
      if (d.motion == Motion::mixed) ++mixed;
      if (d.motion == Motion::shift || d.motion == Motion::exchange) rest /= d.base;
    }
    std::uint64_t most = most_permutations;
    while (mixed != 0 && power(most, mixed) > rest) most /= 2;
    Origin unit = 1;
    Rank stride = 1;
    for (const Symmetry::Digit& d : symmetry.digits()) {
      const std::uint64_t values = d.motion == Motion::fixed ? 1 : d.motion == Motion::mixed ? most : d.base;
      digits_.push_back({.base = d.base,
                         .motion = d.motion,
                         .by_base = Divisor(d.base),
                         .by_stride = Divisor(stride),
                         .unit = unit,
                         .values = values});
      if (d.motion == Motion::mixed) add_identity(digits_.back());
      unit *= values;
      stride *= d.base;
    }
    places_ = unit;
  }

  // Returns the origin of what an event with an open place pushes, as seen from the NPU that it touches.
  [[nodiscard]] Origin next() {
    if (events_ >= UINT64_MAX / places_ - 1) return unknown_origin;
    return ++events_ * places_;
  }

  // Returns the origin as seen from rank `at`, moved by XOR or by difference, where it is `origin` as seen from the
  // representative of that rank's class.
  [[nodiscard]] Origin at(Origin origin, Rank at, bool exchange) { return moved(origin, at, exchange, true); }
  // Returns the origin as seen from the representative where it is `origin` as seen from `at`.
  [[nodiscard]] Origin from(Origin origin, Rank at, bool exchange) { return moved(origin, at, exchange, false); }

 private:
  using Permutation = std::vector<std::uint32_t>;
  struct Digit {
    std::uint32_t base;
    Motion motion;
    Divisor by_base;
    Divisor by_stride;
    Origin unit;  // of its value in an origin
    std::uint64_t values;
    std::vector<Permutation> permutations{};
    std::map<Permutation, std::uint64_t> numbers{};
    std::unordered_map<std::uint64_t, std::uint64_t> moves{};  // number, motion and distance → number
  };
  static constexpr std::uint64_t most_places = 1U << 31U;  // as seen from a rank
  static constexpr std::uint64_t most_permutations = 1 << 16;
  static constexpr std::size_t most_held = 1 << 24;  // values of all permutations of a digit

  static std::uint64_t power(std::uint64_t base, std::size_t exponent) {
    __extension__ using Wide = unsigned __int128;
    Wide result = 1;
    for (; exponent != 0 && result <= UINT64_MAX; --exponent) result *= base;
    return result > UINT64_MAX ? UINT64_MAX : static_cast<std::uint64_t>(result);
  }
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
      if (d.motion == Motion::fixed) continue;
      const std::uint32_t distance = d.by_base.remainder(d.by_stride.quotient(by));
      if (distance == 0) continue;
      const std::uint64_t value = origin / d.unit % d.values;
      std::uint64_t now = value;
      if (d.motion == Motion::mixed) {
        now = permuted(d, value, exchange ? distance : back ? d.base - distance : distance, exchange);
        if (now == d.values) return unknown_origin;
      } else if (d.motion == Motion::exchange) {
        now = value ^ distance;
      } else {
        now = (value + (back ? d.base - distance : distance)) % d.base;
      }
      result += (now - value) * d.unit;  // modulo 2^64
    }
    return result;
  }
  // Returns the number of the permutation that follows a shift or an XOR; `values` if there are too many.
  static std::uint64_t permuted(Digit& d, std::uint64_t number, std::uint32_t distance, bool exchange) {
    const auto [known, is_new] =
        d.moves.try_emplace((number << 33U) | std::uint64_t{distance} << 1U | (exchange ? 1U : 0U), d.values);
    if (!is_new) return known->second;
    if (d.permutations.size() >= d.values || d.permutations.size() * d.base >= most_held) return d.values;
    const Permutation& before = d.permutations[number];
    Permutation after(d.base);
    for (std::uint32_t i = 0; i < d.base; ++i) {
      const std::uint32_t source = exchange ? i ^ distance : (i + distance) % d.base;
      if (source >= d.base) return d.values;
      after[i] = before[source];
    }
    const auto [at, added] = d.numbers.try_emplace(after, d.permutations.size());
    if (added) d.permutations.push_back(std::move(after));
    return known->second = at->second;
  }

  std::vector<Digit> digits_;
  Origin places_ = 1;
  std::uint64_t events_ = 0;  // with an open place
};

}  // namespace convert
