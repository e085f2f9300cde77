// SPDX-License-Identifier: MIT
// Numbers channels from 0, in the order of first use.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/trace.h"
#include "simulate/engine/channel.h"
#include "util/huge_pages.h"

namespace convert {

// A hash table for each destination. Messages of neighbouring sources are adjacent, as ranks are added one after
// the other. Slots contain the hash, so that few probes access a channel.
class ChannelIndex {
 public:
  // Returns the hash of a key, for the other functions.
  [[nodiscard]] static std::uint32_t hash_of(ChannelKey key) {
    constexpr Rank neighbours = 8;
    const Rank neighbour = key.src % neighbours;
    key.src -= neighbour;
    return static_cast<std::uint32_t>(hash(key)) * neighbours + neighbour;
  }
  // Reserves room for `channels[dst]` channels to each destination dst.
  void reserve(const std::vector<std::size_t>& channels) {
    std::size_t slots = slots_.size();
    for (const std::size_t n : channels) slots += size_for(n);
    slots_.reserve(slots);
    tables_.resize(std::max(tables_.size(), channels.size()));
    for (std::size_t dst = 0; dst < channels.size(); ++dst) {
      if (tables_[dst].size < size_for(channels[dst])) grow(tables_[dst], size_for(channels[dst]));
    }
  }
  // Prefetch the data for find_or_add(): call prefetch() for several keys, then prefetch_channel().
  void prefetch(const ChannelKey& key, std::uint32_t hash) const {
    if (key.dst < tables_.size()) __builtin_prefetch(slots_.data() + first_slot(tables_[key.dst], hash));
  }
  void prefetch_channel(const ChannelKeys& channels, const ChannelKey& key, std::uint32_t hash) const {
    if (key.dst >= tables_.size() || tables_[key.dst].size == 0) return;
    const Slot& slot = slots_[first_slot(tables_[key.dst], hash)];
    if (slot.number != 0) __builtin_prefetch(&channels[slot.number - 1]);
  }

  // Returns the number of the channel in `channels`. A new channel is appended.
  std::uint32_t find_or_add(ChannelKeys& channels, const ChannelKey& key) {
    return find_or_add(channels, key, hash_of(key));
  }
  std::uint32_t find_or_add(ChannelKeys& channels, const ChannelKey& key, std::uint32_t hash) {
    if (key.dst >= tables_.size()) tables_.resize(std::size_t{key.dst} + 1);
    Table& table = tables_[key.dst];
    if ((table.used + 1) * std::size_t{4} > table.size * std::size_t{3}) grow(table, size_for(table.used + 1));
    Slot* const slots = slots_.data() + table.begin;
    std::size_t i = hash & (table.size - 1);
    for (; slots[i].number != 0; i = (i + 1) & (table.size - 1)) {
      if (slots[i].hash == hash && channels[slots[i].number - 1] == key) return slots[i].number - 1;
    }
    channels.push_back(key);
    ++table.used;
    slots[i] = {hash, static_cast<std::uint32_t>(channels.size())};
    return slots[i].number - 1;
  }

 private:
  struct Slot {
    std::uint32_t hash = 0;
    std::uint32_t number = 0;  // 1 + channel; 0: unused
  };
  struct Table {
    std::size_t begin = 0;   // in slots_
    std::uint32_t size = 0;  // a power of two, or 0
    std::uint32_t used = 0;
  };
  // Returns the number of slots for `channels` channels: at most half are used, and three quarters before it grows.
  [[nodiscard]] static std::size_t size_for(std::size_t channels) {
    return channels == 0 ? 0 : std::bit_ceil(std::max<std::size_t>(2 * channels, 8));
  }
  [[nodiscard]] static std::size_t first_slot(const Table& table, std::uint32_t hash) {
    return table.size == 0 ? 0 : table.begin + (hash & (table.size - 1));
  }
  // Moves a table to the end of the slots; its old slots stay unused.
  void grow(Table& table, std::size_t size) {
    const Table old = table;
    table = {.begin = slots_.size(), .size = static_cast<std::uint32_t>(size), .used = old.used};
    slots_.resize(slots_.size() + size);
    for (std::size_t i = old.begin; i < old.begin + old.size; ++i) {
      if (slots_[i].number == 0) continue;
      std::size_t at = slots_[i].hash & (size - 1);
      while (slots_[table.begin + at].number != 0) at = (at + 1) & (size - 1);
      slots_[table.begin + at] = slots_[i];
    }
  }

  std::vector<Table> tables_;  // by destination
  GrowingHugeVector<Slot> slots_;
};

}  // namespace convert
