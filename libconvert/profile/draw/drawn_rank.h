// SPDX-License-Identifier: MIT
// Nodes of a sampled rank; resolves the dependencies of a node to earlier nodes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/trace.h"
#include "profile/call_mask.h"
#include "profile/workload_profile.h"

namespace convert {

// A node depends on earlier nodes only, so there are no cycles.
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
    std::uint8_t kinds = 0;  // as in TokenDep
  };

  explicit DrawnRank(const WorkloadProfile& profile);

  // Adds a node. A dependency that reaches back before the first node is omitted if the node is `in_place`, as in
  // the first recorded iteration. Otherwise it is counted, and replaced by the first node of its lane or class, or
  // else by the previous node.
  void add(std::uint32_t token, const NodeCost& cost, double duration_ns, bool scaled, bool in_place);
  // Adds a communication that depends on the earlier communications `after` (distances, as in ProfileScript), in
  // addition to its other dependencies.
  void add_call(std::uint32_t token, const NodeCost& cost, double duration_ns, bool scaled,
                std::span<const std::uint32_t> after);
  // Scales the durations of the iterations' nodes in each lane so that they sum up to `work_ns`; 0: not scaled.
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
  std::vector<CallMask> waits_;                              // by node, relative to known_
  std::vector<std::uint32_t> known_;  // number of communications before the node, including itself
  std::vector<std::uint32_t> calls_;  // nodes
  std::uint64_t moved_ = 0;
};

}  // namespace convert
