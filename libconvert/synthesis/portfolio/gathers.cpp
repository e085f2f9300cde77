// SPDX-License-Identifier: MIT
#include "synthesis/portfolio/gathers.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <map>
#include <utility>

#include "synthesis/exact/exact.h"
#include "synthesis/greedy.h"
#include "synthesis/list_schedule.h"
#include "synthesis/portfolio/orders.h"
#include "synthesis/portfolio/piece_limits.h"
#include "synthesis/portfolio/symmetric.h"
#include "synthesis/trees/closed_forms.h"
#include "synthesis/trees/packing.h"
#include "util/parallel.h"

namespace convert {
namespace {

using Made = std::optional<TimedMoves>;

// Makes candidates for problems in which one root, or each participant, has data for all others.
class GatherMakers {
 public:
  GatherMakers(const SynthesisProblem& problem, const SynthesisChoice& choice, const Bounds& bounds, double share)
      : problem_(problem), choice_(choice), limits_(problem, choice), lower_(bounds.lower), share_(share) {
    if (const Bound* const slots = bounds.find(BoundKind::slots)) slots_ = slots->time;
    if (has_root(problem.collective)) {
      roots_ = {problem.root};
    } else {
      roots_ = problem.participants;
    }
  }

  BestCandidates run() {
    if (wants(SynthesisMethod::greedy) && can_match_greedily(problem_)) greedy();
    if (at_bound()) return std::move(best_);
    const bool known_first = !quick() || is_small();
    if (known_first && wants_closed()) closed();
    if (at_bound()) return std::move(best_);
    alike_ = wants_symmetric() && symmetric();
    if (at_bound()) return std::move(best_);
    if (!known_first && wants_closed()) closed();
    if (at_bound()) return std::move(best_);
    if (wants(SynthesisMethod::latency)) latency();
    if (at_bound() || (alike_ && (are_many() || (fast() && is_within(10))))) return std::move(best_);
    if (wants(SynthesisMethod::trees)) trees();
    if (wants_exact() && !stops()) exact();
    if (fullest_ && !stops()) split_far(*fullest_);
    return std::move(best_);
  }

 private:
  [[nodiscard]] bool wants(SynthesisMethod m) const { return convert::wants(choice_, m); }
  [[nodiscard]] bool fast() const { return choice_.effort == SynthesisEffort::fast; }
  [[nodiscard]] bool is_small() const {
    constexpr std::uint32_t few = 32;
    return problem_.size() <= few;
  }
  // Returns whether trees for each NPU take long: many NPUs in a network that requires route searches.
  [[nodiscard]] bool are_many() const {
    constexpr std::uint32_t many = 64;
    return problem_.size() > many && searches_ways(problem_, choice_);
  }
  // Returns whether one candidate of a kind is enough.
  [[nodiscard]] bool quick() const {
    constexpr std::uint32_t very_many = 256;
    return fast() || (problem_.size() > very_many && choice_.effort == SynthesisEffort::normal);
  }
  // Closed forms are fast with few participants, and needed if greedy makes nothing.
  [[nodiscard]] bool wants_closed() const {
    return wants(SynthesisMethod::builders) &&
           (!choice_.methods.empty() || !quick() || best_.empty() || is_small());
  }
  // With effort fast, they are worth their time if known shapes are far from the bound.
  [[nodiscard]] bool wants_symmetric() const { return wants(SynthesisMethod::trees) && !(fast() && is_within(10)); }
  // Returns whether the best so far is within 1/part of the bound.
  [[nodiscard]] bool is_within(Picoseconds part) const {
    return !best_.empty() && best_.least() <= lower_ + lower_ / part;
  }
  // Returns whether exact trees are selected, or affordable while other candidates are not optimal.
  [[nodiscard]] bool wants_exact() const {
    if (!choice_.methods.empty()) return wants(SynthesisMethod::exact);
    const std::uint32_t most = choice_.effort == SynthesisEffort::best     ? 128
                               : choice_.effort == SynthesisEffort::normal ? 64
                                                                           : 0;
    return problem_.size() <= most && !at_bound();
  }
  // Returns whether only the choices that were best in most networks are tried: there are many NPUs.
  [[nodiscard]] bool slow() const { return searches_ways(problem_, choice_) && !is_small(); }
  // Returns whether nothing can be gained, or nothing worth the time. With many participants, a quick search ends
  // with its first result.
  [[nodiscard]] bool at_bound() const {
    if (quick() && !is_small() && !best_.empty()) return true;
    const Picoseconds tolerated = quick() ? lower_ / 32 : tolerated_gap(problem_, choice_, lower_);
    return !best_.empty() && best_.least() <= lower_ + tolerated;
  }
  using Candidate = std::pair<std::uint32_t, Made>;  // the number of chunks
  using Maker = std::function<Candidate()>;
  void make(const std::vector<Maker>& makers) {
    for_each_ordered(
        choice_.jobs, makers.size(), [&](std::size_t i) { return stops() ? Candidate() : makers[i](); },
        [&](std::size_t, Candidate&& m) { take(m.first, std::move(m.second)); });
  }

