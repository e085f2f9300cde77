// SPDX-License-Identifier: MIT
// Tuple (tag, source, destination, bytes) → dense number.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "simulate/engine/channel.h"

namespace convert {

class ChannelIndex {
 public:
  std::uint32_t find_or_add(std::vector<ChannelKey>& channels, const ChannelKey& key) {
    if ((channels.size() + 1) * 3 > table_.size() * 2) grow(channels);
    for (std::size_t i = hash(key) & mask();; i = (i + 1) & mask()) {
      if (table_[i] == 0) {
        channels.push_back(key);
        table_[i] = static_cast<std::uint32_t>(channels.size());
        return table_[i] - 1;
      }
      if (channels[table_[i] - 1] == key) return table_[i] - 1;
    }
  }

 private:
  [[nodiscard]] std::size_t mask() const { return table_.size() - 1; }
  void grow(const std::vector<ChannelKey>& channels) {
    table_.assign(std::max<std::size_t>(64, table_.size() * 2), 0);
    for (std::uint32_t c = 0; c < channels.size(); ++c) {
      std::size_t i = hash(channels[c]) & mask();
      while (table_[i] != 0) i = (i + 1) & mask();
      table_[i] = c + 1;
    }
  }

  std::vector<std::uint32_t> table_;  // 1 + channel; 0: unused
};

}  // namespace convert
