// SPDX-License-Identifier: MIT
// Divides by a number that is known beforehand with a multiplication, which is several times as fast as a division.
#pragma once

#include <cstdint>

namespace convert {

class Divisor {
 public:
  Divisor() = default;  // 1
  // Divides by `d`, which is not 0.
  explicit Divisor(std::uint32_t d) : value_(d), factor_(d == 1 ? 0 : UINT64_MAX / d + 1) {}

  // Both are exact: the factor exceeds 2^64 / d by less than 1, so the product by less than n / 2^64 < 1 / d.
  [[nodiscard]] std::uint32_t quotient(std::uint32_t n) const {
    __extension__ using Product = unsigned __int128;
    return factor_ == 0 ? n : static_cast<std::uint32_t>(static_cast<Product>(factor_) * n >> 64U);
  }
  [[nodiscard]] std::uint32_t remainder(std::uint32_t n) const { return n - quotient(n) * value_; }

 private:
  std::uint32_t value_ = 1;
  std::uint64_t factor_ = 0;  // 2^64 / value, rounded up; 0: the value is 1
};

}  // namespace convert
