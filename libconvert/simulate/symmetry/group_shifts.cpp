// SPDX-License-Identifier: MIT
#include "simulate/symmetry/group_shifts.h"

#include <algorithm>
#include <map>

namespace convert {

bool looks_the_same(const ReplayProgram& program, const CollectivePlan& plan, const PhasePlan& phase) {
  // Parts of unequal size belong to places.
  const std::uint64_t parts = plan.chunks * program.groups[plan.call.group].size(program.model);
  if (!program.rules.parts_are_equal() && static_cast<std::uint64_t>(plan.call.bytes) % parts != 0) return false;
  return phase.algorithm == NativeAlgorithm::ring || phase.algorithm == NativeAlgorithm::direct ||
         phase.algorithm == NativeAlgorithm::dissemination;
}

GroupShifts::GroupShifts(const ReplayProgram& program)
    : program_(program), used_(program.groups.size()), turns_(program.groups.size(), true) {
  find_used();
  images_.resize(program.model.dims.size());
  for (std::size_t d = 0; d < program.model.dims.size(); ++d) fits_.push_back(find_images(d));
}

void GroupShifts::find_used() {
  for (const CollectivePlan& plan : program_.plans) {
    if (is_whole(program_, plan.call.group)) continue;
    used_[plan.call.group] = true;
    for (const auto& order : plan.orders) {
      for (const PhasePlan& p : order) {
        if (!looks_the_same(program_, plan, p)) turns_[plan.call.group] = false;
      }
    }
  }
}

Rank moved(const std::vector<std::uint32_t>& dims, Rank r, std::size_t dim, std::uint32_t by) {
  Rank stride = 1;
  for (std::size_t d = 0; d < dim; ++d) stride *= dims[d];
  const std::uint32_t at = r / stride % dims[dim];
  return r + ((at + by) % dims[dim] - at) * stride;  // modulo 2^32
}

bool GroupShifts::find_images(std::size_t dim) {
  std::map<std::vector<Rank>, std::vector<std::uint32_t>> by_ranks;  // of several of the same ranks, in order
  const auto sorted = [](std::vector<Rank> ranks) {
    std::sort(ranks.begin(), ranks.end());
    return ranks;
  };
  for (std::uint32_t g = 0; g < used_.size(); ++g) {
    if (used_[g]) by_ranks[sorted(program_.groups[g].ranks)].push_back(g);
  }
  images_[dim].resize(used_.size());
  for (const auto& [ranks, groups] : by_ranks) {
    for (std::size_t i = 0; i < groups.size(); ++i) {
      std::vector<Rank> shifted = program_.groups[groups[i]].ranks;
      for (Rank& r : shifted) r = moved(program_.model.dims, r, dim, 1);
      const auto found = by_ranks.find(sorted(shifted));
      if (found == by_ranks.end() || found->second.size() != groups.size()) return false;
      const std::uint32_t image = found->second[i];
      // The ranks may stand in the image's ring from another place on.
      std::vector<Rank> ring = program_.groups[image].ranks;
      std::rotate(ring.begin(), std::find(ring.begin(), ring.end(), shifted.front()), ring.end());
      if (ring != shifted) return false;
      if (program_.groups[image].ranks != shifted && !turns_[groups[i]]) return false;
      images_[dim][groups[i]] = image;
    }
  }
  return true;
}

bool GroupShifts::orbits(const std::vector<bool>& dims, std::vector<std::vector<std::uint32_t>>& result) const {
  const auto has_representative = [&](std::uint32_t g) {
    return std::any_of(program_.groups[g].ranks.begin(), program_.groups[g].ranks.end(), [&](Rank r) {
      bool is_one = true;
      for (std::size_t d = 0; d < dims.size(); r /= program_.model.dims[d++])
        is_one = is_one && (!dims[d] || r % program_.model.dims[d] == 0);
      return is_one;
    });
  };
  result.assign(used_.size(), {});
  std::vector<bool> seen(used_.size());
  for (std::uint32_t g = 0; g < used_.size(); ++g) {
    if (!used_[g] || seen[g] || !has_representative(g)) continue;
    std::vector<std::uint32_t>& all = result[g];
    all.push_back(g);
    seen[g] = true;
    for (std::size_t i = 0; i < all.size(); ++i) {
      for (std::size_t d = 0; d < dims.size(); ++d) {
        if (!dims[d] || seen[images_[d][all[i]]]) continue;
        seen[images_[d][all[i]]] = true;
        all.push_back(images_[d][all[i]]);
        if (has_representative(all.back())) return false;
      }
    }
  }
  return true;
}

}  // namespace convert
