// SPDX-License-Identifier: MIT
// Deterministic random numbers that depend only on a seed and on the numbers that identify a use.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

namespace convert {

// SplitMix64 (Steele, Lea and Flood 2014) seeded by a seed and the numbers of the use. The result is independent of
// threads and of other uses.
class Draw {
 public:
  Draw(std::uint64_t seed, std::uint64_t a, std::uint64_t b) : state_(mix(mix(mix(seed) + a) + b)) {}
  Draw(std::uint64_t seed, std::uint64_t a, std::uint64_t b, std::uint64_t c) : Draw(seed, a, b) {
    state_ = mix(state_ + c);
  }
  // Returns a number in 0 … n-1; n ≥ 1.
  std::uint64_t below(std::uint64_t n) { return next() % n; }
  // Returns a number from 0 to less than 1.
  double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  // Returns a number of the standard normal distribution (Box and Muller 1958).
  double normal() {
    const double radius = std::sqrt(-2 * std::log(1 - unit()));
    return radius * std::cos(2 * std::numbers::pi * unit());
  }

 private:
  static std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  std::uint64_t next() { return mix(state_ += 0x9e3779b97f4a7c15); }
  std::uint64_t state_;
};

}  // namespace convert
