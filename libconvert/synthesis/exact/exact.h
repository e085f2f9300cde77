// SPDX-License-Identifier: MIT
// Packs trees that use the links exactly as the bandwidth bound requires, without a search: capacities in whole
// trees, then splitting off of non-participants, then the required number of trees from each root.
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

// Packs trees from some roots, all participants of a problem or one participant, to all participants.
class ExactPacker {
 public:
  // The problem must outlive this object.
  ExactPacker(const SynthesisProblem& problem, std::span<const Device> roots);

  // Returns a non-participant whose incoming bandwidth differs from its outgoing bandwidth, through which trees
  // cannot be routed exactly; nothing if there is no such device.
  [[nodiscard]] std::optional<Device> uneven() const;

  // Returns capacities to pack trees for, the best first, each with a number of trees per root that divides
  // `pieces` (nothing: any number). These are the capacities of the bound if few trees make them integers, else the
  // nearest that few trees allow. Empty if there is an uneven() device.
  [[nodiscard]] std::vector<TreeScale> scales(std::optional<std::uint32_t> pieces) const;

  // Returns whether a choice of splitting yields another packing than the default: there is a device to split off,
  // and for far_first some are farther than others.
  [[nodiscard]] bool minds(const SplitChoice& choice) const;

  // Returns the packing for capacities of scales(); nothing if it fails. Its load is exactly 1 if the capacities
  // are exact. If a tree would pass a non-participating NPU twice, the data arrives there once and leaves it twice.
  // If the trees are to be reversed, it takes another route instead, which may increase the load.
  [[nodiscard]] std::optional<TreePacking> pack(const TreeScale& scale, const ExactChoice& choice) const;

 private:
  [[nodiscard]] std::int64_t length_of(const DirectEdge& edge) const;

  const SynthesisProblem& problem_;
  std::vector<Device> roots_;
  TreeDemand demand_;
  Fraction bound_{};
};

}  // namespace convert
