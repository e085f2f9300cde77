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
  GroupView(const WireGraph& whole, std::span<const Rank> group)
      : whole_(whole), group_(group), used_(whole.devices(), 1), member_(whole.devices(), 0) {
    for (const Rank r : group) member_[r] = 1;
    drop_dead_ends();
    find_colours();
    number_devices();
  }

  GroupNetwork make(const std::string& source) const {
    GroupNetwork out{.network = {.source = source}, .device = order_};
    WireGraph& graph = out.network.graph;
    graph.npus = static_cast<std::uint32_t>(group_.size());
    graph.switches = static_cast<std::uint32_t>(order_.size() - group_.size());
    for (const Device d : order_) {
      if (member_[d] == 0) graph.switch_names.push_back(whole_.device_name(d));
    }
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

  // Nothing passes through a device of one neighbour.
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

  // Gives all devices colours that depend on nothing but where they lie among the members: rounds of hashes of what
  // is around them, then, as long as some are alike, one of those gets a colour of its own.
  void find_colours() {
    colour_.assign(used_.size(), 0);
    for (std::size_t place = 0; place < group_.size(); ++place) colour_[group_[place]] = mixed(1, place);
    if (whole_.devices() > most_coloured) return;
    std::vector<Device> by_colour;
    for (Device d = 0; d < used_.size(); ++d) {
      if (used_[d] != 0) by_colour.push_back(d);
    }
    while (true) {
      refine();
      std::ranges::sort(by_colour, {}, [&](Device d) { return std::pair(colour_[d], d); });
      const auto alike = std::ranges::adjacent_find(by_colour, {}, [&](Device d) { return colour_[d]; });
      if (alike == by_colour.end()) return;
      colour_[*alike] = mixed(2, colour_[*alike]);
    }
  }

  // Mixes the colours until no further ones come.
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

  // Numbers the members by their places, then all others in the order in which they are met from those, the faster
  // links first, else by colour: groups that lie alike number them alike.
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
    for (std::size_t i = 0; i < order_.size(); ++i) {
      std::vector<const GraphWire*>& links = out[order_[i]];
      std::ranges::sort(links, {}, [this](const GraphWire* w) {
        return std::tuple(-w->bytes_per_ns, w->latency_ps, colour_[w->to], w);
      });
      for (const GraphWire* w : links) add(w->to);
    }
    for (Device d = 0; d < used_.size(); ++d) used_[d] = static_cast<std::uint8_t>(number_[d] != no_index ? 1 : 0);
  }

  static constexpr std::uint32_t most_coloured = 8192;

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

GroupNetwork network_of_group(const WireGraph& whole, std::span<const Rank> group, const std::string& source) {
  GroupNetwork same{.network = {.source = source, .graph = whole}, .device = std::vector<Device>(whole.devices())};
  std::iota(same.device.begin(), same.device.end(), Device{0});
  if (std::ranges::equal(group, std::span(same.device).first(whole.npus))) return same;
  return GroupView(whole, group).make(source);
}

}  // namespace convert