  void take(std::uint32_t pieces, Made&& made) {
    any_ = any_ || made;
    best_.take(pieces, std::move(made));
  }
  [[nodiscard]] bool stops() const { return any_ && is_late(choice_); }

  [[nodiscard]] std::vector<std::uint32_t> piece_counts(std::initializer_list<std::uint32_t> usual) const {
    if (choice_.pieces) return {*choice_.pieces};
    if (fast()) return {1};
    std::vector<std::uint32_t> counts;
    for (const std::uint32_t k : usual) {
      if (limits_.allows(k)) counts.push_back(k);
    }
    return counts;
  }

  void greedy() {
    const auto& links = problem_.graph.links;
    const bool mixed = std::ranges::any_of(links, [&](const auto& l) {
      return l.bandwidth != links.front().bandwidth || l.latency_ps != links.front().latency_ps;
    });
    std::vector<double> targets = {0};
    if (mixed) targets = {0, 1.06, 1.2};
    if (mixed && !fast()) targets = {0, 1, 1.03, 1.06, 1.1, 1.15, 1.2};
    constexpr std::uint32_t few = 64;
    // Shards of many participants are not split, so the number of slots varies randomly.
    const bool by_slots = slots_ > lower_ && !limits_.allows(2);
    const std::uint64_t seeds = fast() ? 1 : by_slots ? 16 : problem_.size() <= few ? 4 : 2;
    for (std::uint64_t s = 0; s < seeds && best_.least() > (by_slots ? slots_ : lower_); ++s) {
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

  // Returns whether the network has symmetries.
  bool symmetric() {
    auto all = make_symmetric(problem_, choice_, limits_, share_);
    for (auto& [pieces, made] : all) take(pieces, std::move(made));
    return !all.empty();
  }

  // The shortest routes by time, for small sizes.
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
    std::uint32_t pieces = 0;                             // chunks of a shard, in the first evaluation
    OrderNumber order = number_of(ServeOrder::farthest);  // the best one
  };
  using Packer = std::function<std::optional<Packed>()>;

  struct Judged {
    std::map<std::uint32_t, Picoseconds> looked;  // best time in the first evaluation, by the trees of a root
    Picoseconds least = INT64_MAX;                // best time in the end
  };
  // First each packing with `usual` chunks if allowed, then the best `most_kept` packings with other numbers.
  Judged judge(const std::vector<Packer>& packers, std::size_t most_kept, std::uint32_t usual = 16) {
    Judged judged;
    const auto take_made = [&](std::uint32_t pieces, Made&& made) {
      if (made) judged.least = std::min(judged.least, made->total);
      take(pieces, std::move(made));
    };
    std::vector<Packed> packed;
    for_each_ordered(
        choice_.jobs, packers.size(),
        [&](std::size_t i) { return first_look(stops() ? std::nullopt : packers[i](), usual); },
        [&](std::size_t, std::pair<std::optional<Packed>, Made>&& p) {
          if (p.second) {
            const std::uint32_t pieces = piece_count(*p.second);
            take_made(pieces, std::move(p.second));
          }
          if (p.first) packed.push_back(std::move(*p.first));
        });
    std::ranges::stable_sort(packed, {}, &Packed::time);
    for (const Packed& p : packed) judged.looked.try_emplace(p.packing.of_root, p.time);
    const std::size_t kept = !quick() ? most_kept : is_small() ? 1 : 0;
    if (packed.size() > kept) packed.resize(kept);
    for_each_ordered(
        choice_.jobs, packed.size(), [&](std::size_t i) { return split(packed[i]); },
        [&](std::size_t, std::vector<Candidate>&& all) {
          for (Candidate& c : all) take_made(c.first, std::move(c.second));
        });
    for (const Packed& p : packed) {
      if (!fullest_ || p.packing.load < fullest_->packing.load) fullest_ = p;
    }
    return judged;
  }

  // Splits the packing that uses the links best into more chunks than usual, if that gains a thousandth.
  void split_far(Packed& p) {
    const auto worth = [&] { return best_.least() - best_.least() / 1000; };
    const std::uint32_t trees = p.packing.of_root;
    const std::uint64_t most = limits_.times_roots(choice_.far_pieces);
    for (const std::uint64_t pieces : {most / 2, most}) {
      const auto q = static_cast<std::uint32_t>(pieces / trees);
      if (worth() <= lower_ || pieces <= limits_.most_pieces() ||
          limits_.moves_of_pieces(pieces) > limits_.most_moves())
        return;
      Made made = with_pieces(p, q);
      if (made->total < worth()) take(trees * q, std::move(made));
    }
  }

  // Returns the numbers of chunks into which a tree's data is split. With effort fast, more than at first, in few
  // steps, up to a size that takes some milliseconds.
  [[nodiscard]] std::vector<std::uint32_t> splits(const Packed& p) const {
    constexpr std::uint64_t few_moves = 16'000;
    std::vector<std::uint32_t> all = limits_.splits(p.packing.of_root);
    if (!fast()) return all;
    std::erase_if(all, [&](std::uint32_t q) {
      const std::uint32_t pieces = p.packing.of_root * q;
      return pieces <= p.pieces || limits_.moves_of_pieces(pieces) > few_moves;
    });
    std::vector<std::uint32_t> out;
    for (std::size_t i = all.size() % 2 == 0 ? 1 : 0; i < all.size(); i += 2) out.push_back(all[i]);
    return out;
  }

  // Splits a tree's data into more and more chunks as long as it helps; with effort fast, as long as it gains a
  // thousandth.
  [[nodiscard]] std::vector<Candidate> split(Packed& p) const {
    std::vector<Candidate> out;
    Picoseconds least = fast() ? p.time : INT64_MAX;
    std::uint32_t in_vain = 0;
    for (const std::uint32_t q : splits(p)) {
      const std::uint32_t pieces = p.packing.of_root * q;
      if (stops() || (fast() && least <= lower_)) break;
      Made made = with_pieces(p, q);
      in_vain = made->total < (fast() ? least - least / 1000 : least) ? 0 : in_vain + 1;
      if (fast() && in_vain != 0) break;
      least = std::min(least, made->total);
      out.emplace_back(pieces, std::move(made));
      if (in_vain == 3 && choice_.effort != SynthesisEffort::best) break;
    }
    return out;
  }

  // Forms whose loads and latencies leave no chance are not scheduled; with effort fast, only one is.
  void closed() {
    const std::vector<ClosedForm> forms =
        has_root(problem_.collective) ? rooted_closed_forms(problem_.size()) : closed_forms(problem_);
    std::vector<Packed> laid;
    for_each_ordered(
        choice_.jobs, forms.size(), [&](std::size_t i) { return laid_out(forms[i]); },
        [&](std::size_t, std::optional<Packed>&& p) {
          if (p) laid.push_back(std::move(*p));
        });
    std::ranges::stable_sort(laid, {}, &Packed::time);
    std::size_t count = std::min<std::size_t>(laid.size(), 1);
    while (!quick() && count < laid.size() && 3 * laid[count].time < 4 * laid[0].time) ++count;
    std::vector<Packer> packers;
    for (std::size_t i = 0; i < count; ++i)
      packers.emplace_back([&laid, i] { return std::optional(std::move(laid[i])); });
    // Rings look slow with few chunks, but are fast with many.
    judge(packers, is_small() ? packers.size() : slow() ? 2 : 4, is_small() && !quick() ? 16 : 4);
  }
  // Returns the trees of a form, with an estimate of their time.
  [[nodiscard]] std::optional<Packed> laid_out(const ClosedForm& form) const {
    std::optional<TreePacking> packing = closed_trees(problem_, roots_, share_, form);
    if (!packing || !limits_.fits(packing->of_root)) return std::nullopt;
    constexpr double ps_each_s = 1e12;
    const double data = packing->load * share_ * static_cast<double>(problem_.shard_bytes) /
                        static_cast<double>(problem_.graph.unit) * ps_each_s;
    const Picoseconds time = static_cast<Picoseconds>(data) + latency_of(*packing);
    return Packed{.packing = std::move(*packing), .name = convert::name(form), .time = time};
  }
  [[nodiscard]] Picoseconds latency_of(const TreePacking& packing) const {
    Picoseconds most = 0;
    std::vector<Picoseconds> at(problem_.graph.devices);
    for (const TreePacking::Tree& tree : packing.trees) {
      at[tree.root] = 0;
      for (const TreeArc& arc : tree.arcs) {
        at[arc.to] = at[arc.from];
        for (std::uint32_t h = arc.way.begin; h < arc.way.begin + arc.way.count; ++h)
          at[arc.to] += problem_.graph.links[tree.links[h]].latency_ps;
        most = std::max(most, at[arc.to]);
      }
    }
    return most;
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

  // First with several numbers of trees, then the best of these with other choices.
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
    const Picoseconds others = best_.empty() ? INT64_MAX : best_.least();
    const auto [looked, least] = judge(packers, kept);
    if (looked.empty()) return refuse_exact(packer);
    // Other choices gain little, and take long if there are many roots.
    const bool behind = least != INT64_MAX && least - least / 64 > others;
    if (behind && roots_.size() >= few && choice_.effort != SynthesisEffort::best) return;
    packers.clear();
    for (const TreeScale& scale : scales) {
      if (!is_promising(looked, scale, scales.front())) continue;
      for (const ExactChoice& c : exact_choices()) {
        if (slow() && (!c.grow.together || c.split.prune)) continue;
        if (packer.minds(c.split)) packers.emplace_back(with(scale, c));
      }
      const std::uint64_t draws = choice_.effort == SynthesisEffort::best && problem_.size() <= few ? 16 : 0;
      for (std::uint64_t draw = 1; draw <= draws; ++draw)
        packers.emplace_back(with(scale, {.grow = {.seed = draw}}));
    }
    judge(packers, kept);
  }
  // Returns whether other choices are worth trying: for the fastest scale, and for the scale that fills the links
  // best if it is not much slower.
  [[nodiscard]] bool is_promising(const std::map<std::uint32_t, Picoseconds>& looked, const TreeScale& scale,
                                  const TreeScale& fullest) const {
    const auto at = looked.find(static_cast<std::uint32_t>(scale.trees));
    if (at == looked.end()) return false;
    Picoseconds least = INT64_MAX;
    for (const auto& [trees, time] : looked) least = std::min(least, time);
    if (at->second == least) return true;
    return &scale == &fullest && (choice_.effort == SynthesisEffort::best || at->second - least <= least / 8);
  }
  // Returns all choices except the default.
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
                      (uneven ? "requires as much bandwidth into " + problem_.wires.device_name(*uneven) +
                                    " as out of it, since it does not take part"
                              : std::string("does not find a small number of trees per root that fill the links")) +
                      "; use trees");
  }
  static std::string text(const ExactChoice& c) {
    return std::string("exact") + (c.grow.together ? "" : " in turn") + (c.grow.seed == 0 ? "" : " drawn") +
           (c.split.prune ? "" : " unpruned") + (c.split.far_first ? "" : " near first");
  }

