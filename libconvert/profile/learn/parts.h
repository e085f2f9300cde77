// SPDX-License-Identifier: MIT
// Division of a rank into prologue, iterations and epilogue.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/trace.h"
#include "passes/iterations/iterations.h"

namespace convert {

// Method that finds the iterations of a job, equal for all its ranks.
struct IterationRule {
  enum class By : std::uint8_t { marks, period, nothing };
  By by = By::nothing;
  std::size_t iterations = 0;  // number of iterations, for By::period
};
// Returns the rule for a job, from its first rank. `told`: known number of iterations; 0: unknown. Throws
// Error(input) if the dependencies have a cycle.
[[nodiscard]] IterationRule iteration_rule(const Trace& first, std::size_t told);

struct RankParts {
  std::vector<std::uint32_t> order;  // nodes, parents before children; ready nodes in file order
  std::vector<std::uint32_t> part;   // by node: 0 prologue, 1 … n iterations, n + 1 epilogue
  std::uint32_t iterations = 1;      // n
  CallPeriod period{};               // set if the iterations were found by period
};
// Returns the parts of a rank; the rank is one iteration if the rule finds none. Throws Error(input) if the
// dependencies have a cycle.
[[nodiscard]] RankParts parts_of(const Trace& trace, const IterationRule& rule);
// Returns the parts of a rank again; `period`: earlier result, whose search takes longest.
[[nodiscard]] RankParts parts_again(const Trace& trace, const IterationRule& rule, const CallPeriod& period);

}  // namespace convert
