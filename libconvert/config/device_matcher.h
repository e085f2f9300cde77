// SPDX-License-Identifier: MIT
// Finds the entry of a device map that a task takes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "config/device_map.h"

namespace convert {

// A task takes the entry of its number ("node7" or "7"), else the first one that matches its name. Among names, a
// transfer takes an entry with two ranks, any other task one with one rank.
class DeviceMatcher {
 public:
  static constexpr std::uint32_t no_entry = 0xfffffffe;
  static constexpr std::size_t max_patterns = 4096;

  // Refers to the map. Throws Error(input) [devices]: a node given twice, more than max_patterns patterns.
  explicit DeviceMatcher(const DeviceMap& map);

  // Returns the entry's index in map.entries, or `no_entry`.
  [[nodiscard]] std::uint32_t by_number(std::uint64_t number) const {
    const auto at = by_number_.find(number);
    return at == by_number_.end() ? no_entry : at->second;
  }
  [[nodiscard]] std::uint32_t by_name(std::string_view name, bool transfer) const;

 private:
  const DeviceMap& map_;
  std::unordered_map<std::uint64_t, std::uint32_t> by_number_;
  // The second of each is for transfers.
  std::array<std::unordered_map<std::string_view, std::uint32_t>, 2> by_name_;
  std::array<std::vector<std::uint32_t>, 2> patterns_;
};

}  // namespace convert
