// SPDX-License-Identifier: MIT
#include <algorithm>
#include <bit>
#include <cassert>
#include <ranges>

#include "collectives/families.h"

namespace convert::collectives {
namespace {

struct Tree {
  std::int32_t root = 0;
  std::vector<std::vector<std::int32_t>> children;  // by rank, in the order in which they are served
};

std::vector<std::int32_t> from_the_root(const Tree& tree) {
  std::vector<std::int32_t> order = {tree.root};
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto& children = tree.children[static_cast<std::size_t>(order[i])];
    order.insert(order.end(), children.begin(), children.end());
  }
  return order;
}

// Threadblocks: lane j serves child j; lane 0 also serves the parent.
constexpr std::int32_t up_lanes = 0;
constexpr std::int32_t down_lanes = 1 << 16;

// The first child is received from last, so that its message can be forwarded to the parent at once.
void reduce(AlgorithmBuilder& b, const Tree& tree, std::int32_t channel, const Chunks& chunks) {
  const std::vector<std::int32_t> order = from_the_root(tree);
  for (const std::int32_t rank : std::views::reverse(order)) {
    const auto& children = tree.children[static_cast<std::size_t>(rank)];
    for (auto j = static_cast<std::int32_t>(children.size()); j-- > 0;) {
      Round round;
      round.add({children[static_cast<std::size_t>(j)], rank, channel, up_lanes, up_lanes + j}, Arrival::reduce,
                std::span(&chunks, 1));
      b.run(round);
    }
  }
}

void broadcast(AlgorithmBuilder& b, const Tree& tree, std::int32_t channel, const Chunks& chunks) {
  for (const std::int32_t rank : from_the_root(tree)) {
    const auto& children = tree.children[static_cast<std::size_t>(rank)];
    for (std::int32_t j = 0; j < static_cast<std::int32_t>(children.size()); ++j) {
      Round round;
      round.add({rank, children[static_cast<std::size_t>(j)], channel, down_lanes + j, down_lanes}, Arrival::store,
                std::span(&chunks, 1));
      b.run(round);
    }
  }
}

// The slices of a tree are pipelined on one channel.
Algorithm build_on_trees(const CollectiveRequest& r, const std::vector<Tree>& trees) {
  const auto count = static_cast<std::int32_t>(trees.size());
  AlgorithmBuilder b = in_place_builder(r, count, r.chunks);
  for (std::int32_t k = 0; k < r.chunks; ++k) {
    for (std::int32_t t = 0; t < count; ++t) {
      const Tree& tree = trees[static_cast<std::size_t>(t)];
      const Chunks chunk = chunk_of(r, t, count, k, r.chunks);
      if (r.collective != Collective::broadcast) reduce(b, tree, t, chunk);
      if (r.collective != Collective::reduce) broadcast(b, tree, t, chunk);
    }
  }
  return b.finish(algorithm_name(r), r.root.value_or(0));
}

// Returns the tree of the ranks, numbered from the root.
template <typename Children>
Tree rooted_tree(const CollectiveRequest& r, const Children& children_of) {
  Tree tree;
  tree.root = r.root.value_or(0);
  tree.children.resize(static_cast<std::size_t>(r.ranks));
  for (std::int32_t v = 0; v < r.ranks; ++v) {
    auto& list = tree.children[static_cast<std::size_t>((v + tree.root) % r.ranks)];
    for (const std::int64_t child : children_of(v)) {
      if (child < r.ranks) list.push_back(static_cast<std::int32_t>((child + tree.root) % r.ranks));
    }
  }
  return tree;
}

// Binary tree of the positions 1…n in order; even positions are inner nodes. Position p is the root of the 2b - 1
// positions around it, where b is the lowest set bit of p. Returns the children by position.
std::vector<std::vector<std::int32_t>> in_order_tree(std::int32_t n) {
  std::vector<std::vector<std::int32_t>> children(static_cast<std::size_t>(n) + 1);
  for (std::int32_t p = 2; p <= n; p += 2) {
    const std::int32_t reach = (p & -p) / 2;
    auto& list = children[static_cast<std::size_t>(p)];
    list.push_back(p - reach);
    std::int32_t right = reach;
    while (right > 0 && p + right > n) right /= 2;
    if (right > 0) list.push_back(p + right);
  }
  return children;
}

// Makes a tree of `members`, with member i at position (i + shift) mod n + 1. A shift by one turns inner nodes into
// leaves.
void hang_tree(Tree& tree, const std::vector<std::int32_t>& members, std::int32_t shift, std::int32_t& top) {
  const auto n = static_cast<std::int32_t>(members.size());
  assert(n > 0);
  const auto at = [&](std::int32_t position) {
    return members[static_cast<std::size_t>((position - 1 - shift + n) % n)];
  };
  const auto children = in_order_tree(n);
  for (std::int32_t p = 1; p <= n; ++p) {
    auto& list = tree.children[static_cast<std::size_t>(at(p))];
    for (const std::int32_t c : children[static_cast<std::size_t>(p)]) list.push_back(at(c));
  }
  top = at(floor_power_of_two(n));
}

}  // namespace

