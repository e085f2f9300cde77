// SPDX-License-Identifier: MIT
// How long NPUs were in a collective and computed nothing.
#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "simulate/symmetry/symmetry.h"

namespace convert {

class CollectiveExposure {
 public:
  // With an equivalence only representatives are told of.
  CollectiveExposure(const ReplayProgram& program, const Equivalence* equivalence)
      : program_(program), equivalence_(equivalence), begun_(program.ranks.size()) {}

  // The NPU calls a collective as node `op`, or its part has ended. `free_ps`: how long it has computed nothing so
  // far.
  void begin(Rank npu, std::uint32_t op, Picoseconds free_ps) { begun_[npu].push_back({op, free_ps}); }
  void end(Rank npu, std::uint32_t op, std::uint32_t run, std::uint32_t group, Picoseconds free_ps) {
    std::vector<Begun>& begun = begun_[npu];
    const auto at = std::find_if(begun.begin(), begun.end(), [op](const Begun& b) { return b.op == op; });
    const Picoseconds exposed = free_ps - at->free_ps;
    *at = begun.back();
    begun.pop_back();
    if (runs_.size() <= run) runs_.resize(run + 1);
    runs_[run].sum_ps += static_cast<Sum>(exposed) * weight(group, npu);
    runs_[run].max_ps = std::max(runs_[run].max_ps, exposed);
  }

  // Returns the mean over `npus` NPUs, on all of which the collective has ended; rounded.
  [[nodiscard]] Picoseconds mean(std::size_t run, std::uint32_t npus) const {
    return static_cast<Picoseconds>((runs_[run].sum_ps + npus / 2) / npus);
  }
  [[nodiscard]] Picoseconds max(std::size_t run) const { return runs_[run].max_ps; }

 private:
  __extension__ using Sum = unsigned __int128;
  struct Begun {
    std::uint32_t op;
    Picoseconds free_ps;
  };
  struct Run {
    Sum sum_ps = 0;
    Picoseconds max_ps = 0;
  };

  // Members of the group for which the NPU stands.
  std::uint32_t weight(std::uint32_t group, Rank npu) {
    if (equivalence_ == nullptr) return 1;
    const std::vector<Rank>& members = program_.groups[group].ranks;
    if (members.empty()) return static_cast<std::uint32_t>(program_.model.npus / equivalence_->ranks.classes());
    weights_.resize(program_.groups.size());
    if (weights_[group].empty()) {
      for (const Rank r : members) ++weights_[group][equivalence_->ranks.representative(r)];
    }
    return weights_[group][npu];
  }

  const ReplayProgram& program_;
  const Equivalence* equivalence_;
  std::vector<std::vector<Begun>> begun_;                         // by NPU
  std::vector<Run> runs_;                                         // as SystemLayer::runs()
  std::vector<std::unordered_map<Rank, std::uint32_t>> weights_;  // by group and representative
};

}  // namespace convert
