// SPDX-License-Identifier: MIT
// Tells which of the latest communications of a rank a node waits for, directly or through others.
#pragma once

#include <cstdint>

namespace convert {

class CallMask {
 public:
  static constexpr std::uint32_t reach = 64;  // communications that are looked back at

  CallMask() = default;
  explicit CallMask(std::uint64_t bits) : bits_(bits) {}

  // Returns whether it waits for the `back`-th latest communication, 1 … reach.
  [[nodiscard]] bool has(std::uint32_t back) const { return (bits_ >> (back - 1) & 1U) != 0; }
  void set(std::uint32_t back) { bits_ |= std::uint64_t{1} << (back - 1); }
  // Returns the same after `calls` further communications, for which it does not wait.
  [[nodiscard]] CallMask moved(std::uint64_t calls) const { return CallMask(calls >= reach ? 0 : bits_ << calls); }
  void add(CallMask other) { bits_ |= other.bits_; }
  void keep(CallMask other) { bits_ &= other.bits_; }
  // Returns one with all communications that are farther back than `back`.
  static CallMask beyond(std::uint64_t back) { return CallMask(back >= reach ? 0 : ~std::uint64_t{0} << back); }

 private:
  std::uint64_t bits_ = 0;
};

}  // namespace convert
