// SPDX-License-Identifier: MIT
#include "synthesis/portfolio/gathers.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <utility>

#include "synthesis/exact/exact.h"
#include "synthesis/greedy.h"
#include "synthesis/list_schedule.h"
#include "synthesis/trees/packing.h"
#include "util/parallel.h"

namespace convert {
namespace {

using Made = std::optional<TimedMoves>;

// Makes what one root, or each participant, has for all others.
class GatherMakers {
 public:
  GatherMakers(const SynthesisProblem& problem, const SynthesisChoice& choice, Picoseconds lower, double share)
      : problem_(problem), choice_(choice), lower_(lower), share_(share) {
    if (has_root(problem.collective)) {
      roots_ = {problem.root};
    } else {
      roots_ = problem.participants;
    }
  }

  BestCandidates run() {
    if (wants(SynthesisMethod::greedy) && can_match_greedily(problem_)) greedy();
    if (at_bound()) return std::move(best_);
    if (wants(SynthesisMethod::latency)) latency();
    if (wants(SynthesisMethod::trees)) trees();
    if (wants_exact()) exact();
    return std::move(best_);
  }

 private:
  [[nodiscard]] bool wants(SynthesisMethod m) const {
    return choice_.methods.empty() || std::ranges::find(choice_.methods, m) != choice_.methods.end();
  }
  // Exact trees are asked for, or affordable where others leave something to gain.
  [[nodiscard]] bool wants_exact() const {
    if (!choice_.methods.empty()) return wants(SynthesisMethod::exact);
    const std::uint32_t most = choice_.effort == SynthesisEffort::best     ? 128
                               : choice_.effort == SynthesisEffort::normal ? 64
                                                                           : 0;
    return problem_.size() <= most && !at_bound();
  }
  [[nodiscard]] bool at_bound() const { return best_.best() != nullptr && best_.best()->total <= lower_; }
  [[nodiscard]] bool allows(std::uint64_t pieces) const {
    if (choice_.pieces && pieces != *choice_.pieces) return false;
    return pieces <= most_pieces() && pieces <= static_cast<std::uint64_t>(problem_.shard_bytes) &&
           moves_of_pieces(pieces) <= most_moves();
  }
  [[nodiscard]] std::uint64_t most_pieces() const {
    return std::uint64_t{choice_.most_pieces} * (problem_.size() / roots_.size());
  }
  [[nodiscard]] std::uint64_t moves_of_pieces(std::uint64_t pieces) const {
    return roots_.size() * (problem_.size() - 1) * pieces;
  }
  // Large candidates are only made where nobody would wait for them.
  [[nodiscard]] std::uint64_t most_moves() const {
    const std::uint64_t least = moves_of_pieces(choice_.pieces.value_or(1));
    return choice_.effort == SynthesisEffort::best ? most_synthesized_moves : std::max(least, quick_moves);
  }

  using Maker = std::function<std::pair<std::uint32_t, Made>()>;
  void make(const std::vector<Maker>& makers) {
    for_each_ordered(
        choice_.jobs, makers.size(), [&](std::size_t i) { return makers[i](); },
        [&](std::size_t, std::pair<std::uint32_t, Made>&& m) { best_.take(m.first, std::move(m.second)); });
  }

  [[nodiscard]] std::vector<std::uint32_t> piece_counts(std::initializer_list<std::uint32_t> usual) const {
    if (choice_.pieces) return {*choice_.pieces};
    if (choice_.effort == SynthesisEffort::fast) return {1};
    std::vector<std::uint32_t> counts;
    for (const std::uint32_t k : usual) {
      if (allows(k)) counts.push_back(k);
    }
    return counts;
  }

  void greedy() {
    const auto& links = problem_.graph.links;
    const bool mixed = std::ranges::any_of(links, [&](const auto& l) {
      return l.bandwidth != links.front().bandwidth || l.latency_ps != links.front().latency_ps;
    });
    std::vector<double> targets = {0};
    if (mixed && choice_.effort != SynthesisEffort::fast) targets = {0, 1, 1.03, 1.06, 1.1, 1.15, 1.2};
    constexpr std::uint32_t few = 64;
    const std::uint64_t seeds = choice_.effort == SynthesisEffort::fast ? 1 : problem_.size() <= few ? 4 : 2;
    for (std::uint64_t s = 0; s < seeds && !at_bound(); ++s) {
      std::vector<Maker> makers;
      for (const std::uint32_t k : piece_counts({1, 2, 4, 8})) {
        for (const double target : targets) {
          const GreedyChoice choice{.pieces = k,
                                    .deadline = static_cast<Picoseconds>(target * static_cast<double>(lower_)),
                                    .seed = choice_.seed + s};
          makers.emplace_back([this, choice] { return std::pair(choice.pieces, greedy(choice)); });
        }
      }
      make(makers);
    }
  }
  [[nodiscard]] Made greedy(const GreedyChoice& choice) const {
    Made made = match_greedily(problem_, choice);
    if (made) made->method = "greedy, " + counted(choice.pieces, "piece");
    return made;
  }

