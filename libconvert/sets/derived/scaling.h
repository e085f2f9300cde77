// SPDX-License-Identifier: MIT
// Makes a set with more data-parallel ranks of another one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sets/classes/set.h"

namespace convert {

struct ScaleOptions {
  std::string which;        // "dp", or the id of a group
  std::uint64_t ranks = 0;  // that it has then
  unsigned jobs = 1;
};
// Returns what `text`, "dp=1024" or "3=64", says. Throws Error(usage) that names --scale: malformed, or what cannot
// grow, with the reason.
[[nodiscard]] ScaleOptions scale_options(const std::string& text);

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
