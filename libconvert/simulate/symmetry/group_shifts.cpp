// SPDX-License-Identifier: MIT
#include "simulate/symmetry/group_shifts.h"

#include <algorithm>
#include <bit>

namespace convert {
namespace {

std::uint64_t hash_of(const std::vector<Rank>& ranks) {
  std::uint64_t h = ranks.size();
  for (const Rank r : ranks) h = (h ^ r) * 0x9e3779b97f4a7c15U + (h >> 29U);
  return h;
}

}  // namespace

bool has_remainder(const CommonProgram& program, const CollectivePlan& plan) {
  if (program.rules.parts_are_equal() || plan.call.custom != 0 || plan.call.op == Collective::all_gather)
    return false;  // chunks of an all-gather are shards already
  const std::uint64_t parts = plan.chunks * program.groups[plan.call.group].size(program.model);
  return parts != 0 && static_cast<std::uint64_t>(plan.call.bytes) % parts != 0;
}

bool looks_the_same(const CommonProgram& program, const CollectivePlan& plan, const PhasePlan& phase,
                    bool rounded) {
  // Shards of unequal size belong to indices.
  if (!rounded && has_remainder(program, plan)) return false;
  return phase.algorithm == NativeAlgorithm::ring || phase.algorithm == NativeAlgorithm::direct ||
         phase.algorithm == NativeAlgorithm::dissemination;
}

GroupShifts::GroupShifts(const ReplayProgram& program, const std::vector<RankDigit>& digits, bool rounded,
                         bool class_rings)
    : program_(program),
      digits_(digits),
      class_rings_(class_rings),
      uses_(program.groups.size()),
      images_(digits.size()) {
  find_uses(rounded);
  find_sets();
  for (std::size_t d = 0; d < digits.size(); ++d) fits_.push_back(find_images(digits[d], images_[d]));
}

void GroupShifts::find_uses(bool rounded) {
  for (const CollectivePlan& plan : program_.plans) {
    if (is_whole(program_, plan.call.group)) continue;
    Use& use = uses_[plan.call.group];
    use.calls = true;
    if (plan.call.custom != 0) {
      use.shifts = true;
      use.rings = false;
    }
    for (const auto& order : plan.orders) {
      for (const PhasePlan& p : order) {
        if (!p.group_ring) continue;  // phase along a dimension of the network
        use.rings = use.rings && p.algorithm == NativeAlgorithm::ring;
        if (p.algorithm == NativeAlgorithm::halving_doubling && p.members > 2) {
          use.exchanges = true;
        } else {
          use.shifts = true;
          if (p.members > 2 && !looks_the_same(program_, plan, p, rounded)) use.turns = false;
        }
        if (!rounded && has_remainder(program_, plan)) use.turns = false;
      }
    }
  }
}

void GroupShifts::find_sets() {
  for (std::uint32_t g = 0; g < uses_.size(); ++g) {
    if (!uses_[g].calls) continue;
    Set set;
    for (const auto& [rank, place] : program_.groups[g].places) set.ranks.push_back(rank);
    if (const Set* const known = find_set(set.ranks); known != nullptr) {
      sets_[static_cast<std::size_t>(known - sets_.data())].groups.push_back(g);
      continue;
    }
    set.groups.push_back(g);
    set_of_.emplace(hash_of(set.ranks), static_cast<std::uint32_t>(sets_.size()));
    sets_.push_back(std::move(set));
  }
}

const GroupShifts::Set* GroupShifts::find_set(const std::vector<Rank>& ranks) const {
  const auto [first, end] = set_of_.equal_range(hash_of(ranks));
  for (auto at = first; at != end; ++at) {
    if (sets_[at->second].ranks == ranks) return &sets_[at->second];
  }
  return nullptr;
}

bool GroupShifts::find_images(const RankDigit& digit, std::vector<Image>& images) const {
  images.resize(uses_.size());
  std::vector<Rank> shifted;
  for (const Set& set : sets_) {
    shifted = set.ranks;
    for (Rank& r : shifted) r = moved(digit, r, 1);
    std::sort(shifted.begin(), shifted.end());
    const Set* const found = find_set(shifted);
    if (found == nullptr || found->groups.size() != set.groups.size()) return false;
    for (std::size_t i = 0; i < set.groups.size(); ++i) {
      if (!set_image(digit, set.groups[i], found->groups[i], images[set.groups[i]])) return false;
    }
  }
  return true;
}

bool GroupShifts::set_image(const RankDigit& digit, std::uint32_t group, std::uint32_t onto, Image& image) const {
  image = {.group = onto, .turn = 0};
  const Use& use = uses_[group];
  if (use.exchanges && !keeps_exchanges(digit, group)) return false;
  if (!use.shifts) return true;
  const std::vector<Rank>& from = program_.groups[group].ranks;
  const std::vector<Rank>& ring = program_.groups[onto].ranks;
  const std::uint32_t turn = program_.groups[onto].place(moved(digit, from.front(), 1));
  const auto n = static_cast<std::uint32_t>(ring.size());
  for (std::uint32_t i = 0; i < n; ++i) {
    if (ring[i + turn < n ? i + turn : i + turn - n] == moved(digit, from[i], 1)) continue;
    image.reorders = true;
    return class_rings_ && use.rings && use.turns;
  }
  image.turn = turn;
  return turn == 0 || use.turns;
}

// Returns whether the group has one value of the digit, and its ranks have the same order in each image; or it has
// all values, and XOR of the digit is XOR of indices.
bool GroupShifts::keeps_exchanges(const RankDigit& digit, std::uint32_t group) const {
  const SystemGroup& g = program_.groups[group];
  const auto value = [&](Rank r) { return r / digit.stride % digit.base; };
  const std::uint32_t first = value(g.ranks.front());
  const bool constant = std::ranges::all_of(g.ranks, [&](Rank r) { return value(r) == first; });
  if (!constant && (!std::has_single_bit(digit.base) || !uses_[group].turns)) return false;
  std::vector<Rank> shifted = g.ranks;
  for (Rank& r : shifted) r = moved(digit, r, 1);
  if (constant) {
    std::vector<Rank> sorted = shifted;
    std::sort(sorted.begin(), sorted.end());
    const Set* const image = find_set(sorted);
    return image != nullptr && std::ranges::any_of(image->groups, [&](std::uint32_t other) {
             return program_.groups[other].ranks == shifted;
           });
  }
  for (std::uint32_t bit = 1; bit < digit.base; bit *= 2) {
    const auto exchanged = [&](Rank r) { return r - value(r) * digit.stride + (value(r) ^ bit) * digit.stride; };
    const std::uint32_t places = g.place(exchanged(g.ranks.front()));
    for (std::uint32_t i = 0; i < g.ranks.size(); ++i) {
      if ((i ^ places) >= g.ranks.size() || g.ranks[i ^ places] != exchanged(g.ranks[i])) return false;
    }
  }
  return true;
}

bool GroupShifts::reorders(const std::vector<bool>& digits, const std::vector<std::uint32_t>& images) const {
  return std::ranges::any_of(images, [&](std::uint32_t g) {
    for (std::size_t d = 0; d < digits.size(); ++d) {
      if (digits[d] && images_[d][g].reorders) return true;
    }
    return false;
  });
}

bool GroupShifts::orbits(const std::vector<bool>& digits, std::vector<std::vector<std::uint32_t>>& result) const {
  const auto has_representative = [&](std::uint32_t g) {
    return std::ranges::any_of(program_.groups[g].ranks, [&](Rank r) {
      for (std::size_t d = 0; d < digits.size(); ++d) {
        if (digits[d] && r / digits_[d].stride % digits_[d].base != 0) return false;
      }
      return true;
    });
  };
  result.assign(uses_.size(), {});
  std::vector<bool> seen(uses_.size());
  for (std::uint32_t g = 0; g < uses_.size(); ++g) {
    if (!uses_[g].calls || seen[g] || !has_representative(g)) continue;
    std::vector<std::uint32_t>& all = result[g];
    all.push_back(g);
    seen[g] = true;
    for (std::size_t i = 0; i < all.size(); ++i) {
      for (std::size_t d = 0; d < digits.size(); ++d) {
        const std::uint32_t image = digits[d] ? images_[d][all[i]].group : all[i];
        if (seen[image]) continue;
        seen[image] = true;
        all.push_back(image);
        if (has_representative(image)) return false;
      }
    }
  }
  return true;
}

}  // namespace convert
