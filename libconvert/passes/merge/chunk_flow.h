// SPDX-License-Identifier: MIT
// Runs an algorithm symbolically to find which chunks of the whole buffer each message carries, independent of
// their positions in its buffers, and where the data starts or ends.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/algorithm/algorithm.h"
#include "core/algorithm/chunk_bytes.h"

namespace convert {

struct StepGraph;

// Chunks that each step of a graph receives, and chunks that it computes or sends, as ranges of runs.
struct StepChunks {
  std::vector<Range> received;
  std::vector<Range> result;
  std::vector<ChunkRun> runs;
};
// Runs the graph once. Returns nullopt if it does not finish.
[[nodiscard]] std::optional<StepChunks> chunks_of_steps(const StepGraph& graph);

// Chunks received and produced by each step of an algorithm.
class ChunkFlow {
 public:
  // Runs the algorithm once. Returns nullopt if it does not finish.
  [[nodiscard]] static std::optional<ChunkFlow> of(const Algorithm& algorithm);

  // Return the chunks that the step at a position of a rank's threadblock receives, and the chunks that it computes
  // or sends. Empty if there is no such step.
  [[nodiscard]] std::span<const ChunkRun> received(std::uint32_t place, std::int32_t tb,
                                                   std::int32_t position) const {
    return runs_of(received_, place, tb, position);
  }
  [[nodiscard]] std::span<const ChunkRun> result(std::uint32_t place, std::int32_t tb,
                                                 std::int32_t position) const {
    return runs_of(result_, place, tb, position);
  }
  // Returns the chunks received by a receive node of a rank's trace; for other nodes, the result of their step.
  [[nodiscard]] std::span<const ChunkRun> of_node(const Trace& place, std::size_t node) const;
  [[nodiscard]] std::int32_t chunks() const { return chunks_; }  // of the whole buffer

 private:
  [[nodiscard]] std::span<const ChunkRun> runs_of(const std::vector<Range>& by_step, std::uint32_t place,
                                                  std::int32_t tb, std::int32_t position) const;

  std::int32_t chunks_ = 0;
  std::vector<std::uint32_t> tbs_begin_;    // by rank, and one more: index of its first threadblock
  std::vector<std::uint32_t> steps_begin_;  // by threadblock, and one more: index of its first step
  std::vector<Range> received_;             // by step, into runs_
  std::vector<Range> result_;
  std::vector<ChunkRun> runs_;
};

// Returns the rank where the data of a broadcast or scatter starts, or where the data of a gather or the sum of a
// reduce ends. Returns nullopt for other collectives or a wrong result. Runs the algorithm once.
[[nodiscard]] std::optional<std::uint32_t> root_place(const Algorithm& algorithm);

}  // namespace convert
