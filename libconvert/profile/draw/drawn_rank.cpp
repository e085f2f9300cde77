// SPDX-License-Identifier: MIT
#include "profile/draw/drawn_rank.h"

#include <algorithm>

namespace convert {

DrawnRank::DrawnRank(const WorkloadProfile& profile)
    : profile_(profile),
      lane_of_deps_(dependency_lanes(profile.lanes)),
      lanes_(profile.lanes.size()),
      classes_(profile.classes.size()) {}

bool DrawnRank::waits_for(std::uint32_t node) const {
  return std::ranges::any_of(found_, [&](const Dep& d) { return d.node == node; });
}

void DrawnRank::find_deps(std::uint32_t token, bool in_place) {
  found_.clear();
  const auto number = static_cast<std::uint32_t>(items_.size());
  for (const TokenDep& d : profile_.tokens[token].deps) {
    const std::vector<std::uint32_t>& nodes = d.of_class ? classes_[d.what] : lanes_[d.what];
    if (d.back < nodes.size()) {
      const std::uint32_t node = nodes[nodes.size() - 1 - d.back];
      if (!waits_for(node)) add_dep(node, d.kinds);
    } else if (!in_place && number > 0) {
      ++moved_;
      // Chooses a node without dependency from this node, so that the number of dependencies is as recorded if
      // possible.
      std::size_t at = 0;
      while (at < nodes.size() && waits_for(nodes[at])) ++at;
      const std::uint32_t node = at < nodes.size() ? nodes[at] : number - 1;
      if (!waits_for(node)) add_dep(node, d.kinds);
    }
  }
}

// Returns the communications that the node depends on.
CallMask DrawnRank::found_calls() const {
  CallMask out;
  for (const Dep& d : found_) out.add(waits_[d.node].moved(calls_.size() - known_[d.node]));
  return out;
}

void DrawnRank::add_item(std::uint32_t token, const NodeCost& cost, double duration_ns, bool scaled) {
  const Token& t = profile_.tokens[token];
  const auto number = static_cast<std::uint32_t>(items_.size());
  waits_.push_back(found_calls());
  known_.push_back(static_cast<std::uint32_t>(calls_.size()));
  std::ranges::sort(found_, {}, &Dep::node);
  items_.push_back({.token = token,
                    .duration_ns = duration_ns,
                    .cost = cost,
                    .deps = {static_cast<std::uint32_t>(deps_.size()), static_cast<std::uint32_t>(found_.size())},
                    .scaled = scaled});
  deps_.insert(deps_.end(), found_.begin(), found_.end());
  lanes_[lane_of_deps_[t.lane]].push_back(number);
  classes_[t.node_class].push_back(number);
}

void DrawnRank::add(std::uint32_t token, const NodeCost& cost, double duration_ns, bool scaled, bool in_place) {
  find_deps(token, in_place);
  add_item(token, cost, duration_ns, scaled);
}

void DrawnRank::add_call(std::uint32_t token, const NodeCost& cost, double duration_ns, bool scaled,
                         std::span<const std::uint32_t> after) {
  constexpr std::uint8_t control = 2;
  find_deps(token, true);
  for (const std::uint32_t back : after) {
    if (back <= calls_.size() && !found_calls().has(back)) add_dep(calls_[calls_.size() - back], control);
  }
  add_item(token, cost, duration_ns, scaled);
  calls_.push_back(static_cast<std::uint32_t>(items_.size()) - 1);
  waits_.back() = waits_.back().moved(1);
  waits_.back().set(1);
  ++known_.back();
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
