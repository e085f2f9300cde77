// SPDX-License-Identifier: MIT
// Judges algorithms on a network by replaying them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "config/network/network.h"
#include "core/algorithm/algorithm.h"
#include "core/units.h"
#include "sets/synthesized/library.h"
#include "sets/synthesized/synthesized.h"
#include "simulate/program/program.h"
#include "synthesis/portfolio.h"
#include "synthesis/problem.h"

namespace convert {

struct JudgedBuilder {
  Algorithm algorithm{};
  std::string name{};     // "recursive_doubling, 1 chunk"
  Picoseconds total = 0;  // as in et-replay --model links
};

// Options of judging built algorithms.
struct BuilderJudging {
  Picoseconds limit = 0;                          // only algorithms that take less
  std::function<bool(const Algorithm&)> takes{};  // if given: only algorithms for which it returns true
  std::optional<std::int64_t> largest_call{};     // as in CollectiveRequest
  bool spread = false;  // chunks need not divide the bytes, which are distributed over the chunks
  IssueMode issue = IssueMode::algorithm;  // workload: their NPUs compute one at a time
};

// Returns the fastest built algorithm of the kinds that no schedule expresses: NPUs go on adding to a sum that they
// have sent on, or send many shards in one message. Also considers broadcasts and reduces. The chunks must divide
// the bytes, and their number per shard must be allowed by the choice. Returns nothing if there is no such
// algorithm, if not all NPUs of the network take part, or if an NPU cannot reach another.
[[nodiscard]] std::optional<JudgedBuilder> fastest_builder(const NetworkConfig& network,
                                                           const SynthesisRequest& request,
                                                           const SynthesisProblem& problem,
                                                           const SynthesisChoice& choice,
                                                           const BuilderJudging& judging);

// Returns a function that calls fastest_builder() for a library, whose algorithms are for many sizes.
[[nodiscard]] FasterBuilder faster_builder(IssueMode issue);

// Returns the time of an algorithm with chunks of one size for `bytes`, a multiple of its chunks; nothing if it
// does not complete.
using AlgorithmTimer = std::function<std::optional<Picoseconds>(const Algorithm&, std::int64_t bytes)>;
// Returns a timer that replays algorithms in the model of a request; both arguments are copied.
[[nodiscard]] AlgorithmTimer timer_by_replay(const NetworkConfig& network, const SynthesisRequest& request);

// Returns the time of an algorithm on a machine, in the model of machines; nothing if it does not complete.
// `bytes`: size of the collective, unless the algorithm has its own sizes.
[[nodiscard]] std::optional<Picoseconds> time_on_machine(const NetworkConfig& network, const Algorithm& algorithm,
                                                         std::optional<std::int64_t> bytes);

// Returns a judge that replays algorithms in the model of a request; both arguments are copied. The judge throws
// Error if an algorithm does not complete.
[[nodiscard]] AlgorithmJudge judge_by_replay(const NetworkConfig& network, const SynthesisRequest& request);

}  // namespace convert
