// SPDX-License-Identifier: MIT
// Messages of the MSCCL runtimes: bytes of a message, and number of messages of a step with several chunks.
//
// In a call of T bytes, a step of k chunks takes ceil(k / m) messages. Each message takes a slot of its connection:
// m = clamp(floor(P / ceil(T / N)), 1, 71), with P bytes of a message and N = nchunksperloop. Sources:
// computeColl() in src/enqueue.cc of microsoft/msccl; mscclSetupCount() in src/misc/msccl/msccl_setup.cc of
// ROCm/rccl and of Azure/msccl-executor-nccl; the loop over `count` in their interpreters.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "core/algorithm/algorithm.h"
#include "core/algorithm/runtime_limits.h"

namespace convert {

// Returns the maximum bytes of a message with the default buffers. Broadcasts and reduces of protocol Simple use a
// quarter: BROADCAST_CHUNKSTEPS and REDUCE_CHUNKSTEPS are 1, for other collectives the value is 4.
[[nodiscard]] constexpr std::int64_t message_bytes(Protocol protocol, Collective collective,
                                                   const RuntimeLimits& runtime) {
  const std::int64_t bytes = runtime.message_bytes[static_cast<std::size_t>(protocol)];
  const bool short_steps = collective == Collective::broadcast || collective == Collective::reduce;
  return protocol == Protocol::simple && short_steps ? bytes / 4 : bytes;
}
// Returns the smallest message size of all runtimes.
[[nodiscard]] constexpr std::int64_t least_message_bytes(Protocol protocol, Collective collective) {
  std::int64_t least = message_bytes(protocol, collective, runtimes[0]);
  for (const RuntimeLimits& r : runtimes) least = std::min(least, message_bytes(protocol, collective, r));
  return least;
}

// Returns the number of chunks in a message for a call of `bytes` with `of_chunks` ≥ 1 chunks; 1 for a call of
// unlimited size (`bytes` is 0).
[[nodiscard]] constexpr std::int32_t chunks_per_message(std::int64_t message, std::int64_t bytes,
                                                        std::int32_t of_chunks) {
  if (bytes <= 0) return 1;
  const std::int64_t chunk = bytes / of_chunks + (bytes % of_chunks != 0 ? 1 : 0);
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(message / chunk, 1, max_step_chunks));
}
// Returns the size in bytes of the largest call whose messages carry `carried` ≥ 2 chunks.
[[nodiscard]] constexpr std::int64_t most_bytes_of_calls(std::int64_t message, std::int32_t carried,
                                                         std::int32_t of_chunks) {
  return message / carried * of_chunks;
}

}  // namespace convert
