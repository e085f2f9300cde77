// SPDX-License-Identifier: MIT
// Division by a repeated divisor as a multiplication, which is several times as fast.
#pragma once

#include <bit>
#include <cassert>
#include <cstdint>

namespace convert {

class Divisor {
 public:
  Divisor() = default;  // 1
  // Divides by `d`, from 1 to 2^31.
  explicit Divisor(std::uint32_t d)
      : value_(d), factor_((std::uint64_t{1} << 63U) / d + (std::has_single_bit(d) ? 0 : 1)) {
    assert(d != 0 && d <= std::uint32_t{1} << 31U);
  }

  // Exact: the factor exceeds 2^63 / d by less than 1, so the product by less than n / 2^63 < 1 / d.
  [[nodiscard]] std::uint32_t quotient(std::uint32_t n) const {
    __extension__ using Product = unsigned __int128;
    return static_cast<std::uint32_t>(static_cast<Product>(factor_) * n >> 63U);
  }
  [[nodiscard]] std::uint32_t remainder(std::uint32_t n) const { return n - quotient(n) * value_; }

 private:
  std::uint32_t value_ = 1;
  std::uint64_t factor_ = std::uint64_t{1} << 63U;  // 2^63 / value, rounded up
};

}  // namespace convert
