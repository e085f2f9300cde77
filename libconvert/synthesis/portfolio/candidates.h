// SPDX-License-Identifier: MIT
// Shared helpers of the methods that make candidates.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "synthesis/portfolio.h"
#include "util/draw.h"

namespace convert {

// Candidates with more messages take noticeably long. They are made only if there are no smaller ones or with
// effort best.
inline constexpr std::uint64_t quick_moves = 300'000;

// Returns whether a method is selected, or all are.
[[nodiscard]] inline bool wants(const SynthesisChoice& choice, SynthesisMethod method) {
  return choice.methods.empty() || std::ranges::find(choice.methods, method) != choice.methods.end();
}

// Returns a number without trailing zeros: "0.05".
[[nodiscard]] inline std::string short_number(double value) {
  std::string text = std::to_string(value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

// Returns `count` random numbers from 0 to below `most`.
[[nodiscard]] inline std::vector<double> random_order(std::size_t count, double most, std::uint64_t seed) {
  std::vector<double> order;
  Draw draw(seed, 0, 0);
  for (std::size_t i = 0; i < count; ++i) order.push_back(draw.unit() * most);
  return order;
}

// Returns whether no further candidate may begin, if there is one already.
[[nodiscard]] inline bool is_late(const SynthesisChoice& choice) {
  return choice.until && std::chrono::steady_clock::now() >= *choice.until;
}

// Returns whether routes over switches take long to find: with many NPUs, except with effort best.
[[nodiscard]] inline bool searches_ways(const SynthesisProblem& problem, const SynthesisChoice& choice) {
  constexpr std::uint32_t few = 16;
  return problem.size() > few && problem.graph.devices > problem.graph.npus &&
         choice.effort != SynthesisEffort::best;
}
// Returns the gain that is not worth the time of such a search.
[[nodiscard]] inline Picoseconds tolerated_gap(const SynthesisProblem& problem, const SynthesisChoice& choice,
                                               Picoseconds lower) {
  return searches_ways(problem, choice) ? lower / 200 : 0;
}

// Returns the longest time within which fewer messages count more than time.
[[nodiscard]] inline Picoseconds tolerated_time(SynthesisObjective objective, Picoseconds least) {
  constexpr Picoseconds part = 50;
  return objective == SynthesisObjective::transfers ? least + least / part : least;
}

// The best candidate for each number of chunks per shard.
class BestCandidates {
 public:
  void take(std::uint32_t pieces, std::optional<TimedMoves>&& made) {
    if (!made) return;
    const auto [at, added] = by_pieces_.try_emplace(pieces);
    if (!added && !faster(*made, at->second)) return;
    at->second = std::move(*made);
    least_ = std::min(least_, at->second.total);
  }
  [[nodiscard]] bool empty() const { return by_pieces_.empty(); }
  [[nodiscard]] Picoseconds least() const { return least_; }  // INT64_MAX if empty
  // Returns the best candidate by the objective; null if empty.
  [[nodiscard]] const TimedMoves* best(SynthesisObjective objective) const {
    const TimedMoves* best = nullptr;
    for (const auto& [pieces, made] : by_pieces_) {
      if (made.total > tolerated_time(objective, least_)) continue;
      if (best == nullptr || made.moves.moves.size() < best->moves.moves.size()) best = &made;
    }
    return best;
  }
  [[nodiscard]] const std::map<std::uint32_t, TimedMoves>& all() const { return by_pieces_; }

 private:
  static bool faster(const TimedMoves& a, const TimedMoves& b) {
    return a.total != b.total ? a.total < b.total : a.moves.moves.size() < b.moves.moves.size();
  }
  std::map<std::uint32_t, TimedMoves> by_pieces_;
  Picoseconds least_ = INT64_MAX;
};

}  // namespace convert
