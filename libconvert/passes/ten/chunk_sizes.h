// SPDX-License-Identifier: MIT
// Finds the sizes of a schedule's chunks from those of the messages that carry them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/algorithm/schedule.h"

namespace convert {

struct CarriedChunks {
  std::int64_t bytes = 0;
  std::span<const std::uint32_t> chunks;  // indices, ascending
};

// Gives each chunk that some message carries the size that messages say. Where none says one of a chunk alone,
// messages are shared among their chunks by `parts`: how many equal parts each of these is. Sizes may be 0 or less,
// or not add up, where the messages contradict each other.
void size_chunks(std::span<const CarriedChunks> messages, std::span<const std::uint64_t> parts,
                 std::vector<Schedule::Chunk>& chunks);

}  // namespace convert
