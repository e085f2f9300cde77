// SPDX-License-Identifier: MIT
// Numbers channels from 0, in the order in which they are first seen.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "simulate/engine/channel.h"
#include "util/huge_pages.h"

namespace convert {

// Is a hash table whose slots have the hash, so that few probes touch a channel.
class ChannelIndex {
 public:
  ChannelIndex() : table_(64) {}

  // Makes room for so many channels.
  void reserve(std::size_t channels) { grow(std::bit_ceil(channels * 2 + 2)); }
  // Fetches what find_or_add() needs of a key with this hash.
  void prefetch(std::uint64_t hash) const { __builtin_prefetch(&table_[hash & mask()]); }

  // Returns the number of the channel in `channels`, to which it is appended if it is new.
  std::uint32_t find_or_add(std::vector<ChannelKey>& channels, const ChannelKey& key) {
    return find_or_add(channels, key, hash(key));
  }
  std::uint32_t find_or_add(std::vector<ChannelKey>& channels, const ChannelKey& key, std::uint64_t hash) {
    if ((channels.size() + 1) * 2 > table_.size()) grow(table_.size() * 2);
    const auto short_hash = static_cast<std::uint32_t>(hash);
    std::size_t i = short_hash & mask();
    for (; table_[i].number != 0; i = (i + 1) & mask()) {
      if (table_[i].hash == short_hash && channels[table_[i].number - 1] == key) return table_[i].number - 1;
    }
    channels.push_back(key);
    table_[i] = {short_hash, static_cast<std::uint32_t>(channels.size())};
    return table_[i].number - 1;
  }

 private:
  struct Slot {
    std::uint32_t hash = 0;
    std::uint32_t number = 0;  // 1 + channel; 0: unused
  };
  [[nodiscard]] std::size_t mask() const { return table_.size() - 1; }
  void grow(std::size_t size) {
    if (size <= table_.size()) return;
    GrowingHugeVector<Slot> old(size);
    old.swap(table_);
    for (const Slot& slot : old) {
      if (slot.number == 0) continue;
      std::size_t i = slot.hash & mask();
      while (table_[i].number != 0) i = (i + 1) & mask();
      table_[i] = slot;
    }
  }

  GrowingHugeVector<Slot> table_;
};

}  // namespace convert
