// SPDX-License-Identifier: MIT
#include "profile/learn/place_table.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "profile/learn/calls/shuffle.h"

namespace convert {
namespace {

double factor_of(const std::map<std::uint32_t, double>& factors, std::uint32_t lane) {
  const auto at = factors.find(lane);
  return at == factors.end() ? 1.0 : at->second;
}

}  // namespace

PlaceTable::PlaceTable(std::span<const JobLog> jobs, const SegmentTable& segments,
                       std::vector<std::uint32_t> messages, std::uint32_t k)
    : jobs_(jobs), segments_(segments), messages_(std::move(messages)), k_(k), contexts_(messages_) {
  list_parts();
  pick_places();
  leave_out_first();
  find_factors();
  find_call_pools();
  std::vector<CallSequence> sequences;
  for (const Part& p : parts_) {
    const SegmentTable::RankUse& use = segments_.ranks()[p.rank];
    sequences.push_back({use.job, p.part, jobs_[use.job].order.circular, without_direction(p.calls), p.places});
  }
  order_ = shuffle_rare(sequences, k_, shuffled_);
  add_places();
}

// Returns the classes with each receive replaced by its send. Then the last rank of a pipeline, which sends nothing
// further, is like the others.
std::vector<std::uint32_t> PlaceTable::without_direction(std::vector<std::uint32_t> classes) const {
  for (std::uint32_t& c : classes) c = messages_[c];
  return classes;
}

void PlaceTable::list_parts() {
  const auto& gaps = segments_.gaps();
  context_.resize(gaps.size());
  for (std::size_t r = 0; r < segments_.ranks().size(); ++r) {
    const SegmentTable::RankUse& use = segments_.ranks()[r];
    const CommOrder& order = jobs_[use.job].order;
    bool met_iteration = false;
    for (const EncodedRank::Part& part : use.parts) {
      const bool first = order.is_iteration[part.part] && !met_iteration;
      met_iteration = met_iteration || first;
      Part& p = parts_.emplace_back(Part{.rank = r,
                                         .part = part.part,
                                         .kind = order.kind(part.part),
                                         .first_iteration = first,
                                         .first = part.first});
      for (std::uint32_t g = part.first; g + 1 < part.first + part.gaps; ++g) {
        p.calls.push_back(segments_.tokens()[gaps[g].call].node_class);
        p.places.push_back(gaps[g].place);
      }
      const std::vector<GapContexts::Of> contexts = contexts_.add(p.calls);
      std::ranges::copy(contexts, context_.begin() + part.first);
    }
  }
}

// Makes places of gaps from sequences that occur fewer than k times. Gaps can share a place if each has one piece
// in all occurrences of its sequence, and these pieces are equal. They must also be between the same two
// communications, or else before the same one, or after the same one.
void PlaceTable::pick_alike() {
  using Key = std::pair<std::uint32_t, Symbol>;      // context, piece
  std::map<std::uint32_t, std::set<Symbol>> pieces;  // by the narrowest context
  constexpr Symbol several = no_index - 1;
  for (std::size_t g = 0; g < context_.size(); ++g) {
    const std::vector<Symbol>& symbols = segments_.pieces()[segments_.gaps()[g].segment].symbols;
    pieces[context_[g].front()].insert(symbols.empty()       ? no_index
                                       : symbols.size() == 1 ? symbols.front()
                                                             : several);
  }
  for (std::size_t level = GapContexts::pair; level < GapContexts::levels; ++level) {
    const auto key_of = [&](const GapContexts::Of& of) {
      const std::set<Symbol>& all = pieces.at(of.front());
      return Key(of.at(level), all.size() == 1 ? *all.begin() : several);
    };
    std::map<Key, std::uint32_t> count, place;
    const auto is_open = [&](const GapContexts::Of& of) {
      return context_count_[of.front()] < k_ && key_of(of).second != several &&
             (place_by_context_[of.front()] == no_index || place.contains(key_of(of)));
    };
    for (const GapContexts::Of& of : context_) count[key_of(of)] += is_open(of) ? 1 : 0;
    for (const GapContexts::Of& of : context_) {
      const Key key = key_of(of);
      if (!is_open(of) || count[key] < k_) continue;
      const auto [at, is_new] = place.try_emplace(key, static_cast<std::uint32_t>(members_.size()));
      if (is_new) members_.emplace_back();
      place_by_context_[of.front()] = at->second;
    }
  }
  alike_places_ = static_cast<std::uint32_t>(members_.size());
}

void PlaceTable::pick_places() {
  context_count_.assign(contexts_.size(), 0);
  for (const GapContexts::Of& of : context_) {
    for (const std::uint32_t c : of) ++context_count_[c];
  }
  place_by_context_.assign(contexts_.size(), no_index);
  pick_alike();
  for (const GapContexts::Of& of : context_) {
    const std::uint32_t segment = segments_.gaps()[place_.size()].segment;
    const std::size_t nodes = segments_.segments()[segment].size();
    all_nodes_ += nodes;
    const auto end = of.begin() + GapContexts::places;
    const auto at = std::find_if(of.begin(), end, [&](std::uint32_t c) {
      return context_count_[c] >= k_ || place_by_context_[c] < alike_places_;
    });
    std::uint32_t place = no_index;
    if (at != end) {
      if (segments_.pieces()[segment].symbols.size() == 1) whole_nodes_ += nodes;
      place = place_by_context_[*at];
      if (place == no_index) {
        place = place_by_context_[*at] = static_cast<std::uint32_t>(members_.size());
        members_.emplace_back();
      }
      members_[place].push_back(static_cast<std::uint32_t>(place_.size()));
    }
    place_.push_back(place);
  }
  // A place with fewer than k gaps takes all gaps of its contexts, even if they have a narrower place.
  std::vector<bool> few;
  for (const auto& m : members_) few.push_back(m.size() < k_);
  for (std::size_t p = 0; p < few.size(); ++p) {
    if (few[p]) members_[p].clear();
  }
  for (std::uint32_t g = 0; g < context_.size(); ++g) {
    std::set<std::uint32_t> places;
    for (const std::uint32_t c : context_[g]) {
      const std::uint32_t p = place_by_context_[c];
      if (p != no_index && few[p] && places.insert(p).second) members_[p].push_back(g);
    }
  }
}

std::vector<std::uint32_t> PlaceTable::classes_in_order(std::size_t part) const {
  std::vector<std::uint32_t> classes;
  for (const std::uint32_t c : order_[part]) classes.push_back(parts_[part].calls[c]);
  return classes;
}

// Calls that were permuted create gaps that no rank recorded; such a gap gets the place of gaps between the same
// calls.
void PlaceTable::add_places() {
  std::map<std::uint32_t, std::uint32_t> added;  // context, place
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    if (std::ranges::is_sorted(order_[p])) continue;
    for (const GapContexts::Of& of : contexts_.find(classes_in_order(p))) {
      if (place_of(of) != no_index) continue;
      const auto end = of.begin() + GapContexts::places;
      const auto at =
          std::find_if(of.begin(), end, [&](std::uint32_t c) { return c != no_index && context_count_[c] >= k_; });
      if (at == end) continue;
      added.emplace(*at, place_by_context_[*at] = static_cast<std::uint32_t>(members_.size()));
      members_.emplace_back();
      place_factor_.emplace_back();
    }
  }
  for (std::uint32_t g = 0; g < context_.size() && !added.empty(); ++g) {
    for (const std::uint32_t c : context_[g]) {
      const auto at = added.find(c);
      if (at != added.end()) members_[at->second].push_back(g);
    }
  }
}

