// SPDX-License-Identifier: MIT
// Lays the well-known shapes of collective algorithms into a network: rings, stars, doubling, trees, and these
// dimension by dimension. Each message takes the shortest way by time; of equals the one with the least load.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "synthesis/trees/packing.h"
#include "synthesis/trees/pairs.h"

namespace convert {

// ring: from place to place. both_rings: half of the data that way, half the other. star: from the root to each.
// doubling: in each round all that have the data send it on, twice as far. binary: two children at most.
// double_binary: two such trees, whose leaves are inner places of the other one.
enum class ClosedShape : std::uint8_t { ring, both_rings, star, doubling, binary, double_binary };

struct ClosedForm {
  ClosedShape shape = ClosedShape::ring;
  std::vector<std::uint32_t> dims{};  // places by dimension, the first one fastest; they are left from the last on
  bool tour = false;  // places are in the order in which one NPU is the nearest of another; else by number
};
// Returns "direct 8x4".
[[nodiscard]] std::string name(const ClosedForm& form);

// Return the forms for collectives in which all participants are roots, and for those with one root. Of very many
// participants in boxes of equal size (consecutive NPUs whose fastest link leads to the same switch) that is one
// only.
[[nodiscard]] std::vector<ClosedForm> closed_forms(const SynthesisProblem& problem);
[[nodiscard]] std::vector<ClosedForm> rooted_closed_forms(std::uint32_t participants);

// Returns the trees of a form from `roots` to all participants, with `share` as of pack_trees(). NPUs on the way
// keep a copy, so that nothing comes to one twice. Returns nothing where NPUs that do not take part would have to
// pass on parts of several sums, or where no way leads between two places of the form.
[[nodiscard]] std::optional<TreePacking> closed_trees(const SynthesisProblem& problem,
                                                      std::span<const Device> roots, double share,
                                                      const ClosedForm& form);

// Returns the same for an all-reduce of which `root` has all sums.
[[nodiscard]] std::optional<PairPacking> closed_pairs(const SynthesisProblem& problem, Device root,
                                                      const ClosedForm& form);

}  // namespace convert
