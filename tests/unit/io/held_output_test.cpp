// SPDX-License-Identifier: MIT
#include "io/held_output.h"

#include <gtest/gtest.h>

#include <string>

#include "read_all.h"

namespace convert::test {
namespace {

// Bytes that do not repeat soon.
std::string some_bytes(std::size_t n) {
  std::string bytes(n, '\0');
  std::uint32_t state = 1;
  for (char& c : bytes) {
    state = state * 1664525U + 1013904223U;
    c = static_cast<char>(state >> 24U);
  }
  return bytes;
}

TEST(HeldOutput, GivesWhatItHasTaken) {
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, mib - 1, mib, mib + 1, 5 * mib + 7}) {
    for (const std::size_t piece : {std::size_t{1000}, mib, 3 * mib}) {
      const std::string bytes = some_bytes(size);
      HeldOutput held;
      for (std::size_t i = 0; i < size; i += piece) held.write(std::string_view(bytes).substr(i, piece));
      std::string out;
      const auto to = memory_output(out);
      EXPECT_TRUE(out.empty());
      held.release(*to);
      EXPECT_TRUE(out == bytes) << size << " bytes by " << piece;
      held.release(*to);
      EXPECT_EQ(out.size(), size) << "nothing is left";
    }
  }
}

}  // namespace
}  // namespace convert::test
