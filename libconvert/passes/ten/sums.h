// SPDX-License-Identifier: MIT
// Records which nodes contributed to a partial sum, at the cost of one pair per reduction.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/algorithm/schedule.h"

namespace convert {

// The partial sums of a schedule. A sum is a tree: a node's own contribution, or two sums that were added. Sets of
// contributions are built only on request, so that a schedule of a million reductions does not need a million sets.
class Sums {
 public:
  using Id = std::uint32_t;
  explicit Sums(const Schedule& schedule) : s_(schedule) {}  // `schedule` must outlive this object

  [[nodiscard]] static Id single(std::uint32_t node) { return node; }
  [[nodiscard]] Id add(Id a, Id b) {
    pairs_.emplace_back(a, b);
    return s_.nodes + static_cast<Id>(pairs_.size() - 1);
  }

  // Returns the defect of a sum that must hold each node of `wanted` once: "holds the contribution of node 3
  // twice", "holds the contributions of nodes 0-2, not 0-3". Returns an empty text if there is no defect.
  [[nodiscard]] std::string difference(Id sum, const Schedule::NodeSet& wanted) const;

 private:
  // Collects the nodes in a sum, ascending. Stops and returns true at the second occurrence of a node.
  bool collect(Id sum, std::vector<std::uint32_t>& nodes, std::uint32_t& twice) const;

  const Schedule& s_;
  std::vector<std::pair<Id, Id>> pairs_;
};

}  // namespace convert
