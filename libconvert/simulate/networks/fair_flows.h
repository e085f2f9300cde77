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
//
// Rates depend only on the flows and the shares of links, bit by bit: neither on numbers and the order of calls,
// nor on links that no chain of flows connects with them. So the flows of representatives have the same rates with
// and without the flows of the ranks that they represent.
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
  void remove(Flow flow);
  // Computes the rates after the changes at `now`. Returns the flows whose end has changed, in any order.
  [[nodiscard]] std::vector<Flow> compute_rates(Picoseconds now);
  // Return the time at which a flow ends if no other flow starts or ends before, and the rate.
  [[nodiscard]] Picoseconds end(Flow flow) const { return flows_[flow].end; }
  [[nodiscard]] double rate(Flow flow) const { return flows_[flow].rate; }

 private:
  // Whole numbers of 2^-60 of a link, so that sums do not depend on their order.
  using Part = std::uint64_t;
  __extension__ using Parts = unsigned __int128;
  struct PartOf {
    Link link = 0;
    Part part = 0;
  };
  struct State {
    double left_ps = 0;  // work, at `since`
    Picoseconds since = 0;
    double rate = 0;
    Picoseconds end = 0;
    std::vector<PartOf> uses{};
    std::uint64_t visit = 0;  // used while rates are computed
    bool fixed = false;
  };
  struct LinkState {
    std::vector<Flow> flows{};
    bool is_changed = false;
    std::uint64_t visit = 0;
    Parts used = 0;    // by flows whose rate is fixed
    Parts rising = 0;  // sum of the shares of flows whose rate still rises
    bool is_full = false;
    // Returns the rate of the rising flows with which the link is full.
    [[nodiscard]] double level() const;
  };

  void change(Link link);
  // Finds the links and flows that chains of flows connect with a link.
  void reach(Link from);
  // Computes the rates of the flows in rising_, on the links in reached_.
  void share_out(Picoseconds now);
  [[nodiscard]] double next_level(double level) const;
  void fix(Flow flow, double rate);
  void set_rate(Picoseconds now, Flow flow, double rate);

  std::vector<State> flows_;
  std::vector<Flow> free_;
  std::vector<LinkState> links_;
  std::vector<Link> changed_links_;
  std::vector<Flow> changed_;  // flows
  std::uint64_t visit_ = 0;
  std::vector<Link> reached_;
  std::vector<Flow> rising_;
};

}  // namespace convert
