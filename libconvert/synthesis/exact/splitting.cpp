// SPDX-License-Identifier: MIT
#include "synthesis/exact/splitting.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace convert {
namespace {

using Ends = std::pair<Device, Device>;

class Splitter {
 public:
  Splitter(const LinkGraph& graph, const TreeDemand& demand, std::span<const std::int64_t> capacities,
           const SplitChoice& choice)
      : graph_(graph), demand_(demand), choice_(choice), hops_(hops_from(graph, demand.participants)) {
    for (std::uint32_t l = 0; l < graph.links.size(); ++l) {
      if (capacities[l] != 0) edges_[{graph.links[l].from, graph.links[l].to}] = {{{l}, capacities[l]}};
    }
  }

  std::vector<DirectEdge> run() {
    std::vector<Device> others;
    for (Device d = 0; d < graph_.devices; ++d) {
      if (hops_[d] != 0) others.push_back(d);
    }
    std::ranges::stable_sort(
        others, [&](Device a, Device b) { return choice_.far_first ? hops_[a] > hops_[b] : hops_[a] < hops_[b]; });
    if (choice_.prune && !others.empty()) prune();
    for (const Device d : others) take_out(d);
    std::vector<DirectEdge> out;
    for (auto& [ends, ways] : edges_) out.push_back({ends.first, ends.second, std::move(ways)});
    return out;
  }

 private:
  // A split: `amount` of the capacity from `from` continues to `to`.
  struct Split {
    std::uint32_t from = 0;  // indices of ends_in_, ends_out_
    std::uint32_t to = 0;
    std::int64_t amount = 0;
  };
  // An edge into, or out of, the device that is removed.
  struct End {
    Device other = 0;
    std::uint32_t arc = 0;
    std::int64_t capacity = 0;
    std::int64_t left = 0;
  };

  static std::int64_t count(const std::vector<WayBundle>& ways) {
    std::int64_t sum = 0;
    for (const WayBundle& w : ways) sum += w.count;
    return sum;
  }

  // Reduces both directions between two devices equally, so that incoming capacity still equals outgoing capacity.
  // A cut contains at most one of the two directions, so exactly the missing part of an amount must be restored.
  void prune() {
    std::vector<MaxFlow::Arc> arcs;
    std::map<Ends, std::uint32_t> arc_of;
    for (const auto& [ends, ways] : edges_) {
      arc_of[ends] = static_cast<std::uint32_t>(arcs.size());
      arcs.push_back({ends.first, ends.second});
    }
    RootFlows flows(graph_.devices, demand_, arcs);
    for (const auto& [ends, ways] : edges_) flows.set_capacity(arc_of[ends], count(ways));
    for (const Ends& ends : prunable()) {
      std::vector<WayBundle>& there = edges_[ends];
      std::vector<WayBundle>& back = edges_[{ends.second, ends.first}];
      const std::uint32_t arcs_of[] = {arc_of[ends], arc_of[{ends.second, ends.first}]};
      const auto set = [&](std::int64_t less) {
        flows.set_capacity(arcs_of[0], there[0].count - less);
        flows.set_capacity(arcs_of[1], back[0].count - less);
      };
      std::int64_t amount = std::min(there[0].count, back[0].count);
      set(amount);
      amount -= std::min(amount, flows.most_missing(amount));
      set(amount);
      there[0].count -= amount;
      back[0].count -= amount;
    }
    std::erase_if(edges_, [](const auto& edge) { return count(edge.second) == 0; });
  }

  // Returns pairs of devices with edges in both directions, at least one a non-participant, the farthest
  // first.
  [[nodiscard]] std::vector<Ends> prunable() const {
    std::vector<Ends> out;
    for (const auto& [ends, ways] : edges_) {
      const auto [a, b] = ends;
      if (a < b && (hops_[a] != 0 || hops_[b] != 0) && edges_.contains({b, a})) out.push_back(ends);
    }
    std::ranges::stable_sort(out, [&](const Ends& a, const Ends& b) { return far(a) > far(b); });
    return out;
  }
  [[nodiscard]] std::pair<std::uint32_t, std::uint32_t> far(const Ends& e) const {
    return std::minmax(hops_[e.first], hops_[e.second], std::greater<>());
  }

  // First a little of each edge is split to each other edge, so that routes spread and trees are shallow; then the
  // rest. Capacity that would return to its origin is dropped last.
  void take_out(Device d) {
    set_up(d);
    if (in_.empty()) return;
    RootFlows flows(graph_.devices, demand_, arcs_);
    for (std::uint32_t a = 0; a < arcs_.size(); ++a) flows.set_capacity(a, capacities_[a]);
    flows_ = &flows;
    std::vector<Split> made;
    share(made);
    each_pair([&](std::uint32_t i, std::uint32_t o) { split_most(made, i, o); });
    for (std::uint32_t i = 0; i < in_.size(); ++i) {
      for (std::uint32_t o = 0; o < out_.size(); ++o) split_most(made, i, o);
    }
    flows_ = nullptr;
    join(d, made);
  }

