// SPDX-License-Identifier: MIT
// Renumbers the nodes of a rank from 0, in the order of their ids.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/trace.h"

namespace convert {

// Dense ids: node ids ascend by one through a rank, and dependencies name only these ids.
struct DenseIds {
  NodeId first = 0;
};

// Checks batch by batch whether ids are dense.
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
  // Returns nullopt if the ids are not dense.
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
  // Reads the ids of a whole rank. Ids of missing dependencies are numbered after all nodes, so that they still
  // name no node.
  explicit IdNumbers(const NodeTable& nodes);

  [[nodiscard]] NodeId of(NodeId id) const;
  // Renumbers nodes and their dependencies.
  void renumber(NodeTable& nodes) const;

 private:
  NodeId first_ = 0;
  std::vector<NodeId> ids_;      // ascending; empty if dense
  std::vector<NodeId> missing_;  // ascending
};

}  // namespace convert
