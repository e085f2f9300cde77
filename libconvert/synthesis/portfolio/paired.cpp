// SPDX-License-Identifier: MIT
#include "synthesis/portfolio/paired.h"

#include <algorithm>
#include <utility>

#include "synthesis/list_schedule.h"
#include "synthesis/portfolio/candidates.h"
#include "synthesis/portfolio/orders.h"
#include "synthesis/trees/closed_forms.h"
#include "synthesis/trees/pairs.h"
#include "util/parallel.h"

namespace convert {
namespace {

// Makes candidates for all-reduces from pairs of trees.
class PairMakers {
 public:
  PairMakers(const SynthesisProblem& problem, const SynthesisChoice& choice, const Bounds& bounds,
             Picoseconds without)
      : problem_(problem), choice_(choice), without_(without) {
    for (const BoundKind kind : {BoundKind::cut, BoundKind::traffic}) {
      const Bound* const bound = bounds.find(kind);
      if (bound == nullptr || bound->crossings.empty()) continue;
      const Crossing& c = bound->crossings[0];
      share_ = std::max(share_, static_cast<double>(c.parts) / static_cast<double>(c.bandwidth));
    }
    find_centers();
  }

  BestCandidates run() {
    BestCandidates all;
    if (share_ == 0) return all;
    std::vector<Looked> looked;
    if (wants(choice_, SynthesisMethod::paired)) grow(looked);
    take_best(all, looked, fast() ? 1 : slow() ? 2 : 6);
    if (wants(choice_, SynthesisMethod::builders)) lay(looked);
    take_best(all, looked, fast() ? 1 : 2);
    return all;
  }

 private:
  struct PairChoice {
    std::uint32_t pairs;
    bool spread;  // over all centers
    TreeChoice grow;
  };
  struct Looked {
    PairPacking packing;
    std::string name;
    TimedMoves made;
    OrderNumber order = number_of(ServeOrder::pieces);  // the best one
  };

  [[nodiscard]] bool fast() const { return choice_.effort == SynthesisEffort::fast; }
  // Returns whether only the choices that were best in most networks are tried: many NPUs require route searches.
  [[nodiscard]] bool slow() const { return searches_ways(problem_, choice_) && !choice_.pieces; }

  // Takes the best `most` results, and clears the list.
  void take_best(BestCandidates& all, std::vector<Looked>& looked, std::size_t most) const {
    std::ranges::stable_sort(looked, {}, [](const Looked& l) { return l.made.total; });
    for (std::size_t i = 0; i < std::min(most, looked.size()); ++i) take(all, looked[i]);
    looked.clear();
  }

  // First one choice for each number of pairs, then other choices. With many NPUs, other choices are tried only for
  // results that came close to the best, or to the best time without pairs.
  void grow(std::vector<Looked>& looked) const {
    std::vector<PairChoice> choices;
    for (const std::uint32_t pairs : pair_counts()) {
      const bool spreads = centers_.size() >= 2 && pairs >= 2;
      for (const bool spread : {false, true}) {
        if (spread ? spreads : !spreads || !slow())
          choices.push_back({.pairs = pairs, .spread = spread, .grow = {.lambda = 0, .delta = 0.05}});
      }
    }
    look(looked, choices.size(), [&](std::size_t i) { return grown(choices[i]); });
    if (fast()) return;
    std::vector<PairChoice> others;
    for (const PairChoice& c : promising(looked, choices)) {
      for (const double lambda : {0.0, 0.1, 0.5, 1.0}) {
        for (const double delta : {0.05, 0.3}) {
          const bool known = lambda == c.grow.lambda && delta == c.grow.delta;
          if (!known && (delta == 0.3 || !slow()))
            others.push_back({c.pairs, c.spread, {.lambda = lambda, .delta = delta}});
        }
      }
    }
    look(looked, others.size(), [&](std::size_t i) { return grown(others[i]); });
  }
  [[nodiscard]] std::vector<std::uint32_t> pair_counts() const {
    if (fast() && !choice_.pieces) return {16};
    if (slow()) return {16, 64, 256};
    return {1, 2, 4, 8, 16, 32, 64, 128, 256};  // some divide the selected number of chunks
  }
  [[nodiscard]] std::vector<PairChoice> promising(const std::vector<Looked>& looked,
                                                  const std::vector<PairChoice>& all) const {
    const std::uint32_t few =
        problem_.graph.devices > problem_.size() ? 8 : 32;  // routes over other devices take long to find
    if (problem_.size() <= few || choice_.effort == SynthesisEffort::best) return all;
    Picoseconds least = without_;
    for (const Looked& l : looked) least = std::min(least, l.made.total);
    std::vector<PairChoice> out;
    for (const PairChoice& c : all) {
      const auto at = std::ranges::find(looked, text(c), &Looked::name);
      if (at != looked.end() && at->made.total - least <= least / 20) out.push_back(c);
    }
    return out;
  }

  // The first center has the best routes.
  void lay(std::vector<Looked>& looked) const {
    const std::vector<ClosedForm> forms = rooted_closed_forms(problem_.size());
    look(looked, forms.size(), [&](std::size_t i) {
      std::optional<Looked> out;
      std::optional<PairPacking> packing = closed_pairs(problem_, centers_[0], forms[i]);
      if (packing) out = Looked{std::move(*packing), "pairs of " + convert::name(forms[i]), {}};
      return out;
    });
  }

