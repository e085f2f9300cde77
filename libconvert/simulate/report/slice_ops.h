// SPDX-License-Identifier: MIT
// Finds the slices of a replay's operations, and the operations of its slices.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "core/timeline.h"
#include "simulate/program/program.h"

namespace convert {

// Refers to the program and the slices. Time is linear, but for a search of the number of each node whose ids have
// gaps.
class SliceOps {
 public:
  SliceOps(const ReplayProgram& program, std::span<const Slice> slices)
      : program_(program), slices_(slices), slice_of_(program.ops, no_index) {
    op_of_.reserve(slices_.size());
    for (const Slice& s : slices_) {
      op_of_.push_back(number(s.rank, s.node));
      slice_of_[op_of_.back()] = static_cast<std::uint32_t>(op_of_.size() - 1);
    }
  }

  [[nodiscard]] const Op& op(std::uint32_t slice) const {
    const RankProgram& rank = program_.ranks[slices_[slice].rank];
    return rank.code->ops[op_of_[slice] - rank.first_op];
  }
  // Returns the slice of a node; no_index: it has not begun.
  [[nodiscard]] std::uint32_t slice_of(Rank r, NodeId node) const { return slice_of_[number(r, node)]; }
  // Calls fn(slice) for each node with a slice that depends on that of `slice`.
  template <class Fn>
  void for_each_child(std::uint32_t slice, const Fn& fn) const {
    const RankProgram& rank = program_.ranks[slices_[slice].rank];
    for (const std::uint32_t child : rank.code->feeder.children(op_of_[slice] - rank.first_op)) {
      if (slice_of_[rank.first_op + child] != no_index) fn(slice_of_[rank.first_op + child]);
    }
  }

 private:
  // Returns the number of a node among those of all ranks.
  [[nodiscard]] std::uint32_t number(Rank r, NodeId id) const {
    const RankProgram& rank = program_.ranks[r];
    const std::vector<NodeId>& ids = rank.code->ids;
    if (ids.empty()) return rank.first_op + static_cast<std::uint32_t>(id);
    return rank.first_op + static_cast<std::uint32_t>(std::ranges::lower_bound(ids, id) - ids.begin());
  }

  const ReplayProgram& program_;
  std::span<const Slice> slices_;
  std::vector<std::uint32_t> op_of_;     // by slice
  std::vector<std::uint32_t> slice_of_;  // by op
};

}  // namespace convert
