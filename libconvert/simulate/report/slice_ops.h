// SPDX-License-Identifier: MIT
// Maps slices of a replay to operations, and operations to slices.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "core/timeline.h"
#include "simulate/program/program.h"

namespace convert {

// Keeps references to the program and the slices. Time is linear, except for a binary search for each node of ranks
// whose ids have gaps.
class SliceOps {
 public:
  SliceOps(const ReplayProgram& program, std::span<const Slice> slices)
      : program_(program), slices_(slices), first_op_(program.ranks.size(), unknown) {
    for (const Slice& s : slices_) first_op_[s.rank] = 0;
    for (Rank r = 0; r < first_op_.size(); ++r) {
      if (first_op_[r] == unknown) continue;
      first_op_[r] = nodes_;
      nodes_ += program.ranks[r].code->ops.size();
    }
    slice_of_.resize(nodes_, no_index);
    op_of_.reserve(slices_.size());
    for (const Slice& s : slices_) {
      op_of_.push_back(number(s.rank, s.node));
      slice_of_[op_of_.back()] = static_cast<std::uint32_t>(op_of_.size() - 1);
    }
  }

  [[nodiscard]] const Op& op(std::uint32_t slice) const {
    const Rank r = slices_[slice].rank;
    return program_.ranks[r].code->ops[op_of_[slice] - first_op_[r]];
  }
  // Returns the number of nodes of the ranks that have slices.
  [[nodiscard]] std::uint64_t nodes() const { return nodes_; }
  // Returns the slice of a node; no_index: it has not begun.
  [[nodiscard]] std::uint32_t slice_of(Rank r, NodeId node) const {
    return first_op_[r] == unknown ? no_index : slice_of_[number(r, node)];
  }
  // Calls fn(slice) for each node with a slice that depends on the node of `slice`.
  template <class Fn>
  void for_each_child(std::uint32_t slice, const Fn& fn) const {
    const Rank r = slices_[slice].rank;
    const auto node = static_cast<std::uint32_t>(op_of_[slice] - first_op_[r]);
    for (const std::uint32_t child : program_.ranks[r].code->feeder.children(node)) {
      if (slice_of_[first_op_[r] + child] != no_index) fn(slice_of_[first_op_[r] + child]);
    }
  }

 private:
  static constexpr std::uint64_t unknown = UINT64_MAX;

  // Returns the number of a node among the nodes of the ranks that have slices.
  [[nodiscard]] std::uint64_t number(Rank r, NodeId id) const {
    const std::vector<NodeId>& ids = program_.ranks[r].code->ids;
    if (ids.empty()) return first_op_[r] + id;
    return first_op_[r] + static_cast<std::uint64_t>(std::ranges::lower_bound(ids, id) - ids.begin());
  }

  const ReplayProgram& program_;
  std::span<const Slice> slices_;
  std::vector<std::uint64_t> first_op_;  // by rank: number of its node 0
  std::uint64_t nodes_ = 0;
  std::vector<std::uint64_t> op_of_;     // by slice
  std::vector<std::uint32_t> slice_of_;  // by op
};

}  // namespace convert
