// SPDX-License-Identifier: MIT
// Packs trees into a network: from each root some that reach all participants, so that no link carries much more
// than its share.
//
// Trees grow one after the other, each over links that are short: a link's length rises exponentially with its load
// (as in the packing of multicast trees by multiplicative weights), and many times where one more tree is too much.
// Then trees on overloaded links are taken out and grow anew (rip-up and re-route, as in the routing of circuits).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "synthesis/fraction.h"
#include "synthesis/moves.h"

namespace convert {

// How trees grow: the next NPU is the one of the least λ × cost of the NPU that it is joined to + length of the way
// × (1 + δ × depth of that NPU). λ = 0 makes light trees (Prim's), λ = 1 short ones (Dijkstra's).
struct TreeChoice {
  std::uint32_t trees = 1;  // from each root
  double lambda = 0.1;
  double delta = 0.05;
  std::uint32_t passes = 20;  // of taking out and growing anew, at most
  std::int64_t by_time = 0;   // links are as long as so many bytes take on them, whatever their load; 0: by load
};

// A way from an NPU of a tree to the next one.
struct TreeArc {
  Device from = 0;
  Device to = 0;
  Range way{};  // into TreePacking::links
};

// All trees of the first root, then of the next. Arcs stand behind the one that brings them their beginning.
struct TreePacking {
  struct Tree {
    Device root = 0;
    std::vector<TreeArc> arcs{};
    std::vector<std::uint32_t> links{};  // of the ways
  };
  std::vector<Tree> trees{};
  std::uint32_t of_root = 1;  // trees from each root
  double load = 0;            // the largest of a link, where 1 is what the bound of bandwidth allows
};

// Packs trees from `roots` to all participants of the problem. `share`: the part of all roots' data that a link of
// bandwidth 1 (a unit of the graph) can carry while the bound lasts, in parts of one root. Switches copy nothing.
// NPUs that do not take part copy too, unless the problem is `turned` (the trees are for sums, played backwards):
// then a tree passes each once at most. Returns nothing where trees did not come through so. `link_class`: by link,
// the one to whose load it adds: of a symmetry (symmetry/symmetry.h), whose images of all trees are packed with
// them; empty: each its own.
[[nodiscard]] std::optional<TreePacking> pack_trees(const SynthesisProblem& problem, std::span<const Device> roots,
                                                    double share, const TreeChoice& choice,
                                                    std::span<const std::uint32_t> link_class = {});

// Returns the moves of all trees, each of which carries its share of its root's part in `pieces` pieces; and the
// order of pieces in which those of all trees are interleaved.
struct TreeMoves {
  Moves moves{};
  std::vector<double> rank{};  // by piece
};
[[nodiscard]] TreeMoves moves_of(const SynthesisProblem& problem, const TreePacking& packing, std::uint32_t pieces);

}  // namespace convert
