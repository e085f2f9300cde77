// SPDX-License-Identifier: MIT
#include "synthesis/symmetry/symmetry.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace convert {
namespace {

// A digit of an NPU's number: (n / stride) % length.
struct Digit {
  std::uint32_t stride = 1;
  std::uint32_t length = 1;
  [[nodiscard]] std::uint32_t end() const { return stride * length; }
  // Returns the NPU with the next digit.
  [[nodiscard]] Device turned(Device n) const {
    return n / stride % length + 1 == length ? n - (length - 1) * stride : n + stride;
  }
};
using Turn = std::vector<Device>;  // by device: its image
struct Found {
  Digit digit;
  Turn turn;
};

// Mixes bits as SplitMix64.
std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111eb;
  return x ^ (x >> 31U);
}

class SymmetryFinder {
 public:
  explicit SymmetryFinder(const SynthesisProblem& problem)
      : problem_(problem), graph_(problem.graph), links_(graph_), colors_(colors([](Device n) { return n; })) {
    by_color_.resize(graph_.devices - graph_.npus);
    std::iota(by_color_.begin(), by_color_.end(), graph_.npus);
    sort_by_color(by_color_, colors_);
  }

  std::optional<NetworkSymmetry> run() {
    for (std::uint32_t stride = 1; stride < graph_.npus; ++stride) {
      if (graph_.npus % stride != 0) continue;
      for (std::uint32_t length = 2; length <= graph_.npus / stride; ++length) {
        if (graph_.npus / stride % length != 0) continue;
        std::optional<Turn> turn = turn_of({stride, length});
        if (turn && moves_every_link({{{stride, length}, *turn}}))
          found_.push_back({{stride, length}, std::move(*turn)});
      }
    }
    std::vector<Found> group = largest();
    while (group.size() > 1 && !(commute(group) && moves_every_link(group))) {
      group.erase(std::ranges::min_element(group, {}, [](const Found& f) { return f.digit.length; }));
    }
    if (group.empty()) return std::nullopt;
    return made(group);
  }

 private:
  // Returns a hash for each device of its neighbourhood, in which NPU n counts as name(n).
  template <class Name>
  std::vector<std::uint64_t> colors(const Name& name) const {
    constexpr std::uint32_t rounds = 8;  // switches are closer than this to some NPU
    std::vector<std::uint64_t> color(graph_.devices, 1);
    for (Device n = 0; n < graph_.npus; ++n) color[n] = mix(2 + std::uint64_t{name(n)});
    if (graph_.devices == graph_.npus) return color;
    for (std::uint32_t round = 0; round < rounds; ++round) {
      std::vector<std::uint64_t> next(graph_.devices, 0);
      for (const LinkGraph::Link& l : graph_.links) {
        const std::uint64_t kind =
            mix(static_cast<std::uint64_t>(l.bandwidth) ^ mix(static_cast<std::uint64_t>(l.latency_ps)));
        next[l.to] += mix(color[l.from] ^ kind);
        next[l.from] += mix(color[l.to] ^ mix(kind));
      }
      for (Device s = graph_.npus; s < graph_.devices; ++s) color[s] = mix(color[s] ^ next[s]);
    }
    return color;
  }

  static void sort_by_color(std::vector<Device>& switches, const std::vector<std::uint64_t>& color) {
    std::ranges::sort(switches, {}, [&](Device s) { return std::pair(color[s], s); });
  }

  // Returns the rotation of a digit, with the images of switches; nothing if it does not map the network to itself.
  [[nodiscard]] std::optional<Turn> turn_of(const Digit& digit) const {
    Turn turn(graph_.devices);
    for (Device n = 0; n < graph_.npus; ++n) {
      turn[n] = digit.turned(n);
      if (problem_.takes_part[n] != problem_.takes_part[turn[n]]) return std::nullopt;
    }
    // The image of a switch is the switch among the images of the NPUs around it.
    const std::vector<std::uint64_t> color = colors([&](Device n) { return turn[n]; });
    std::vector<Device> switches(by_color_.size());
    std::iota(switches.begin(), switches.end(), graph_.npus);
    sort_by_color(switches, color);
    for (std::size_t i = 0; i < switches.size(); ++i) {
      if (color[switches[i]] != colors_[by_color_[i]]) return std::nullopt;
      turn[switches[i]] = by_color_[i];
    }
    return keeps_links(turn) ? std::optional(std::move(turn)) : std::nullopt;
  }

