// SPDX-License-Identifier: MIT
// Waits of collectives for NPUs that have not called yet.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/trace.h"

namespace convert {

class WaitingInCalls {
 public:
  // Records that NPU `npu` calls a collective, for `weight` of the `size` NPUs of its group. If it is the last,
  // calls go_on(npu) for each NPU with `communicates`.
  template <class GoOn>
  void call(std::uint32_t run, Rank npu, std::uint32_t weight, std::uint32_t size, bool communicates,
            const GoOn& go_on) {
    if (run >= runs_.size()) runs_.resize(std::size_t{run} + 1);
    Run& r = runs_[run];
    if (r.called == 0) ++open_;
    r.called += weight;
    if (communicates) r.waiting.push_back(npu);
    if (r.called < size) return;
    --open_;
    for (const Rank waited : std::exchange(r.waiting, {})) go_on(waited);
  }
  // Returns whether some NPU has not called a collective that others have called.
  [[nodiscard]] bool any_open() const { return open_ != 0; }
  // Records the end of an NPU's participation. Returns whether it has waited until now.
  [[nodiscard]] bool end(std::uint32_t run, Rank npu) {
    std::vector<Rank>& waiting = runs_[run].waiting;
    const auto at = std::ranges::find(waiting, npu);
    if (at == waiting.end()) return false;
    waiting.erase(at);
    return true;
  }

 private:
  struct Run {
    std::uint32_t called = 0;  // number of NPUs
    std::vector<Rank> waiting{};
  };
  std::vector<Run> runs_;
  std::size_t open_ = 0;
};

}  // namespace convert
