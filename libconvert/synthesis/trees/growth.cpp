// SPDX-License-Identifier: MIT
#include "synthesis/trees/growth.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace convert {

LinkLoads::LinkLoads(const SynthesisProblem& problem, double share, const TreeChoice& choice,
                     std::span<const std::int64_t> base, std::span<const std::uint32_t> link_class)
    : class_(link_class.begin(), link_class.end()),
      loads_(problem.graph.links.size()),
      fixed_(choice.by_time != 0) {
  if (class_.empty()) {
    class_.resize(loads_.size());
    std::iota(class_.begin(), class_.end(), 0U);
  }
  constexpr double least = 0.02;  // relative to a link's load at its bound
  constexpr double by_base = 10;
  double all = 0;  // sum of length × bandwidth
  for (std::uint32_t l = 0; l < base.size(); ++l)
    all += static_cast<double>(base[l]) * static_cast<double>(problem.graph.links[l].bandwidth);
  for (std::uint32_t l = 0; l < loads_.size(); ++l) {
    const auto bandwidth = static_cast<double>(problem.graph.links[l].bandwidth);
    capacity_.push_back(static_cast<double>(choice.trees) * share * bandwidth);
    bandwidth_.push_back(bandwidth);
    const double even = least / bandwidth;
    least_.push_back(all == 0 ? even
                              : even + by_base * least * static_cast<double>(base[l]) *
                                           static_cast<double>(base.size()) / all);
    length_.push_back(fixed_ ? static_cast<double>(hop_time(problem, l, choice.by_time).arrival) : length_of(l));
  }
}

double LinkLoads::length_of(std::uint32_t link) const {
  constexpr double steepness = 12;
  constexpr double too_much = 50;
  constexpr double most = 600;  // of an exponent
  const auto load = static_cast<double>(loads_[link]);
  const double exponent = std::min(most, steepness * (load / capacity_[link] - 1));
  const double length = least_[link] + std::exp(exponent) / bandwidth_[link];
  return load + static_cast<double>(step_) > capacity_[link] * (1 + tolerance) ? too_much * length : length;
}

bool LinkLoads::any_overloaded() const {
  for (std::uint32_t l = 0; l < loads_.size(); ++l) {
    if (is_overloaded(l)) return true;
  }
  return false;
}

double LinkLoads::worst() const {
  double worst = 0;
  for (std::uint32_t l = 0; l < loads_.size(); ++l)
    worst = std::max(worst, static_cast<double>(loads_[l]) / capacity_[l]);
  return worst;
}

bool LinkLoads::overloads(std::span<const std::uint32_t> links) const {
  return std::ranges::any_of(links, [this](std::uint32_t l) { return is_overloaded(l); });
}

bool TreeGrower::grow(TreePacking::Tree& tree) {
  tree.arcs.clear();
  tree.links.clear();
  tree_ = &tree;
  ++epoch_;
  direct_ = {};
  found_.clear();
  to_relays_.clear();
  join(tree.root, 0, 0);
  for (std::uint32_t left = problem_.size() - 1; left != 0; --left) {
    const Candidate direct = best_direct();
    const Candidate over = to_relays_.empty() ? Candidate{} : next_over_relays(direct.key);
    if (over.link == no_index && direct.link == no_index) return false;
    if (over.key < direct.key) {
      attach(over);
    } else {
      direct_.pop();
      attach(direct);
    }
  }
  return true;
}

void TreeGrower::join(Device d, double cost, std::uint32_t depth) {
  Node& n = node(d);
  n.member = true;
  n.cost = cost;
  n.depth = depth;
  for (const std::uint32_t link : graph_.out[d]) {
    const Device to = graph_.links[link].to;
    if (is_relay(to)) {
      to_relays_.push_back(link);
    } else if (!node(to).member) {
      direct_.push({key_of(n, loads_.length(link)), link});
    }
  }
}

// Returns the best link from a member to a participant outside the tree, which stays at the top; infinite: none.
TreeGrower::Candidate TreeGrower::best_direct() {
  while (!direct_.empty()) {
    const Candidate top = direct_.top();
    const LinkGraph::Link& l = graph_.links[top.link];
    if (node(l.to).member) {
      direct_.pop();
      continue;
    }
    const double key = key_of(node(l.from), loads_.length(top.link));
    if (key <= top.key) return top;
    direct_.pop();
    direct_.push({key, top.link});
  }
  return {};
}

