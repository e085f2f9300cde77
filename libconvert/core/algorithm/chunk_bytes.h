// SPDX-License-Identifier: MIT
// Sizes of the chunks of a collective, also if the number of chunks does not divide its size.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "core/trace.h"
#include "core/units.h"

namespace convert {

// Returns the size of part `part` of `bytes` ≥ 0 split into `parts` ≥ 1. The first parts may be one byte larger.
[[nodiscard]] constexpr std::int64_t part_bytes(std::int64_t bytes, std::int64_t parts, std::int64_t part) {
  return bytes / parts + (part < bytes % parts ? 1 : 0);
}

// Consecutive chunks of a collective; first < 0: unknown which.
struct ChunkRun {
  std::int32_t first = -1;
  std::int32_t count = 0;
};

// Returns the chunks that the message of node `node` of an algorithm's trace carries; empty if unknown.
using ChunkRunsOf = std::function<std::span<const ChunkRun>(const Trace& place, std::size_t node)>;

// Returns the bytes of a run if `bytes` ≥ 0 are split into N = `of_chunks` ≥ 1 chunks. Chunk k ends at byte
// floor(bytes (k+1) / N), so chunks differ by at most one byte. An unknown run counts as the first chunks.
[[nodiscard]] constexpr std::int64_t bytes_of_run(std::int64_t bytes, ChunkRun run, std::int32_t of_chunks) {
  __extension__ using Wide = __int128;
  const auto before = [&](std::int64_t k) {
    return static_cast<std::int64_t>(static_cast<Wide>(bytes) * k / of_chunks);
  };
  const std::int64_t first = run.first < 0 ? 0 : run.first;
  return before(first + run.count) - before(first);
}

// Returns a note about collectives with fewer bytes than an algorithm has chunks, which therefore run without it.
[[nodiscard]] inline std::string too_small_text(std::uint64_t nodes, const std::string& does,
                                                const std::string& do_, const std::string& source,
                                                std::int64_t chunks) {
  return counted(nodes, "collective node") + " " + (nodes == 1 ? does : do_) + ": " +
         (nodes == 1 ? "it has" : "they have") + " fewer bytes than the " + std::to_string(chunks) + " chunks of " +
         source;
}

}  // namespace convert
