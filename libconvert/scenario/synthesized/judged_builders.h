// SPDX-License-Identifier: MIT
// Judges algorithms on a network by replaying them there.
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

// Says how built algorithms are to be judged.
struct BuilderJudging {
  Picoseconds limit = 0;                          // only those that take less
  std::function<bool(const Algorithm&)> takes{};  // only those that it returns true for; if given
  std::optional<std::int64_t> largest_call{};     // as CollectiveRequest has it
  bool spread = false;                            // chunks need not divide the bytes, which are spread over them
  IssueMode issue = IssueMode::algorithm;         // workload: their NPUs compute one at a time
};

// Returns the fastest of the algorithms that no schedule expresses: those whose NPUs go on adding to a sum that
// they have sent on, and those that put many parts into one message; and of broadcasts and reduces. Takes only
// those whose chunks divide the bytes, and are as many of a part as the choice allows. Returns nothing if there is
// none, not all NPUs of the network take part, or one of them cannot reach another.
[[nodiscard]] std::optional<JudgedBuilder> fastest_builder(const NetworkConfig& network,
                                                           const SynthesisRequest& request,
                                                           const SynthesisProblem& problem,
                                                           const SynthesisChoice& choice,
                                                           const BuilderJudging& judging);

// Returns what asks fastest_builder() for a library, whose algorithms are for many sizes.
[[nodiscard]] FasterBuilder faster_builder(IssueMode issue);

// Returns the time of an algorithm with chunks of one size for `bytes`, a multiple of its chunks; nothing if it
// does not complete.
using AlgorithmTimer = std::function<std::optional<Picoseconds>(const Algorithm&, std::int64_t bytes)>;
// Returns a timer that replays algorithms in the model of a request; both arguments are copied.
[[nodiscard]] AlgorithmTimer timer_by_replay(const NetworkConfig& network, const SynthesisRequest& request);

// Returns a judge that replays algorithms in the model of a request; both arguments are copied. It throws Error if
// an algorithm does not come to its end.
[[nodiscard]] AlgorithmJudge judge_by_replay(const NetworkConfig& network, const SynthesisRequest& request);

}  // namespace convert
