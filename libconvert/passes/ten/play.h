// SPDX-License-Identifier: MIT
// Runs an algorithm symbolically, in steps or in the times of a replay. In steps, every message takes one step and
// all else takes no time, so that a time is the length of the longest chain of messages.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/trace.h"
#include "passes/verify/step_graph.h"

namespace convert {

// Messages and buffer contents of a run. Chunks are the collective's units: in reductions the chunks of the whole
// buffer, else the chunks of each owner in turn.
struct Play {
  struct Message {
    std::int32_t begin = 0;  // in steps
    std::int32_t end = 0;    // when its receiver has received it
    std::int32_t src = 0;
    std::int32_t dst = 0;
    bool reduces = false;  // its receiver adds it to its content
    std::uint32_t send_step = 0;
    std::uint32_t recv_step = 0;
    Range cargo{};
  };
  struct Cargo {
    std::uint32_t chunk = no_index;  // no_index: no chunk, or a mixture
    std::int32_t held = 0;           // contributions that the receiver then has
  };
  // Contributions to a chunk that a rank has from a given time.
  struct Change {
    std::int64_t time = 0;  // in steps or, with the times of a replay, ps; -1: from the beginning
    std::int32_t rank = 0;
    std::uint32_t chunk = 0;
    std::int32_t held = 0;  // contributions; negative: with duplicates
  };
  // Rank where a chunk begins and ends; -1: all ranks; -2: not required.
  struct Chunk {
    std::int32_t pre = -1;
    std::int32_t post = -1;
  };

  std::vector<Message> messages;  // by begin, source, destination
  std::vector<Cargo> cargo;
  std::vector<Change> changes;  // by time
  std::vector<Chunk> chunks;
  std::vector<std::int32_t> done;   // by step of the graph: its end; -1: never
  std::vector<std::int32_t> place;  // by step: length of the longest chain of steps before it
  // chunks of an owner: chunk k of rank r is stride × r + k; 0: chunks have one owner
  std::uint32_t stride = 0;
  std::int32_t needed = 1;  // contributions of a complete chunk
  std::int32_t end = 0;     // end of the last step
  bool inplace = false;     // input and output are one buffer
  std::uint64_t wrong = 0;  // chunks that are incomplete or missing at their destination in the end
};

// Runs the graph's steps as far as possible, with any number of messages in flight. If both in-place and
// out-of-place are allowed, returns the mode that fails, if any. `ready_ps`: by step of the graph, the time at
// which a replay had received and computed the step's data, never before the times of its dependencies. Changes
// then have these times; all else is in steps. Throws Error(input) like BufferLayout.
[[nodiscard]] Play play(const StepGraph& graph, std::span<const Picoseconds> ready_ps = {});

}  // namespace convert