  void set_up(Device d) {
    arcs_.clear();
    capacities_.clear();
    in_.clear();
    out_.clear();
    arc_of_.clear();
    for (const auto& [ends, ways] : edges_) {
      const std::int64_t capacity = count(ways);
      const End end{ends.first == d ? ends.second : ends.first, arc(ends), capacity, capacity};
      if (ends.first == d) out_.push_back(end);
      if (ends.second == d) in_.push_back(end);
      capacities_.back() = capacity;
    }
    for (const End& i : in_) {
      for (const End& o : out_) {
        if (i.other != o.other) arc({i.other, o.other});
      }
    }
    order_pairs(d);
  }
  std::uint32_t arc(const Ends& ends) {
    const auto [at, added] = arc_of_.try_emplace(ends, static_cast<std::uint32_t>(arcs_.size()));
    if (added) {
      arcs_.push_back({ends.first, ends.second});
      capacities_.push_back(0);
    }
    return at->second;
  }

  // Calls work(in, out) for all pairs of different devices. Pairs come first whose devices are far from each other
  // without the removed device. Among equals, each device is paired with the device half around, then with the
  // devices a quarter around, and so on.
  template <class Work>
  void each_pair(const Work& work) const {
    for (const auto& [near, step, i, o] : pairs_) work(i, o);
  }
  void order_pairs(Device without) {
    pairs_.clear();
    const auto n = static_cast<std::uint32_t>(out_.size());
    for (std::uint32_t i = 0; i < in_.size(); ++i) {
      const std::vector<std::uint32_t> near = nearness(in_[i].other, without);
      for (std::uint32_t o = 0; o < n; ++o) {
        if (in_[i].other != out_[o].other) pairs_.push_back({near[out_[o].other], turn(o + n - i % n, n), i, o});
      }
    }
    std::ranges::sort(pairs_);
  }

  // Returns the position of a step in the order 1/2, 1/4, 3/4, 1/8, ... of all n.
  static std::uint32_t turn(std::uint32_t step, std::uint32_t n) {
    std::uint32_t rest = step % n, place = 0;
    for (std::uint32_t bit = 0; bit < 16; ++bit) {
      rest *= 2;
      if (rest < n) continue;
      rest -= n;
      place |= 1U << bit;
    }
    return place;
  }

  // Returns, by device, how near it is to another (larger is nearer); 0: there is no route without device
  // `without`.
  [[nodiscard]] std::vector<std::uint32_t> nearness(Device from, Device without) const {
    std::vector<std::uint32_t> near(graph_.devices, 0);
    std::vector<Device> open = {from};
    near[from] = graph_.devices;
    for (std::size_t i = 0; i < open.size(); ++i) {
      for (auto e = edges_.lower_bound({open[i], 0}); e != edges_.end() && e->first.first == open[i]; ++e) {
        const Device to = e->first.second;
        if (to == without || near[to] != 0) continue;
        near[to] = near[open[i]] - 1;
        open.push_back(to);
      }
    }
    return near;
  }

  void share(std::vector<Split>& made) {
    const auto part = [](const End& end, std::size_t others) {
      const auto n = static_cast<std::int64_t>(std::max<std::size_t>(2, others)) - 1;
      return std::max<std::int64_t>(1, end.capacity / n);
    };
    std::vector<Split> splits;
    each_pair([&](std::uint32_t i, std::uint32_t o) {
      const std::int64_t amount =
          std::min({part(in_[i], out_.size()), part(out_[o], in_.size()), in_[i].left, out_[o].left});
      if (amount == 0) return;
      splits.push_back({i, o, amount});
      change(splits.back(), amount);
    });
    // Usually all splits are possible.
    if (flows_->most_missing(1) == 0) {
      made = std::move(splits);
      return;
    }
    for (const Split& s : splits) change(s, -s.amount);
    for (const Split& s : splits) split(made, s);
  }

  void split_most(std::vector<Split>& made, std::uint32_t i, std::uint32_t o) {
    split(made, {i, o, std::min(in_[i].left, out_[o].left)});
  }

  // Splits as much of an amount as possible. A cut loses either the whole amount or nothing, so the missing flow is
  // the amount that cannot be split.
  void split(std::vector<Split>& made, Split s) {
    if (s.amount == 0) return;
    change(s, s.amount);
    const std::int64_t back = std::min(s.amount, flows_->most_missing(s.amount));
    change(s, -back);
    s.amount -= back;
    if (s.amount != 0) made.push_back(s);
  }