// In the first iteration of a rank, nodes have no dependencies on an earlier iteration. Sampling omits these
// dependencies in any case. So the first iteration is excluded from a place if later iterations have the same
// nodes.
void PlaceTable::leave_out_first() {
  std::vector<bool> first(context_.size(), false);
  for (const Part& p : parts_) {
    if (p.first_iteration) std::fill_n(first.begin() + p.first, p.calls.size() + 1, true);
  }
  const auto classes = [&](std::uint32_t gap) {
    std::vector<std::uint32_t> out;
    for (const std::uint32_t t : segments_.segments()[segments_.gaps()[gap].segment])
      out.push_back(segments_.tokens()[t].node_class);
    return out;
  };
  for (std::vector<std::uint32_t>& gaps : members_) {
    const auto later = std::ranges::count_if(gaps, [&](std::uint32_t g) { return !first[g]; });
    if (later < static_cast<std::ptrdiff_t>(k_) || later == std::ssize(gaps)) continue;
    std::set<std::vector<std::uint32_t>> of_later;
    for (const std::uint32_t g : gaps) {
      if (!first[g]) of_later.insert(classes(g));
    }
    std::erase_if(gaps, [&](std::uint32_t g) { return first[g] && of_later.contains(classes(g)); });
  }
}

std::map<std::uint32_t, double> PlaceTable::expected(std::uint32_t segment) const {
  std::map<std::uint32_t, double> out;
  for (const std::uint32_t t : segments_.segments()[segment])
    out[segments_.tokens()[t].lane] += segments_.mean_ns(t);
  return out;
}

