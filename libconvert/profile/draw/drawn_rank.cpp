// SPDX-License-Identifier: MIT
#include "profile/draw/drawn_rank.h"

#include <algorithm>

namespace convert {

DrawnRank::DrawnRank(const WorkloadProfile& profile)
    : profile_(profile),
      lane_of_deps_(dependency_lanes(profile.lanes)),
      lanes_(profile.lanes.size()),
      classes_(profile.classes.size()) {}

void DrawnRank::add(std::uint32_t token, const NodeCost& cost, double duration_ns, bool scaled, bool in_place) {
  const Token& t = profile_.tokens[token];
  const auto number = static_cast<std::uint32_t>(items_.size());
  const auto begin = static_cast<std::uint32_t>(deps_.size());
  for (const TokenDep& d : t.deps) {
    const std::vector<std::uint32_t>& nodes = d.of_class ? classes_[d.what] : lanes_[d.what];
    const auto known = [&](std::uint32_t node) {
      return std::any_of(deps_.begin() + begin, deps_.end(), [&](const Dep& x) { return x.node == node; });
    };
    if (d.back < nodes.size()) {
      const std::uint32_t node = nodes[nodes.size() - 1 - d.back];
      if (!known(node)) deps_.push_back({node, d.kinds});
    } else if (!in_place && number > 0) {
      ++moved_;
      // As many nodes are waited for as were recorded, if there are so many.
      std::size_t at = 0;
      while (at < nodes.size() && known(nodes[at])) ++at;
      const std::uint32_t node = at < nodes.size() ? nodes[at] : number - 1;
      if (!known(node)) deps_.push_back({node, d.kinds});
    }
  }
  std::sort(deps_.begin() + begin, deps_.end(), [](const Dep& a, const Dep& b) { return a.node < b.node; });
  items_.push_back({.token = token,
                    .duration_ns = duration_ns,
                    .cost = cost,
                    .deps = {begin, static_cast<std::uint32_t>(deps_.size()) - begin},
                    .scaled = scaled});
  lanes_[lane_of_deps_[t.lane]].push_back(number);
  classes_[t.node_class].push_back(number);
}

void DrawnRank::scale(std::span<const double> work_ns) {
  std::vector<double> drawn(lanes_.size(), 0);
  for (const Item& i : items_) {
    if (i.scaled) drawn[profile_.tokens[i.token].lane] += i.duration_ns;
  }
  for (Item& i : items_) {
    const std::uint32_t lane = profile_.tokens[i.token].lane;
    if (i.scaled && lane < work_ns.size() && work_ns[lane] > 0 && drawn[lane] > 0)
      i.duration_ns *= work_ns[lane] / drawn[lane];
  }
}

}  // namespace convert
