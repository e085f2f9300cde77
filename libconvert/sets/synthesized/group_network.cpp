// SPDX-License-Identifier: MIT
#include "sets/synthesized/group_network.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>
#include <tuple>
#include <utility>

#include "core/rows.h"

namespace convert {
namespace {

class GroupView {
 public:
  GroupView(const WireGraph& whole, std::span<const Rank> group, bool detours)
      : whole_(whole), group_(group), used_(whole.devices(), 1), member_(whole.devices(), 0) {
    for (const Rank r : group) member_[r] = 1;
    if (!detours) drop_outsiders();
    drop_dead_ends();
    if (whole.devices() > most_kept && group.size() <= most_searched) drop_far_devices();
    find_colours();
    number_devices();
  }

  GroupNetwork make(const std::string& source) const {
    GroupNetwork out{.network = {.source = source}, .device = order_};
    WireGraph& graph = out.network.graph;
    graph.npus = static_cast<std::uint32_t>(group_.size());
    graph.switches = static_cast<std::uint32_t>(order_.size() - group_.size());
    for (const GraphWire& w : whole_.wires) {
      if (!is_in(w)) continue;
      GraphWire& own = graph.wires.emplace_back(w);
      own.from = number_[w.from];
      own.to = number_[w.to];
    }
    std::ranges::sort(graph.wires, {}, [](const GraphWire& w) { return std::tuple(w.from, w.to); });
    return out;
  }

 private:
  [[nodiscard]] bool is_in(const GraphWire& w) const { return used_[w.from] != 0 && used_[w.to] != 0; }

  // Drops NPUs that are not members, unless members reach each other only through them.
  void drop_outsiders() {
    for (Device d = 0; d < whole_.npus; ++d) used_[d] = member_[d];
    std::vector<std::vector<Device>> after(used_.size()), before(used_.size());
    for (const GraphWire& w : whole_.wires) {
      if (!is_in(w)) continue;
      after[w.from].push_back(w.to);
      before[w.to].push_back(w.from);
    }
    for (const auto* next : {&after, &before}) {
      const std::vector<std::uint32_t> hops = hops_from(*next, group_.front());
      if (std::ranges::all_of(group_, [&](Rank r) { return hops[r] != far; })) continue;
      std::ranges::fill(used_, std::uint8_t{1});
      return;
    }
  }

  // No route passes through a device with one neighbour.
  void drop_dead_ends() {
    const auto n = static_cast<std::uint32_t>(used_.size());
    std::vector<std::vector<Device>> neighbours(n);
    for (const GraphWire& w : whole_.wires) {
      neighbours[w.from].push_back(w.to);
      neighbours[w.to].push_back(w.from);
    }
    std::vector<std::size_t> count(n);
    std::vector<Device> dead;
    const auto look = [&](Device d) {
      if (used_[d] == 0 || member_[d] != 0 || count[d] > 1) return;
      used_[d] = 0;
      dead.push_back(d);
    };
    for (Device d = 0; d < n; ++d) {
      std::ranges::sort(neighbours[d]);
      const auto rest = std::ranges::unique(neighbours[d]);
      neighbours[d].erase(rest.begin(), rest.end());
      count[d] = neighbours[d].size();
    }
    for (Device d = 0; d < n; ++d) look(d);
    while (!dead.empty()) {
      const Device gone = dead.back();
      dead.pop_back();
      for (const Device d : neighbours[gone]) {
        --count[d];
        look(d);
      }
    }
  }

  // The members nearest to a device; the second is different from the first.
  struct Nearest {
    std::size_t first = no_index;
    std::uint32_t hops = far, next_hops = far;

    void add(std::size_t member, std::uint32_t at) {
      if (at < hops) {
        next_hops = std::exchange(hops, at);
        first = member;
      } else {
        next_hops = std::min(next_hops, at);
      }
    }
    // Returns the hops of the shortest route over the device between two different members.
    [[nodiscard]] std::uint32_t way_to(const Nearest& back) const {
      return first != back.first ? hops + back.hops : std::min(hops + back.next_hops, next_hops + back.hops);
    }
  };

  // Returns the number of hops from (or to) a device for each device; `far` if there is no route.
  [[nodiscard]] static std::vector<std::uint32_t> hops_from(const std::vector<std::vector<Device>>& next,
                                                            Device from) {
    std::vector<std::uint32_t> hops(next.size(), far);
    std::vector<Device> queue{from};
    hops[from] = 0;
    for (std::size_t i = 0; i < queue.size(); ++i) {
      for (const Device d : next[queue[i]]) {
        if (hops[d] != far) continue;
        hops[d] = hops[queue[i]] + 1;
        queue.push_back(d);
      }
    }
    return hops;
  }

  // Drops devices that routes between members reach only by detours of more than two hops beyond the longest of
  // their shortest routes. Used for large networks, so that the cost of a group depends only on its part of the
  // network.
  void drop_far_devices() {
    std::vector<std::vector<Device>> after(used_.size()), before(used_.size());
    for (const GraphWire& w : whole_.wires) {
      if (!is_in(w)) continue;
      after[w.from].push_back(w.to);
      before[w.to].push_back(w.from);
    }
    std::vector<Nearest> there(used_.size()), back(used_.size());
    std::uint32_t longest = 0;
    for (std::size_t m = 0; m < group_.size(); ++m) {
      const std::vector<std::uint32_t> to = hops_from(after, group_[m]);
      const std::vector<std::uint32_t> from = hops_from(before, group_[m]);
      for (Device d = 0; d < used_.size(); ++d) {
        there[d].add(m, to[d]);
        back[d].add(m, from[d]);
      }
      for (const Rank other : group_) longest = std::max(longest, to[other]);
    }
    if (longest >= far) return;  // reported by the synthesis
    for (Device d = 0; d < used_.size(); ++d) {
      if (member_[d] == 0 && there[d].way_to(back[d]) > longest + 2) used_[d] = 0;
    }
  }

