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

namespace {

RankParts parts_by(const Trace& trace, Iterations&& found, const CallPeriod& period) {
  RankParts out;
  out.period = period;
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

}  // namespace

RankParts parts_of(const Trace& trace, const IterationRule& rule) {
  if (rule.by == IterationRule::By::marks) return parts_by(trace, marked_iterations(trace), {});
  if (rule.by == IterationRule::By::nothing) return parts_by(trace, {}, {});
  CallPeriod period;
  Iterations found = periodic_iterations(trace, period, rule.iterations);
  return parts_by(trace, std::move(found), period);
}

RankParts parts_again(const Trace& trace, const IterationRule& rule, const CallPeriod& period) {
  if (rule.by != IterationRule::By::period) return parts_of(trace, rule);
  return parts_by(trace, iterations_of_period(trace, period), period);
}

}  // namespace convert
