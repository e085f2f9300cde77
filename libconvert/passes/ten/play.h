// SPDX-License-Identifier: MIT
// Plays an algorithm: in steps, every message takes one step and nothing else takes any, so that a step is a length
// of the longest chain of messages; or in the times of a replay.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/trace.h"
#include "passes/verify/step_graph.h"

namespace convert {

// Chunks are what the collective moves: of reductions the chunks of the whole, else the chunks of each owner in
// turn.
struct Play {
  struct Message {
    std::int32_t begin = 0;  // in steps
    std::int32_t end = 0;    // when its receiver has taken it
    std::int32_t src = 0;
    std::int32_t dst = 0;
    bool reduces = false;  // its receiver adds it to what it has
    std::uint32_t send_step = 0;
    std::uint32_t recv_step = 0;
    Range cargo{};
  };
  struct Cargo {
    std::uint32_t chunk = no_index;  // no_index: no chunk, or a mixture
    std::int32_t held = 0;           // contributions that the receiver has of it then
  };
  // Contributions to a chunk that a rank has from a time on.
  struct Change {
    std::int64_t time = 0;  // in steps or, with the times of a replay, picoseconds; -1: from the beginning
    std::int32_t rank = 0;
    std::uint32_t chunk = 0;
    std::int32_t held = 0;  // contributions; negative: with duplicates
  };
  // Where a chunk begins and ends; -1: at all ranks; -2: nobody demands it.
  struct Chunk {
    std::int32_t pre = -1;
    std::int32_t post = -1;
  };

  std::vector<Message> messages;  // by begin, source, destination
  std::vector<Cargo> cargo;
  std::vector<Change> changes;  // by time
  std::vector<Chunk> chunks;
  std::vector<std::int32_t> done;   // by step of the graph: when it had ended; -1: never
  std::vector<std::int32_t> place;  // by step: how many steps the longest chain of steps before it has
  std::uint32_t stride = 0;  // chunks of an owner: chunk k of rank r is stride × r + k; 0: chunks have one owner
  std::int32_t needed = 1;   // contributions of a chunk that is complete
  std::int32_t end = 0;      // when the last step had ended
  bool inplace = false;      // input and output were one buffer
  std::uint64_t wrong = 0;   // chunks that are not where they must be in the end, or not complete
};

// Returns what the graph's steps do as far as they can run, with any number of messages in flight. If input and
// output may be the same buffer or not, returns the case that does not end well, if any. `ready_ps`, by
// step of the graph, is when a replay had taken what the step receives and computed, never before what the step
// waits for; changes then have these times, all else is in steps. Throws Error(input) as BufferLayout does.
[[nodiscard]] Play play(const StepGraph& graph, std::span<const Picoseconds> ready_ps = {});

}  // namespace convert