  [[nodiscard]] std::uint32_t piece_count(const TimedMoves& made) const {
    return static_cast<std::uint32_t>(made.moves.pieces.size() / roots_.size());
  }

  [[nodiscard]] std::vector<TreeChoice> tree_choices() const {
    if (quick()) {
      const std::uint32_t trees = limits_.allows(4) ? 4 : choice_.pieces.value_or(1);
      return {{.trees = trees}};
    }
    // Symmetric trees include all kinds, so others gain little.
    const bool few = slow() || (alike_ && is_within(32) && searches_ways(problem_, choice_));
    std::vector<TreeChoice> choices;
    for (const std::uint32_t p : {1U, 2U, 4U, 8U, 16U}) {
      if (p == 16 && choice_.effort != SynthesisEffort::best) continue;
      if (slow() && p != 4 && p != choice_.pieces.value_or(0)) continue;
      if (!limits_.fits(p)) continue;
      for (const double lambda : {0.0, 0.1, 0.5, 1.0}) {
        for (const double delta : {0.05, 0.3}) {
          if (!few || (lambda >= 0.5 && delta == 0.3))
            choices.push_back({.trees = p, .lambda = lambda, .delta = delta});
        }
      }
    }
    return choices;
  }

  [[nodiscard]] std::pair<std::optional<Packed>, Made> first_look(std::optional<Packed>&& p,
                                                                  std::uint32_t usual) const {
    if (!p || !limits_.fits(p->packing.of_root)) return {};
    const std::uint32_t trees = p->packing.of_root;
    const std::uint32_t q = limits_.first_split(trees, usual);
    if (!limits_.fits_evenly(std::uint64_t{trees} * q)) return {};
    TreeMoves moves = moves_of(problem_, p->packing, q);
    Made made = list_schedule(problem_, std::move(moves.moves), ServeOrder::pieces, moves.rank);
    made->method = text(*p, q);
    p->time = made->total;
    p->pieces = trees * q;
    return {std::move(p), std::move(made)};
  }

