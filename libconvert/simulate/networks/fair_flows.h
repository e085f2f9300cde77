// SPDX-License-Identifier: MIT
// Flows that share links max-min fairly: all rates rise together until a link is full or a flow has its full
// rate, 1.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/units.h"

namespace convert {

// Links are numbers; the highest decides the memory.
class FairFlows {
 public:
  using Flow = std::uint32_t;
  using Link = std::uint32_t;
  struct Use {
    Link link = 0;
    double share = 0;  // of the link, at the flow's full rate; from 0 to 1
  };

  // Adds a flow that starts now and needs `work` at the full rate. `now` never decreases.
  Flow add(Picoseconds now, double work_ps, std::span<const Use> uses);
  // Removes a flow.
  void remove(Picoseconds now, Flow flow);
  // Flows whose end has changed by the calls since the last call of this function.
  [[nodiscard]] std::vector<Flow> take_changed();
  // Returns the time at which a flow ends, if no other flow starts or ends before.
  [[nodiscard]] Picoseconds end(Flow flow) const { return flows_[flow].end; }
  [[nodiscard]] double rate(Flow flow) const { return flows_[flow].rate; }

 private:
  struct State {
    double left_ps = 0;  // work, at `since`
    Picoseconds since = 0;
    double rate = 0;
    Picoseconds end = 0;
    bool is_free = true;  // no longer, or not yet, a flow
    bool is_changed = false;
    std::vector<Use> uses{};
    // Used while rates are distributed.
    std::uint64_t visit = 0;
    bool fixed = false;
  };
  struct LinkState {
    std::vector<Flow> flows{};
    std::uint64_t visit = 0;
    double room = 0;    // share that is not used yet
    double rising = 0;  // sum of the shares of flows whose rate still rises
  };

  // Computes the rates of the flows that share links with the given ones, directly or through others.
  void distribute(Picoseconds now, std::span<const Use> from);
  void set_rate(Picoseconds now, Flow flow, double rate);

  std::vector<State> flows_;
  std::vector<Flow> free_;
  std::vector<LinkState> links_;
  std::vector<Flow> changed_;
  std::uint64_t visit_ = 0;
};

}  // namespace convert