  // The shortest ways by time, for what is small.
  void latency() {
    std::vector<Maker> makers;
    for (const std::uint32_t q : piece_counts({1, 2, 4})) {
      makers.emplace_back([this, q] {
        const std::int64_t bytes = std::max<std::int64_t>(1, problem_.shard_bytes / q);
        const std::optional<TreePacking> packing =
            pack_trees(problem_, roots_, share_, {.trees = 1, .lambda = 1, .delta = 0, .by_time = bytes});
        if (!packing) return std::pair(q, Made());
        TreeMoves moves = moves_of(problem_, *packing, q);
        Made made = best_schedule(problem_, moves.moves, moves.rank);
        made->method = "shortest ways, " + counted(q, "piece");
        return std::pair(q, std::move(made));
      });
    }
    make(makers);
  }

  struct Packed {
    TreePacking packing;
    std::string name;
    Picoseconds time = 0;
  };
  using Packer = std::function<std::optional<Packed>()>;

  // First each packing with some pieces, then the best `most_kept` of them with others. Returns how many trees of a
  // root the best had at first, 0 if there is none.
  std::uint32_t judge(const std::vector<Packer>& packers, std::size_t most_kept) {
    std::vector<Packed> packed;
    for_each_ordered(
        choice_.jobs, packers.size(), [&](std::size_t i) { return first_look(packers[i]()); },
        [&](std::size_t, std::pair<std::optional<Packed>, Made>&& p) {
          if (p.second) {
            const std::uint32_t pieces = piece_count(*p.second);
            best_.take(pieces, std::move(p.second));
          }
          if (p.first) packed.push_back(std::move(*p.first));
        });
    std::ranges::stable_sort(packed, {}, &Packed::time);
    const std::uint32_t trees = packed.empty() ? 0 : packed.front().packing.of_root;
    const std::size_t kept = choice_.effort == SynthesisEffort::fast ? 0 : most_kept;
    if (packed.size() > kept) packed.resize(kept);
    std::vector<Maker> makers;
    for (const Packed& p : packed) {
      for (const std::uint32_t q : splits(p.packing.of_root)) {
        const std::uint32_t pieces = p.packing.of_root * q;
        makers.emplace_back([this, &p, q, pieces] { return std::pair(pieces, with_pieces(p, q)); });
      }
    }
    make(makers);
    return trees;
  }

  // Returns into how many pieces what a tree carries can be split: powers of two, and as many as are allowed.
  [[nodiscard]] std::vector<std::uint32_t> splits(std::uint32_t trees) const {
    std::vector<std::uint32_t> out;
    for (std::uint32_t q = 1; q <= most_pieces(); q *= 2) {
      if (allows(std::uint64_t{trees} * q)) out.push_back(q);
    }
    const auto most = static_cast<std::uint32_t>(most_pieces() / trees);
    if (choice_.pieces) {
      out.assign(*choice_.pieces % trees == 0 ? 1 : 0, *choice_.pieces / trees);
    } else if (!std::has_single_bit(most) && allows(std::uint64_t{trees} * most)) {
      out.push_back(most);
    }
    return out;
  }

  void trees() {
    std::vector<Packer> packers;
    for (const TreeChoice& c : tree_choices()) {
      packers.emplace_back([this, c] {
        std::optional<Packed> out;
        std::optional<TreePacking> packing = pack_trees(problem_, roots_, share_, c);
        if (packing) out = {std::move(*packing), "trees " + short_number(c.lambda) + "/" + short_number(c.delta)};
        return out;
      });
    }
    constexpr std::size_t kept = 6;
    judge(packers, kept);
  }

  // First with several numbers of trees, then with the best of them in other ways.
  void exact() {
    const ExactPacker packer(problem_, roots_);
    const std::vector<TreeScale> scales = packer.scales(choice_.pieces);
    const auto with = [&](const TreeScale& scale, const ExactChoice& c) {
      return [&, c]() -> std::optional<Packed> {
        std::optional<TreePacking> packing = packer.pack(scale, c);
        if (!packing) return std::nullopt;
        return Packed{.packing = std::move(*packing), .name = text(c)};
      };
    };
    std::vector<Packer> packers;
    for (const TreeScale& scale : scales) packers.emplace_back(with(scale, {}));
    constexpr std::uint32_t few = 32;
    const std::size_t kept = problem_.size() <= few ? 6 : 2;
    const std::uint32_t best = judge(packers, kept);
    if (best == 0) return refuse_exact(packer);
    const bool others = problem_.size() != problem_.graph.devices;
    packers.clear();
    for (const TreeScale& scale : scales) {
      if (scale.trees != best && &scale != &scales.front()) continue;
      for (const ExactChoice& c : exact_choices()) {
        if (others || (c.split.prune && c.split.far_first)) packers.emplace_back(with(scale, c));
      }
      const std::uint64_t draws = choice_.effort == SynthesisEffort::best && problem_.size() <= few ? 16 : 0;
      for (std::uint64_t draw = 1; draw <= draws; ++draw)
        packers.emplace_back(with(scale, {.grow = {.seed = draw}}));
    }
    judge(packers, kept);
  }
  // Returns all choices but the usual one.
  static std::vector<ExactChoice> exact_choices() {
    std::vector<ExactChoice> out;
    for (const bool together : {true, false}) {
      for (const bool prune : {true, false}) {
        for (const bool far_first : {true, false})
          out.push_back({{.prune = prune, .far_first = far_first}, {.together = together}});
      }
    }
    out.erase(out.begin());
    return out;
  }
  void refuse_exact(const ExactPacker& packer) const {
    if (choice_.methods.size() != 1) return;
    const std::optional<Device> uneven = packer.uneven();
    throw usage_error("method exact " +
                      (uneven ? "wants as much bandwidth into " + problem_.wires.device_name(*uneven) +
                                    " as out of it, since it does not take part"
                              : std::string("finds no few trees of a root that fill the links")) +
                      "; take trees");
  }
  static std::string text(const ExactChoice& c) {
    return std::string("exact") + (c.grow.together ? "" : " in turn") + (c.grow.seed == 0 ? "" : " drawn") +
           (c.split.prune ? "" : " unpruned") + (c.split.far_first ? "" : " near first");
  }

