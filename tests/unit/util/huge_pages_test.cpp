// SPDX-License-Identifier: MIT
#include "util/huge_pages.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <random>
#include <thread>
#include <utility>
#include <vector>

namespace convert {
namespace {

// Pieces of all kinds, freed in any order, keep their contents.
void use_memory(std::uint32_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::pair<std::uint64_t, HugeVector<std::uint64_t>>> pieces;
  for (int i = 0; i < 400; ++i) {
    if (pieces.size() > 20) {
      const std::size_t at = random() % pieces.size();
      const auto& [value, piece] = pieces[at];
      ASSERT_TRUE(std::all_of(piece.begin(), piece.end(), [v = value](std::uint64_t x) { return x == v; }));
      pieces.erase(pieces.begin() + static_cast<std::ptrdiff_t>(at));
    }
    const std::uint64_t value = random();
    const std::size_t bytes = std::size_t{1} << (random() % 23);
    pieces.emplace_back(value, HugeVector<std::uint64_t>(1 + (bytes + random() % bytes) / 8, value));
    ASSERT_EQ(reinterpret_cast<std::uintptr_t>(pieces.back().second.data()) % 64, 0U);
  }
}

TEST(HugePages, PiecesDoNotOverlap) { use_memory(1); }

TEST(HugePages, ServeSeveralThreads) {
  std::thread other(use_memory, 2);
  use_memory(3);
  other.join();
}

TEST(HugePages, TooLargeIsRefused) {
  using Allocator = HugeVector<std::uint64_t>::allocator_type;
  EXPECT_THROW((void)Allocator().allocate(SIZE_MAX / 4), std::bad_array_new_length);
}

}  // namespace
}  // namespace convert
