// SPDX-License-Identifier: MIT
#include "synthesis/trees/closed_forms.h"

#include <algorithm>
#include <bit>
#include <unordered_map>
#include <utility>

#include "synthesis/trees/growth.h"
#include "synthesis/way_search.h"

namespace convert {
namespace {

// Shortest routes by the time of a shard on each link, without load.
class ShortWays {
 public:
  explicit ShortWays(const SynthesisProblem& problem) : search_(problem.graph) {
    for (std::uint32_t l = 0; l < problem.graph.links.size(); ++l)
      lengths_.push_back(1 + static_cast<double>(hop_time(problem, l, problem.shard_bytes).arrival));
    loads_.assign(lengths_.size(), 0);
  }

  // Returns the links of the route between two NPUs that was found first; empty if no route exists.
  const std::vector<std::uint32_t>& way(Device from, Device to) {
    const auto [at, added] = known_.try_emplace(std::uint64_t{from} << 32U | to);
    if (!added || search(from, [&](Device d) { return d == to; }) == no_index) return at->second;
    at->second = search_.way_to(to);
    for (const std::uint32_t l : at->second) ++loads_[l];
    return at->second;
  }

  // Returns the nearest device with a non-zero `wanted`; no_index if none is reached.
  Device nearest(Device from, const std::vector<std::uint8_t>& wanted) {
    return search(from, [&](Device d) { return wanted[d] != 0; });
  }

 private:
  static constexpr double load_weight = 1e-6;

  template <class Wanted>
  Device search(Device from, const Wanted& wanted) {
    return search_.run(
        from, [&](std::uint32_t l) { return lengths_[l] * (1 + load_weight * loads_[l]); }, wanted);
  }

  std::vector<double> lengths_;  // by link
  std::vector<std::uint32_t> loads_;
  WaySearch search_;
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> known_;  // by from << 32 | to
};

using Arc = std::pair<std::uint32_t, std::uint32_t>;  // of positions

// Calls arc(from, to) with positions of a line of `n`, from position `root` on, parents first.
template <class Take>
void spread(ClosedShape shape, std::uint32_t n, std::uint32_t root, bool second, const Take& arc) {
  const auto place = [&](std::uint32_t k) { return (root + (second ? n - k % n : k)) % n; };
  switch (shape) {
    case ClosedShape::ring:
    case ClosedShape::both_rings:
      for (std::uint32_t k = 0; k + 1 < n; ++k) arc(place(k), place(k + 1));
      return;
    case ClosedShape::star:
      for (std::uint32_t k = 1; k < n; ++k) arc(root, place(k));
      return;
    case ClosedShape::doubling:
      for (std::uint32_t far = 1; far < n; far *= 2) {
        for (std::uint32_t k = 0; k < far && k + far < n; ++k) {
          if (std::has_single_bit(n)) {
            arc(root ^ k, root ^ (k + far));
          } else {
            arc(place(k), place(k + far));
          }
        }
      }
      return;
    case ClosedShape::binary:
    case ClosedShape::double_binary:
      for (std::uint32_t k = 1; k < n; ++k) arc(place((k - 1) / 2), place(k));
  }
}

// Returns the number of participants of a box; 1 if there are no boxes of equal size.
std::uint32_t box_size(const SynthesisProblem& problem) {
  const LinkGraph& graph = problem.graph;
  const auto switch_of = [&](Device d) {
    const auto& out = graph.out[d];
    const auto fastest =
        std::ranges::max_element(out, {}, [&](std::uint32_t l) { return graph.links[l].bandwidth; });
    return fastest == out.end() ? d : graph.links[*fastest].to;
  };
  const std::uint32_t n = problem.size();
  std::vector<Device> switches;
  for (const Device d : problem.participants) switches.push_back(switch_of(d));
  std::uint32_t size = 1;  // of the first box
  while (size < n && switches[size] == switches[0]) ++size;
  if (graph.is_npu(switches[0]) || size == n || n % size != 0) return 1;
  for (std::uint32_t i = 0; i < n; ++i) {
    if (switches[i] != switches[i - i % size] || (i >= size && switches[i] == switches[i - size])) return 1;
  }
  return size;
}

std::uint32_t trees_of_root(ClosedShape shape) {
  return shape == ClosedShape::both_rings || shape == ClosedShape::double_binary ? 2 : 1;
}

class FormBuilder {
 public:
  FormBuilder(const SynthesisProblem& problem, const ClosedForm& form)
      : problem_(problem),
        form_(form),
        ways_(problem),
        places_(problem.participants),
        place_of_(problem.graph.devices, no_index),
        has_(problem.graph.devices) {
    placed_ = !form.tour || order_by_tour();
    for (std::uint32_t p = 0; p < places_.size(); ++p) place_of_[places_[p]] = p;
  }

  // Makes tree number k of a root. Returns false if the form cannot be mapped.
  bool build(TreePacking::Tree& tree, Device root, std::uint32_t k) {
    if (!placed_) return false;
    tree.root = root;
    ++epoch_;
    has_[root] = epoch_;
    std::vector<std::uint32_t> reached = {place_of_[root]};
    for (std::size_t d = form_.dims.size(); d-- > 0;) {
      std::uint32_t stride = 1;
      for (std::size_t e = 0; e < d; ++e) stride *= form_.dims[e];
      const std::uint32_t n = form_.dims[d];
      const std::size_t count = reached.size();
      for (std::size_t i = 0; i < count; ++i) {
        const std::uint32_t at = reached[i] / stride % n;
        const std::uint32_t base = reached[i] - at * stride;
        bool ok = true;
        spread(form_.shape, n, at, k == 1, [&](std::uint32_t from, std::uint32_t to) {
          ok = ok && lead(tree, places_[base + from * stride], places_[base + to * stride]);
          reached.push_back(base + to * stride);
        });
        if (!ok) return false;
      }
    }
    return true;
  }

