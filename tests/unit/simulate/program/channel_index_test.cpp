// SPDX-License-Identifier: MIT
#include "simulate/program/channel_index.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <tuple>
#include <vector>

namespace convert {
namespace {

// Gives keys to an index, and expects the numbers of a map.
void expect_numbers(ChannelIndex index, const ChannelKeys& keys) {
  ChannelKeys channels;
  std::map<std::tuple<Rank, Rank, std::int64_t, std::int64_t, bool>, std::uint32_t> numbers;
  for (const ChannelKey& key : keys) {
    const auto number = static_cast<std::uint32_t>(numbers.size());
    const auto known = numbers.try_emplace({key.src, key.dst, key.tag, key.bytes, key.native}, number).first;
    index.prefetch(key, ChannelIndex::hash_of(key));
    index.prefetch_channel(channels, key, ChannelIndex::hash_of(key));
    ASSERT_EQ(index.find_or_add(channels, key), known->second);
    ASSERT_TRUE(channels[known->second] == key);
  }
  EXPECT_EQ(channels.size(), numbers.size());
}

TEST(ChannelIndex, NumbersKeysInTheOrderInWhichTheyAreFirstSeen) {
  std::mt19937 random(19);
  const auto below = [&](std::int64_t n) { return static_cast<std::int64_t>(random()) % n; };
  for (const Rank ranks : {1U, 3U, 20U}) {
    ChannelKeys keys;
    for (int i = 0; i < 5000; ++i) {
      keys.push_back({.bytes = 1 + below(2),
                      .src = static_cast<Rank>(below(ranks)),
                      .dst = static_cast<Rank>(below(ranks)),
                      .tag = below(40),
                      .native = below(2) == 0});
    }
    expect_numbers({}, keys);
    ChannelIndex with_room;
    with_room.reserve(std::vector<std::size_t>(ranks / 2 + 1, 10));
    expect_numbers(with_room, keys);
  }
}

TEST(ChannelIndex, GrowsWhereAllSendToOneRank) {
  ChannelKeys keys;
  for (int round = 0; round < 2; ++round) {
    for (Rank src = 0; src < 20'000; ++src) keys.push_back({.bytes = 8, .src = src, .dst = 7});
  }
  ChannelIndex index;
  index.reserve({1, 1, 0});
  expect_numbers(index, keys);
}

}  // namespace
}  // namespace convert
