// SPDX-License-Identifier: MIT
#include "synthesis/greedy.h"

#include <algorithm>
#include <array>
#include <bit>
#include <queue>
#include <utility>

#include "util/draw.h"

namespace convert {
namespace {

using Word = std::uint64_t;
constexpr std::uint32_t word_bits = 64;

// Bits for each chunk, in a row for each NPU.
class BitRows {
 public:
  BitRows(std::size_t rows, std::size_t bits) : words_((bits + word_bits - 1) / word_bits), bits_(rows * words_) {}
  [[nodiscard]] std::size_t words() const { return words_; }
  [[nodiscard]] const Word* row(std::size_t r) const { return bits_.data() + r * words_; }
  void set(std::size_t row, std::uint32_t bit) {
    bits_[row * words_ + bit / word_bits] |= Word{1} << bit % word_bits;
  }

 private:
  std::size_t words_;
  std::vector<Word> bits_;
};

class GreedyMatcher {
 public:
  GreedyMatcher(const SynthesisProblem& problem, const GreedyChoice& choice)
      : problem_(problem),
        graph_(problem.graph),
        choice_(choice),
        count_(graph_.npus * choice.pieces),
        have_(graph_.npus, count_),
        pending_(graph_.npus, count_),
        brought_by_(std::size_t{graph_.npus} * count_, no_index),
        holders_(count_, 1),
        free_at_(graph_.links.size()),
        is_touched_(graph_.npus),
        draw_(choice.seed, 0, 0) {
    const std::vector<std::int64_t> sizes = piece_sizes(problem.shard_bytes, choice.pieces);
    for (Device owner = 0; owner < graph_.npus; ++owner) {
      for (std::uint32_t k = 0; k < choice.pieces; ++k) {
        const std::uint32_t piece = owner * choice.pieces + k;
        out_.moves.pieces.push_back({.owner = owner, .bytes = sizes[k]});
        have_.set(owner, piece);
        pending_.set(owner, piece);
      }
    }
    set_times(sizes);
    const std::size_t moves = std::size_t{graph_.npus - 1} * count_;
    out_.moves.moves.reserve(moves);
    out_.moves.links.reserve(moves);
    out_.moves.parents.reserve(moves);
    out_.starts.reserve(moves);
  }

  std::optional<TimedMoves> run() {
    const std::size_t all = std::size_t{graph_.npus - 1} * count_;
    for (Device d = 0; d < graph_.npus; ++d) touch(d);
    match_touched(0);
    while (!events_.empty()) {
      const Picoseconds now = events_.top().time;
      while (!events_.empty() && events_.top().time == now) {
        const Event e = events_.top();
        events_.pop();
        if (e.move == no_index) {
          touch(graph_.links[e.link].to);
        } else {
          arrive(e);
          out_.total = now;
        }
      }
      match_touched(now);
    }
    if (out_.moves.moves.size() != all) return std::nullopt;
    return std::move(out_);
  }

 private:
  struct Event {
    Picoseconds time = 0;
    std::uint32_t move = no_index;  // move that arrives; no_index: the link becomes free
    std::uint32_t link = 0;
    friend bool operator>(const Event& a, const Event& b) {
      return a.time != b.time ? a.time > b.time : a.move != b.move ? a.move > b.move : a.link > b.link;
    }
  };
  // An idle link into an NPU, and the number of chunks that it could bring.
  struct Offer {
    Picoseconds arrival = 0;
    std::uint32_t candidates = 0;
    std::uint32_t link = 0;
    friend bool operator<(const Offer& a, const Offer& b) {
      return a.arrival != b.arrival         ? a.arrival < b.arrival
             : a.candidates != b.candidates ? a.candidates < b.candidates
                                            : a.link < b.link;
    }
  };

  // Chunks have one of two sizes; the first ones are larger.
  void set_times(std::span<const std::int64_t> sizes) {
    larger_ = static_cast<std::uint32_t>(std::ranges::count(sizes, sizes.front()));
    for (std::uint32_t l = 0; l < graph_.links.size(); ++l)
      times_.push_back({hop_time(problem_, l, sizes.front()), hop_time(problem_, l, sizes.back())});
  }
  [[nodiscard]] const HopTime& time_of(std::uint32_t link, std::uint32_t piece) const {
    return times_[link][piece % choice_.pieces < larger_ ? 0 : 1];
  }

  void touch(Device d) {
    if (std::exchange(is_touched_[d], 1) == 0) touched_.push_back(d);
  }

  void arrive(const Event& e) {
    const Move& m = out_.moves.moves[e.move];
    have_.set(m.to, m.piece);
    if (times_[e.link][0].busy == times_[e.link][0].arrival) touch(m.to);  // the link becomes free, too
    for (const std::uint32_t link : graph_.out[m.to]) {
      if (free_at_[link] <= e.time) touch(graph_.links[link].to);
    }
  }