  void change(const Split& s, std::int64_t by) {
    End& in = in_[s.from];
    End& out = out_[s.to];
    in.left -= by;
    out.left -= by;
    flows_->set_capacity(in.arc, in.left);
    flows_->set_capacity(out.arc, out.left);
    if (in.other == out.other) return;
    const std::uint32_t a = arc_of_.at({in.other, out.other});
    capacities_[a] += by;
    flows_->set_capacity(a, capacities_[a]);
  }

  void join(Device d, const std::vector<Split>& made) {
    for (const Split& s : made) {
      if (in_[s.from].other == out_[s.to].other) continue;
      std::vector<WayBundle>& first = edges_.at({in_[s.from].other, d});
      std::vector<WayBundle>& second = edges_.at({d, out_[s.to].other});
      std::vector<WayBundle>& joined = edges_[{in_[s.from].other, out_[s.to].other}];
      for (std::int64_t left = s.amount; left != 0;) left -= join_shortest(first, second, joined, left);
    }
    std::erase_if(edges_, [d](const auto& edge) { return edge.first.first == d || edge.first.second == d; });
  }

  // Joins the route of each list that make the shortest route together, for at most `most` trees. Returns the
  // number of trees.
  std::int64_t join_shortest(std::vector<WayBundle>& first, std::vector<WayBundle>& second,
                             std::vector<WayBundle>& joined, std::int64_t most) const {
    WayBundle best;
    WayBundle* best_first = nullptr;
    WayBundle* best_second = nullptr;
    for (WayBundle& a : first) {
      for (WayBundle& b : second) {
        if (a.count == 0 || b.count == 0) continue;
        std::vector<std::uint32_t> links = without_loops(a.links, b.links);
        if (best_first != nullptr && links.size() >= best.links.size()) continue;
        best.links = std::move(links);
        best_first = &a;
        best_second = &b;
      }
    }
    best.count = std::min({best_first->count, best_second->count, most});
    best_first->count -= best.count;
    best_second->count -= best.count;
    const std::int64_t taken = best.count;
    const auto same = std::ranges::find(joined, best.links, &WayBundle::links);
    if (same != joined.end()) {
      same->count += taken;
    } else {
      joined.push_back(std::move(best));
    }
    return taken;
  }

  [[nodiscard]] std::vector<std::uint32_t> without_loops(const std::vector<std::uint32_t>& a,
                                                         const std::vector<std::uint32_t>& b) const {
    std::vector<std::uint32_t> out = a;
    for (const std::uint32_t l : b) {
      const Device to = graph_.links[l].to;
      const auto passed = std::ranges::find_if(out, [&](std::uint32_t k) { return graph_.links[k].from == to; });
      if (passed != out.end()) {
        out.erase(passed, out.end());
      } else {
        out.push_back(l);
      }
    }
    return out;
  }

  const LinkGraph& graph_;
  const TreeDemand& demand_;
  const SplitChoice choice_;
  const std::vector<std::uint32_t> hops_;  // by device, from the nearest participant
  std::map<Ends, std::vector<WayBundle>> edges_;
  // State of the device that is being removed.
  std::vector<MaxFlow::Arc> arcs_;
  std::vector<std::int64_t> capacities_;  // by arc
  std::map<Ends, std::uint32_t> arc_of_;
  std::vector<End> in_, out_;
  std::vector<std::array<std::uint32_t, 4>> pairs_;  // nearness, turn, indices of in_ and out_
  RootFlows* flows_ = nullptr;
};

}  // namespace

std::vector<std::uint32_t> hops_from(const LinkGraph& graph, std::span<const Device> participants) {
  std::vector<std::uint32_t> hops(graph.devices, no_index);
  std::vector<Device> open(participants.begin(), participants.end());
  for (const Device d : open) hops[d] = 0;
  for (std::size_t i = 0; i < open.size(); ++i) {
    for (const std::uint32_t l : graph.out[open[i]]) {
      const Device to = graph.links[l].to;
      if (hops[to] != no_index) continue;
      hops[to] = hops[open[i]] + 1;
      open.push_back(to);
    }
  }
  return hops;
}

std::optional<Device> uneven_device(const LinkGraph& graph, std::span<const Device> participants,
                                    std::span<const std::int64_t> capacities) {
  std::vector<std::int64_t> surplus(graph.devices, 0);
  for (std::uint32_t l = 0; l < graph.links.size(); ++l) {
    surplus[graph.links[l].to] += capacities[l];
    surplus[graph.links[l].from] -= capacities[l];
  }
  for (const Device d : participants) surplus[d] = 0;
  const auto uneven = std::ranges::find_if(surplus, [](std::int64_t s) { return s != 0; });
  if (uneven == surplus.end()) return std::nullopt;
  return static_cast<Device>(uneven - surplus.begin());
}

std::vector<DirectEdge> split_off_others(const LinkGraph& graph, const TreeDemand& demand,
                                         std::span<const std::int64_t> capacities, const SplitChoice& choice) {
  return Splitter(graph, demand, capacities, choice).run();
}

}  // namespace convert
