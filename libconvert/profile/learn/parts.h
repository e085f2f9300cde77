// SPDX-License-Identifier: MIT
// Tells what of a rank comes before its iterations, which nodes are of which iteration, and what comes behind them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/trace.h"
#include "passes/iterations/iterations.h"

namespace convert {

// How the iterations of a job are told apart; the same for all its ranks.
struct IterationRule {
  enum class By : std::uint8_t { marks, period, nothing };
  By by = By::nothing;
  std::size_t iterations = 0;  // by period: how many
};
// Returns the rule that the first rank of a job suggests. `told`: how many iterations the job is known to have; 0:
// not known. Throws Error(input) if the dependencies have a cycle.
[[nodiscard]] IterationRule iteration_rule(const Trace& first, std::size_t told);

struct RankParts {
  std::vector<std::uint32_t>
      order;                        // nodes, parents before children, of those that are ready the first in the file
  std::vector<std::uint32_t> part;  // by node: 0 prologue, 1 … n iterations, n + 1 epilogue
  std::uint32_t iterations = 1;     // n
  CallPeriod period{};              // by which they were told apart, if so
};
// Returns the parts of a rank; all is one iteration if the rule finds none. Throws as above.
[[nodiscard]] RankParts parts_of(const Trace& trace, const IterationRule& rule);
// Returns them once more; `period`: what was found then, which takes longest.
[[nodiscard]] RankParts parts_again(const Trace& trace, const IterationRule& rule, const CallPeriod& period);

}  // namespace convert
