// SPDX-License-Identifier: MIT
// Lookup of a task's entry in a device map.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "config/devices/device_map.h"

namespace convert {

// Finds the entry with the task's number ("node7" or "7"), or the first entry that matches the task's name. Names
// of transfers match only entries with two ranks, other names only entries with one rank.
class DeviceMatcher {
 public:
  static constexpr std::uint32_t no_entry = 0xfffffffe;
  static constexpr std::size_t max_patterns = 4096;

  // `map` must outlive this. Throws Error(input) [devices] for a repeated number and more than max_patterns
  // patterns.
  explicit DeviceMatcher(const DeviceMap& map);

  // Return the entry's index in map.entries, or no_entry.
  [[nodiscard]] std::uint32_t by_number(std::uint64_t number) const {
    const auto at = by_number_.find(number);
    return at == by_number_.end() ? no_entry : at->second;
  }
  [[nodiscard]] std::uint32_t by_name(std::string_view name, bool transfer) const;

 private:
  const DeviceMap& map_;
  std::unordered_map<std::uint64_t, std::uint32_t> by_number_;
  // Index 0: tasks, 1: transfers.
  std::array<std::unordered_map<std::string_view, std::uint32_t>, 2> by_name_;
  std::array<std::vector<std::uint32_t>, 2> patterns_;
};

}  // namespace convert
