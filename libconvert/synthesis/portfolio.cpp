// SPDX-License-Identifier: MIT
#include "synthesis/portfolio.h"

#include <algorithm>
#include <utility>

#include "core/units.h"
#include "synthesis/greedy.h"
#include "synthesis/mirror.h"
#include "synthesis/portfolio/gathers.h"
#include "synthesis/portfolio/paired.h"

namespace convert {
namespace {

void check(const SynthesisProblem& problem, const SynthesisChoice& choice) {
  const std::uint64_t roots = has_root(problem.collective) ? 1 : problem.size();
  const std::uint64_t pieces = choice.pieces.value_or(1);
  const std::uint64_t moves =
      roots * (problem.size() - 1) * pieces * (problem.collective == Collective::all_reduce ? 2 : 1);
  if (moves > most_synthesized_moves) {
    constexpr std::uint64_t bytes_each = 40;
    throw input_error({.file = problem.source},
                      std::to_string(moves) + " messages, " +
                          format_bytes(static_cast<std::int64_t>(moves * bytes_each)) +
                          " of them, are too many; at most " + std::to_string(most_synthesized_moves) +
                          (choice.pieces ? " are made: choose fewer --chunks" : " are made"));
  }
  const bool only_greedy = choice.methods.size() == 1 && choice.methods[0] == SynthesisMethod::greedy;
  SynthesisProblem gather = opposite_of(problem);
  if (only_greedy && (has_root(problem.collective) || !can_match_greedily(gather)))
    throw usage_error(
        "method greedy takes networks without switches in which all NPUs take part, and no root; take trees");
}

// Returns what was made; throws Error(usage) if there is nothing.
const TimedMoves& made_by(const TimedMoves* made) {
  if (made == nullptr) throw usage_error("no --method of those makes that with such --chunks; take trees");
  return *made;
}

TimedMoves two_phase(const SynthesisProblem& problem, const SynthesisChoice& choice) {
  SynthesisProblem gather = problem;
  gather.collective = Collective::all_gather;
  SynthesisProblem scatter = problem;
  scatter.collective = Collective::reduce_scatter;
  const SynthesisProblem turned = opposite_of(scatter);
  const BestCandidates gathers = make_gathers(gather, choice, find_bounds(gather));
  const BestCandidates scatters = make_gathers(turned, choice, find_bounds(turned));
  // Both must have the same pieces.
  const TimedMoves* best_gather = nullptr;
  const TimedMoves* best_scatter = nullptr;
  for (const auto& [pieces, made] : gathers.all()) {
    const auto other = scatters.all().find(pieces);
    if (other == scatters.all().end()) continue;
    if (best_gather != nullptr && made.total + other->second.total >= best_gather->total + best_scatter->total)
      continue;
    best_gather = &made;
    best_scatter = &other->second;
  }
  return joined(problem, mirrored(scatter, made_by(best_scatter)), made_by(best_gather));
}

TimedMoves all_reduce(const SynthesisProblem& problem, const SynthesisChoice& choice, const Bounds& bounds) {
  const bool only_paired = choice.methods.size() == 1 && choice.methods[0] == SynthesisMethod::paired;
  const bool paired =
      choice.methods.empty() || std::ranges::find(choice.methods, SynthesisMethod::paired) != choice.methods.end();
  std::optional<TimedMoves> best;
  if (!only_paired) best = two_phase(problem, choice);
  if (!paired || (best && best->total <= bounds.lower)) return std::move(*best);
  std::optional<TimedMoves> pairs = make_paired(problem, choice, bounds);
  if (pairs && (!best || pairs->total < best->total)) best = std::move(pairs);
  if (!best) throw usage_error("method paired finds no pieces of that number; choose other --chunks");
  return std::move(*best);
}

}  // namespace

std::string_view name(SynthesisMethod method) {
  switch (method) {
    case SynthesisMethod::greedy: return "greedy";
    case SynthesisMethod::trees: return "trees";
    case SynthesisMethod::exact: return "exact";
    case SynthesisMethod::latency: return "latency";
    case SynthesisMethod::paired: return "paired";
  }
  return "";
}

bool can_make(Collective c) {
  return c == Collective::all_gather || c == Collective::reduce_scatter || c == Collective::all_reduce ||
         c == Collective::broadcast || c == Collective::reduce;
}

Synthesis synthesize(const SynthesisProblem& problem, const SynthesisChoice& choice) {
  check(problem, choice);
  Synthesis out{.bounds = find_bounds(problem)};
  if (problem.size() < 2) return out;
  switch (problem.collective) {
    case Collective::all_reduce: out.made = all_reduce(problem, choice, out.bounds); break;
    case Collective::reduce_scatter:
    case Collective::reduce: {
      const SynthesisProblem turned = opposite_of(problem);
      out.made = mirrored(problem, made_by(make_gathers(turned, choice, find_bounds(turned)).best()));
      break;
    }
    default: out.made = made_by(make_gathers(problem, choice, out.bounds).best());
  }
  return out;
}

}  // namespace convert
