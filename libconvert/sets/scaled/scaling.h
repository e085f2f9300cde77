// SPDX-License-Identifier: MIT
// Set with more data-parallel ranks than another set.
#pragma once

#include <string>
#include <vector>

#include "sets/classes/set.h"
#include "sets/scaled/scale_grid.h"

namespace convert {

// The grown set is class-compressed, independent of the source.
class ScaledSet final : public ClassSet {
 public:
  // Throws Error(input) [scale] if the set is not regular, or a rank makes a call that cannot grow; Error(usage) if
  // the group does not exist, or does not grow by a whole factor.
  ScaledSet(SetSource& source, const ScaleOptions& options);

  // Returns the assumptions of growing, one line each, for users.
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
