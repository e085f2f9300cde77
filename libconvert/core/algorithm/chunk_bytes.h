// SPDX-License-Identifier: MIT
// Computes how many bytes each chunk of a collective has, also if their number does not divide its size.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "core/trace.h"
#include "core/units.h"

namespace convert {

// Returns the size of part `part` where `bytes` ≥ 0 are cut into `parts` ≥ 1: the first ones may have a byte more.
[[nodiscard]] constexpr std::int64_t part_bytes(std::int64_t bytes, std::int64_t parts, std::int64_t part) {
  return bytes / parts + (part < bytes % parts ? 1 : 0);
}

// Neighbouring chunks of a collective; first < 0: which ones is not known.
struct ChunkRun {
  std::int32_t first = -1;
  std::int32_t count = 0;
};

// Returns the chunks that the message of node number `node` in an algorithm's trace carries; empty: not known.
using ChunkRunsOf = std::function<std::span<const ChunkRun>(const Trace& place, std::size_t node)>;

// Returns the bytes of a run when `bytes` ≥ 0 are cut into N = `of_chunks` ≥ 1 chunks: chunk k ends at byte
// floor(bytes (k+1) / N), so chunks differ by one byte at most. An unknown run counts as the first chunks.
[[nodiscard]] constexpr std::int64_t bytes_of_run(std::int64_t bytes, ChunkRun run, std::int32_t of_chunks) {
  __extension__ using Wide = __int128;
  const auto before = [&](std::int64_t k) {
    return static_cast<std::int64_t>(static_cast<Wide>(bytes) * k / of_chunks);
  };
  const std::int64_t first = run.first < 0 ? 0 : run.first;
  return before(first + run.count) - before(first);
}

// Returns a note about collectives that have not a byte for each chunk of an algorithm, so that they do without it.
[[nodiscard]] inline std::string too_small_text(std::uint64_t nodes, const std::string& does,
                                                const std::string& do_, const std::string& source,
                                                std::int64_t chunks) {
  return counted(nodes, "collective node") + " " + (nodes == 1 ? does : do_) + ": " +
         (nodes == 1 ? "it has" : "they have") + " fewer bytes than the " + std::to_string(chunks) + " chunks of " +
         source;
}

}  // namespace convert
