// SPDX-License-Identifier: MIT
// Rounds and stages of native algorithms with exact sizes, for any remainders. Used unless ASTRA-sim's rounding is
// requested.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "simulate/system/plan.h"

namespace convert {

// A round of a member of a ring, direct, halving-doubling or dissemination phase: one message out, one in.
struct Round {
  std::uint32_t to = 0;
  std::uint32_t from = 0;
  std::int64_t out_bytes = 0;
  std::int64_t in_bytes = 0;
  bool reduces = false;  // the incoming message is reduced
};

// Returns the number of rounds of a phase. Rounds of direct may run at once, `window` at a time, but the second
// half of an all-reduce only after the first.
[[nodiscard]] std::uint64_t rounds(const PhasePlan& phase);
// Returns round `number`, from 0. `total` is the size of the buffer that is split into shards: input of a
// reduce-scatter, all-reduce or all-to-all, output of an all-gather. With `anticlockwise`, ring and direct use the
// reverse direction.
[[nodiscard]] Round round(const PhasePlan& phase, std::uint32_t place, std::int64_t total, std::uint64_t number,
                          bool anticlockwise);

// Returns a round of an all-gather with unequal shards: `part` returns the bytes of the shard of an index.
[[nodiscard]] Round unequal_round(const PhasePlan& phase, std::uint32_t place, std::uint64_t number,
                                  bool anticlockwise, const std::function<std::int64_t(std::uint32_t)>& part);

// Neighbours of an index in one of the two trees of a double binary tree; `members` means no neighbour. A tree is a
// complete binary tree over all indices except one, in order. The remaining index is the root above it: the last
// index, which has the tree as its left child, or with `low_root` the first.
struct TreePlace {
  std::uint32_t parent;
  std::uint32_t left;
  std::uint32_t right;
};
[[nodiscard]] TreePlace place_in_tree(std::uint32_t members, std::uint32_t place, bool low_root);

// Returns the inbox slot in which a member of a tree or star receives from another: below 3, or below the number of
// members from which it receives.
[[nodiscard]] std::uint32_t slot_in_tree(const PhasePlan& phase, std::uint32_t place, std::uint32_t from,
                                         bool low_root);

// A stage of one member of a tree or star: it receives from some members (reducing or not), then sends to others.
// An all-reduce in a tree has two stages.
struct Stage {
  std::vector<std::uint32_t> from{};
  std::vector<std::uint32_t> to{};
  bool reduces = false;
};
// Returns the stages of a tree or star with its root, or of one of a double binary tree's two trees (`low_root`).
[[nodiscard]] std::vector<Stage> stages(const PhasePlan& phase, std::uint32_t place, bool low_root);

// Returns whether a phase sends shards of its data.
[[nodiscard]] inline bool has_parts(const PhasePlan& p) {
  return p.algorithm == NativeAlgorithm::ring || p.algorithm == NativeAlgorithm::direct ||
         p.algorithm == NativeAlgorithm::halving_doubling;
}

// Returns `total` of phase `index` of a chunk on the NPU that has index `place_of(phase)` in each phase. `rounded`:
// enough bytes for all shards to have the size of the largest.
template <typename PlaceOf>
[[nodiscard]] std::int64_t total_of(const std::vector<PhasePlan>& phases, std::int64_t chunk_bytes,
                                    std::size_t index, const PlaceOf& place_of, bool rounded = false) {
  const auto largest_part = [](std::int64_t bytes, const PhasePlan& phase) {
    return part_bytes(bytes, phase.members, 0);
  };
  const PhasePlan& p = phases[index];
  if (p.op == Collective::all_gather) {
    for (std::size_t i = 0; i < index; ++i) {  // in an all-reduce: the total of this dimension's reduce-scatter
      if (phases[i].op == Collective::reduce_scatter && phases[i].dim == p.dim)
        return total_of(phases, chunk_bytes, i, place_of, rounded);
    }
    std::int64_t bytes = chunk_bytes;
    for (std::size_t i = 0; i <= index; ++i) bytes *= phases[i].members;
    return bytes;
  }
  std::int64_t bytes = chunk_bytes;
  for (std::size_t i = 0; i < index; ++i) {
    if (phases[i].op != Collective::reduce_scatter) continue;
    bytes = rounded ? largest_part(bytes, phases[i]) : part_bytes(bytes, phases[i].members, place_of(phases[i]));
  }
  const std::int64_t most = std::numeric_limits<std::int64_t>::max() - p.members;
  if (rounded && has_parts(p) && bytes <= most) bytes = largest_part(bytes, p) * p.members;
  return bytes;
}

}  // namespace convert
