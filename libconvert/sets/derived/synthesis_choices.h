// SPDX-License-Identifier: MIT
// Chooses synthesized algorithms for the collectives of a workload: one for each group, root and class of sizes.
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
  // Rule, group, collective, root (its rank, or its place; -1: none) and size_class().
  using Key = std::tuple<std::size_t, std::string, Collective, std::int64_t, std::uint32_t>;
  using Sizes = std::map<Key, std::int64_t>;  // the largest comm_size of each; roots are ranks

  // Reads the networks of the rules that name synthesized algorithms; the rules must outlive this. Throws
  // Error(usage), or with the place of a rule in a map Error(input) [merge]. `faster`: as SynthesisLibrary has it.
  SynthesisChoices(std::span<const CollectiveRule> rules, FasterBuilder faster);

  // Returns whether a rule names a synthesized algorithm.
  [[nodiscard]] bool has(std::size_t rule) const { return rules_[rule].has_value(); }
  // Returns what the nodes of a rank want. Several threads may call it.
  [[nodiscard]] Sizes wanted_by(const NodeTable& table) const;
  void want(const Sizes& sizes);

  // Makes what is wanted, for the largest collective of each class of sizes, by the groups of the plan. `add` takes
  // an algorithm for a rule and returns the choice. Throws Error as SynthesisLibrary::make() does.
  using Add = std::function<MergeChoice(std::size_t rule, MergeAlgorithm algorithm)>;
  void make(const MergePlan& plan, unsigned jobs, Diagnostics& diagnostics, const Add& add);

  // Returns the choice for a call, null if there is none.
  [[nodiscard]] const MergeChoice* find(std::size_t rule, const MergeCall& call) const;
  // Returns how many algorithms were synthesized.
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
  std::map<Key, MergeChoice> choices_;  // roots are places
};

}  // namespace convert
