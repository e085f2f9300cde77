// SPDX-License-Identifier: MIT
#include "synthesis/together/packed.h"

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "synthesis/list_schedule.h"
#include "synthesis/portfolio/candidates.h"
#include "synthesis/together/joint_packing.h"
#include "util/parallel.h"

namespace convert {
namespace {

class JointMakers {
 public:
  JointMakers(const JointProblem& problem, const SynthesisChoice& choice, Picoseconds lower)
      : problem_(problem), choice_(choice) {
    constexpr double ps_per_s = 1e12;
    share_ =
        static_cast<double>(std::max<Picoseconds>(1, lower)) / ps_per_s * static_cast<double>(problem.graph().unit);
    for (const SynthesisProblem& p : problem.placed) most_bytes_ = std::max(most_bytes_, p.shard_bytes);
  }

  std::optional<PackedTogether> run() {
    for (const SynthesisProblem& p : problem_.placed) {
      const bool ways = p.collective == Collective::all_to_all || p.collective == Collective::scatter ||
                        p.collective == Collective::gather;
      if (!wants(choice_, ways ? SynthesisMethod::paths : SynthesisMethod::trees)) return std::nullopt;
    }
    const std::vector<TreeChoice> choices = tree_choices();
    for_each_ordered(
        choice_.jobs, choices.size(),
        [&](std::size_t i) { return i > 0 && is_late(choice_) ? std::nullopt : first_look(choices[i]); },
        [&](std::size_t, std::optional<Looked>&& l) {
          if (l) looked_.push_back(std::move(*l));
        });
    std::ranges::stable_sort(looked_, {}, &Looked::time);
    constexpr std::size_t kept = 4;
    if (looked_.size() > kept) looked_.resize(kept);
    std::vector<std::pair<std::size_t, std::uint32_t>> tries;
    for (std::size_t i = 0; i < looked_.size(); ++i) {
      for (std::uint32_t q = 1; q <= most_split; q *= 2) tries.emplace_back(i, q);
    }
    for_each_ordered(
        choice_.jobs, tries.size(), [&](std::size_t t) { return timed(looked_[tries[t].first], tries[t].second); },
        [&](std::size_t, std::optional<PackedTogether>&& made) {
          if (made && (!best_ || made->timed.total < best_->timed.total)) best_ = std::move(made);
        });
    return std::move(best_);
  }

 private:
  static constexpr std::uint32_t most_split = 64;
  static constexpr std::uint32_t usual_split = 8;
  struct Looked {
    JointPacking packing;
    TreeChoice choice;
    Picoseconds time = 0;
  };

  [[nodiscard]] std::vector<TreeChoice> tree_choices() const {
    if (choice_.effort == SynthesisEffort::fast) {
      const std::uint32_t most = choice_.pieces.value_or(choice_.most_pieces != 0 ? choice_.most_pieces : 4);
      return {{.trees = std::min(most, 4U)}};
    }
    std::vector<TreeChoice> out;
    for (const std::uint32_t trees : {1U, 2U, 4U, 8U}) {
      if (!split_all(trees, 1)) continue;
      for (const double lambda : {0.0, 0.1, 0.5, 1.0}) {
        for (const double delta : {0.05, 0.3}) out.push_back({.trees = trees, .lambda = lambda, .delta = delta});
      }
    }
    return out;
  }

  // Returns, by collective, the number of chunks into which a tree's data is split if the data of the largest one
  // is split into `most` chunks; nothing if a split is not possible, or there would be too many messages.
  [[nodiscard]] std::optional<std::vector<std::uint32_t>> split_all(std::uint32_t trees, std::uint32_t most) const {
    std::vector<std::uint32_t> out;
    std::uint64_t messages = 0;
    for (const SynthesisProblem& p : problem_.placed) {
      const std::uint32_t allowed = choice_.most_pieces != 0 ? choice_.most_pieces : usual_most_pieces(p);
      const auto wanted =
          static_cast<std::uint64_t>(static_cast<double>(p.shard_bytes) / static_cast<double>(most_bytes_) * most);
      std::uint32_t q = static_cast<std::uint32_t>(std::bit_floor(std::max<std::uint64_t>(1, wanted)));
      const std::int64_t most_pieces = std::min<std::int64_t>(choice_.pieces.value_or(allowed), p.shard_bytes);
      while (q > 1 && std::int64_t{q} * trees > most_pieces) q /= 2;
      if (choice_.pieces) {
        if (*choice_.pieces % trees != 0) return std::nullopt;
        q = *choice_.pieces / trees;
      }
      if (std::int64_t{q} * trees > most_pieces) return std::nullopt;
      out.push_back(q);
      const std::uint64_t roots = has_root(p.collective) ? 1 : p.size();
      messages += roots * p.size() * trees * q * (p.collective == Collective::all_reduce ? 2 : 1);
    }
    const bool best = choice_.effort == SynthesisEffort::best;
    if (messages > (best ? most_synthesized_moves : quick_moves) && (most > 1 || trees > 1)) return std::nullopt;
    return out;
  }

  struct Joined {
    JointMoves joint;
    std::vector<double> rank;
  };
  [[nodiscard]] std::optional<Joined> joined(const JointPacking& packing, std::uint32_t most) const {
    const auto split = split_all(packing.trees, most);
    if (!split) return std::nullopt;
    std::vector<Moves> moves;
    std::vector<double> rank;
    for (std::size_t c = 0; c < problem_.size(); ++c) {
      TreeMoves own = moves_of(problem_.placed[c], packing.parts[c], packing.trees, (*split)[c]);
      rank.insert(rank.end(), own.rank.begin(), own.rank.end());
      moves.push_back(std::move(own.moves));
    }
    return Joined{put_together(problem_, std::move(moves)), std::move(rank)};
  }

  [[nodiscard]] std::optional<Looked> first_look(const TreeChoice& choice) const {
    std::uint32_t split = std::max(1U, usual_split / choice.trees);
    while (split > 1 && !split_all(choice.trees, split)) split /= 2;
    if (!split_all(choice.trees, split)) return std::nullopt;
    Looked out{.packing = pack_together(problem_, share_, choice), .choice = choice};
    const std::optional<Joined> moves = joined(out.packing, split);
    out.time = list_schedule(problem_.named.front(), moves->joint.all, ServeOrder::pieces, moves->rank).total;
    return out;
  }

  [[nodiscard]] std::optional<PackedTogether> timed(const Looked& l, std::uint32_t split) const {
    std::optional<Joined> moves = joined(l.packing, split);
    if (!moves || (choice_.pieces && split > 1)) return std::nullopt;
    TimedMoves times = common_times(problem_, moves->joint, {}, moves->rank);
    times.method = "packed together " + short_number(l.choice.lambda) + "/" + short_number(l.choice.delta) +
                   " p=" + std::to_string(l.choice.trees) + " q=" + std::to_string(split);
    return PackedTogether{std::move(moves->joint), std::move(times)};
  }

  const JointProblem& problem_;
  const SynthesisChoice& choice_;
  double share_ = 0;             // bytes that a link of bandwidth 1 carries within the bound
  std::int64_t most_bytes_ = 1;  // of a shard
  std::vector<Looked> looked_;
  std::optional<PackedTogether> best_;
};

}  // namespace

std::optional<PackedTogether> make_packed(const JointProblem& problem, const SynthesisChoice& choice,
                                          Picoseconds lower) {
  return JointMakers(problem, choice, lower).run();
}

}  // namespace convert
