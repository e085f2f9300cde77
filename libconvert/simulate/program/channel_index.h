// SPDX-License-Identifier: MIT
// Tuple (tag, source, destination, bytes) → dense number.
#pragma once

#include <cstdint>
#include <vector>

#include "core/index_table.h"
#include "simulate/engine/channel.h"

namespace convert {

class ChannelIndex {
 public:
  std::uint32_t find_or_add(std::vector<ChannelKey>& channels, const ChannelKey& key) {
    const std::uint32_t found = index_.find_or_add(
        hash(key), static_cast<std::uint32_t>(channels.size()), [&](std::uint32_t c) { return channels[c] == key; },
        [&](std::uint32_t c) { return hash(channels[c]); });
    if (found == channels.size()) channels.push_back(key);
    return found;
  }

 private:
  IndexTable<> index_;
};

}  // namespace convert
