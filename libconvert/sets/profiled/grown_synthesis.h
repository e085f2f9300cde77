// SPDX-License-Identifier: MIT
// Draws a set with more ranks than were recorded.
#pragma once

#include <string>

#include "passes/scale/scale.h"
#include "profile/draw/synthesis.h"
#include "sets/scaled/scale_grid.h"
#include "sets/scaled/scaled_groups.h"

namespace convert {

// Every rank does what a rank of the job does, by its place along the dimensions that do not grow, with costs and a
// speed of its own: copies are not equal. What becomes of groups and sizes is told in passes/scale/scale.h.
class GrownSynthesis {
 public:
  // `synthesis` must outlive this object. Throws Error(usage) if there is no such group, or it does not grow by a
  // whole factor; Error(input) [scale] if the ranks of the job are not 0…n-1, or not regular. `name`: of the
  // profile.
  GrownSynthesis(const Synthesis& synthesis, const ScaleOptions& options, const std::string& name);

  [[nodiscard]] Rank ranks() const { return static_cast<Rank>(synthesis_.ranks() * grid_.factor); }
  // Returns a rank. Thread-safe. Throws Error(input) [scale] if it calls what cannot grow.
  [[nodiscard]] Trace draw(Rank rank) const;
  // Returns the process groups, as the text of a groups file; empty if there are none.
  [[nodiscard]] std::string groups() const;

 private:
  const Synthesis& synthesis_;
  RankGrid grid_;
  ScaledGroups groups_;
};

}  // namespace convert
