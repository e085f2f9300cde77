// SPDX-License-Identifier: MIT
// Numbers channels from 0, in the order in which they are first seen.
#pragma once

#include <cstdint>
#include <vector>

#include "core/index_table.h"
#include "simulate/engine/channel.h"

namespace convert {

class ChannelIndex {
 public:
  // Returns the number of the channel in `channels`, to which it is appended if it is new.
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