  // Schedules many chunks only in the order that was best for fewer chunks; with effort fast, only in the default
  // order.
  [[nodiscard]] Made with_pieces(Packed& p, std::uint32_t q) const {
    const TreeMoves moves = moves_of(problem_, p.packing, q);
    constexpr std::size_t many = 30'000;
    const bool only_best = fast() || (moves.moves.moves.size() > many && choice_.effort != SynthesisEffort::best);
    Made made = best_of_orders(problem_, moves,
                               {.split = q, .seed = choice_.seed, .draws = 2, .only_that_one = only_best}, p.order);
    made->method = text(p, q);
    return made;
  }

  static std::string text(const Packed& p, std::uint32_t q) {
    return p.name + " p=" + std::to_string(p.packing.of_root) + " q=" + std::to_string(q);
  }

  const SynthesisProblem& problem_;
  const SynthesisChoice& choice_;
  const PieceLimits limits_;
  Picoseconds lower_;
  Picoseconds slots_ = 0;  // the bound for unsplit shards
  double share_;
  std::vector<Device> roots_;
  BestCandidates best_;
  bool alike_ = false;             // symmetric trees were made
  std::optional<Packed> fullest_;  // the split packing that uses the links best
  std::atomic<bool> any_ = false;
};

// Returns the share of a shard that a link of bandwidth 1 carries within the bandwidth bound.
double share_of(const Bounds& bounds) {
  const Bound* const bound = bounds.find(BoundKind::bandwidth);
  if (bound == nullptr || bound->crossings.empty() || bound->crossings[0].bandwidth == 0) return 1;
  const Crossing& c = bound->crossings[0];
  return static_cast<double>(c.parts) / static_cast<double>(c.bandwidth);
}

}  // namespace

BestCandidates make_gathers(const SynthesisProblem& problem, const SynthesisChoice& choice, const Bounds& bounds) {
  return GatherMakers(problem, choice, bounds, share_of(bounds)).run();
}

}  // namespace convert
