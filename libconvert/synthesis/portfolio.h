// SPDX-License-Identifier: MIT
// Synthesizes an algorithm: runs several methods, evaluates their candidates by one model, and selects the fastest.
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

// greedy: match_greedily(). trees: pack_trees(). exact: ExactPacker. latency: trees of the shortest routes by time.
// paired: pack_pairs(). paths: choose_paths(), for all-to-alls, scatters and gathers. builders: closed_trees() and
// closed_pairs(); for all-to-alls, scatters and gathers the shortest routes.
enum class SynthesisMethod : std::uint8_t { greedy, trees, exact, latency, paired, paths, builders };
[[nodiscard]] std::string_view name(SynthesisMethod method);
inline constexpr SynthesisMethod synthesis_methods[] = {
    SynthesisMethod::greedy, SynthesisMethod::trees, SynthesisMethod::exact,   SynthesisMethod::latency,
    SynthesisMethod::paired, SynthesisMethod::paths, SynthesisMethod::builders};

// Determines the number of candidates, not the time.
enum class SynthesisEffort : std::uint8_t { fast, normal, best };

// Criterion for the best candidate. time: the fastest. bandwidth: the fastest without latencies, for the largest
// sizes. transfers: the one with the fewest messages among those at most 2 % slower than the fastest.
enum class SynthesisObjective : std::uint8_t { time, bandwidth, transfers };

struct SynthesisChoice {
  std::vector<SynthesisMethod> methods{};  // empty: all that the problem admits
  SynthesisEffort effort = SynthesisEffort::normal;
  std::optional<std::uint32_t> pieces{};  // chunks of a participant's shard, or of all data of a root; nothing: the
                                          // best number
  std::uint32_t most_pieces = 0;          // maximum for a participant's shard, and per shard for a root; 0:
                                          // usual_most_pieces()
  std::uint32_t far_pieces = 0;           // larger maximum, used if it gains a thousandth; 0: no more than
                                          // most_pieces
  bool even = false;                      // only chunks of equal size, unless a shard cannot be split evenly at all
  std::uint64_t seed = 1;
  unsigned jobs = 1;
  SynthesisObjective objective = SynthesisObjective::time;
  // No candidate is begun after this time if there is one already. The result then depends on the speed of the
  // machine.
  std::optional<std::chrono::steady_clock::time_point> until{};
};

// Returns a sufficient number of chunks per shard: 64, or 256 for large shards of few participants.
[[nodiscard]] std::uint32_t usual_most_pieces(const SynthesisProblem& problem);

// Maximum number of messages of an algorithm.
inline constexpr std::uint64_t most_synthesized_moves = std::uint64_t{1} << 24U;

struct SynthesisResult {
  Bounds bounds{};
  TimedMoves made{};
  std::optional<TimedMoves> other{};  // with cut-through devices: the best of another set of methods
  bool stopped = false;               // by SynthesisChoice::until
};

// Returns whether `a` is better than `b`.
[[nodiscard]] bool is_better(SynthesisObjective objective, const TimedMoves& a, const TimedMoves& b);

// Rule of errors that reject a reduction because non-participants would have to forward several partial sums of one
// chunk.
inline constexpr std::string_view parts_of_sums = "relays";

// Returns the best candidate by the objective; among equals the one with fewer messages, then the first one. The
// result is the same for any `jobs`. With cut-through devices, `made` and `other` are the best candidate and the
// one that would be best with store-and-forward devices, in the order of their times with cut-through. Throws
// Error(usage) if a method does not accept the problem. Throws Error(input) if there would be more than
// most_synthesized_moves messages, or with rule parts_of_sums.
[[nodiscard]] SynthesisResult synthesize(const SynthesisProblem& problem, const SynthesisChoice& wanted);

}  // namespace convert
