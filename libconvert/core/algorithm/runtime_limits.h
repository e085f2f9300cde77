// SPDX-License-Identifier: MIT
// Says what the runtimes that take MSCCL-IR accept; a file beyond that is valid, but does not run there.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace convert {

struct RuntimeLimits {
  const char* name;
  std::uint32_t steps;         // of a threadblock
  std::uint32_t threadblocks;  // of a GPU
};
inline constexpr RuntimeLimits msccl_limits{"MSCCL", 256, 216};
inline constexpr RuntimeLimits rccl_limits{"RCCL", 64, 64};
inline constexpr std::array<RuntimeLimits, 2> runtimes = {msccl_limits, rccl_limits};
// Returns the limits of what a command line calls msccl or rccl.
[[nodiscard]] constexpr const RuntimeLimits& runtime_of(std::string_view target) {
  return target == "rccl" ? rccl_limits : msccl_limits;
}
// Threadblocks of a GPU that send on one channel, and those that receive.
inline constexpr std::uint32_t threadblocks_per_channel = 32;
// Threadblocks that others can wait for: their number is stored in a signed byte.
inline constexpr std::uint32_t awaited_threadblocks = 128;

}  // namespace convert
