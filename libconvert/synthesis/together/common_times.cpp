// SPDX-License-Identifier: MIT
#include "synthesis/together/common_times.h"

#include <algorithm>
#include <utility>

#include "synthesis/improve.h"
#include "synthesis/list_schedule.h"

namespace convert {
JointMoves put_together(const JointProblem& problem, std::vector<Moves> of_each) {
  JointMoves out;
  const auto size = [](const auto& list) { return static_cast<std::uint32_t>(list.size()); };
  for (std::size_t c = 0; c < of_each.size(); ++c) {
    Moves& m = of_each[c];
    set_chunk_sizes(problem.named[c], m.pieces);
    Moves& all = out.all;
    const JointMoves::Part part{.pieces = {size(all.pieces), size(m.pieces)},
                                .moves = {size(all.moves), size(m.moves)},
                                .links = {size(all.links), size(m.links)},
                                .parents = {size(all.parents), size(m.parents)}};
    out.parts.push_back(part);
    all.pieces.insert(all.pieces.end(), m.pieces.begin(), m.pieces.end());
    all.links.insert(all.links.end(), m.links.begin(), m.links.end());
    for (const std::uint32_t p : m.parents) all.parents.push_back(part.moves.begin + p);
    for (Move move : m.moves) {
      move.piece += part.pieces.begin;
      move.way.begin += part.links.begin;
      move.parents.begin += part.parents.begin;
      all.moves.push_back(move);
    }
  }
  return out;
}

TimedMoves common_times(const JointProblem& problem, const JointMoves& joint,
                        std::span<const std::vector<double>> starts, std::span<const double> rank) {
  const SynthesisProblem& links = problem.named.front();
  TimedMoves best = best_schedule(links, joint.all, rank);
  for (const std::vector<double>& wanted : starts) {
    std::vector<double> keys = wanted;
    for (double& k : keys) k = -k;
    TimedMoves made = list_schedule_by(links, joint.all, std::move(keys));
    if (made.total < best.total) best = std::move(made);
  }
  return improved(links, std::move(best));
}

std::vector<TimedMoves> taken_apart(const JointProblem& problem, const JointMoves& joint, const TimedMoves& made) {
  std::vector<TimedMoves> out;
  for (const JointMoves::Part& part : joint.parts) {
    const auto cut = [](const auto& list, const Range& r) {
      return std::vector(list.begin() + r.begin, list.begin() + r.begin + r.count);
    };
    TimedMoves own;
    own.moves = {.pieces = cut(made.moves.pieces, part.pieces),
                 .moves = cut(made.moves.moves, part.moves),
                 .links = cut(made.moves.links, part.links),
                 .parents = cut(made.moves.parents, part.parents)};
    for (std::uint32_t& p : own.moves.parents) p -= part.moves.begin;
    own.starts = cut(made.starts, part.links);
    for (Move& m : own.moves.moves) {
      m.way.begin -= part.links.begin;
      m.parents.begin -= part.parents.begin;
      for (std::uint32_t h = m.way.begin; h < m.way.begin + m.way.count; ++h) {
        const Picoseconds arrival =
            hop_time(problem.named.front(), own.moves.links[h], own.moves.pieces[m.piece - part.pieces.begin].bytes)
                .arrival;
        own.total = std::max(own.total, own.starts[h] + arrival);
      }
      m.piece -= part.pieces.begin;
    }
    out.push_back(std::move(own));
  }
  return out;
}

}  // namespace convert
