// SPDX-License-Identifier: MIT
#include "synthesis/improve.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

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

  // Repeats the passes as long as they help, from a given schedule.
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

  // Makes a reversed schedule in which the moves that ended last begin; returns its total time.
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
  std::vector<Picoseconds> arrivals_;  // by position in Moves::links: time until arrival
};

}  // namespace

TimedMoves moved_up(const SynthesisProblem& problem, TimedMoves made) {
  const Moves& m = made.moves;
  std::vector<std::uint32_t> move_of(m.links.size()), order(m.links.size());
  std::iota(order.begin(), order.end(), 0U);
  for (std::uint32_t i = 0; i < m.moves.size(); ++i) {
    for (std::uint32_t h = 0; h < m.moves[i].way.count; ++h) move_of[m.moves[i].way.begin + h] = i;
  }
  // A predecessor, on its route or on its link, starts earlier.
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

TimedMoves improved(const SynthesisProblem& problem, TimedMoves made) {
  const Moves moves = made.moves;
  const std::string method = made.method;
  TimedMoves best = Improver(problem, moves).run(std::move(made));
  best.method = method;
  return best;
}

}  // namespace convert
