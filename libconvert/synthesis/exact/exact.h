// SPDX-License-Identifier: MIT
// Packs trees that use links just as the bound of bandwidth says, exactly, without a search: capacities in whole
// trees, devices that do not take part split off, then as many trees of each root as there have to be.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "synthesis/exact/branchings.h"
#include "synthesis/exact/scaling.h"
#include "synthesis/exact/splitting.h"
#include "synthesis/trees/packing.h"

namespace convert {

struct ExactChoice {
  SplitChoice split{};
  BranchingChoice grow{};
};

// Packs trees from some roots, all participants of a problem or one of them, to all participants.
class ExactPacker {
 public:
  // The problem must outlive this.
  ExactPacker(const SynthesisProblem& problem, std::span<const Device> roots);

  // Returns a device that does not take part and has not as much bandwidth in as out, which no tree can be led over
  // exactly; none: there is no such device.
  [[nodiscard]] std::optional<Device> uneven() const;

  // Returns capacities to pack trees for, the best first, each with as many trees of a root as divide `pieces`
  // (none: any): those of the bound, if a few trees make them whole, else the nearest that few trees make. None:
  // uneven().
  [[nodiscard]] std::vector<TreeScale> scales(std::optional<std::uint32_t> pieces) const;

  // Returns whether a choice of splitting makes another packing than the usual one: there is something to split off,
  // and to take the nearest first there are some that lie farther than others.
  [[nodiscard]] bool minds(const SplitChoice& choice) const;

  // Returns the packing for capacities of scales(); none if it fails. Its load is exactly 1 if those are exact.
  // What would pass an NPU that does not take part twice in a tree leaves it twice instead, having come once; if it
  // is to be played backwards, it goes another way, which may add to the load.
  [[nodiscard]] std::optional<TreePacking> pack(const TreeScale& scale, const ExactChoice& choice) const;

 private:
  [[nodiscard]] std::int64_t length_of(const DirectEdge& edge) const;

  const SynthesisProblem& problem_;
  std::vector<Device> roots_;
  TreeDemand demand_;
  Fraction bound_{};
};

}  // namespace convert
