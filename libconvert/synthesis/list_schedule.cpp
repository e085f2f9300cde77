// SPDX-License-Identifier: MIT
#include "synthesis/list_schedule.h"

#include <algorithm>
#include <numeric>
#include <queue>
#include <unordered_map>
#include <utility>

#include "synthesis/radix_queue.h"

namespace convert {
namespace {

// A message that is ready for a link of its route.
struct Ready {
  double key = 0;  // the largest goes first
  std::uint32_t hop = 0;
  friend bool operator<(const Ready& a, const Ready& b) { return a.key != b.key ? a.key < b.key : a.hop > b.hop; }
};

// An event is the arrival of a hop or, marked by a bit, the release of a link or of a share of one.
constexpr std::uint32_t free_bit = std::uint32_t{1} << 31U;
constexpr std::uint32_t share_bit = std::uint32_t{1} << 30U;

class ListScheduler {
 public:
  ListScheduler(const SynthesisProblem& problem, Moves moves)
      : problem_(problem), cuts_(!problem.cuts.empty()), m_(std::move(moves)) {
    set_times();
    set_children();
    key_.resize(m_.links.size());
  }

  void order_by(ServeOrder order, std::span<const double> rank) {
    if (order == ServeOrder::pieces) return order_by_pieces(rank);
    order_by_way(order);
  }
  void order_by(std::span<const Picoseconds> starts) {
    for (std::size_t h = 0; h < key_.size(); ++h) key_[h] = -static_cast<double>(starts[h]);
  }
  void order_by(std::vector<double> keys) { key_ = std::move(keys); }
  // Makes each link serve its hops by start, and by turn among equal starts.
  void keep_order(const TimedMoves& made) {
    std::vector<std::uint32_t> order(m_.links.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::stable_sort(order, {}, [&](std::uint32_t h) {
      return std::pair(made.starts[h], made.turns.empty() ? 0 : made.turns[h]);
    });
    std::vector<std::uint32_t> count(problem_.graph.links.size());
    number_.resize(m_.links.size());
    for (const std::uint32_t h : order) number_[h] = count[m_.links[h]]++;
    for (std::size_t h = 0; h < key_.size(); ++h) key_[h] = -static_cast<double>(number_[h]);
    next_.assign(problem_.graph.links.size(), 0);
  }

  TimedMoves run() {
    starts_.assign(m_.links.size(), 0);
    queues_.resize(problem_.graph.links.size());
    busy_until_.assign(problem_.graph.links.size(), 0);
    if (cuts_) {
      turns_.assign(m_.links.size(), 0);
      tails_.assign(m_.moves.size(), 0);
    }
    for (std::uint32_t i = 0; i < m_.moves.size(); ++i) {
      if (waits_[i] == 0) offer(m_.moves[i].way.begin);
    }
    serve(0);
    Picoseconds last = 0;
    std::vector<std::uint32_t> together;
    while (!events_.empty()) {
      const Picoseconds now = events_.take(together);
      if (cuts_) std::ranges::sort(together);  // where links depend on each other
      // Arrivals at a time precede departures at that time.
      for (const std::uint32_t what : together) {
        if ((what & free_bit) != 0) {
          touched_.push_back(what & ~free_bit);
        } else if ((what & share_bit) != 0) {
          free_share(what & ~share_bit);
        } else {
          arrive(what);
          last = now;
        }
      }
      serve(now);
    }
    return {.moves = std::move(m_),
            .starts = std::move(starts_),
            .turns = std::move(turns_),
            .total = last,
            .method = {}};
  }

 private:
  // Many hops have the same link and size.
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

  void order_by_pieces(std::span<const double> rank) {
    for (std::uint32_t h = 0; h < key_.size(); ++h) {
      const std::uint32_t piece = m_.moves[move_of_[h]].piece;
      key_[h] = rank.empty() ? -static_cast<double>(piece) : -rank[piece];
    }
  }
  // Children follow their parents.
  void order_by_way(ServeOrder order) {
    std::vector<double> after(m_.moves.size());
    for (std::uint32_t i = static_cast<std::uint32_t>(m_.moves.size()); i-- > 0;) {
      const Move& move = m_.moves[i];
      double below = after[i];
      for (std::uint32_t h = move.way.begin + move.way.count; h-- > move.way.begin;) {
        below += static_cast<double>(order == ServeOrder::farthest ? time_on_way(h) : times_[h].busy);
        key_[h] = below;
      }
      for (const std::uint32_t p : m_.parents_of(move))
        after[p] = order == ServeOrder::farthest ? std::max(after[p], below) : after[p] + below;
    }
  }
  // Returns the time of a message for a hop; if its head is forwarded before its end, only the latency.
  [[nodiscard]] Picoseconds time_on_way(std::uint32_t hop) const {
    return goes_on(hop) ? latency(hop) : times_[hop].arrival;
  }
  // Returns whether the head of a message is forwarded at once at the end of a hop.
  [[nodiscard]] bool goes_on(std::uint32_t hop) const {
    const Range& way = m_.moves[move_of_[hop]].way;
    return cuts_ && hop + 1 < way.begin + way.count && problem_.cuts_through(link(hop).to);
  }
  [[nodiscard]] const LinkGraph::Link& link(std::uint32_t hop) const { return problem_.graph.links[m_.links[hop]]; }
  [[nodiscard]] Picoseconds latency(std::uint32_t hop) const { return link(hop).latency_ps; }

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

  // Returns a sum of times whose first one is within the limit.
  static Picoseconds later(Picoseconds now, Picoseconds by) {
    if (by > most_schedule_ps - now) throw takes_too_long();
    return now + by;
  }

  void serve(Picoseconds now) {
    for (const std::uint32_t link : touched_) {
      auto& queue = queues_[link];
      while (!queue.empty() && busy_until_[link] <= now) {
        const std::uint32_t hop = queue.top().hop;
        if (!number_.empty() && number_[hop] != next_[link]) break;
        if (cuts_ && !fits(link, hop, now)) break;
        queue.pop();
        if (!number_.empty()) ++next_[link];
        starts_[hop] = now;
        if (cuts_) {
          turns_[hop] = turn_++;
          cut_through(link, hop, now);
          continue;
        }
        busy_until_[link] = now + times_[hop].busy;
        events_.push(later(now, times_[hop].arrival), hop);
        events_.push(busy_until_[link], link | free_bit);
      }
    }
    touched_.clear();
  }

  // Shares of a link that are occupied by messages from slower links.
  struct Shares {
    double used = 0;  // at most 1
    std::uint32_t count = 0;
  };
  struct Share {
    std::uint32_t link = 0;
    double part = 0;
  };

  // Returns the time to send a message alone: at least until its tail has arrived.
  [[nodiscard]] Picoseconds time_alone(std::uint32_t hop, Picoseconds now) const {
    return std::max(sending(hop), tails_[move_of_[hop]] - now);
  }
  [[nodiscard]] Picoseconds sending(std::uint32_t hop) const { return times_[hop].arrival - latency(hop); }
  // Returns the share of its link that a message can use.
  [[nodiscard]] double usable(std::uint32_t hop, Picoseconds now) const {
    return static_cast<double>(sending(hop)) / static_cast<double>(time_alone(hop, now));
  }
  // Returns whether at least half of the usable share is free.
  [[nodiscard]] bool fits(std::uint32_t link, std::uint32_t hop, Picoseconds now) const {
    const auto at = shares_.find(link);
    return at == shares_.end() || 1 - at->second.used >= usable(hop, now) / 2;
  }

  void cut_through(std::uint32_t link, std::uint32_t hop, Picoseconds now) {
    const bool alone = shares_.find(link) == shares_.end() && time_alone(hop, now) <= sending(hop);
    if (alone) {
      busy_until_[link] = now + send_on(hop, sending(hop), now);
      events_.push(busy_until_[link], link | free_bit);
      return;
    }
    Shares& shares = shares_[link];
    const double part = std::min(usable(hop, now), 1 - shares.used);
    shares.used += part;
    ++shares.count;
    const auto sent = round_to_ps(static_cast<double>(sending(hop)) / part / static_cast<double>(ps_per_ns));
    const Picoseconds end = now + send_on(hop, std::max(sent, time_alone(hop, now)), now);
    events_.push(end, static_cast<std::uint32_t>(given_.size()) | share_bit);
    given_.push_back({link, part});
  }
  // Returns how long a message keeps its share of the link if it is completely sent after `sent`.
  Picoseconds send_on(std::uint32_t hop, Picoseconds sent, Picoseconds now) {
    const Picoseconds arrival = later(latency(hop), sent);
    tails_[move_of_[hop]] = later(now, arrival);
    events_.push(now + (goes_on(hop) ? latency(hop) : arrival), hop);
    return problem_.occupancy == Schedule::Occupancy::beta ? sent : arrival;
  }
  void free_share(std::uint32_t number) {
    const Share& share = given_[number];
    touched_.push_back(share.link);
    const auto at = shares_.find(share.link);
    at->second.used -= share.part;
    if (--at->second.count == 0) shares_.erase(at);
  }

  const SynthesisProblem& problem_;
  const bool cuts_;  // some devices cut through
  Moves m_;
  std::vector<HopTime> times_;                      // by hop: position in Moves::links
  std::vector<std::uint32_t> move_of_;              // by hop
  std::vector<double> key_;                         // by hop
  std::vector<std::uint32_t> waits_;                // by move: parents that have not arrived
  Rows children_;                                   // by move
  std::vector<std::priority_queue<Ready>> queues_;  // by link
  std::vector<Picoseconds> busy_until_;             // by link
  std::vector<std::uint32_t> touched_;              // links to serve
  RadixQueue events_;
  std::vector<Picoseconds> starts_;
  std::vector<std::uint32_t> number_;  // by hop: position on its link, if the order is kept
  std::vector<std::uint32_t> next_;    // by link: number of the next hop
  // For cut-through devices:
  std::vector<std::uint32_t> turns_;
  std::uint32_t turn_ = 0;
  std::vector<Picoseconds> tails_;                    // by move: when its last byte reaches the position of its
                                                      // head
  std::unordered_map<std::uint32_t, Shares> shares_;  // by link, for few links
  std::vector<Share> given_;
};

}  // namespace

TimedMoves list_schedule(const SynthesisProblem& problem, Moves moves, ServeOrder order,
                         std::span<const double> rank) {
  ListScheduler scheduler(problem, std::move(moves));
  scheduler.order_by(order, rank);
  return scheduler.run();
}

TimedMoves list_schedule(const SynthesisProblem& problem, Moves moves, std::span<const Picoseconds> starts) {
  ListScheduler scheduler(problem, std::move(moves));
  scheduler.order_by(starts);
  return scheduler.run();
}

TimedMoves retimed(const SynthesisProblem& problem, TimedMoves made) {
  ListScheduler scheduler(problem, made.moves);
  scheduler.keep_order(made);
  TimedMoves out = scheduler.run();
  out.method = std::move(made.method);
  return out;
}

TimedMoves list_schedule_by(const SynthesisProblem& problem, Moves moves, std::vector<double> keys) {
  ListScheduler scheduler(problem, std::move(moves));
  scheduler.order_by(std::move(keys));
  return scheduler.run();
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