// Returns the best route over forwarding devices with a key less than `below`: one found by the last search, as
// long as it is not much longer than then.
TreeGrower::Candidate TreeGrower::next_over_relays(double below) {
  for (; !found_.empty(); found_.pop_back()) {
    const std::uint32_t link = found_.back().link;
    if (node(graph_.links[link].to).member) continue;
    const double key = key_now(link);
    if (key <= longest_) return key < below ? Candidate{key, link} : Candidate{};
  }
  search_over_relays(below);
  if (found_.empty()) return {};
  constexpr double tolerated = 1.25;  // attached routes make the others a little longer
  longest_ = tolerated * found_.back().key;
  std::ranges::reverse(found_);
  const Candidate best = found_.back();
  if (found_.size() == 1) found_.clear();
  return best;
}

// Returns the current key of a route found by a search; infinite if a device on it may not forward any more.
double TreeGrower::key_now(std::uint32_t link) {
  double length = 0;
  for (;;) {
    length += loads_.length(link);
    const Device from = graph_.links[link].from;
    if (node(from).member) return key_of(node(from), length);
    if (node(from).used) return infinite;
    link = labels_[from].by;
  }
}

// Finds the best routes with keys less than `below` over forwarding devices.
void TreeGrower::search_over_relays(double below) {
  ++search_;
  ways_ = {};
  for (const std::uint32_t link : to_relays_) {
    const LinkGraph::Link& l = graph_.links[link];
    if (node(l.to).used || node(l.to).member) continue;
    const double length = loads_.length(link);
    improve(
        l.to,
        {.search = search_, .key = key_of(node(l.from), length), .by = link, .origin = l.from, .length = length},
        below);
  }
  while (!ways_.empty()) {
    const Candidate top = ways_.top();
    ways_.pop();
    const Device at = graph_.links[top.link].to;
    if (labels_[at].settled || labels_[at].by != top.link) continue;
    if (is_relay(at)) {
      pass_on(at, below);
      continue;
    }
    labels_[at].settled = true;
    found_.push_back(top);
    if (found_.size() == at_once_) return;
  }
}

void TreeGrower::pass_on(Device at, double below) {
  labels_[at].settled = true;
  for (const std::uint32_t link : graph_.out[at]) {
    const Device to = graph_.links[link].to;
    if (node(to).member || node(to).used) continue;
    Label next = labels_[at];
    next.settled = false;
    next.by = link;
    next.length += loads_.length(link);
    next.key = key_of(node(next.origin), next.length);
    improve(to, next, below);
  }
}

void TreeGrower::improve(Device to, const Label& label, double below) {
  Label& known = labels_[to];
  if (label.key >= below || (known.search == search_ && (known.settled || known.key <= label.key))) return;
  known = label;
  ways_.push({label.key, label.by});
}

void TreeGrower::attach(const Candidate& candidate) {
  way_.clear();
  for (std::uint32_t link = candidate.link;;) {
    way_.push_back(link);
    const Device from = graph_.links[link].from;
    if (node(from).member) break;
    node(from).used = graph_.is_npu(from);
    link = labels_[from].by;
  }
  // In reverse. If NPUs on the route keep a copy, it becomes several arcs.
  std::size_t end = way_.size();
  for (std::size_t i = way_.size(); i-- > 0;) {
    loads_.change(way_[i], 1);
    const Device to = graph_.links[way_[i]].to;
    if (i != 0 && (bystanders_ == Bystanders::pass_once || !graph_.is_npu(to))) continue;
    add_arc(std::span(way_).subspan(i, end - i), i == 0 ? candidate.key : labels_[to].key);
    end = i;
  }
}

void TreeGrower::add_arc(std::span<const std::uint32_t> backwards, double cost) {
  const Device from = graph_.links[backwards.back()].from;
  const Device to = graph_.links[backwards.front()].to;
  std::vector<std::uint32_t>& links = tree_->links;
  const auto count = static_cast<std::uint32_t>(backwards.size());
  tree_->arcs.push_back({from, to, {static_cast<std::uint32_t>(links.size()), count}});
  links.insert(links.end(), backwards.rbegin(), backwards.rend());
  join(to, cost, node(from).depth + count);
}

}  // namespace convert
