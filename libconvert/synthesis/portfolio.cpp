// SPDX-License-Identifier: MIT
#include "synthesis/portfolio.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "synthesis/greedy.h"
#include "synthesis/list_schedule.h"
#include "synthesis/mirror.h"
#include "synthesis/trees/packing.h"
#include "synthesis/trees/pairs.h"
#include "util/parallel.h"

namespace convert {
namespace {

using Made = std::optional<TimedMoves>;

std::string short_number(double value) {
  std::string text = std::to_string(value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

// The best of what has been made, by the number of pieces.
class Best {
 public:
  void take(std::uint32_t pieces, Made&& made) {
    if (!made) return;
    const auto [at, added] = by_pieces_.try_emplace(pieces);
    if (added || better(*made, at->second)) at->second = std::move(*made);
  }
  [[nodiscard]] const TimedMoves* best() const {
    const TimedMoves* best = nullptr;
    for (const auto& [pieces, made] : by_pieces_) {
      if (best == nullptr || better(made, *best)) best = &made;
    }
    return best;
  }
  [[nodiscard]] const std::map<std::uint32_t, TimedMoves>& all() const { return by_pieces_; }

 private:
  static bool better(const TimedMoves& a, const TimedMoves& b) {
    return a.total != b.total ? a.total < b.total : a.moves.moves.size() < b.moves.moves.size();
  }
  std::map<std::uint32_t, TimedMoves> by_pieces_;
};

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

  Best run() {
    if (wants(SynthesisMethod::greedy) && can_match_greedily(problem_)) greedy();
    if (at_bound()) return std::move(best_);
    if (wants(SynthesisMethod::latency)) latency();
    if (wants(SynthesisMethod::trees)) trees();
    return std::move(best_);
  }

 private:
  [[nodiscard]] bool wants(SynthesisMethod m) const {
    return choice_.methods.empty() || std::ranges::find(choice_.methods, m) != choice_.methods.end();
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
    constexpr std::uint64_t quick = 300'000;
    const std::uint64_t least = moves_of_pieces(choice_.pieces.value_or(1));
    return choice_.effort == SynthesisEffort::best ? most_synthesized_moves : std::max(least, quick);
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
    const std::uint64_t seeds = choice_.effort == SynthesisEffort::fast ? 1 : problem_.size() <= few ? 4 : 1;
    for (std::uint64_t s = 0; s < seeds && !at_bound(); ++s) {
      std::vector<Maker> makers;
      for (const std::uint32_t k : piece_counts({1, 2, 4, 8})) {
        for (const double target : targets) {
          const GreedyChoice choice{.pieces = k,
                                    .deadline = static_cast<Picoseconds>(target * static_cast<double>(lower_)),
                                    .seed = choice_.seed + s};
          makers.push_back([this, choice] { return std::pair(choice.pieces, greedy(choice)); });
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
      makers.push_back([this, q] {
        const std::int64_t bytes = std::max<std::int64_t>(1, problem_.shard_bytes / q);
        const TreePacking packing =
            pack_trees(problem_, roots_, share_, {.trees = 1, .lambda = 1, .delta = 0, .by_time = bytes});
        TreeMoves moves = moves_of(problem_, packing, q);
        Made made = best_schedule(problem_, moves.moves, moves.rank);
        made->method = "shortest ways, " + counted(q, "piece");
        return std::pair(q, std::move(made));
      });
    }
    make(makers);
  }

  struct Packed {
    TreePacking packing;
    TreeChoice choice;
    Picoseconds time = 0;
  };

  // First each packing with some pieces, then the best of them with others.
  void trees() {
    std::vector<Packed> packed;
    const std::vector<TreeChoice> choices = tree_choices();
    for_each_ordered(
        choice_.jobs, choices.size(), [&](std::size_t i) { return first_look(choices[i]); },
        [&](std::size_t, std::pair<Packed, Made>&& p) {
          if (p.second) {
            const std::uint32_t pieces = piece_count(*p.second);
            best_.take(pieces, std::move(p.second));
          }
          packed.push_back(std::move(p.first));
        });
    std::ranges::stable_sort(packed, {}, &Packed::time);
    const std::size_t kept = choice_.effort == SynthesisEffort::fast ? 0 : 6;
    if (packed.size() > kept) packed.resize(kept);
    std::vector<Maker> makers;
    for (const Packed& p : packed) {
      for (std::uint32_t q = 1; q <= most_pieces(); q *= 2) {
        const std::uint32_t pieces = p.choice.trees * q;
        if (!allows(pieces)) continue;
        makers.push_back([this, &p, q, pieces] { return std::pair(pieces, with_pieces(p, q)); });
      }
    }
    make(makers);
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

  [[nodiscard]] std::pair<Packed, Made> first_look(const TreeChoice& choice) const {
    Packed p{.packing = pack_trees(problem_, roots_, share_, choice), .choice = choice};
    std::uint32_t q = choice_.pieces ? *choice_.pieces / choice.trees : 1;
    constexpr std::uint64_t usual = 16;
    const std::uint64_t looked_at = usual * (problem_.size() / roots_.size());
    while (!choice_.pieces && choice.trees * q < looked_at && allows(std::uint64_t{choice.trees} * q * 2)) q *= 2;
    TreeMoves moves = moves_of(problem_, p.packing, q);
    Made made = list_schedule(problem_, std::move(moves.moves), ServeOrder::pieces, moves.rank);
    made->method = text(choice, q);
    p.time = made->total;
    return {std::move(p), std::move(made)};
  }

  [[nodiscard]] Made with_pieces(const Packed& p, std::uint32_t q) const {
    const TreeMoves moves = moves_of(problem_, p.packing, q);
    Made made = best_schedule(problem_, moves.moves, moves.rank);
    made->method = text(p.choice, q);
    return made;
  }

  static std::string text(const TreeChoice& c, std::uint32_t q) {
    return "trees " + short_number(c.lambda) + "/" + short_number(c.delta) + " p=" + std::to_string(c.trees) +
           " q=" + std::to_string(q);
  }

  const SynthesisProblem& problem_;
  const SynthesisChoice& choice_;
  Picoseconds lower_;
  double share_;
  std::vector<Device> roots_;
  Best best_;
};

// Returns the share of a part that a link of bandwidth 1 carries while the bound of bandwidth lasts.
double share_of(const Bounds& bounds) {
  const Bound* const bound = bounds.find(BoundKind::bandwidth);
  if (bound == nullptr || bound->crossings.empty() || bound->crossings[0].bandwidth == 0) return 1;
  const Crossing& c = bound->crossings[0];
  return static_cast<double>(c.parts) / static_cast<double>(c.bandwidth);
}

Best make_gather(const SynthesisProblem& problem, const SynthesisChoice& choice, const Bounds& bounds) {
  return GatherMakers(problem, choice, bounds.lower, share_of(bounds)).run();
}

void check(const SynthesisProblem& problem, const SynthesisChoice& choice) {
  const std::uint64_t roots = has_root(problem.collective) ? 1 : problem.size();
  const std::uint64_t pieces = choice.pieces.value_or(1);
  const std::uint64_t moves =
      roots * (problem.size() - 1) * pieces * (problem.collective == Collective::all_reduce ? 2 : 1);
  if (moves > most_synthesized_moves) {
    constexpr std::uint64_t bytes_each = 40;
    throw input_error({.file = problem.source},
                      std::to_string(moves) + " messages, " +
                          format_bytes(static_cast<std::int64_t>(moves * bytes_each)) +
                          " of them, are too many; at most " + std::to_string(most_synthesized_moves) +
                          (choice.pieces ? " are made: choose fewer --chunks" : " are made"));
  }
  const bool only_greedy = choice.methods.size() == 1 && choice.methods[0] == SynthesisMethod::greedy;
  SynthesisProblem gather = opposite_of(problem);
  if (only_greedy && (has_root(problem.collective) || !can_match_greedily(gather)))
    throw usage_error(
        "method greedy takes networks without switches in which all NPUs take part, and no root; take trees");
}

TimedMoves two_phase(const SynthesisProblem& problem, const SynthesisChoice& choice) {
  SynthesisProblem gather = problem;
  gather.collective = Collective::all_gather;
  SynthesisProblem scatter = problem;
  scatter.collective = Collective::reduce_scatter;
  const SynthesisProblem turned = opposite_of(scatter);
  const Best gathers = make_gather(gather, choice, find_bounds(gather));
  const Best scatters = make_gather(turned, choice, find_bounds(turned));
  // Both must have the same pieces.
  const TimedMoves* best_gather = nullptr;
  const TimedMoves* best_scatter = nullptr;
  for (const auto& [pieces, made] : gathers.all()) {
    const auto other = scatters.all().find(pieces);
    if (other == scatters.all().end()) continue;
    if (best_gather != nullptr && made.total + other->second.total >= best_gather->total + best_scatter->total)
      continue;
    best_gather = &made;
    best_scatter = &other->second;
  }
  return joined(problem, mirrored(scatter, *best_scatter), *best_gather);
}

// Makes all-reduces of pairs of trees.
class PairMakers {
 public:
  PairMakers(const SynthesisProblem& problem, const SynthesisChoice& choice, const Bounds& bounds)
      : problem_(problem), choice_(choice) {
    for (const BoundKind kind : {BoundKind::cut, BoundKind::traffic}) {
      const Bound* const bound = bounds.find(kind);
      if (bound == nullptr || bound->crossings.empty()) continue;
      const Crossing& c = bound->crossings[0];
      share_ = std::max(share_, static_cast<double>(c.parts) / static_cast<double>(c.bandwidth));
    }
    find_centers();
  }

  Made run() {
    if (share_ == 0) return std::nullopt;
    std::vector<PairChoice> choices;
    for (std::uint32_t pairs = 1; pairs <= most_pairs; pairs *= 2) {
      if (choice_.effort == SynthesisEffort::fast && pairs != usual_pairs) continue;
      for (const bool spread : {false, true}) {
        if (spread && (centers_.size() < 2 || pairs < 2)) continue;
        for (const double lambda : {0.0, 0.1, 0.5, 1.0}) {
          for (const double delta : {0.05, 0.3})
            choices.push_back({pairs, spread, {.lambda = lambda, .delta = delta}});
        }
      }
    }
    std::vector<Looked> looked;
    for_each_ordered(
        choice_.jobs, choices.size(), [&](std::size_t i) { return first_look(choices[i]); },
        [&](std::size_t, std::optional<Looked>&& l) {
          if (l) looked.push_back(std::move(*l));
        });
    std::ranges::stable_sort(looked, {}, [](const Looked& l) { return l.made.total; });
    Made best;
    constexpr std::size_t kept = 6;
    for (std::size_t i = 0; i < std::min(kept, looked.size()); ++i) take(best, looked[i]);
    return best;
  }

 private:
  static constexpr std::uint32_t most_pairs = 256;
  static constexpr std::uint32_t usual_pairs = 16;
  struct PairChoice {
    std::uint32_t pairs;
    bool spread;  // over all centers
    TreeChoice grow;
  };
  struct Looked {
    PairPacking packing;
    PairChoice choice;
    TimedMoves made;
  };

  // From the NPUs in the middle the way to all others is the shortest.
  void find_centers() {
    Picoseconds least = unreached_ps;
    for (const Device d : problem_.participants) {
      const std::vector<Picoseconds> latency = latencies_from(problem_.graph, d);
      Picoseconds most = 0;
      for (const Device other : problem_.participants) most = std::max(most, latency[other]);
      if (most < least) centers_.clear();
      least = std::min(least, most);
      if (most == least) centers_.push_back(d);
    }
  }

  // As many pieces as other makers would use in all.
  [[nodiscard]] std::uint64_t most_pieces() const {
    return std::min<std::uint64_t>(std::uint64_t{choice_.pieces.value_or(choice_.most_pieces)} * problem_.size(),
                                   static_cast<std::uint64_t>(problem_.bytes));
  }
  [[nodiscard]] bool allows(std::uint64_t pieces) const {
    constexpr std::uint64_t quick = 300'000;
    const std::uint64_t most = choice_.effort == SynthesisEffort::best ? most_synthesized_moves : quick;
    return pieces <= most_pieces() && 2 * (problem_.size() - 1) * pieces <= most &&
           (!choice_.pieces || pieces == most_pieces());
  }

  [[nodiscard]] std::optional<Looked> first_look(const PairChoice& choice) const {
    constexpr std::uint64_t looked_at = 256;
    std::uint32_t q = 1;
    while (std::uint64_t{choice.pairs} * q < looked_at && std::uint64_t{choice.pairs} * q * 2 <= most_pieces())
      q *= 2;
    if (choice_.pieces && most_pieces() % choice.pairs == 0)
      q = static_cast<std::uint32_t>(most_pieces() / choice.pairs);
    if (!allows(std::uint64_t{choice.pairs} * q)) return std::nullopt;
    std::vector<Device> roots;
    for (std::uint32_t k = 0; k < choice.pairs; ++k)
      roots.push_back(centers_[choice.spread ? k % centers_.size() : 0]);
    Looked out{.packing = pack_pairs(problem_, roots, share_, choice.grow), .choice = choice, .made = {}};
    TreeMoves moves = moves_of(problem_, out.packing, q);
    out.made = list_schedule(problem_, std::move(moves.moves), ServeOrder::pieces, moves.rank);
    out.made.method = text(choice, q);
    return out;
  }

  void take(Made& best, Looked& looked) const {
    const auto better = [&](const TimedMoves& made) { return !best || made.total < best->total; };
    if (better(looked.made)) best = std::move(looked.made);
    for (std::uint32_t q = 1; std::uint64_t{looked.choice.pairs} * q <= most_pieces(); q *= 2) {
      if (!allows(std::uint64_t{looked.choice.pairs} * q)) continue;
      const TreeMoves moves = moves_of(problem_, looked.packing, q);
      TimedMoves made = best_schedule(problem_, moves.moves, moves.rank);
      made.method = text(looked.choice, q);
      if (better(made)) best = std::move(made);
    }
  }

  static std::string text(const PairChoice& c, std::uint32_t q) {
    return "paired trees " + short_number(c.grow.lambda) + "/" + short_number(c.grow.delta) +
           " p=" + std::to_string(c.pairs) + " q=" + std::to_string(q);
  }

  const SynthesisProblem& problem_;
  const SynthesisChoice& choice_;
  double share_ = 0;  // of all data that a link of bandwidth 1 carries while the bound lasts
  std::vector<Device> centers_;
};

TimedMoves all_reduce(const SynthesisProblem& problem, const SynthesisChoice& choice, const Bounds& bounds) {
  const bool only_paired = choice.methods.size() == 1 && choice.methods[0] == SynthesisMethod::paired;
  const bool paired =
      choice.methods.empty() || std::ranges::find(choice.methods, SynthesisMethod::paired) != choice.methods.end();
  Made best;
  if (!only_paired) best = two_phase(problem, choice);
  if (!paired || (best && best->total <= bounds.lower)) return std::move(*best);
  Made pairs = PairMakers(problem, choice, bounds).run();
  if (pairs && (!best || pairs->total < best->total)) best = std::move(pairs);
  if (!best) throw usage_error("method paired finds no pieces of that number; choose other --chunks");
  return std::move(*best);
}

}  // namespace

std::string_view name(SynthesisMethod method) {
  switch (method) {
    case SynthesisMethod::greedy: return "greedy";
    case SynthesisMethod::trees: return "trees";
    case SynthesisMethod::latency: return "latency";
    case SynthesisMethod::paired: return "paired";
  }
  return "";
}

bool can_make(Collective c) {
  return c == Collective::all_gather || c == Collective::reduce_scatter || c == Collective::all_reduce ||
         c == Collective::broadcast || c == Collective::reduce;
}

Synthesis synthesize(const SynthesisProblem& problem, const SynthesisChoice& choice) {
  check(problem, choice);
  Synthesis out{.bounds = find_bounds(problem)};
  if (problem.size() < 2) return out;
  switch (problem.collective) {
    case Collective::all_reduce: out.made = all_reduce(problem, choice, out.bounds); break;
    case Collective::reduce_scatter:
    case Collective::reduce: {
      const SynthesisProblem turned = opposite_of(problem);
      out.made = mirrored(problem, *make_gather(turned, choice, find_bounds(turned)).best());
      break;
    }
    default: out.made = *make_gather(problem, choice, out.bounds).best();
  }
  return out;
}

}  // namespace convert
