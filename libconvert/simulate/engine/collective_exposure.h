// SPDX-License-Identifier: MIT
// Measures the time in which NPUs were in a collective and computed nothing.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "simulate/engine/collective_list.h"

namespace convert {

class CollectiveExposure {
 public:
  explicit CollectiveExposure(std::size_t npus) : begun_(npus) {}

  // Record that the NPU calls a collective as node `op`, and that its participation has ended, together with the
  // `weight` - 1 NPUs that it represents. `free_ps` is its total time without computation so far.
  void begin(Rank npu, std::uint32_t op, Picoseconds free_ps) { begun_[npu].push_back({op, free_ps}); }
  void end(Rank npu, std::uint32_t op, std::uint32_t run, std::uint32_t weight, Picoseconds free_ps) {
    std::vector<Begun>& begun = begun_[npu];
    const auto at = std::find_if(begun.begin(), begun.end(), [op](const Begun& b) { return b.op == op; });
    const Picoseconds exposed = free_ps - at->free_ps;
    *at = begun.back();
    begun.pop_back();
    if (runs_.size() <= run) runs_.resize(run + 1);
    runs_[run].ended += weight;
    runs_[run].sum_ps += static_cast<Sum>(exposed) * weight;
    runs_[run].max_ps = std::max(runs_[run].max_ps, exposed);
  }

  // Returns the runs with their exposure.
  [[nodiscard]] std::vector<CalledCollective> list(const CommonProgram& program,
                                                   const std::vector<CollectiveRun>& runs) const {
    std::vector<CalledCollective> called;
    for (std::size_t run = 0; run < runs.size(); ++run) {
      CalledCollective& c = called.emplace_back(CalledCollective{runs[run]});
      const std::uint32_t npus = program.groups[program.plans[c.run.plan].call.group].size(program.model);
      c.ended = run < runs_.size() && runs_[run].ended == npus;
      if (!c.ended) continue;
      c.exposed_mean_ps = static_cast<Picoseconds>((runs_[run].sum_ps + npus / 2) / npus);  // rounded
      c.exposed_max_ps = runs_[run].max_ps;
    }
    return called;
  }

 private:
  __extension__ using Sum = unsigned __int128;
  struct Begun {
    std::uint32_t op;
    Picoseconds free_ps;
  };
  struct Run {
    std::uint32_t ended = 0;  // number of NPUs
    Sum sum_ps = 0;
    Picoseconds max_ps = 0;
  };

  std::vector<std::vector<Begun>> begun_;  // by NPU
  std::vector<Run> runs_;                  // as in SystemState::runs()
};

}  // namespace convert
