// SPDX-License-Identifier: MIT
#include "util/divisor.h"

#include <gtest/gtest.h>

namespace convert {
namespace {

TEST(Divisor, IsExact) {
  for (const std::uint32_t d : {1U, 2U, 3U, 7U, 8U, 10U, 641U, 65'535U, 65'537U, 0x7fff'ffffU, 0x8000'0000U}) {
    const Divisor divisor(d);
    const auto check = [&](std::uint32_t n) {
      EXPECT_EQ(divisor.quotient(n), n / d) << n << " / " << d;
      EXPECT_EQ(divisor.remainder(n), n % d) << n << " % " << d;
    };
    for (std::uint32_t n = 0; n < 1000; ++n) check(n), check(UINT32_MAX - n);
    for (const std::uint32_t k : {1U, 2U, 1000U, UINT32_MAX / d - 1, UINT32_MAX / d}) {
      const std::uint32_t multiple = static_cast<std::uint32_t>(std::uint64_t{k} * d);
      check(multiple - 1), check(multiple), check(multiple + 1);
    }
  }
  EXPECT_EQ(Divisor().quotient(UINT32_MAX), UINT32_MAX);
}

}  // namespace
}  // namespace convert
