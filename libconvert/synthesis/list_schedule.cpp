// SPDX-License-Identifier: MIT
#include "synthesis/list_schedule.h"

#include <algorithm>
#include <array>
#include <queue>
#include <unordered_map>
#include <utility>

namespace convert {
namespace {

// A message at a link of its way, which it may take now.
struct Ready {
  double key = 0;  // the largest goes first
  std::uint32_t hop = 0;
  friend bool operator<(const Ready& a, const Ready& b) { return a.key != b.key ? a.key < b.key : a.hop > b.hop; }
};

struct Event {
  Picoseconds time = 0;
  std::uint32_t what = 0;  // a hop that arrives, or, with the top bit, a link that is free
  friend bool operator>(const Event& a, const Event& b) {
    return a.time != b.time ? a.time > b.time : a.what > b.what;
  }
};
constexpr std::uint32_t free_bit = std::uint32_t{1} << 31U;

class ListScheduler {
 public:
  ListScheduler(const SynthesisProblem& problem, Moves moves, ServeOrder order, std::span<const double> rank)
      : problem_(problem), order_(order), rank_(rank), m_(std::move(moves)) {
    set_times();
    set_children();
    set_keys();
  }
  ListScheduler(const SynthesisProblem& problem, Moves moves, std::vector<double> keys)
      : problem_(problem), order_(ServeOrder::pieces), m_(std::move(moves)), key_(std::move(keys)) {
    set_times();
    set_children();
  }

  TimedMoves run() {
    starts_.assign(m_.links.size(), 0);
    queues_.resize(problem_.graph.links.size());
    busy_until_.assign(problem_.graph.links.size(), 0);
    for (std::uint32_t i = 0; i < m_.moves.size(); ++i) {
      if (waits_[i] == 0) offer(m_.moves[i].way.begin);
    }
    serve(0);
    Picoseconds last = 0;
    while (!events_.empty()) {
      const Picoseconds now = events_.top().time;
      // Arrivals of a time come before what leaves then.
      while (!events_.empty() && events_.top().time == now) {
        const std::uint32_t what = events_.top().what;
        events_.pop();
        if ((what & free_bit) != 0) {
          touched_.push_back(what & ~free_bit);
        } else {
          arrive(what);
          last = now;
        }
      }
      serve(now);
    }
    TimedMoves out{.moves = std::move(m_), .starts = std::move(starts_), .total = last, .method = {}};
    return out;
  }

 private:
  // Many hops have the link and size of others.
  void set_times() {
    std::unordered_map<std::uint64_t, HopTime> known;
    std::unordered_map<std::int64_t, std::uint32_t> sizes;
    times_.resize(m_.links.size());
    move_of_.resize(m_.links.size());
    for (std::uint32_t i = 0; i < m_.moves.size(); ++i) {
      const Move& move = m_.moves[i];
      const std::int64_t bytes = m_.pieces[move.piece].bytes;
      const std::uint32_t size = sizes.try_emplace(bytes, static_cast<std::uint32_t>(sizes.size())).first->second;
      for (std::uint32_t h = move.way.begin; h < move.way.begin + move.way.count; ++h) {
        const auto [at, added] = known.try_emplace(std::uint64_t{size} << 32U | m_.links[h]);
        if (added) at->second = hop_time(problem_, m_.links[h], bytes);
        times_[h] = at->second;
        move_of_[h] = i;
      }
    }
  }

  void set_children() {
    const auto parents = [&](std::size_t k) { return m_.parents[k]; };
    std::vector<std::uint32_t> child_of(m_.parents.size());
    waits_.resize(m_.moves.size());
    for (std::uint32_t i = 0; i < m_.moves.size(); ++i) {
      const Range& p = m_.moves[i].parents;
      waits_[i] = p.count;
      for (std::uint32_t k = p.begin; k < p.begin + p.count; ++k) child_of[k] = i;
    }
    children_ =
        rows_by_key(m_.parents.size(), m_.moves.size(), parents, [&](std::size_t k) { return child_of[k]; });
  }

  // Children stand behind their parents.
  void set_keys() {
    key_.resize(m_.links.size());
    if (order_ == ServeOrder::pieces) {
      for (std::uint32_t h = 0; h < key_.size(); ++h) {
        const std::uint32_t piece = m_.moves[move_of_[h]].piece;
        key_[h] = rank_.empty() ? -static_cast<double>(piece) : -rank_[piece];
      }
      return;
    }
    std::vector<double> after(m_.moves.size());
    for (std::uint32_t i = static_cast<std::uint32_t>(m_.moves.size()); i-- > 0;) {
      const Move& move = m_.moves[i];
      double below = after[i];
      for (std::uint32_t h = move.way.begin + move.way.count; h-- > move.way.begin;) {
        below += static_cast<double>(order_ == ServeOrder::farthest ? times_[h].arrival : times_[h].busy);
        key_[h] = below;
      }
      for (const std::uint32_t p : m_.parents_of(move))
        after[p] = order_ == ServeOrder::farthest ? std::max(after[p], below) : after[p] + below;
    }
  }

  void offer(std::uint32_t hop) {
    queues_[m_.links[hop]].push({key_[hop], hop});
    touched_.push_back(m_.links[hop]);
  }

  void arrive(std::uint32_t hop) {
    const std::uint32_t i = move_of_[hop];
    const Range& way = m_.moves[i].way;
    if (hop + 1 < way.begin + way.count) return offer(hop + 1);
    for (const std::uint32_t child : children_[i]) {
      if (--waits_[child] == 0) offer(m_.moves[child].way.begin);
    }
  }

  void serve(Picoseconds now) {
    for (const std::uint32_t link : touched_) {
      auto& queue = queues_[link];
      if (queue.empty() || busy_until_[link] > now) continue;
      const std::uint32_t hop = queue.top().hop;
      queue.pop();
      starts_[hop] = now;
      busy_until_[link] = now + times_[hop].busy;
      events_.push({now + times_[hop].arrival, hop});
      events_.push({busy_until_[link], link | free_bit});
    }
    touched_.clear();
  }

  const SynthesisProblem& problem_;
  const ServeOrder order_;
  const std::span<const double> rank_;
  Moves m_;
  std::vector<HopTime> times_;                      // by hop: a position in Moves::links
  std::vector<std::uint32_t> move_of_;              // by hop
  std::vector<double> key_;                         // by hop
  std::vector<std::uint32_t> waits_;                // by move: parents that have not arrived
  Rows children_;                                   // by move
  std::vector<std::priority_queue<Ready>> queues_;  // by link
  std::vector<Picoseconds> busy_until_;             // by link
  std::vector<std::uint32_t> touched_;              // links to serve
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::vector<Picoseconds> starts_;
};

}  // namespace

TimedMoves list_schedule(const SynthesisProblem& problem, Moves moves, ServeOrder order,
                         std::span<const double> rank) {
  return ListScheduler(problem, std::move(moves), order, rank).run();
}

TimedMoves list_schedule_by(const SynthesisProblem& problem, Moves moves, std::vector<double> keys) {
  return ListScheduler(problem, std::move(moves), std::move(keys)).run();
}

TimedMoves best_schedule(const SynthesisProblem& problem, const Moves& moves, std::span<const double> rank) {
  TimedMoves best;
  bool any = false;
  for (const ServeOrder order : serve_orders) {
    TimedMoves made = list_schedule(problem, moves, order, rank);
    if (any && made.total >= best.total) continue;
    best = std::move(made);
    any = true;
  }
  return best;
}

}  // namespace convert
