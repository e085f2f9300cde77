// SPDX-License-Identifier: MIT
// Collects the nodes that are drawn for a rank: finds what they wait for among those that are there.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/trace.h"
#include "profile/call_mask.h"
#include "profile/workload_profile.h"

namespace convert {

// Every node waits for earlier ones alone, so that there are no cycles.
class DrawnRank {
 public:
  struct Item {
    std::uint32_t token = 0;
    double duration_ns = 0;
    NodeCost cost{};
    Range deps{};        // into deps()
    bool scaled = true;  // part of an iteration
  };
  struct Dep {
    std::uint32_t node = 0;
    std::uint8_t kinds = 0;  // as TokenDep has them
  };

  explicit DrawnRank(const WorkloadProfile& profile);

  // Adds a node. A dependency that reaches back beyond the beginning is left out where the node is `in_place`, as
  // in the first iteration that was recorded; else it means the first node of its lane or class, or the node before
  // it where there is none, and is counted.
  void add(std::uint32_t token, const NodeCost& cost, double duration_ns, bool scaled, bool in_place);
  // Adds a communication that waits for some of those before it, as ProfileScript has it, whatever else it waits
  // for.
  void add_call(std::uint32_t token, const NodeCost& cost, double duration_ns, bool scaled,
                std::span<const std::uint32_t> after);
  // Multiplies the durations of each lane of the iterations so that they sum up to `work_ns`; 0: leaves them.
  void scale(std::span<const double> work_ns);

  [[nodiscard]] const std::vector<Item>& items() const { return items_; }
  [[nodiscard]] const std::vector<Dep>& deps() const { return deps_; }
  [[nodiscard]] std::uint64_t moved_deps() const { return moved_; }

 private:
  void find_deps(std::uint32_t token, bool in_place);
  void add_dep(std::uint32_t node, std::uint8_t kinds) { found_.push_back({node, kinds}); }
  [[nodiscard]] bool waits_for(std::uint32_t node) const;
  [[nodiscard]] CallMask found_calls() const;
  void add_item(std::uint32_t token, const NodeCost& cost, double duration_ns, bool scaled);

  const WorkloadProfile& profile_;
  std::vector<Item> items_;
  std::vector<Dep> deps_;
  std::vector<std::uint32_t> lane_of_deps_;
  std::vector<std::vector<std::uint32_t>> lanes_, classes_;  // nodes
  std::vector<Dep> found_;                                   // of the node that is added
  std::vector<CallMask> waits_;                              // by node, as of
  std::vector<std::uint32_t> known_;                         // so many communications before it, and itself
  std::vector<std::uint32_t> calls_;                         // nodes
  std::uint64_t moved_ = 0;
};

}  // namespace convert
