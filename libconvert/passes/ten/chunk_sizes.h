// SPDX-License-Identifier: MIT
// Derives the sizes of a schedule's chunks from the sizes of the messages that carry them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/algorithm/schedule.h"

namespace convert {

// Size and chunks of a message.
struct CarriedChunks {
  std::int64_t bytes = 0;
  std::span<const std::uint32_t> chunks;  // indices, ascending
};

// Sets the size of each chunk that some message carries. If no message determines the size of a chunk alone,
// messages are divided among their chunks in proportion to `parts`, the number of equal parts of each chunk. Sizes
// may be 0 or less, or not add up, if messages contradict each other.
void size_chunks(std::span<const CarriedChunks> messages, std::span<const std::uint64_t> parts,
                 std::vector<Schedule::Chunk>& chunks);

}  // namespace convert
