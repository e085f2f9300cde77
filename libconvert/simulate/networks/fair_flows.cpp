// SPDX-License-Identifier: MIT
#include "simulate/networks/fair_flows.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "simulate/engine/engine.h"

namespace convert {
namespace {

constexpr std::uint64_t whole_link = std::uint64_t{1} << 60U;
// Rates are equal within this, as divisions of whole parts are inexact.
constexpr double fair_tolerance = 1e-12;

std::uint64_t part_of(double share) {
  return static_cast<std::uint64_t>(std::llround(share * static_cast<double>(whole_link)));
}

}  // namespace

double FairFlows::LinkState::level() const {
  return used >= whole_link ? 0 : static_cast<double>(whole_link - used) / static_cast<double>(rising);
}

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
  for (const Use& use : uses) {
    const Part part = part_of(use.share);
    if (part == 0 || work_ps <= 0) continue;
    f.uses.push_back({use.link, part});
    if (links_.size() <= use.link) links_.resize(std::size_t{use.link} + 1);
    links_[use.link].flows.push_back(flow);
    change(use.link);
  }
  if (f.uses.empty()) set_rate(now, flow, 1);
  return flow;
}

void FairFlows::remove(Flow flow) {
  for (const PartOf& use : std::exchange(flows_[flow].uses, {})) {
    std::erase(links_[use.link].flows, flow);
    change(use.link);
  }
  free_.push_back(flow);
}

void FairFlows::change(Link link) {
  if (!std::exchange(links_[link].is_changed, true)) changed_links_.push_back(link);
}

std::vector<FairFlows::Flow> FairFlows::compute_rates(Picoseconds now) {
  ++visit_;
  for (const Link link : std::exchange(changed_links_, {})) {
    links_[link].is_changed = false;
    if (links_[link].visit == visit_) continue;
    reach(link);
    share_out(now);
  }
  return std::exchange(changed_, {});
}

void FairFlows::reach(Link from) {
  reached_.clear();
  rising_.clear();
  const auto add = [&](Link link) {
    LinkState& l = links_[link];
    if (std::exchange(l.visit, visit_) == visit_) return;
    l.used = l.rising = 0;
    reached_.push_back(link);
  };
  add(from);
  for (std::size_t next = 0; next < reached_.size(); ++next) {
    for (const Flow flow : links_[reached_[next]].flows) {
      State& f = flows_[flow];
      if (std::exchange(f.visit, visit_) == visit_) continue;
      f.fixed = false;
      rising_.push_back(flow);
      for (const PartOf& use : f.uses) {
        add(use.link);
        links_[use.link].rising += use.part;
      }
    }
  }
}

// Returns the next rate above `level` with which a link is full, or 1.
double FairFlows::next_level(double level) const {
  double next = 1;
  for (const Link link : reached_) next = std::min(next, links_[link].level());
  return next > 1 - fair_tolerance ? 1 : std::max(next, level);
}

void FairFlows::share_out(Picoseconds now) {
  double level = 0;  // rate of all flows that still rise
  while (!rising_.empty()) {
    std::erase_if(reached_, [this](Link link) { return links_[link].rising == 0; });
    level = next_level(level);
    for (const Link link : reached_) links_[link].is_full = links_[link].level() <= level * (1 + fair_tolerance);
    const auto is_full = [&](const PartOf& use) { return links_[use.link].is_full; };
    for (const Flow flow : rising_) {
      if (level < 1 && std::ranges::none_of(flows_[flow].uses, is_full)) continue;
      fix(flow, level);
      set_rate(now, flow, level);
    }
    std::erase_if(rising_, [this](Flow flow) { return flows_[flow].fixed; });
  }
}

void FairFlows::fix(Flow flow, double rate) {
  State& f = flows_[flow];
  f.fixed = true;
  for (const PartOf& use : f.uses) {
    links_[use.link].rising -= use.part;
    links_[use.link].used += static_cast<Part>(static_cast<double>(use.part) * rate);
  }
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
  changed_.push_back(flow);
}

}  // namespace convert