// Fits the time of a gap in a lane as a product: mean time of its tokens × factor of the place × factor of the
// rank. The factors are updated alternately. A factor is computed from at least k nodes.
void PlaceTable::find_factors() {
  const auto& gaps = segments_.gaps();
  std::vector<std::map<std::uint32_t, double>> mean;
  for (std::uint32_t s = 0; s < segments_.segments().size(); ++s) mean.push_back(expected(s));
  place_factor_.resize(members_.size());
  rank_factor_.resize(segments_.ranks().size());
  std::vector<std::uint32_t> rank(gaps.size());
  for (const Part& p : parts_) {
    for (std::uint32_t g = p.first; g <= p.first + p.calls.size(); ++g)
      rank[g] = static_cast<std::uint32_t>(p.rank);
  }
  struct LaneSum {
    double recorded = 0, expected = 0;
    std::uint64_t nodes = 0;
  };
  const auto fit = [&](auto& factors, const auto& row, const auto& other) {
    std::vector<std::map<std::uint32_t, LaneSum>> sums(factors.size());
    for (std::uint32_t g = 0; g < gaps.size(); ++g) {
      if (row(g) == no_index) continue;
      auto& own = sums[row(g)];
      for (std::uint32_t w = 0; w < gaps[g].work.count; ++w) {
        const SegmentTable::LaneWork& work = segments_.work()[gaps[g].work.begin + w];
        own[work.lane].recorded += work.ns;
        own[work.lane].nodes += work.nodes;
      }
      for (const auto& [lane, ns] : mean[gaps[g].segment]) own[lane].expected += ns * other(g, lane);
    }
    for (std::size_t i = 0; i < sums.size(); ++i) {
      for (const auto& [lane, sum] : sums[i]) {
        if (sum.recorded > 0 && sum.expected > 0 && sum.nodes >= k_) factors[i][lane] = sum.recorded / sum.expected;
      }
    }
  };
  constexpr int rounds = 3;
  for (int i = 0; i < rounds; ++i) {
    fit(
        rank_factor_, [&](std::uint32_t g) { return rank[g]; },
        [&](std::uint32_t g, std::uint32_t lane) {
          return place_[g] == no_index ? 1.0 : factor_of(place_factor_[place_[g]], lane);
        });
    fit(
        place_factor_, [&](std::uint32_t g) { return place_[g]; },
        [&](std::uint32_t g, std::uint32_t lane) { return factor_of(rank_factor_[rank[g]], lane); });
  }
}

double PlaceTable::factor(std::size_t gap, std::size_t rank, std::uint32_t lane) const {
  return factor_of(rank_factor_[rank], lane) *
         (place_[gap] == no_index ? 1.0 : factor_of(place_factor_[place_[gap]], lane));
}

// The costs of a communication come from its place, else from its class, else from all communications. If a pool is
// the narrowest pool of fewer than k communications, it takes all communications of its kind.
void PlaceTable::find_call_pools() {
  using Key = std::array<std::uint32_t, 2>;
  const auto& gaps = segments_.gaps();
  const auto keys = [&](std::uint32_t g) {
    return std::array<Key, 3>{Key{0, context_[g][0]}, Key{1, segments_.tokens()[gaps[g].call].node_class},
                              Key{2, 0}};
  };
  std::map<Key, std::uint64_t> count, own;
  const auto narrowest = [&](const std::array<Key, 3>& all) {
    const auto at = std::ranges::find_if(all, [&](const Key& key) { return count[key] >= k_; });
    return at == all.end() ? all.back() : *at;
  };
  for (std::uint32_t g = 0; g < gaps.size(); ++g) {
    if (gaps[g].call == no_index) continue;
    for (const Key& key : keys(g)) ++count[key];
  }
  for (std::uint32_t g = 0; g < gaps.size(); ++g) {
    if (gaps[g].call != no_index) ++own[narrowest(keys(g))];
  }
  std::map<Key, std::uint32_t> numbers;
  for (const auto& [key, calls] : own) numbers.emplace(key, static_cast<std::uint32_t>(numbers.size()));
  call_pools_.resize(gaps.size());
  for (std::uint32_t g = 0; g < gaps.size(); ++g) {
    if (gaps[g].call == no_index) continue;
    const auto all = keys(g);
    const Key narrow = narrowest(all);
    call_pools_[g].push_back(numbers.at(narrow));
    for (const Key& key : all) {
      if (key != narrow && own.contains(key) && own.at(key) < k_) call_pools_[g].push_back(numbers.at(key));
    }
  }
  call_pool_count_ = static_cast<std::uint32_t>(numbers.size());
}

}  // namespace convert