 private:
  // Returns false if there is no route to the remaining NPUs: links from a root to all need not lead back.
  bool order_by_tour() {
    std::vector<std::uint8_t> open = problem_.takes_part;
    Device at = places_[0];
    for (std::size_t i = 1; i < places_.size(); ++i) {
      open[at] = 0;
      at = ways_.nearest(at, open);
      if (at == no_index) return false;
      places_[i] = at;
    }
    return true;
  }

  // Adds arcs along the route from one NPU of the tree to another one.
  bool lead(TreePacking::Tree& tree, Device from, Device to) {
    if (has_[to] == epoch_) return true;
    const LinkGraph& graph = problem_.graph;
    const std::vector<std::uint32_t>& way = ways_.way(from, to);
    if (way.empty()) return false;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < way.size(); ++i) {
      const Device at = graph.links[way[i]].to;
      if (!graph.is_npu(at)) continue;
      const bool passes = problem_.takes_part[at] == 0 && problem_.turned;
      if (passes && has_[at] == epoch_) return false;
      const bool known = std::exchange(has_[at], epoch_) == epoch_;
      if (passes) continue;
      if (!known) add_arc(tree, std::span(way).subspan(begin, i + 1 - begin));
      begin = i + 1;
    }
    return true;
  }

  void add_arc(TreePacking::Tree& tree, std::span<const std::uint32_t> way) const {
    tree.arcs.push_back(
        {.from = problem_.graph.links[way.front()].from,
         .to = problem_.graph.links[way.back()].to,
         .way = {static_cast<std::uint32_t>(tree.links.size()), static_cast<std::uint32_t>(way.size())}});
    tree.links.insert(tree.links.end(), way.begin(), way.end());
  }

  const SynthesisProblem& problem_;
  const ClosedForm& form_;
  ShortWays ways_;
  std::vector<Device> places_;
  std::vector<std::uint32_t> place_of_;  // by device
  std::vector<std::uint32_t> has_;       // by device: the last tree that reached it
  std::uint32_t epoch_ = 0;
  bool placed_ = true;
};

}  // namespace

std::string name(const ClosedForm& form) {
  std::string text;
  switch (form.shape) {
    case ClosedShape::ring: text = "ring"; break;
    case ClosedShape::both_rings: text = "bidirectional ring"; break;
    case ClosedShape::star: text = "direct"; break;
    case ClosedShape::doubling: text = "doubling"; break;
    case ClosedShape::binary: text = "binary tree"; break;
    case ClosedShape::double_binary: text = "double binary tree"; break;
  }
  for (std::size_t d = 0; d < form.dims.size() && form.dims.size() > 1; ++d)
    text += (d == 0 ? ' ' : 'x') + std::to_string(form.dims[d]);
  return form.tour ? text + " by nearness" : text;
}

std::vector<ClosedForm> closed_forms(const SynthesisProblem& problem) {
  std::vector<ClosedForm> out;
  const std::uint32_t participants = problem.size();
  constexpr std::uint32_t very_many = 256;
  const std::uint32_t box = participants > very_many ? box_size(problem) : 1;
  if (box > 1) return {{ClosedShape::star, {box, participants / box}}};
  for (const bool tour : {false, true}) {
    for (const ClosedShape shape : {ClosedShape::ring, ClosedShape::both_rings})
      out.push_back({shape, {participants}, tour});
  }
  out.push_back({ClosedShape::star, {participants}});
  out.push_back({ClosedShape::doubling, {participants}});
  for (std::uint32_t first = 2; first * 2 <= participants; ++first) {
    if (participants % first != 0) continue;
    for (const ClosedShape shape : {ClosedShape::star, ClosedShape::both_rings})
      out.push_back({shape, {first, participants / first}});
  }
  return out;
}

std::vector<ClosedForm> rooted_closed_forms(std::uint32_t participants) {
  std::vector<ClosedForm> out;
  for (const ClosedShape shape : {ClosedShape::ring, ClosedShape::both_rings, ClosedShape::star,
                                  ClosedShape::doubling, ClosedShape::binary, ClosedShape::double_binary})
    out.push_back({shape, {participants}});
  out.push_back({ClosedShape::ring, {participants}, true});
  return out;
}

std::optional<TreePacking> closed_trees(const SynthesisProblem& problem, std::span<const Device> roots,
                                        double share, const ClosedForm& form) {
  FormBuilder builder(problem, form);
  TreePacking out{.of_root = trees_of_root(form.shape)};
  for (const Device root : roots) {
    for (std::uint32_t k = 0; k < out.of_root; ++k) {
      if (!builder.build(out.trees.emplace_back(), root, k)) return std::nullopt;
    }
  }
  LinkLoads loads(problem, share, {.trees = out.of_root});
  for (const TreePacking::Tree& tree : out.trees) loads.add(tree.links);
  out.load = loads.worst();
  return out;
}

std::optional<PairPacking> closed_pairs(const SynthesisProblem& problem, Device root, const ClosedForm& form) {
  SynthesisProblem turned = problem;
  turned.graph = reversed(problem.graph);
  turned.turned = true;
  FormBuilder inward(turned, form);
  FormBuilder outward(problem, form);
  PairPacking out;
  for (std::uint32_t k = 0; k < trees_of_root(form.shape); ++k) {
    PairPacking::Pair& pair = out.pairs.emplace_back();
    if (!inward.build(pair.in, root, k) || !outward.build(pair.out, root, k)) return std::nullopt;
  }
  return out;
}

}  // namespace convert
