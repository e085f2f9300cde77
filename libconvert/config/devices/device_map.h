// SPDX-License-Identifier: MIT
// Device maps, which assign ranks to the tasks of a graph without ranks.
//
// CSV has one line for each task or name pattern ('*': any text, '?': one byte). Lines that begin with '#' are
// skipped, as is a first line "node,rank" or "node,src,dst,bytes":
//   node12,3              a task of rank 3, by its number
//   linear_*_fwd,0        tasks of rank 0, by their names
//   node20,0,1,4MiB       a transfer from rank 0 to rank 1; the size is optional
// JSON: {"node12": 3, "linear_*_fwd": 0, "node20": [0, 1, "4MiB"]}
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/diagnostic.h"

namespace convert {

struct DeviceEntry {
  std::string key;  // as written, without quotes
  std::uint32_t rank = 0;
  std::optional<std::uint32_t> peer{};  // destination rank of a transfer
  std::optional<std::int64_t> bytes{};  // size of a transfer
  std::uint32_t line = 0;
  std::uint32_t column = 0;

  [[nodiscard]] bool is_pattern() const { return key.find_first_of("*?") != std::string::npos; }
};

struct DeviceMap {
  std::string file;
  std::vector<DeviceEntry> entries;  // in the order of the file

  [[nodiscard]] Location locate(const DeviceEntry& e) const {
    return {.file = file, .line = e.line, .column = e.column};
  }
};

inline constexpr std::size_t max_device_map_bytes = std::size_t{256} << 20U;

// Parses a device map. Throws Error(input) [devices] with line and column for malformed text, a map without
// entries, a repeated key and ranks greater than 2^31-1.
[[nodiscard]] DeviceMap parse_device_map(const std::string& file, std::string_view text);

}  // namespace convert
