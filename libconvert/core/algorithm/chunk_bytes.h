// SPDX-License-Identifier: MIT
// How many bytes the chunks have that a collective is cut into, where they do not divide it.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "core/trace.h"

namespace convert {

// Neighbouring chunks of a collective's N; first < 0: nobody knows which.
struct ChunkRun {
  std::int32_t first = -1;
  std::int32_t count = 0;
};

// The chunks that a message of an algorithm's trace, node number `node`, carries. Empty: nobody knows.
using ChunkRunsOf = std::function<std::span<const ChunkRun>(const Trace& place, std::size_t node)>;

// Of `bytes` ≥ 0 cut into `of_chunks` ≥ 1: chunk k has floor(bytes (k+1) / N) - floor(bytes k / N) of them, so that
// nothing is lost and two chunks differ by one byte at most. Unknown chunks are rounded down.
[[nodiscard]] constexpr std::int64_t bytes_of_run(std::int64_t bytes, ChunkRun run, std::int32_t of_chunks) {
  __extension__ using Wide = __int128;
  const auto before = [&](std::int64_t k) {
    return static_cast<std::int64_t>(static_cast<Wide>(bytes) * k / of_chunks);
  };
  const std::int64_t first = run.first < 0 ? 0 : run.first;
  return before(first + run.count) - before(first);
}

}  // namespace convert
