// SPDX-License-Identifier: MIT
#include "synthesis/mirror.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "synthesis/list_schedule.h"

namespace convert {
namespace {

// Returns moves in the order `order`, which lists move numbers with parents before their children.
Moves rearranged(const Moves& from, std::span<const std::uint32_t> order) {
  Moves to{.pieces = from.pieces};
  std::vector<std::uint32_t> place(order.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) place[order[i]] = i;
  for (const std::uint32_t i : order) {
    Move m = from.moves[i];
    const auto way = from.way_of(m);
    const auto parents = from.parents_of(m);
    m.way.begin = static_cast<std::uint32_t>(to.links.size());
    m.parents.begin = static_cast<std::uint32_t>(to.parents.size());
    to.links.insert(to.links.end(), way.begin(), way.end());
    for (const std::uint32_t p : parents) to.parents.push_back(place[p]);
    to.moves.push_back(m);
  }
  return to;
}

// Returns the moves in the order of their times, timed again. With cut-through devices, times of reversed moves are
// invalid: data that arrives first from a slow link at a fast one is last in reverse.
TimedMoves with_order_of(const SynthesisProblem& problem, TimedMoves made) {
  TimedMoves timed = list_schedule(problem, std::move(made.moves), made.starts);
  timed.method = std::move(made.method);
  return timed;
}

}  // namespace

SynthesisProblem opposite_of(const SynthesisProblem& problem) {
  SynthesisProblem out = problem;
  out.graph = reversed(problem.graph);
  out.turned = problem.collective != Collective::gather;
  switch (problem.collective) {
    case Collective::reduce: out.collective = Collective::broadcast; break;
    case Collective::gather: out.collective = Collective::scatter; break;
    default: out.collective = Collective::all_gather;
  }
  return out;
}

Backwards backwards(const Moves& from) {
  Backwards out;
  out.moves.pieces = from.pieces;
  const auto count = static_cast<std::uint32_t>(from.moves.size());
  std::vector<std::vector<std::uint32_t>> children(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    for (const std::uint32_t p : from.parents_of(from.moves[i])) children[p].push_back(i);
  }
  for (std::uint32_t i = count; i-- > 0;) {
    const Move& m = from.moves[i];
    Move t{.piece = m.piece, .from = m.to, .to = m.from, .op = m.op};
    t.way = {static_cast<std::uint32_t>(out.moves.links.size()), m.way.count};
    for (std::uint32_t h = m.way.begin + m.way.count; h-- > m.way.begin;) {
      out.moves.links.push_back(from.links[h]);
      out.forwards.push_back(h);
    }
    t.parents = {static_cast<std::uint32_t>(out.moves.parents.size()),
                 static_cast<std::uint32_t>(children[i].size())};
    for (const std::uint32_t child : children[i]) out.moves.parents.push_back(count - 1 - child);
    out.moves.moves.push_back(t);
  }
  return out;
}

TimedMoves mirrored(const SynthesisProblem& problem, const TimedMoves& made) {
  const bool reduces = problem.collective != Collective::gather;
  Backwards back = backwards(made.moves);
  for (Piece& p : back.moves.pieces) {
    if (!reduces) std::swap(p.owner, p.other);
  }
  TimedMoves out{.moves = {}, .starts = {}, .turns = {}, .total = made.total, .method = made.method};
  for (Move& m : back.moves.moves) {
    m.op = reduces ? Schedule::Op::reduce : Schedule::Op::copy;
    const std::int64_t bytes = back.moves.pieces[m.piece].bytes;
    for (std::uint32_t h = m.way.begin; h < m.way.begin + m.way.count; ++h) {
      const Picoseconds arrival = hop_time(problem, back.moves.links[h], bytes).arrival;
      out.starts.push_back(made.total - (made.starts[back.forwards[h]] + arrival));
    }
  }
  out.moves = std::move(back.moves);
  return problem.cuts.empty() ? out : with_order_of(problem, std::move(out));
}

Moves joined_moves(const Moves& scattered, const Moves& gathered) {
  Moves m = scattered;
  const auto first = static_cast<std::uint32_t>(m.moves.size());
  const auto first_link = static_cast<std::uint32_t>(m.links.size());
  std::vector<std::vector<std::uint32_t>> sums(m.pieces.size());  // moves that complete a chunk at its owner
  for (std::uint32_t i = 0; i < first; ++i) {
    if (m.moves[i].to == m.pieces[m.moves[i].piece].owner) sums[m.moves[i].piece].push_back(i);
  }
  for (Move move : gathered.moves) {
    const auto parents = gathered.parents_of(move);
    move.way.begin += first_link;
    const auto begin = static_cast<std::uint32_t>(m.parents.size());
    for (const std::uint32_t p : parents) m.parents.push_back(first + p);
    if (parents.empty()) m.parents.insert(m.parents.end(), sums[move.piece].begin(), sums[move.piece].end());
    move.parents = {begin, static_cast<std::uint32_t>(m.parents.size()) - begin};
    m.moves.push_back(move);
  }
  m.links.insert(m.links.end(), gathered.links.begin(), gathered.links.end());
  return m;
}

std::uint64_t joined_waits(const Moves& turned, const Moves& gathered) {
  std::vector<std::uint64_t> parts(turned.pieces.size(), 0);  // number of contributions to a chunk's sum at its
                                                              // owner
  for (const Move& m : turned.moves) parts[m.piece] += m.parents.count == 0 ? 1 : 0;
  std::uint64_t waits = 0;
  for (const Move& m : gathered.moves) waits += m.parents.count == 0 ? parts[m.piece] : m.parents.count;
  return waits;
}

TimedMoves joined(const SynthesisProblem& problem, const TimedMoves& scattered, const TimedMoves& gathered) {
  TimedMoves out{.moves = joined_moves(scattered.moves, gathered.moves),
                 .starts = scattered.starts,
                 .turns = {},
                 .total = scattered.total + gathered.total,
                 .method = gathered.method};
  const Moves& m = out.moves;
  for (const Picoseconds start : gathered.starts) out.starts.push_back(scattered.total + start);

  // Links need not wait until all sums are complete.
  std::vector<std::uint32_t> order(m.moves.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t i) { return out.starts[m.moves[i].way.begin]; });
  std::vector<double> rank;
  TimedMoves again = best_schedule(problem, rearranged(m, order), rank);
  if (!problem.cuts.empty()) out = with_order_of(problem, std::move(out));
  if (again.total >= out.total) return out;
  again.method = out.method;
  return again;
}

}  // namespace convert