  [[nodiscard]] bool keeps_links(const Turn& turn) const {
    return std::ranges::all_of(graph_.links, [&](const LinkGraph::Link& l) {
      const std::uint32_t to = links_.find(turn[l.from], turn[l.to]);
      return to != no_index && graph_.links[to].bandwidth == l.bandwidth &&
             graph_.links[to].latency_ps == l.latency_ps;
    });
  }

  // Returns the rotations of different digits that generate the largest group.
  [[nodiscard]] std::vector<Found> largest() const {
    std::vector<std::uint64_t> order(graph_.npus + 1, 1);  // by the first stride that is not used
    std::vector<const Found*> with(graph_.npus + 1, nullptr);
    std::vector<std::uint32_t> next(graph_.npus + 1, graph_.npus);
    for (std::uint32_t stride = graph_.npus; stride-- > 1;) {
      if (graph_.npus % stride != 0) continue;
      const auto take = [&](std::uint64_t times, std::uint32_t end, const Found* found) {
        if (times * order[end] <= order[stride]) return;
        order[stride] = times * order[end];
        with[stride] = found;
        next[stride] = end;
      };
      for (std::uint32_t end = 2 * stride; end <= graph_.npus; end += stride) {
        if (graph_.npus % end == 0) take(1, end, nullptr);
      }
      for (const Found& f : found_) {
        if (f.digit.stride == stride) take(f.digit.length, f.digit.end(), &f);
      }
    }
    std::vector<Found> out;
    for (std::uint32_t stride = 1; stride < graph_.npus; stride = next[stride]) {
      if (with[stride] != nullptr) out.push_back(*with[stride]);
    }
    return out;
  }

  // Switches, unlike NPUs, may have different images if digits are rotated in another order.
  [[nodiscard]] bool commute(const std::vector<Found>& group) const {
    for (const Found& a : group) {
      for (const Found& b : group) {
        for (Device s = graph_.npus; s < graph_.devices; ++s) {
          if (a.turn[b.turn[s]] != b.turn[a.turn[s]]) return false;
        }
      }
    }
    return true;
  }

  // Returns whether, of the whole group, only the identity maps a link to itself. This holds for NPUs in any case.
  [[nodiscard]] bool moves_every_link(const std::vector<Found>& group) const {
    std::vector<Turn> images = elements(group);
    if (images.empty()) return false;
    for (const LinkGraph::Link& l : graph_.links) {
      if (graph_.is_npu(l.from) || graph_.is_npu(l.to)) continue;
      for (std::size_t g = 1; g < images.size(); ++g) {
        if (images[g][l.from] == l.from && images[g][l.to] == l.to) return false;
      }
    }
    return true;
  }

  // Returns all rotations of the group, the identity first; nothing if a full rotation of a digit does not map a
  // switch to itself.
  [[nodiscard]] std::vector<Turn> elements(const std::vector<Found>& group) const {
    Turn identity(graph_.devices);
    std::iota(identity.begin(), identity.end(), Device{0});
    std::vector<Turn> out = {identity};
    for (const Found& f : group) {
      const std::size_t before = out.size();
      Turn power = f.turn;
      for (std::uint32_t k = 1; k < f.digit.length; ++k) {
        for (std::size_t g = 0; g < before; ++g) out.push_back(after(out[g], power));
        power = after(power, f.turn);
      }
      if (power != identity) return {};
    }
    return out;
  }
  static Turn after(const Turn& first, const Turn& then) {
    Turn out(first.size());
    for (std::size_t d = 0; d < out.size(); ++d) out[d] = then[first[d]];
    return out;
  }

  [[nodiscard]] NetworkSymmetry made(const std::vector<Found>& group) const {
    NetworkSymmetry out{.images = elements(group)};
    out.link_class.assign(graph_.links.size(), no_index);
    for (std::uint32_t l = 0; l < graph_.links.size(); ++l) {
      if (out.link_class[l] != no_index) continue;
      for (const Turn& image : out.images)
        out.link_class[links_.find(image[graph_.links[l].from], image[graph_.links[l].to])] = l;
    }
    std::vector<std::uint8_t> known(graph_.npus, 0);
    for (const Device d : problem_.participants) {
      if (known[d] != 0) continue;
      out.roots.push_back(d);
      for (const Turn& image : out.images) known[image[d]] = 1;
    }
    return out;
  }

  const SynthesisProblem& problem_;
  const LinkGraph& graph_;
  const LinkFinder links_;
  const std::vector<std::uint64_t> colors_;
  std::vector<Device> by_color_;  // switches
  std::vector<Found> found_;
};

}  // namespace

std::optional<NetworkSymmetry> find_symmetry(const SynthesisProblem& problem) {
  return SymmetryFinder(problem).run();
}

}  // namespace convert
