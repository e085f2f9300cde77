// SPDX-License-Identifier: MIT
// Numbers the nodes of a rank from 0 on, in the order of their ids.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/trace.h"

namespace convert {

// Says that ids ascend one by one through a rank, and that dependencies name these alone.
struct DenseIds {
  NodeId first = 0;
};

// Finds out whether ids are dense, batch by batch.
class DenseIdCheck {
 public:
  void add(const NodeTable& batch);
  void add_id(NodeId id) {
    if (count_ == 0) first_ = id;
    dense_ = dense_ && id == first_ + count_;
    ++count_;
  }
  void add_dep(NodeId id) {
    least_dep_ = id < least_dep_ ? id : least_dep_;
    largest_dep_ = id > largest_dep_ ? id : largest_dep_;
  }
  // Returns nothing if they are not.
  [[nodiscard]] std::optional<DenseIds> finish() const;

 private:
  NodeId first_ = 0;
  std::uint64_t count_ = 0;
  NodeId least_dep_ = UINT64_MAX, largest_dep_ = 0;
  bool dense_ = true;
};

class IdNumbers {
 public:
  explicit IdNumbers(const DenseIds& ids) : first_(ids.first) {}
  // Takes the ids of a whole rank. Those of dependencies on no node come behind the others: they still name none.
  explicit IdNumbers(const NodeTable& nodes);

  [[nodiscard]] NodeId of(NodeId id) const;
  // Renumbers nodes and what they depend on.
  void renumber(NodeTable& nodes) const;

 private:
  NodeId first_ = 0;
  std::vector<NodeId> ids_;      // ascending; empty: dense
  std::vector<NodeId> missing_;  // ascending
};

}  // namespace convert
