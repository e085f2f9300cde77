// SPDX-License-Identifier: MIT
// Packs trees into a network: from each root, several trees that reach all participants, so that no link carries
// much more than its share.
//
// Trees grow one after the other, each over short links. A link's length rises exponentially with its load (as in
// the packing of multicast trees by multiplicative weights), and many times more if one more tree exceeds its
// share. Then trees on overloaded links are removed and grown again (rip-up and re-route, as in circuit routing).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "synthesis/fraction.h"
#include "synthesis/moves.h"

namespace convert {

// How trees grow. The next NPU has the least λ × cost of the NPU that it is joined to + length of the route × (1 +
// δ × depth of that NPU). λ = 0 makes light trees (Prim), λ = 1 short ones (Dijkstra).
struct TreeChoice {
  std::uint32_t trees = 1;  // from each root
  double lambda = 0.1;
  double delta = 0.05;
  std::uint32_t passes = 20;  // maximum number of passes that remove and grow again
  std::int64_t by_time = 0;   // link length is the time of this number of bytes, independent of the load; 0: by
                              // load
};

// Route from an NPU of a tree to the next one.
struct TreeArc {
  Device from = 0;
  Device to = 0;
  Range way{};  // into TreePacking::links
};

// All trees of the first root, then of the next. Arcs follow the arc that reaches their start.
struct TreePacking {
  struct Tree {
    Device root = 0;
    std::vector<TreeArc> arcs{};
    std::vector<std::uint32_t> links{};  // of the routes
  };
  std::vector<Tree> trees{};
  std::uint32_t of_root = 1;  // trees from each root
  double load = 0;            // largest load of a link, relative to the bandwidth bound
};

// Packs trees from `roots` to all participants of the problem. `share`: the amount, in shards of one root, that a
// link of bandwidth 1 (a unit of the graph) can carry within the bound. Switches do not copy. Non-participating
// NPUs copy too, unless the problem is `turned` (the trees will be reversed for reductions): then a tree passes
// each of these NPUs at most once. Returns nothing if no tree satisfies this. `link_class`: by link, the link to
// which its load is added, for a symmetry (symmetry/symmetry.h) whose images of all trees are packed at the same
// time; empty: each link itself.
[[nodiscard]] std::optional<TreePacking> pack_trees(const SynthesisProblem& problem, std::span<const Device> roots,
                                                    double share, const TreeChoice& choice,
                                                    std::span<const std::uint32_t> link_class = {});

// Returns the moves of all trees, which each carry a share of its root's shard in `pieces` chunks; and the
// order in which the chunks of all trees are interleaved.
struct TreeMoves {
  Moves moves{};
  std::vector<double> rank{};  // by piece
};
[[nodiscard]] TreeMoves moves_of(const SynthesisProblem& problem, const TreePacking& packing, std::uint32_t pieces);

}  // namespace convert
