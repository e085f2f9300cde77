// SPDX-License-Identifier: MIT
#include "synthesis/portfolio.h"

#include <algorithm>
#include <utility>

#include "core/units.h"
#include "synthesis/greedy.h"
#include "synthesis/improve.h"
#include "synthesis/list_schedule.h"
#include "synthesis/mirror.h"
#include "synthesis/narrowed.h"
#include "synthesis/portfolio/candidates.h"
#include "synthesis/portfolio/exchanges.h"
#include "synthesis/portfolio/gathers.h"
#include "synthesis/portfolio/paired.h"
#include "util/parallel.h"

namespace convert {
namespace {

bool fits(SynthesisMethod method, Collective c) {
  const bool from_all =
      c == Collective::all_gather || c == Collective::reduce_scatter || c == Collective::all_reduce;
  switch (method) {
    case SynthesisMethod::greedy: return from_all;
    case SynthesisMethod::trees:
    case SynthesisMethod::exact:
    case SynthesisMethod::latency: return from_all || c == Collective::broadcast || c == Collective::reduce;
    case SynthesisMethod::paired: return c == Collective::all_reduce;
    case SynthesisMethod::builders: return true;
    case SynthesisMethod::paths:
      return c == Collective::all_to_all || c == Collective::scatter || c == Collective::gather;
  }
  return false;
}

void check(const SynthesisProblem& problem, const SynthesisChoice& choice) {
  const std::uint64_t roots = has_root(problem.collective) ? 1 : problem.size();
  const std::uint64_t pieces = choice.pieces.value_or(1);
  const std::uint64_t moves =
      roots * (problem.size() - 1) * pieces * (problem.collective == Collective::all_reduce ? 2 : 1);
  if (moves > most_synthesized_moves) {
    constexpr std::uint64_t bytes_each = 40;
    throw input_error({.file = problem.source}, std::to_string(moves) + " messages, " +
                                                    format_bytes(static_cast<std::int64_t>(moves * bytes_each)) +
                                                    " of memory, exceed the limit of " +
                                                    std::to_string(most_synthesized_moves) +
                                                    (choice.pieces ? "; choose fewer --chunks" : ""));
  }
  if (choice.pieces && *choice.pieces > problem.shard_bytes)
    throw usage_error("--chunks " + std::to_string(*choice.pieces) + ": exceeds the " +
                      format_bytes(problem.shard_bytes) + " of a shard");
  for (const SynthesisMethod m : choice.methods) {
    if (!fits(m, problem.collective))
      throw usage_error("method " + std::string(name(m)) + " does not support " +
                        std::string(name(problem.collective)));
    if (m == SynthesisMethod::greedy && !can_match_greedily(opposite_of(problem)))
      throw usage_error("method greedy requires a network without switches in which all NPUs take part; use trees");
  }
}

Error not_made(const SynthesisProblem& problem) {
  const bool copies = problem.collective == Collective::all_gather || problem.collective == Collective::broadcast;
  if (problem.size() == problem.graph.npus || !problem.others_pass_on || copies)
    return usage_error("no method finds an algorithm with this number of chunks; choose other --chunks or methods");
  return input_error(
      {.file = problem.source},
      "NPUs that do not take part would have to forward several partial sums of one chunk, which they cannot keep "
      "apart; let them take part, or use --group-only",
      std::string(parts_of_sums));
}

// Improves the fastest candidates.
void improve(const SynthesisProblem& problem, const SynthesisChoice& choice, Picoseconds lower,
             BestCandidates& all) {
  if (choice.effort == SynthesisEffort::fast || all.least() <= lower || !problem.cuts.empty()) return;
  using Candidate = std::pair<std::uint32_t, TimedMoves>;
  std::vector<Candidate> fastest(all.all().begin(), all.all().end());
  std::ranges::stable_sort(fastest, {}, [](const Candidate& c) { return c.second.total; });
  constexpr std::size_t most = 3;
  if (fastest.size() > most) fastest.resize(most);
  for_each_ordered(
      choice.jobs, fastest.size(),
      [&](std::size_t i) {
        TimedMoves& made = fastest[i].second;
        return is_late(choice) ? std::move(made) : improved(problem, std::move(made));
      },
      [&](std::size_t i, TimedMoves&& made) { all.take(fastest[i].first, std::move(made)); });
}

// Returns the best candidate by the objective, improved; nothing without candidates.
std::optional<TimedMoves> chosen(const SynthesisProblem& problem, const SynthesisChoice& choice, Picoseconds lower,
                                 BestCandidates all) {
  if (all.empty()) return std::nullopt;
  improve(problem, choice, lower, all);
  return *all.best(choice.objective);
}

// Limit of waits. If all NPUs reduce data from all others and send it to all, messages wait for N³ others in total.
constexpr std::uint64_t most_waits = std::uint64_t{1} << 24U;

std::optional<TimedMoves> two_phase(const SynthesisProblem& problem, const SynthesisChoice& choice,
                                    Picoseconds lower) {
  SynthesisProblem gather = problem;
  gather.collective = Collective::all_gather;
  SynthesisProblem scatter = problem;
  scatter.collective = Collective::reduce_scatter;
  const SynthesisProblem turned = opposite_of(scatter);
  const BestCandidates gathers = make_gathers(gather, choice, find_bounds(gather));
  const BestCandidates scatters = make_gathers(turned, choice, find_bounds(turned));
  // Both must have the same chunks.
  struct Both {
    const TimedMoves* gather;
    const TimedMoves* scatter;
    [[nodiscard]] Picoseconds total() const { return gather->total + scatter->total; }
    [[nodiscard]] std::size_t moves() const { return gather->moves.moves.size() + scatter->moves.moves.size(); }
  };
  std::vector<Both> all;
  for (const auto& [pieces, made] : gathers.all()) {
    const auto other = scatters.all().find(pieces);
    if (other == scatters.all().end() || joined_waits(other->second.moves, made.moves) > most_waits) continue;
    all.push_back({&made, &other->second});
  }
  if (all.empty()) return std::nullopt;
  std::ranges::stable_sort(all, {}, &Both::total);
  if (choice.objective == SynthesisObjective::transfers) {
    const Picoseconds most = tolerated_time(choice.objective, all.front().total());
    std::erase_if(all, [&](const Both& b) { return b.total() > most; });
    std::ranges::stable_sort(all, {}, &Both::moves);
  }
  // An NPU begins the second phase as soon as it can, so the total is less than the sum of both phases.
  constexpr std::size_t most_joined = 4;
  BestCandidates best;
  for (std::size_t i = 0; i < std::min(all.size(), most_joined) && best.least() > lower; ++i) {
    TimedMoves made = joined(problem, mirrored(scatter, *all[i].scatter), *all[i].gather);
    const auto pieces = static_cast<std::uint32_t>(made.moves.pieces.size());
    best.take(pieces, std::move(made));
  }
  return chosen(problem, choice, lower, std::move(best));
}

// Returns the gain below which pairs of trees, which take long to find, are not tried.
Picoseconds gap_for_pairs(const SynthesisProblem& problem, const SynthesisChoice& choice, Picoseconds lower) {
  const Picoseconds gap = tolerated_gap(problem, choice, lower);
  switch (choice.effort) {
    case SynthesisEffort::fast: return lower / 10;
    case SynthesisEffort::normal: return std::max(gap, lower / 500);
    case SynthesisEffort::best: break;
  }
  return gap;
}

std::optional<TimedMoves> all_reduce(const SynthesisProblem& problem, const SynthesisChoice& choice,
                                     const Bounds& bounds) {
  const bool only_paired = choice.methods.size() == 1 && choice.methods[0] == SynthesisMethod::paired;
  const bool paired = wants(choice, SynthesisMethod::paired) || wants(choice, SynthesisMethod::builders);
  std::optional<TimedMoves> best;
  if (!only_paired) best = two_phase(problem, choice, bounds.lower);
  const Picoseconds enough = bounds.lower + gap_for_pairs(problem, choice, bounds.lower);
  if (!paired || (best && (best->total <= enough || is_late(choice)))) return best;
  std::optional<TimedMoves> pairs =
      chosen(problem, choice, bounds.lower, make_paired(problem, choice, bounds, best ? best->total : INT64_MAX));
  if (pairs && (!best || is_better(choice.objective, *pairs, *best))) best = std::move(pairs);
  if (!best && only_paired)
    throw usage_error("method paired finds no algorithm with this number of chunks; choose other --chunks");
  return best;
}

}  // namespace

std::string_view name(SynthesisMethod method) {
  switch (method) {
    case SynthesisMethod::greedy: return "greedy";
    case SynthesisMethod::trees: return "trees";
    case SynthesisMethod::exact: return "exact";
    case SynthesisMethod::latency: return "latency";
    case SynthesisMethod::paired: return "paired";
    case SynthesisMethod::paths: return "paths";
    case SynthesisMethod::builders: return "builders";
  }
  return "";
}

namespace {

std::optional<TimedMoves> best_of(const SynthesisProblem& problem, const SynthesisChoice& choice,
                                  const Bounds& bounds) {
  switch (problem.collective) {
    case Collective::all_reduce: return all_reduce(problem, choice, bounds);
    case Collective::reduce_scatter:
    case Collective::reduce: {
      const SynthesisProblem turned = opposite_of(problem);
      const Bounds own = find_bounds(turned);
      std::optional<TimedMoves> best = chosen(turned, choice, own.lower, make_gathers(turned, choice, own));
      if (best) best = mirrored(problem, *best);
      return best;
    }
    case Collective::all_to_all:
    case Collective::scatter:
    case Collective::gather: return chosen(problem, choice, bounds.lower, make_exchanges(problem, choice, bounds));
    default: return chosen(problem, choice, bounds.lower, make_gathers(problem, choice, bounds));
  }
}

// Selects a candidate without latencies, then computes its true times: with its own order on each link, or with
// another order that takes less time with latencies and hardly longer without.
std::optional<TimedMoves> best_by_bandwidth(const SynthesisProblem& problem, const SynthesisChoice& choice) {
  SynthesisProblem flat = problem;
  for (LinkGraph::Link& link : flat.graph.links) link.latency_ps = 0;
  const std::optional<TimedMoves> made = best_of(flat, choice, find_bounds(flat));
  if (!made) return std::nullopt;
  const Picoseconds most = made->total + made->total / 1000;
  TimedMoves timed = retimed(problem, *made);
  for (TimedMoves other : {improved(problem, timed), best_schedule(problem, made->moves)}) {
    if (other.total < timed.total && retimed(flat, other).total <= most) timed = std::move(other);
  }
  timed.method = made->method;
  return timed;
}

// Returns the problem without non-participating NPUs, which are a hindrance more often than a help.
std::optional<NarrowedProblem> without_others(const SynthesisProblem& problem, const SynthesisChoice& choice) {
  if (problem.size() == problem.graph.npus || !problem.others_pass_on || choice.effort == SynthesisEffort::fast ||
      !choice.methods.empty())
    return std::nullopt;
  std::vector<std::uint8_t> left_out(problem.graph.devices, 0);
  for (Device d = 0; d < problem.graph.npus; ++d) left_out[d] = problem.takes_part[d] == 0 ? 1 : 0;
  return without_devices(problem, left_out);
}

TimedMoves best_by_objective(const SynthesisProblem& problem, const SynthesisChoice& choice, const Bounds& bounds) {
  const auto best = [&](const SynthesisProblem& p, const Bounds& own) {
    return choice.objective == SynthesisObjective::bandwidth ? best_by_bandwidth(p, choice)
                                                             : best_of(p, choice, own);
  };
  std::optional<TimedMoves> made = best(problem, bounds);
  const std::optional<NarrowedProblem> own =
      made && made->total <= bounds.lower ? std::nullopt : without_others(problem, choice);
  if (own && !(made && is_late(choice))) {
    std::optional<TimedMoves> other = best(own->problem, find_bounds(own->problem));
    if (other) own->widen(other->moves);
    if (other && (!made || is_better(choice.objective, *other, *made))) made = std::move(other);
  }
  if (!made) throw not_made(problem);
  return problem.cuts.empty() ? moved_up(problem, std::move(*made)) : std::move(*made);
}

// Returns whether even small chunks of a shard have many bytes.
bool is_large(const SynthesisProblem& problem) { return problem.shard_bytes >= std::int64_t{8} << 20U; }

}  // namespace

std::uint32_t usual_most_pieces(const SynthesisProblem& problem) {
  constexpr std::uint32_t few = 32;
  return is_large(problem) && problem.size() <= few ? 256 : 64;
}

bool is_better(SynthesisObjective objective, const TimedMoves& a, const TimedMoves& b) {
  if (objective != SynthesisObjective::transfers) return a.total < b.total;
  const Picoseconds most = tolerated_time(objective, std::min(a.total, b.total));
  if (a.total > most || b.total > most) return a.total < b.total;
  return a.moves.moves.size() < b.moves.moves.size();
}

SynthesisResult synthesize(const SynthesisProblem& problem, const SynthesisChoice& wanted) {
  SynthesisChoice choice = wanted;
  if (choice.most_pieces == 0) {
    constexpr std::uint32_t few = 16;
    choice.most_pieces = std::max(usual_most_pieces(problem), choice.pieces.value_or(1));
    if (is_large(problem) && !choice.pieces && !choice.even && problem.size() <= few) choice.far_pieces = 1024;
  }
  check(problem, choice);
  SynthesisResult out{.bounds = find_bounds(problem)};
  if (problem.size() < 2) {
    const Device alone = problem.participants.front();
    out.made.moves.pieces = {{.owner = alone, .other = alone, .bytes = problem.shard_bytes}};
    return out;
  }
  out.made = best_by_objective(problem, choice, out.bounds);
  if (!problem.cuts.empty()) {
    out.other = retimed(problem, best_by_objective(stored(problem), choice, out.bounds));
    if (is_better(choice.objective, *out.other, out.made)) std::swap(out.made, *out.other);
  }
  out.stopped = is_late(choice);
  return out;
}

}  // namespace convert
