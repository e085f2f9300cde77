// SPDX-License-Identifier: MIT
// Chooses synthesized algorithms for the collectives of a workload: one for each group, root and size class.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "config/collective_rules.h"
#include "core/diagnostic.h"
#include "passes/merge/merge.h"
#include "sets/synthesized/library.h"

namespace convert {

class SynthesisChoices {
 public:
  // Rule, group, collective, root (a rank, or its index in the group; -1: no root) and size_class().
  using Key = std::tuple<std::size_t, std::string, Collective, std::int64_t, std::uint32_t>;
  using Sizes = std::map<Key, std::int64_t>;  // largest comm_size by key; roots are ranks

  // Reads the networks of the rules with synthesized algorithms; the rules must outlive this object. Throws
  // Error(usage), or Error(input) [merge] with the location of a rule in a map. `faster`: as in SynthesisLibrary.
  SynthesisChoices(std::span<const CollectiveRule> rules, FasterBuilder faster);

  // Returns whether a rule names a synthesized algorithm.
  [[nodiscard]] bool has(std::size_t rule) const { return rules_[rule].has_value(); }
  // Returns the algorithms that the nodes of a rank require. Thread-safe.
  [[nodiscard]] Sizes wanted_by(const NodeTable& table) const;
  void want(const Sizes& sizes);

  // Makes the required algorithms, for the largest collective of each size class, by the groups of the plan. `add`
  // converts an algorithm for a rule to a choice. Throws Error as SynthesisLibrary::make() does.
  using Add = std::function<MergeChoice(std::size_t rule, MergeAlgorithm algorithm)>;
  void make(const MergePlan& plan, unsigned jobs, Diagnostics& diagnostics, const Add& add);

  // Returns the choice for a call, or null.
  [[nodiscard]] const MergeChoice* find(std::size_t rule, const MergeCall& call) const;
  // Returns the number of synthesized algorithms.
  [[nodiscard]] std::size_t made() const;

 private:
  void read(const CollectiveRule& rule);
  [[nodiscard]] MergeAlgorithm algorithm_for(std::size_t rule, const std::string& group,
                                             const GroupCollective& wanted, unsigned jobs,
                                             Diagnostics& diagnostics);

  std::span<const CollectiveRule> given_;
  FasterBuilder faster_;
  std::vector<std::optional<SynthesisRule>> rules_;                     // by rule
  std::map<std::string, std::unique_ptr<SynthesisLibrary>> libraries_;  // by network, occupancy, forwarding
  Sizes wanted_;
  std::map<Key, MergeChoice> choices_;  // roots are indices in the group
};

}  // namespace convert
