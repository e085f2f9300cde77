// SPDX-License-Identifier: MIT
// Keeps which nodes' contributions a partial sum holds, for the price of a pair for each reduction.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/algorithm/schedule.h"

namespace convert {

// Holds the partial sums of a schedule. A sum is a tree: a node's own contribution, or two sums that were added.
// Sets of contributions are only made where one is asked for, so that a schedule of a million reductions does not
// need a million sets.
class Sums {
 public:
  using Id = std::uint32_t;
  explicit Sums(const Schedule& schedule) : s_(schedule) {}  // which must outlive this

  [[nodiscard]] static Id single(std::uint32_t node) { return node; }
  [[nodiscard]] Id add(Id a, Id b) {
    pairs_.emplace_back(a, b);
    return s_.nodes + static_cast<Id>(pairs_.size() - 1);
  }

  // Returns what is wrong with a sum that must hold each node of `wanted` once: "holds the contribution of node 3
  // twice", "holds the contributions of nodes 0-2, not 0-3". Empty: nothing.
  [[nodiscard]] std::string difference(Id sum, const Schedule::NodeSet& wanted) const;

 private:
  // Collects the nodes in a sum, ascending; stops and returns true at the second of one node.
  bool collect(Id sum, std::vector<std::uint32_t>& nodes, std::uint32_t& twice) const;

  const Schedule& s_;
  std::vector<std::pair<Id, Id>> pairs_;
};

}  // namespace convert