  // Assigns colours that depend only on the position among the members: rounds of hashes of the neighbourhood;
  // while some devices have equal colours, one of these gets a unique colour.
  void find_colours() {
    colour_.assign(used_.size(), 0);
    for (std::size_t place = 0; place < group_.size(); ++place) colour_[group_[place]] = mixed(1, place);
    if (whole_.devices() > most_coloured) return;
    std::vector<Device> by_colour;
    for (Device d = 0; d < used_.size(); ++d) {
      if (used_[d] != 0) by_colour.push_back(d);
    }
    for (std::uint32_t chosen = 0; chosen < most_chosen; ++chosen) {
      refine();
      std::ranges::sort(by_colour, {}, [&](Device d) { return std::pair(colour_[d], d); });
      const auto alike = std::ranges::adjacent_find(by_colour, {}, [&](Device d) { return colour_[d]; });
      if (alike == by_colour.end()) return;
      colour_[*alike] = mixed(2, colour_[*alike]);
    }
  }

  // Refines the colours until their number is stable.
  void refine() {
    for (std::size_t before = 0, count = count_colours(); count != before;) {
      std::vector<std::uint64_t> next = colour_;
      for (const GraphWire& w : whole_.wires) {
        if (!is_in(w)) continue;
        const std::uint64_t rate =
            mixed(std::bit_cast<std::uint64_t>(w.bytes_per_ns), static_cast<std::uint64_t>(w.latency_ps));
        next[w.from] += mixed(mixed(3, rate), colour_[w.to]);
        next[w.to] += mixed(mixed(4, rate), colour_[w.from]);
      }
      colour_ = std::move(next);
      before = std::exchange(count, count_colours());
    }
  }
  [[nodiscard]] std::size_t count_colours() const {
    std::vector<std::uint64_t> all = colour_;
    std::ranges::sort(all);
    return all.size() - std::ranges::unique(all).size();
  }
  static std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
    std::uint64_t h = (a ^ (b + 0x9e3779b97f4a7c15U + (a << 6U))) * 0xbf58476d1ce4e5b9U;
    h = (h ^ h >> 27U) * 0x94d049bb133111ebU;
    return h ^ h >> 31U;
  }

  // Numbers the members by their ranks in the group, then other devices in the order of a search from the members,
  // faster links first, then by colour: groups in equivalent positions are numbered equally.
  void number_devices() {
    std::vector<std::vector<const GraphWire*>> out(used_.size());
    for (const GraphWire& w : whole_.wires) {
      if (is_in(w)) out[w.from].push_back(&w);
    }
    number_.assign(used_.size(), no_index);
    const auto add = [&](Device d) {
      if (number_[d] != no_index) return;
      number_[d] = static_cast<Device>(order_.size());
      order_.push_back(d);
    };
    for (const Rank r : group_) add(r);
    for (std::size_t next = 0; next < order_.size();) {
      std::vector<const GraphWire*>& links = out[order_[next++]];
      std::ranges::sort(links, {}, [this](const GraphWire* w) {
        return std::tuple(-w->bytes_per_ns, w->latency_ps, colour_[w->to], w);
      });
      for (const GraphWire* w : links) add(w->to);
    }
    for (Device d = 0; d < used_.size(); ++d) used_[d] = static_cast<std::uint8_t>(number_[d] != no_index ? 1 : 0);
  }

  static constexpr std::uint32_t far = 1U << 30U;
  static constexpr std::uint32_t most_kept = 256;       // devices
  static constexpr std::uint32_t most_searched = 256;   // members
  static constexpr std::uint32_t most_coloured = 8192;  // devices
  static constexpr std::uint32_t most_chosen = 128;     // among devices of equal colour

  const WireGraph& whole_;
  std::span<const Rank> group_;
  std::vector<std::uint8_t> used_;     // by device
  std::vector<std::uint8_t> member_;   // by device
  std::vector<std::uint64_t> colour_;  // by device
  std::vector<Device> order_;          // devices by their new numbers
  std::vector<Device> number_;         // by device
};

}  // namespace

std::string GroupNetwork::text() const {
  const WireGraph& g = network.graph;
  std::string text = std::to_string(g.npus) + '.' + std::to_string(g.switches);
  for (const GraphWire& w : g.wires) {
    text += ' ' + std::to_string(w.from) + '>' + std::to_string(w.to) + ':' +
            std::to_string(std::bit_cast<std::uint64_t>(w.bytes_per_ns)) + ':' + std::to_string(w.latency_ps);
  }
  return text;
}

GroupNetwork network_of_group(const WireGraph& whole, std::span<const Rank> group, bool detours,
                              const std::string& source) {
  GroupNetwork same{.network = {.source = source, .graph = whole}, .device = std::vector<Device>(whole.devices())};
  std::iota(same.device.begin(), same.device.end(), Device{0});
  if (std::ranges::equal(group, std::span(same.device).first(whole.npus))) return same;
  return GroupView(whole, group, detours).make(source);
}

}  // namespace convert
