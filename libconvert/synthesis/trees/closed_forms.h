// SPDX-License-Identifier: MIT
// Maps well-known shapes of collective algorithms to a network: rings, stars, doubling, trees, and these dimension
// by dimension. Each message takes the shortest route by time; among equals the one with the least load.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "synthesis/trees/packing.h"
#include "synthesis/trees/pairs.h"

namespace convert {

// ring: from position to position. both_rings: half of the data in each direction. star: from the root to each.
// doubling: in each round, all owners of the data send it on, at twice the distance. binary: at most two children.
// double_binary: two binary trees, where leaves of one are inner positions of the other.
enum class ClosedShape : std::uint8_t { ring, both_rings, star, doubling, binary, double_binary };

struct ClosedForm {
  ClosedShape shape = ClosedShape::ring;
  std::vector<std::uint32_t> dims{};  // positions by dimension, the first one fastest; data spreads along the last
                                      // one first
  bool tour = false;  // positions are ordered as a tour from each NPU to its nearest; else by number
};
// Returns "direct 8x4".
[[nodiscard]] std::string name(const ClosedForm& form);

// Return the forms for collectives in which all participants are roots, and for collectives with one root. For very
// many participants in boxes of equal size (consecutive NPUs whose fastest link leads to the same switch) there is
// only one form.
[[nodiscard]] std::vector<ClosedForm> closed_forms(const SynthesisProblem& problem);
[[nodiscard]] std::vector<ClosedForm> rooted_closed_forms(std::uint32_t participants);

// Returns the trees of a form from `roots` to all participants; `share`: see pack_trees(). NPUs on a route keep a
// copy, so that none receives data twice. Returns nothing if non-participants would have to forward contributions
// to several sums, or if there is no route between two positions of the form.
[[nodiscard]] std::optional<TreePacking> closed_trees(const SynthesisProblem& problem,
                                                      std::span<const Device> roots, double share,
                                                      const ClosedForm& form);

// Returns pairs of such trees for an all-reduce in which `root` holds all sums.
[[nodiscard]] std::optional<PairPacking> closed_pairs(const SynthesisProblem& problem, Device root,
                                                      const ClosedForm& form);

}  // namespace convert