  template <class Make>
  void look(std::vector<Looked>& looked, std::size_t count, const Make& make) const {
    for_each_ordered(
        choice_.jobs, count,
        [&](std::size_t i) { return i > 0 && is_late(choice_) ? std::nullopt : first_look(make(i)); },
        [&](std::size_t, std::optional<Looked>&& l) {
          if (l) looked.push_back(std::move(*l));
        });
  }

  // Centers are the NPUs with the shortest routes to all others.
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

  // Returns the total number of chunks that other methods would use.
  [[nodiscard]] std::uint64_t most_pieces() const {
    return std::min<std::uint64_t>(std::uint64_t{choice_.pieces.value_or(choice_.most_pieces)} * problem_.size(),
                                   static_cast<std::uint64_t>(problem_.bytes));
  }
  [[nodiscard]] bool allows(std::uint64_t pieces) const {
    const std::uint64_t most = choice_.effort == SynthesisEffort::best ? most_synthesized_moves : quick_moves;
    if (choice_.even && problem_.bytes % static_cast<std::int64_t>(pieces) != 0) return false;
    return pieces <= most_pieces() && 2 * std::uint64_t{problem_.size() - 1} * pieces <= most &&
           (!choice_.pieces || pieces == most_pieces());
  }

  [[nodiscard]] std::optional<Looked> grown(const PairChoice& choice) const {
    if (!allows(std::uint64_t{choice.pairs} * first_split(choice.pairs))) return std::nullopt;
    std::vector<Device> roots;
    for (std::uint32_t k = 0; k < choice.pairs; ++k)
      roots.push_back(centers_[choice.spread ? k % centers_.size() : 0]);
    std::optional<PairPacking> packing = pack_pairs(problem_, roots, share_, choice.grow);
    if (!packing) return std::nullopt;
    return Looked{.packing = std::move(*packing), .name = text(choice), .made = {}};
  }

  // Returns the number of chunks into which a pair's data is split in the first evaluation.
  [[nodiscard]] std::uint32_t first_split(std::uint64_t pairs) const {
    constexpr std::uint64_t looked_at = 256;
    std::uint32_t q = 1;
    while (pairs * q < looked_at && pairs * q * 2 <= most_pieces()) q *= 2;
    if (choice_.pieces && most_pieces() % pairs == 0) q = static_cast<std::uint32_t>(most_pieces() / pairs);
    return q;
  }

  [[nodiscard]] std::optional<Looked> first_look(std::optional<Looked>&& l) const {
    if (!l) return std::nullopt;
    const std::uint64_t pairs = l->packing.pairs.size();
    const std::uint32_t q = first_split(pairs);
    if (!allows(pairs * q)) return std::nullopt;
    TreeMoves moves = moves_of(problem_, l->packing, q);
    l->made = list_schedule(problem_, std::move(moves.moves), ServeOrder::pieces, moves.rank);
    l->made.method = l->name + " q=" + std::to_string(q);
    return std::move(l);
  }

  void take(BestCandidates& all, Looked& looked) const {
    const std::uint64_t pairs = looked.packing.pairs.size();
    const auto add = [&](std::uint32_t q, TimedMoves&& made) {
      all.take(static_cast<std::uint32_t>(pairs * q), std::move(made));
    };
    const std::uint32_t first = first_split(pairs);
    Picoseconds least = looked.made.total;
    add(first, std::move(looked.made));
    for (std::uint32_t q = fast() ? 2 * first : 1; pairs * q <= most_pieces(); q *= 2) {
      if (!allows(pairs * q) || is_late(choice_)) continue;
      TimedMoves made = with_pieces(looked, q);
      const bool gains = made.total < least - least / 1000;
      least = std::min(least, made.total);
      add(q, std::move(made));
      if (fast() && !gains) return;
    }
  }
  // If routes take long to find, schedules many chunks only in the order that was best for fewer chunks; with
  // effort fast, only in the default order.
  [[nodiscard]] TimedMoves with_pieces(Looked& looked, std::uint32_t q) const {
    const TreeMoves moves = moves_of(problem_, looked.packing, q);
    constexpr std::size_t many = 100'000;
    const bool only_best = fast() || (slow() && moves.moves.moves.size() > many);
    TimedMoves made = best_of_orders(
        problem_, moves, {.split = q, .seed = choice_.seed, .draws = 3, .only_that_one = only_best}, looked.order);
    made.method = looked.name + " q=" + std::to_string(q);
    return made;
  }

  static std::string text(const PairChoice& c) {
    return "paired trees " + short_number(c.grow.lambda) + "/" + short_number(c.grow.delta) +
           " p=" + std::to_string(c.pairs) + (c.spread ? " spread" : "");
  }

  const SynthesisProblem& problem_;
  const SynthesisChoice& choice_;
  const Picoseconds without_;  // best time without pairs
  double share_ = 0;           // fraction of all data that a link of bandwidth 1 carries within the bound
  std::vector<Device> centers_;
};

}  // namespace

BestCandidates make_paired(const SynthesisProblem& problem, const SynthesisChoice& choice, const Bounds& bounds,
                           Picoseconds without) {
  return PairMakers(problem, choice, bounds, without).run();
}

}  // namespace convert
