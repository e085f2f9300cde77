// SPDX-License-Identifier: MIT
// Makes a set with more data-parallel ranks of another one.
#pragma once

#include <string>
#include <vector>

#include "sets/classes/set.h"
#include "sets/scaled/scale_grid.h"

namespace convert {

// Holds the grown set by classes of ranks, whatever the one is that it is made of.
class ScaledSet final : public ClassSet {
 public:
  // Throws Error(input) [scale] if the set is not regular, or a rank calls what cannot grow; Error(usage) if there
  // is no such group, or it does not grow by a whole factor.
  ScaledSet(SetSource& source, const ScaleOptions& options);

  // Returns what growing assumes, for people: a line each.
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }

 private:
  struct Scaled {
    std::string name;
    MasterSet set;
    std::vector<std::string> notes;
  };
  explicit ScaledSet(Scaled scaled);
  static Scaled scale(SetSource& source, const ScaleOptions& options);

  std::vector<std::string> notes_;
};

}  // namespace convert