Algorithm build_binomial_tree(const CollectiveRequest& r) {
  // Rank v has the children v + 2^j for all 2^j less than its lowest bit, the largest subtree first.
  const auto children = [&](std::int64_t v) {
    std::vector<std::int64_t> list;
    const std::int64_t limit = v == 0 ? std::bit_ceil(static_cast<std::uint32_t>(r.ranks)) : v & -v;
    for (std::int64_t step = limit / 2; step >= 1; step /= 2) list.push_back(v + step);
    return list;
  };
  return build_on_trees(r, {rooted_tree(r, children)});
}

Algorithm build_binary_tree(const CollectiveRequest& r) {
  const auto children = [](std::int64_t v) { return std::vector<std::int64_t>{2 * v + 1, 2 * v + 2}; };
  return build_on_trees(r, {rooted_tree(r, children)});
}

Algorithm build_chain(const CollectiveRequest& r) {
  const auto children = [](std::int64_t v) { return std::vector<std::int64_t>{v + 1}; };
  return build_on_trees(r, {rooted_tree(r, children)});
}

Algorithm build_double_binary_tree(const CollectiveRequest& r) {
  // The root of a broadcast or reduce is the parent of the roots of both trees.
  const bool rooted = r.collective != Collective::all_reduce;
  const std::int32_t root = r.root.value_or(0);
  std::vector<std::int32_t> members;
  for (std::int32_t i = rooted ? 1 : 0; i < r.ranks; ++i) members.push_back((root + i) % r.ranks);
  std::vector<Tree> trees(2);
  for (std::int32_t t = 0; t < 2; ++t) {
    Tree& tree = trees[static_cast<std::size_t>(t)];
    tree.children.resize(static_cast<std::size_t>(r.ranks));
    hang_tree(tree, members, t, tree.root);
    if (rooted) {
      tree.children[static_cast<std::size_t>(root)] = {tree.root};
      tree.root = root;
    }
  }
  return build_on_trees(r, trees);
}

Algorithm build_along_rings(const CollectiveRequest& r, std::span<const std::vector<std::int32_t>> rings) {
  std::vector<Tree> trees;
  for (std::vector<std::int32_t> way : rings) {
    Tree& tree = trees.emplace_back();
    tree.root = r.root.value_or(0);
    tree.children.resize(way.size());
    if (r.collective == Collective::reduce) std::ranges::reverse(way);  // sends along the ring, toward the root
    std::ranges::rotate(way, std::ranges::find(way, tree.root));
    for (std::size_t i = 1; i < way.size(); ++i)
      tree.children[static_cast<std::size_t>(way[i - 1])].push_back(way[i]);
  }
  return build_on_trees(r, trees);
}

}  // namespace convert::collectives
