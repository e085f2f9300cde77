// SPDX-License-Identifier: MIT
// Finds out by a run of an algorithm which chunks of the whole each message carries, wherever they lie in its
// buffers, and where the data starts or ends.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/algorithm/algorithm.h"
#include "core/algorithm/chunk_bytes.h"

namespace convert {

struct StepGraph;

// Holds by step of a graph what it receives, and what it computes or sends, as ranges of runs.
struct StepChunks {
  std::vector<Range> received;
  std::vector<Range> result;
  std::vector<ChunkRun> runs;
};
// Runs the graph once; returns nothing if it does not end.
[[nodiscard]] std::optional<StepChunks> chunks_of_steps(const StepGraph& graph);

class ChunkFlow {
 public:
  // Runs the algorithm once; returns nothing if it does not end.
  [[nodiscard]] static std::optional<ChunkFlow> of(const Algorithm& algorithm);

  // Return what the step at a position of a place's threadblock receives, and what it computes or sends; empty if
  // there is no such step.
  [[nodiscard]] std::span<const ChunkRun> received(std::uint32_t place, std::int32_t tb,
                                                   std::int32_t position) const {
    return runs_of(received_, place, tb, position);
  }
  [[nodiscard]] std::span<const ChunkRun> result(std::uint32_t place, std::int32_t tb,
                                                 std::int32_t position) const {
    return runs_of(result_, place, tb, position);
  }
  // Returns what a receive of a place's trace receives; for other nodes the result of their step.
  [[nodiscard]] std::span<const ChunkRun> of_node(const Trace& place, std::size_t node) const;
  [[nodiscard]] std::int32_t chunks() const { return chunks_; }  // of the whole

 private:
  [[nodiscard]] std::span<const ChunkRun> runs_of(const std::vector<Range>& by_step, std::uint32_t place,
                                                  std::int32_t tb, std::int32_t position) const;

  std::int32_t chunks_ = 0;
  std::vector<std::uint32_t> tbs_begin_;    // by place, and one more: its threadblocks
  std::vector<std::uint32_t> steps_begin_;  // by threadblock, and one more: its steps
  std::vector<Range> received_;             // by step, into runs_
  std::vector<Range> result_;
  std::vector<ChunkRun> runs_;
};

// Returns the place where the data of a broadcast or scatter starts, or that of a gather or the sum of a reduce
// ends; nothing for other collectives or a wrong result. Runs the algorithm once.
[[nodiscard]] std::optional<std::uint32_t> root_place(const Algorithm& algorithm);

}  // namespace convert
