// SPDX-License-Identifier: MIT
#include "profile/learn/parts.h"

#include <utility>

#include "passes/iterations/iterations.h"
#include "passes/iterations/order.h"

namespace convert {

IterationRule iteration_rule(const Trace& first, std::size_t told) {
  if (!marked_iterations(first).numbers.empty()) return {.by = IterationRule::By::marks};
  if (told == 1) return {};
  CallPeriod period;
  const Iterations found = periodic_iterations(first, period, told);
  if (found.numbers.empty()) return {};
  return {.by = IterationRule::By::period, .iterations = period.iterations};
}

RankParts parts_of(const Trace& trace, const IterationRule& rule) {
  Iterations found;
  CallPeriod ignored;
  if (rule.by == IterationRule::By::marks) found = marked_iterations(trace);
  if (rule.by == IterationRule::By::period) found = periodic_iterations(trace, ignored, rule.iterations);
  RankParts out;
  if (found.numbers.empty()) {
    out.order = iteration_order(trace);
    out.part.assign(trace.nodes.nodes.size(), 1);
    return out;
  }
  out.order = std::move(found.order);
  out.iterations = static_cast<std::uint32_t>(found.numbers.size());
  out.part.reserve(found.of.size());
  for (const std::uint32_t i : found.of) {
    out.part.push_back(i == Iterations::prologue ? 0 : i == Iterations::epilogue ? out.iterations + 1 : i + 1);
  }
  return out;
}

}  // namespace convert
