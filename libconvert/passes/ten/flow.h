// SPDX-License-Identifier: MIT
// Follows the chunks of a schedule: who holds what when, and so what each transfer waits for.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/algorithm/schedule.h"
#include "core/diagnostic.h"

namespace convert {

struct Flow {
  // By transfer: the transfers whose arrival (copy) or reduction at the sender it waits for, each once; none if all
  // its chunks are there from the beginning.
  std::vector<Range> parents;
  std::vector<std::uint32_t> parent_list;
  std::vector<std::uint32_t> order;  // all transfers by start and id: parents stand before
  std::vector<bool> redundant;       // by cargo_at(): a copy to a node that holds it already
  std::vector<bool> late;            // by transfer: begins after all chunks have arrived; false if any are reduced

  [[nodiscard]] std::span<const std::uint32_t> parents_of(std::uint32_t transfer) const {
    return {parent_list.data() + parents[transfer].begin, parents[transfer].count};
  }
};

// Follows the chunks through a schedule with times (continuous or steps). Reports as errors: a transfer of what its
// sender does not hold [R4], a reduction into what has been passed on or was never there [R5], a chunk that is
// missing at the end or lacks contributions [R6]. An arrival counts for every transfer that starts at its end or
// later, or earlier by no more than tolerance().
[[nodiscard]] Flow follow(const Schedule& schedule, Diagnostics& diagnostics);

// Returns by how much earlier than written a transfer counts as ended, since decimal files round: with continuous
// times 1 ps, or a millionth of its duration if that is more; else 0.
[[nodiscard]] std::int64_t tolerance(const Schedule& schedule, std::int64_t duration);

// Returns the transfers by source and destination, then start and id.
[[nodiscard]] std::vector<std::uint32_t> by_ends(const Schedule& schedule);
// Returns the legs of all transfers by wire, then start and id: groups of equal (src, dst), ascending.
[[nodiscard]] std::vector<Leg> legs_by_wire(const Schedule& schedule);

// Sorts, stably, by the source or the destination.
void sort_by_node(const Schedule& schedule, std::vector<std::uint32_t>& order,
                  std::uint32_t Schedule::Transfer::*node);

// Numbers the pairs of a node and a chunk that transfers touch.
class ChunkSlots {
 public:
  explicit ChunkSlots(const Schedule& schedule);
  [[nodiscard]] std::size_t size() const { return dense_ ? dense_size_ : keys_.size(); }
  [[nodiscard]] std::size_t of(std::uint32_t node, std::uint32_t chunk) const;
  // Returns false for chunks that lie at a node and go nowhere.
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
