// SPDX-License-Identifier: MIT
// Finds onto which process groups a shift of all ranks along a dimension of the network maps each process group.
#pragma once

#include <cstdint>
#include <vector>

#include "simulate/program/program.h"

namespace convert {

// Returns whether all ranks are in a group, so that its collectives run over the dimensions of the network.
[[nodiscard]] inline bool is_whole(const ReplayProgram& program, std::uint32_t group) {
  return program.groups[group].size(program.model) == program.model.npus;
}

// Returns the rank whose coordinate in dimension `dim` is `by` higher, modulo the size of the dimension.
[[nodiscard]] Rank moved(const std::vector<std::uint32_t>& dims, Rank r, std::size_t dim, std::uint32_t by);

class GroupShifts {
 public:
  explicit GroupShifts(const ReplayProgram& program);

  // Returns whether a shift by one maps each group that has collectives onto such a group, whose algorithms look
  // the same from the new places of the ranks.
  [[nodiscard]] bool fits(std::size_t dim) const { return fits_[dim]; }
  // Returns the group onto which a shift by one along a dimension that fits maps a group that has collectives.
  [[nodiscard]] std::uint32_t image(std::uint32_t group, std::size_t dim) const { return images_[dim][group]; }

  // Sets, by group, all images by shifts along these dimensions, where it has collectives and a rank whose
  // coordinates in them are 0. Returns false if two groups of one set of images have such a rank.
  [[nodiscard]] bool orbits(const std::vector<bool>& dims, std::vector<std::vector<std::uint32_t>>& result) const;

 private:
  void find_used();
  [[nodiscard]] bool find_images(std::size_t dim);

  const ReplayProgram& program_;
  std::vector<bool> used_;                          // by group: not whole, and has collectives
  std::vector<bool> turns_;                         // by group: its algorithms look the same from each place
  std::vector<bool> fits_;                          // by dimension
  std::vector<std::vector<std::uint32_t>> images_;  // by dimension and group
};

// Returns whether an algorithm looks the same from each place of a ring.
[[nodiscard]] bool looks_the_same(const ReplayProgram& program, const CollectivePlan& plan, const PhasePlan& phase);

}  // namespace convert
