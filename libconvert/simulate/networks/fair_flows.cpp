// SPDX-License-Identifier: MIT
#include "simulate/networks/fair_flows.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "simulate/engine/engine.h"

namespace convert {
namespace {

// Rates and shares of links are equal within this, as sums of doubles are inexact.
constexpr double fair_tolerance = 1e-12;

}  // namespace

FairFlows::Flow FairFlows::add(Picoseconds now, double work_ps, std::span<const Use> uses) {
  if (free_.empty()) {
    free_.push_back(static_cast<Flow>(flows_.size()));
    flows_.emplace_back();
  }
  const Flow flow = free_.back();
  free_.pop_back();
  State& f = flows_[flow];
  f.left_ps = work_ps;
  f.since = now;
  f.rate = -1;  // unlike any rate, so that the end is computed
  f.is_free = false;
  f.uses.clear();
  for (const Use& use : uses) {
    if (use.share <= 0) continue;
    f.uses.push_back(use);
    if (links_.size() <= use.link) links_.resize(std::size_t{use.link} + 1);
    links_[use.link].flows.push_back(flow);
  }
  if (f.uses.empty()) {
    set_rate(now, flow, 1);
  } else {
    distribute(now, f.uses);
  }
  return flow;
}

void FairFlows::remove(Picoseconds now, Flow flow) {
  State& f = flows_[flow];
  const std::vector<Use> uses = std::exchange(f.uses, {});
  for (const Use& use : uses) std::erase(links_[use.link].flows, flow);
  f.is_free = true;
  free_.push_back(flow);
  distribute(now, uses);
}

std::vector<FairFlows::Flow> FairFlows::take_changed() {
  std::vector<Flow> changed = std::exchange(changed_, {});
  std::erase_if(changed, [this](Flow flow) {
    return !std::exchange(flows_[flow].is_changed, false) || flows_[flow].is_free;
  });
  std::ranges::sort(changed);
  return changed;
}

void FairFlows::set_rate(Picoseconds now, Flow flow, double rate) {
  State& f = flows_[flow];
  if (f.rate == rate) return;
  if (f.rate > 0) f.left_ps = std::max(0.0, f.left_ps - f.rate * static_cast<double>(now - f.since));
  f.since = now;
  f.rate = rate;
  const double rest = std::round(f.left_ps / rate);
  constexpr double limit_ps = 9.2e18;
  if (!(rest < limit_ps)) EventQueue::too_late();
  f.end = EventQueue::sum(now, static_cast<Picoseconds>(rest));
  if (!std::exchange(f.is_changed, true)) changed_.push_back(flow);
}

void FairFlows::distribute(Picoseconds now, std::span<const Use> from) {
  ++visit_;
  std::vector<Link> links;
  std::vector<Flow> rising;
  const auto reach = [&](Link link) {
    if (std::exchange(links_[link].visit, visit_) != visit_) links.push_back(link);
  };
  for (const Use& use : from) reach(use.link);
  for (std::size_t next = 0; next < links.size();) {
    const Link link = links[next++];
    for (const Flow flow : links_[link].flows) {
      State& f = flows_[flow];
      if (std::exchange(f.visit, visit_) == visit_) continue;
      f.fixed = false;
      rising.push_back(flow);
      for (const Use& use : f.uses) reach(use.link);
    }
  }
  std::ranges::sort(rising);  // sums in one order, whatever came before
  for (const Link link : links) {
    LinkState& l = links_[link];
    l.room = 1;
    l.rising = 0;
  }
  for (const Flow flow : rising) {
    for (const Use& use : flows_[flow].uses) links_[use.link].rising += use.share;
  }
  double level = 0;  // rate of all flows that still rise
  while (!rising.empty()) {
    double step = 1 - level;
    for (const Link link : links) {
      const LinkState& l = links_[link];
      if (l.rising > fair_tolerance) step = std::min(step, l.room / l.rising);
    }
    level = step >= 1 - level ? 1 : level + step;
    for (const Link link : links) {
      LinkState& l = links_[link];
      l.room = std::max(0.0, l.room - step * l.rising);
    }
    const auto is_full = [&](const Use& use) { return links_[use.link].room <= fair_tolerance; };
    const auto ends = [&](Flow flow) { return level == 1 || std::ranges::any_of(flows_[flow].uses, is_full); };
    std::vector<Flow> fixed;
    for (const Flow flow : rising) {
      if (ends(flow)) fixed.push_back(flow);
    }
    for (const Flow flow : fixed) {
      State& f = flows_[flow];
      f.fixed = true;
      for (const Use& use : f.uses) links_[use.link].rising -= use.share;
    }
    std::erase_if(rising, [this](Flow flow) { return flows_[flow].fixed; });
    for (const Flow flow : fixed) set_rate(now, flow, level);
  }
}

}  // namespace convert
