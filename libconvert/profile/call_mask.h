// SPDX-License-Identifier: MIT
// Set of the latest communications of a rank that a node depends on, directly or through other nodes.
#pragma once

#include <cstdint>

namespace convert {

class CallMask {
 public:
  static constexpr std::uint32_t reach = 64;  // number of communications that are tracked

  CallMask() = default;
  explicit CallMask(std::uint64_t bits) : bits_(bits) {}

  // Returns whether the node depends on the `back`-th latest communication, 1 … reach.
  [[nodiscard]] bool has(std::uint32_t back) const { return (bits_ >> (back - 1) & 1U) != 0; }
  void set(std::uint32_t back) { bits_ |= std::uint64_t{1} << (back - 1); }
  // Returns the mask after `calls` further communications, on which the node does not depend.
  [[nodiscard]] CallMask moved(std::uint64_t calls) const { return CallMask(calls >= reach ? 0 : bits_ << calls); }
  void add(CallMask other) { bits_ |= other.bits_; }
  void keep(CallMask other) { bits_ &= other.bits_; }
  // Returns a mask of all communications that are farther back than `back`.
  static CallMask beyond(std::uint64_t back) { return CallMask(back >= reach ? 0 : ~std::uint64_t{0} << back); }

 private:
  std::uint64_t bits_ = 0;
};

}  // namespace convert
