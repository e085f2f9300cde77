// SPDX-License-Identifier: MIT
// Synthesizes an algorithm: asks several makers, judges what they make by one model, and takes the fastest.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "synthesis/bounds/bounds.h"
#include "synthesis/moves.h"

namespace convert {

// greedy: match_greedily(). trees: pack_trees(). exact: ExactPacker. latency: trees of the shortest ways by time.
// paired: pack_pairs(). paths: choose_paths(), for all-to-alls, scatters and gathers. builders: closed_trees() and
// closed_pairs(), and of those three the shortest ways.
enum class SynthesisMethod : std::uint8_t { greedy, trees, exact, latency, paired, paths, builders };
[[nodiscard]] std::string_view name(SynthesisMethod method);
inline constexpr SynthesisMethod synthesis_methods[] = {
    SynthesisMethod::greedy, SynthesisMethod::trees, SynthesisMethod::exact,   SynthesisMethod::latency,
    SynthesisMethod::paired, SynthesisMethod::paths, SynthesisMethod::builders};

// How many candidates are made, not how long it may take.
enum class SynthesisEffort : std::uint8_t { fast, normal, best };

// What the best candidate is: the fastest; the fastest where latencies count nothing, for the largest sizes; of
// those that take at most 2 % longer than the fastest the one with the fewest messages.
enum class SynthesisObjective : std::uint8_t { time, bandwidth, transfers };

struct SynthesisChoice {
  std::vector<SynthesisMethod> methods{};  // none: all that the problem admits
  SynthesisEffort effort = SynthesisEffort::normal;
  std::optional<std::uint32_t> pieces{};  // of a participant's part, or of all that a root has; none: as are best
  std::uint32_t most_pieces = 0;          // of a participant's part, a root has that of all; 0: usual_most_pieces()
  std::uint32_t far_pieces = 0;           // so many where they gain a thousandth; 0: no more than most_pieces
  bool even = false;                      // only pieces of equal size, unless a part cannot be split so at all
  std::uint64_t seed = 1;
  unsigned jobs = 1;
  SynthesisObjective objective = SynthesisObjective::time;
  // No candidate is begun after this time once there is one: what is found then depends on the machine.
  std::optional<std::chrono::steady_clock::time_point> until{};
};

// Returns how many pieces of a part are enough: 64, of the large parts of few participants 256.
[[nodiscard]] std::uint32_t usual_most_pieces(const SynthesisProblem& problem);

// The most messages of an algorithm.
inline constexpr std::uint64_t most_synthesized_moves = std::uint64_t{1} << 24U;

struct SynthesisResult {
  Bounds bounds{};
  TimedMoves made{};
  std::optional<TimedMoves> other{};  // where devices cut through: the best of another choice of makers
  bool stopped = false;               // by SynthesisChoice::until
};

// Returns whether `a` is better than `b`.
[[nodiscard]] bool is_better(SynthesisObjective objective, const TimedMoves& a, const TimedMoves& b);

// The rule of errors that refuse a reduction since NPUs which do not take part would have to pass on several parts
// of one sum.
inline constexpr std::string_view parts_of_sums = "relays";

// Returns the best of all candidates, by the objective; of equals the one with fewer messages, then the one made
// first: the same for any `jobs`. Where devices cut through, `made` and `other` are, in the order of their times
// there, the best and what would be best if they did not. Throws Error(usage) if a method does not take the
// problem, Error(input) if there would be more than most_synthesized_moves messages, or of rule parts_of_sums.
[[nodiscard]] SynthesisResult synthesize(const SynthesisProblem& problem, const SynthesisChoice& wanted);

}  // namespace convert
