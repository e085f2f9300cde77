// SPDX-License-Identifier: MIT
// Reports the speed of the algorithms for several sizes.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "core/collective.h"
#include "core/units.h"

namespace tools {

struct SizeRow {
  std::int64_t bytes = 0;  // of the whole collective
  convert::Picoseconds total = 0;
  convert::Picoseconds lower = 0;
  std::string method{};
};

// Return a table with the time, its ratio to the bound, and bandwidths as nccl-tests count them: algbw = bytes /
// time, busbw = algbw x bus_bandwidth_factor(), both in GB/s of 10^9 bytes.
[[nodiscard]] std::string sizes_text(convert::Collective collective, std::uint32_t npus,
                                     std::span<const SizeRow> rows);
[[nodiscard]] std::string sizes_json(convert::Collective collective, std::uint32_t npus,
                                     std::span<const SizeRow> rows);

}  // namespace tools
