// SPDX-License-Identifier: MIT
// Samples a set with more ranks than were recorded.
#pragma once

#include <string>

#include "passes/scale/scale.h"
#include "profile/draw/synthesis.h"
#include "sets/scaled/scale_grid.h"
#include "sets/scaled/scaled_groups.h"

namespace convert {

// Each rank is sampled from the rank of the job at the same position along the dimensions that do not grow. Costs
// and speed are drawn for each rank, so that copies differ. For groups and sizes see passes/scale/scale.h.
class GrownSynthesis {
 public:
  // `synthesis` must outlive this object. Throws Error(usage) if the group does not exist, or does not grow by a
  // whole factor; Error(input) [scale] if the ranks of the job are not 0…n-1, or are not regular. `name`: name of
  // the profile.
  GrownSynthesis(const Synthesis& synthesis, const ScaleOptions& options, const std::string& name);

  [[nodiscard]] Rank ranks() const { return static_cast<Rank>(synthesis_.ranks() * grid_.factor); }
  // Returns a rank. Thread-safe. Throws Error(input) [scale] if the rank makes a call that cannot grow.
  [[nodiscard]] Trace draw(Rank rank) const;
  // Returns the process groups, as the text of a groups file; empty if there are none.
  [[nodiscard]] std::string groups() const;

 private:
  const Synthesis& synthesis_;
  RankGrid grid_;
  ScaledGroups groups_;
};

}  // namespace convert
