// SPDX-License-Identifier: MIT
// Finds the process groups onto which a shift of all ranks along a digit maps each process group.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "simulate/program/program.h"
#include "simulate/symmetry/digits.h"

namespace convert {

// Returns whether the group contains all ranks, so that its collectives run over the dimensions of the network.
[[nodiscard]] inline bool is_whole(const CommonProgram& program, std::uint32_t group) {
  return program.groups[group].size(program.model) == program.model.npus;
}

class GroupShifts {
 public:
  // `rounded`: shards that differ by a byte count as equal. `class_rings`: rings need not rotate; see ClassRings.
  GroupShifts(const ReplayProgram& program, const std::vector<RankDigit>& digits, bool rounded, bool class_rings);

  // A group onto which another is mapped. Its ranks may be rotated by `turn` indices in the ring, or reordered if
  // ClassRings permits it.
  struct Image {
    std::uint32_t group = 0;
    std::uint32_t turn = 0;
    bool reorders = false;
  };
  // Returns whether a shift by one maps each group with collectives onto such a group. Its algorithms must look the
  // same from the new indices of the ranks. For algorithms that find partners by XOR of indices, this must hold for
  // an XOR of the digit.
  [[nodiscard]] bool fits(std::size_t digit) const { return fits_[digit]; }
  // Return whether members of a group find others in its ring by difference, or by XOR, of indices.
  [[nodiscard]] bool shifts(std::uint32_t group) const { return uses_[group].shifts; }
  [[nodiscard]] bool exchanges(std::uint32_t group) const { return uses_[group].exchanges; }
  // Returns the image of a group that has collectives, if the digit fits.
  [[nodiscard]] const Image& image(std::uint32_t group, std::size_t digit) const { return images_[digit][group]; }

  // Returns whether a shift along one of these digits reorders the ring of one of these images of a group.
  [[nodiscard]] bool reorders(const std::vector<bool>& digits, const std::vector<std::uint32_t>& images) const;

  // Sets by group all images by shifts along these digits, if the group has collectives and a rank whose digits
  // there are
  // 0. Returns false if two groups of one set of images have such a rank.
  [[nodiscard]] bool orbits(const std::vector<bool>& digits, std::vector<std::vector<std::uint32_t>>& result) const;

 private:
  // Groups of the same ranks, by ascending number.
  struct Set {
    std::vector<Rank> ranks{};  // ascending
    std::vector<std::uint32_t> groups{};
  };
  // How the algorithms of a group depend on indices in its ring.
  struct Use {
    bool calls = false;      // it does not contain all ranks, and has collectives
    bool shifts = false;     // by difference
    bool exchanges = false;  // by XOR
    bool turns = true;       // they look the same from each index
    bool rings = true;       // all are rings
  };
  void find_uses(bool rounded);
  void find_sets();
  [[nodiscard]] const Set* find_set(const std::vector<Rank>& ranks) const;
  [[nodiscard]] bool find_images(const RankDigit& digit, std::vector<Image>& images) const;
  [[nodiscard]] bool set_image(const RankDigit& digit, std::uint32_t group, std::uint32_t onto, Image& image) const;
  [[nodiscard]] bool keeps_exchanges(const RankDigit& digit, std::uint32_t group) const;

  const ReplayProgram& program_;
  const std::vector<RankDigit>& digits_;
  const bool class_rings_;
  std::vector<Use> uses_;  // by group
  std::vector<Set> sets_;
  std::multimap<std::uint64_t, std::uint32_t> set_of_;  // by hash
  std::vector<bool> fits_;                              // by digit
  std::vector<std::vector<Image>> images_;              // by digit and group
};

// Returns whether an algorithm looks the same from each index of a ring.
[[nodiscard]] bool looks_the_same(const CommonProgram& program, const CollectivePlan& plan, const PhasePlan& phase,
                                  bool rounded);
// Returns whether the shards of a collective differ by a byte.
[[nodiscard]] bool has_remainder(const CommonProgram& program, const CollectivePlan& plan);

}  // namespace convert
