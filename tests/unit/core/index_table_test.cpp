// SPDX-License-Identifier: MIT
#include "core/index_table.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace convert::test {
namespace {

// Words, each stored once.
struct Words {
  std::vector<std::string> all;
  IndexTable<> index;

  std::uint32_t number(const std::string& word) {
    const auto next = static_cast<std::uint32_t>(all.size());
    const std::uint32_t found = index.find_or_add(
        word.size(), next, [&](std::uint32_t row) { return all[row] == word; },
        [&](std::uint32_t row) { return all[row].size(); });
    if (found == next) all.push_back(word);
    return found;
  }
};

TEST(IndexTable, RowsOfOneHashAreToldApart) {
  Words words;
  EXPECT_EQ(words.number("send"), 0U);
  EXPECT_EQ(words.number("recv"), 1U);
  EXPECT_EQ(words.number("send"), 0U);
  EXPECT_EQ(words.number("wait"), 2U);
  EXPECT_EQ(words.index.find(4, [](std::uint32_t row) { return row == 2; }), 2U);
  EXPECT_EQ(words.index.find(4, [](std::uint32_t) { return false; }), IndexTable<>::none);
}

TEST(IndexTable, FindsWhatWasAddedAndNotRemoved) {
  std::mt19937 random(1);  // NOLINT(cert-msc51-cpp): the same rows each time
  std::vector<std::uint64_t> keys;
  std::vector<bool> there;
  IndexTable<> index;
  const auto hash_of = [&](std::uint32_t row) { return static_cast<std::size_t>(keys[row] % 97); };
  for (int i = 0; i < 20'000; ++i) {
    if (random() % 3 != 0 || keys.empty()) {
      keys.push_back(random());
      there.push_back(true);
      index.add(static_cast<std::uint32_t>(keys.size() - 1), hash_of);
    } else if (const auto row = static_cast<std::uint32_t>(random() % keys.size()); there[row]) {
      index.remove(row, hash_of);
      there[row] = false;
    }
    if (keys.size() > 600) break;  // few hashes: probing is long
  }
  std::size_t left = 0;
  for (std::uint32_t row = 0; row < keys.size(); ++row) {
    left += there[row] ? 1 : 0;
    EXPECT_EQ(index.find(hash_of(row), [&](std::uint32_t r) { return r == row; }),
              there[row] ? row : IndexTable<>::none);
  }
  EXPECT_EQ(index.size(), left);
  std::size_t visited = 0;
  index.for_each([&](std::uint32_t row) { visited += there[row] ? 1 : 0; });
  EXPECT_EQ(visited, left);
}

}  // namespace
}  // namespace convert::test
