// SPDX-License-Identifier: MIT
// Follows the chunks of a schedule: which node holds which chunk when, and thus the dependencies of each transfer.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/algorithm/schedule.h"
#include "core/diagnostic.h"

namespace convert {

// Dependencies between transfers, and their order.
struct Flow {
  // By transfer: the transfers whose arrival (copy) or reduction at the sender it depends on, each once; empty if
  // all its chunks are available from the beginning.
  std::vector<Range> parents;
  std::vector<std::uint32_t> parent_list;
  std::vector<std::uint32_t> order;  // all transfers by start and id: parents precede children
  std::vector<bool> redundant;       // by cargo_at(): a copy to a node that already holds the chunk
  std::vector<bool> late;            // by transfer: begins after all chunks have arrived; false if any are reduced

  [[nodiscard]] std::span<const std::uint32_t> parents_of(std::uint32_t transfer) const {
    return {parent_list.data() + parents[transfer].begin, parents[transfer].count};
  }
};

// Follows the chunks through a schedule with times (continuous or steps). Reports as errors: a transfer of a chunk
// that its sender does not hold [R4]; a reduction into a sum that has been passed on or does not exist [R5]; a
// chunk that is missing at the end or lacks contributions [R6]. An arrival counts for every transfer that starts at
// its end or later, or earlier by no more than tolerance().
[[nodiscard]] Flow follow(const Schedule& schedule, Diagnostics& diagnostics);

// Returns by how much earlier than written a transfer counts as ended, as decimal files round times. With
// continuous times: 1 ps, or a millionth of its duration if that is larger; else 0.
[[nodiscard]] std::int64_t tolerance(const Schedule& schedule, std::int64_t duration);

// Returns the transfers by source and destination, then start and id.
[[nodiscard]] std::vector<std::uint32_t> by_ends(const Schedule& schedule);
// Returns the legs of all transfers by link, then start and id: groups of equal (src, dst), ascending.
[[nodiscard]] std::vector<Leg> legs_by_wire(const Schedule& schedule);

// Sorts by the source or the destination; stable.
void sort_by_node(const Schedule& schedule, std::vector<std::uint32_t>& order,
                  std::uint32_t Schedule::Transfer::*node);

// Numbers the pairs of a node and a chunk that transfers touch.
class ChunkSlots {
 public:
  explicit ChunkSlots(const Schedule& schedule);
  [[nodiscard]] std::size_t size() const { return dense_ ? dense_size_ : keys_.size(); }
  [[nodiscard]] std::size_t of(std::uint32_t node, std::uint32_t chunk) const;
  // Returns false for chunks at a node that no transfer touches.
  [[nodiscard]] bool has(std::uint32_t node, std::uint32_t chunk) const;

 private:
  [[nodiscard]] std::uint64_t key(std::uint32_t node, std::uint32_t chunk) const {
    return std::uint64_t{node} * chunks_ + chunk;
  }
  std::uint64_t chunks_;
  bool dense_ = false;
  std::size_t dense_size_ = 0;
  std::vector<std::uint64_t> keys_;
};

}  // namespace convert