  void match_touched(Picoseconds now) {
    std::ranges::sort(touched_);
    for (const Device d : touched_) {
      is_touched_[d] = 0;
      match(d, now);
    }
    touched_.clear();
  }

  // Fast links choose first, then links with few candidates.
  void match(Device to, Picoseconds now) {
    offers_.clear();
    for (const std::uint32_t link : graph_.in[to]) {
      const Picoseconds arrival = times_[link][0].arrival;
      if (free_at_[link] > now || (choice_.deadline != 0 && now + arrival > choice_.deadline)) continue;
      const std::uint32_t candidates = count_candidates(graph_.links[link].from, to);
      if (candidates != 0) offers_.push_back({arrival, candidates, link});
    }
    if (offers_.size() > 1) std::sort(offers_.begin(), offers_.end());
    for (const Offer& o : offers_) {
      if (const std::uint32_t piece = choose(graph_.links[o.link].from, to); piece != no_index)
        start(o.link, piece, now);
    }
  }

  [[nodiscard]] std::uint32_t count_candidates(Device from, Device to) const {
    const Word* const have = have_.row(from);
    const Word* const pending = pending_.row(to);
    std::uint32_t n = 0;
    for (std::size_t w = 0; w < have_.words(); ++w)
      n += static_cast<std::uint32_t>(std::popcount(have[w] & ~pending[w]));
    return n;
  }

  // Returns the rarest of a few chunks that `from` has and `to` will not receive otherwise.
  std::uint32_t choose(Device from, Device to) {
    constexpr std::uint32_t looked_at = 8;
    const Word* const have = have_.row(from);
    const Word* const pending = pending_.row(to);
    const std::size_t words = have_.words();
    const std::uint64_t first = draw_.below(words * word_bits);
    std::size_t w = first / word_bits;
    const Word first_mask = ~Word{0} << first % word_bits;
    std::uint32_t best = no_index;
    std::uint32_t seen = 0;
    for (std::size_t k = 0; k <= words && seen < looked_at; ++k, w = w + 1 == words ? 0 : w + 1) {
      Word bits = have[w] & ~pending[w];
      if (k == 0) bits &= first_mask;
      if (k == words) bits &= ~first_mask;
      for (; bits != 0 && seen < looked_at; bits &= bits - 1, ++seen) {
        const auto piece =
            static_cast<std::uint32_t>(w * word_bits) + static_cast<std::uint32_t>(std::countr_zero(bits));
        if (best == no_index || holders_[piece] < holders_[best]) best = piece;
      }
    }
    return best;
  }

  void start(std::uint32_t link, std::uint32_t piece, Picoseconds now) {
    const LinkGraph::Link& l = graph_.links[link];
    const HopTime& time = time_of(link, piece);
    const std::uint32_t move =
        out_.moves.add(graph_, piece, link, brought_by_[std::size_t{l.from} * count_ + piece]);
    out_.starts.push_back(now);
    brought_by_[std::size_t{l.to} * count_ + piece] = move;
    pending_.set(l.to, piece);
    ++holders_[piece];
    free_at_[link] = now + time.busy;
    events_.push({now + time.arrival, move, link});
    if (time.busy != time.arrival) events_.push({now + time.busy, no_index, link});
  }

  const SynthesisProblem& problem_;
  const LinkGraph& graph_;
  const GreedyChoice choice_;
  const std::uint32_t count_;                  // number of all chunks
  BitRows have_;                               // by NPU: chunks that have arrived
  BitRows pending_;                            // by NPU: chunks that have arrived or are on their way
  std::vector<std::uint32_t> brought_by_;      // by NPU and chunk: the move; no_index: present from the start
  std::vector<std::uint32_t> holders_;         // by chunk: number of NPUs that have it or will
  std::vector<Picoseconds> free_at_;           // by link
  std::vector<std::array<HopTime, 2>> times_;  // by link: of larger and of smaller chunks
  std::uint32_t larger_ = 0;                   // number of an owner's larger chunks
  std::vector<Device> touched_;                // NPUs to match
  std::vector<std::uint8_t> is_touched_;
  std::vector<Offer> offers_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  Draw draw_;
  TimedMoves out_;
};

}  // namespace

bool can_match_greedily(const SynthesisProblem& problem) {
  return problem.collective == Collective::all_gather && problem.size() == problem.graph.devices;
}

std::optional<TimedMoves> match_greedily(const SynthesisProblem& problem, const GreedyChoice& choice) {
  return GreedyMatcher(problem, choice).run();
}

}  // namespace convert