  [[nodiscard]] std::uint32_t piece_count(const TimedMoves& made) const {
    return static_cast<std::uint32_t>(made.moves.pieces.size() / roots_.size());
  }

  [[nodiscard]] std::vector<TreeChoice> tree_choices() const {
    if (choice_.effort == SynthesisEffort::fast) {
      const std::uint32_t trees = allows(4) ? 4 : choice_.pieces.value_or(1);
      return {{.trees = trees}};
    }
    std::vector<TreeChoice> choices;
    for (const std::uint32_t p : {1U, 2U, 4U, 8U, 16U}) {
      if (p == 16 && choice_.effort != SynthesisEffort::best) continue;
      if (choice_.pieces ? *choice_.pieces % p != 0 : !allows(p)) continue;
      for (const double lambda : {0.0, 0.1, 0.5, 1.0}) {
        for (const double delta : {0.05, 0.3}) choices.push_back({.trees = p, .lambda = lambda, .delta = delta});
      }
    }
    return choices;
  }

  [[nodiscard]] std::pair<std::optional<Packed>, Made> first_look(std::optional<Packed>&& p) const {
    if (!p) return {};
    const std::uint32_t trees = p->packing.of_root;
    std::uint32_t q = choice_.pieces ? *choice_.pieces / trees : 1;
    constexpr std::uint64_t usual = 16;
    const std::uint64_t looked_at = usual * (problem_.size() / roots_.size());
    while (!choice_.pieces && std::uint64_t{trees} * q < looked_at && allows(std::uint64_t{trees} * q * 2)) q *= 2;
    TreeMoves moves = moves_of(problem_, p->packing, q);
    Made made = list_schedule(problem_, std::move(moves.moves), ServeOrder::pieces, moves.rank);
    made->method = text(*p, q);
    p->time = made->total;
    return {std::move(p), std::move(made)};
  }

  [[nodiscard]] Made with_pieces(const Packed& p, std::uint32_t q) const {
    const TreeMoves moves = moves_of(problem_, p.packing, q);
    Made made = best_schedule(problem_, moves.moves, moves.rank);
    // Pieces that stand alike take their turns by chance.
    for (std::uint64_t draw = 0; draw < 2; ++draw) {
      std::vector<double> rank = random_order(moves.rank.size(), 1.0 / q, choice_.seed + draw);
      for (std::size_t i = 0; i < rank.size(); ++i) rank[i] += moves.rank[i];
      TimedMoves other = list_schedule(problem_, moves.moves, ServeOrder::pieces, rank);
      if (other.total < made->total) made = std::move(other);
    }
    made->method = text(p, q);
    return made;
  }

  static std::string text(const Packed& p, std::uint32_t q) {
    return p.name + " p=" + std::to_string(p.packing.of_root) + " q=" + std::to_string(q);
  }

  const SynthesisProblem& problem_;
  const SynthesisChoice& choice_;
  Picoseconds lower_;
  double share_;
  std::vector<Device> roots_;
  BestCandidates best_;
};

// Returns the share of a part that a link of bandwidth 1 carries while the bound of bandwidth lasts.
double share_of(const Bounds& bounds) {
  const Bound* const bound = bounds.find(BoundKind::bandwidth);
  if (bound == nullptr || bound->crossings.empty() || bound->crossings[0].bandwidth == 0) return 1;
  const Crossing& c = bound->crossings[0];
  return static_cast<double>(c.parts) / static_cast<double>(c.bandwidth);
}

}  // namespace

BestCandidates make_gathers(const SynthesisProblem& problem, const SynthesisChoice& choice, const Bounds& bounds) {
  return GatherMakers(problem, choice, bounds.lower, share_of(bounds)).run();
}

}  // namespace convert
