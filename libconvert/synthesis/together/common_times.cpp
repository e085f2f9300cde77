// SPDX-License-Identifier: MIT
#include "synthesis/together/common_times.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "synthesis/list_schedule.h"
#include "synthesis/mirror.h"

namespace convert {
namespace {

Picoseconds arrival_of(const SynthesisProblem& problem, const Moves& m, std::uint32_t move, std::uint32_t hop) {
  return hop_time(problem, m.links[hop], m.pieces[m.moves[move].piece].bytes).arrival;
}

class Improver {
 public:
  Improver(const SynthesisProblem& problem, const Moves& moves)
      : problem_(problem), moves_(moves), back_(backwards(moves)), arrivals_(moves.links.size()) {
    for (std::uint32_t i = 0; i < moves.moves.size(); ++i) {
      const Range& way = moves.moves[i].way;
      for (std::uint32_t h = way.begin; h < way.begin + way.count; ++h)
        arrivals_[h] = arrival_of(problem, moves, i, h);
    }
  }

  // Goes on while that helps, from a schedule.
  TimedMoves run(TimedMoves best) {
    std::vector<Picoseconds> starts = best.starts;
    constexpr std::uint32_t most_idle = 2;
    for (std::uint32_t idle = 0; idle < most_idle; ++idle) {
      const Picoseconds before = best.total;
      const Picoseconds total = go_back(starts);
      take(best, moved_up(problem_, {.moves = moves_, .starts = starts, .total = total}));
      TimedMoves forth = list_schedule(problem_, moves_, starts);
      starts = forth.starts;
      take(best, std::move(forth));
      if (best.total < before) idle = 0;
    }
    return best;
  }

 private:
  static void take(TimedMoves& best, TimedMoves made) {
    if (made.total < best.total) best = std::move(made);
  }

  // Makes a schedule backwards in which what ended last begins; returns how long it takes.
  Picoseconds go_back(std::vector<Picoseconds>& starts) const {
    std::vector<double> keys(starts.size());
    for (std::size_t b = 0; b < keys.size(); ++b) {
      const std::uint32_t h = back_.forwards[b];
      keys[b] = static_cast<double>(starts[h] + arrivals_[h]);
    }
    const TimedMoves turned = list_schedule_by(problem_, back_.moves, std::move(keys));
    for (std::size_t b = 0; b < starts.size(); ++b) {
      const std::uint32_t h = back_.forwards[b];
      starts[h] = turned.total - (turned.starts[b] + arrivals_[h]);
    }
    return turned.total;
  }

  const SynthesisProblem& problem_;
  const Moves& moves_;
  const Backwards back_;
  std::vector<Picoseconds> arrivals_;  // by position in Moves::links: how long it takes there
};

}  // namespace

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

TimedMoves moved_up(const SynthesisProblem& problem, TimedMoves made) {
  const Moves& m = made.moves;
  std::vector<std::uint32_t> move_of(m.links.size()), order(m.links.size());
  std::iota(order.begin(), order.end(), 0U);
  for (std::uint32_t i = 0; i < m.moves.size(); ++i) {
    for (std::uint32_t h = 0; h < m.moves[i].way.count; ++h) move_of[m.moves[i].way.begin + h] = i;
  }
  // What comes before another, on its way or on its link, starts before it.
  std::ranges::sort(order, {}, [&](std::uint32_t h) { return std::pair(made.starts[h], h); });
  std::vector<Picoseconds> free(problem.graph.links.size(), 0), arrived(m.moves.size(), 0);
  made.total = 0;
  for (const std::uint32_t h : order) {
    const std::uint32_t i = move_of[h];
    const Move& move = m.moves[i];
    Picoseconds ready = arrived[i];
    if (h == move.way.begin) {
      for (const std::uint32_t p : m.parents_of(move)) ready = std::max(ready, arrived[p]);
    }
    const HopTime time = hop_time(problem, m.links[h], m.pieces[move.piece].bytes);
    made.starts[h] = std::max(ready, free[m.links[h]]);
    free[m.links[h]] = made.starts[h] + time.busy;
    arrived[i] = made.starts[h] + time.arrival;
    made.total = std::max(made.total, arrived[i]);
  }
  return made;
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
  return Improver(links, joint.all).run(std::move(best));
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
