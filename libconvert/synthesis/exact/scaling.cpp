// SPDX-License-Identifier: MIT
#include "synthesis/exact/scaling.h"

#include <algorithm>
#include <numeric>

namespace convert {
namespace {

WideInteger times(const Fraction& f, std::int64_t bandwidth) {
  return static_cast<WideInteger>(f.numerator) * bandwidth / f.denominator;
}

class TreeScaling {
 public:
  TreeScaling(const LinkGraph& graph, const TreeDemand& demand, const Fraction& start)
      : graph_(graph), demand_(demand), rate_(start), flows_(graph.devices, demand, arcs_of(graph)) {}

  // A participant that receives the whole flow at a lower rate also does at a higher one. So each is checked once,
  // and once more for each cut that is too narrow.
  std::optional<TreeScale> run() {
    if (!set_capacities()) return std::nullopt;
    for (std::uint32_t i = 0; i < demand_.participants.size(); ++i) {
      while (flows_.missing(i) != 0) {
        widen_cut();
        if (!set_capacities()) return std::nullopt;
      }
    }
    return TreeScale{demand_.trees, rate_, std::move(capacities_)};
  }

 private:
  static std::vector<MaxFlow::Arc> arcs_of(const LinkGraph& graph) {
    std::vector<MaxFlow::Arc> arcs;
    for (const LinkGraph::Link& l : graph.links) arcs.push_back({l.from, l.to});
    return arcs;
  }

  bool set_capacities() {
    capacities_.clear();
    WideInteger sum = 0;
    for (std::uint32_t l = 0; l < graph_.links.size(); ++l) {
      const WideInteger capacity = times(rate_, graph_.links[l].bandwidth);
      sum += capacity;
      if (sum >= most_synthesis_integer) return false;
      capacities_.push_back(static_cast<std::int64_t>(capacity));
      flows_.set_capacity(l, capacities_.back());
    }
    return true;
  }

  // Raises the rate to the least value at which the links of the cut can carry the required flow.
  void widen_cut() {
    std::vector<std::int64_t> bandwidths;
    for (const LinkGraph::Link& l : graph_.links) {
      if (!flows_.is_cut_off(l.from) && flows_.is_cut_off(l.to)) bandwidths.push_back(l.bandwidth);
    }
    WideInteger wanted = 0;
    for (const Device r : demand_.roots) wanted += flows_.is_cut_off(r) ? 0 : demand_.trees;
    while (true) {
      WideInteger carried = 0;
      for (const std::int64_t b : bandwidths) carried += times(rate_, b);
      if (carried >= wanted) return;
      std::optional<Fraction> next;
      for (const std::int64_t b : bandwidths) {
        const Fraction whole{static_cast<std::int64_t>(times(rate_, b)) + 1, b};
        if (!next || less(whole, *next)) next = whole;
      }
      rate_ = *next;
    }
  }

  const LinkGraph& graph_;
  const TreeDemand& demand_;
  Fraction rate_;
  RootFlows flows_;
  std::vector<std::int64_t> capacities_;
};

}  // namespace

std::int64_t exact_tree_count(const LinkGraph& graph, const Fraction& bound) {
  std::int64_t common = 0;
  for (const LinkGraph::Link& l : graph.links) common = std::gcd(common, l.bandwidth);
  return bound.denominator / std::gcd(bound.denominator, common);
}

std::optional<TreeScale> scale_trees(const LinkGraph& graph, const TreeDemand& demand, const Fraction& bound) {
  const Fraction start =
      reduced(static_cast<WideUnsigned>(demand.trees) * static_cast<WideUnsigned>(bound.numerator),
              static_cast<WideUnsigned>(bound.denominator));
  return TreeScaling(graph, demand, start).run();
}

}  // namespace convert
