// SPDX-License-Identifier: MIT
#include "profile/learn/cost_pools.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace convert {
namespace {

constexpr std::size_t no_pool = static_cast<std::size_t>(-1);
constexpr std::size_t most_values = 256;  // of a pool, before neighbours are merged

}  // namespace

CostPools::CostPools(const SegmentTable& segments, const PlaceTable& places, std::uint32_t k)
    : segments_(segments), places_(places), k_(k) {
  assign();
  first_call_ = values_.size();
  values_.resize(first_call_ + places.call_pool_count());
  std::size_t lanes = 0;
  for (const Token& t : segments.tokens()) lanes = std::max<std::size_t>(lanes, t.lane + 1);
  work_.assign(segments.ranks().size(), std::vector<std::pair<double, std::uint64_t>>(lanes));
}

// A symbol has pools if at least k of its occurrences are outside of wider symbols with pools.
void CostPools::assign() {
  const Grammar& grammar = segments_.grammar();
  std::vector<std::uint64_t> count(grammar.symbols(), 0);
  for (const WeightedSequence& s : segments_.pieces()) {
    for (const Symbol piece : s.symbols) count[piece] += s.weight;
  }
  first_pool_.assign(grammar.symbols(), no_pool);
  short_.assign(segments_.tokens().size(), false);
  std::size_t pools = 0;
  for (Symbol s = grammar.symbols(); s-- > 0;) {
    if (count[s] == 0) continue;
    if (grammar.is_rule(s) && count[s] < k_) {
      const auto [a, b] = grammar.parts(s);
      count[a] += count[s];
      count[b] += count[s];
      continue;
    }
    first_pool_[s] = pools;
    pools += grammar.length(s);
    if (!grammar.is_rule(s)) short_[s] = count[s] < k_;
  }
  values_.resize(pools);
  totals_.resize(grammar.symbols());
}

// The variance of a sum is the sum of the variances plus, for each pair, the product of the deviations times their
// correlation. Solves this for the mean correlation.
float CostPools::together(Symbol symbol) const {
  const Totals& all = totals_[symbol];
  const std::size_t pool = first_pool_[symbol];
  const std::uint64_t length = segments_.grammar().length(symbol);
  if (pool == no_pool || length == 1 || all.count < 2) return 0;
  const auto variance = [](double sum, double squares, double n) {
    return std::max(0.0, squares / n - sum / n * (sum / n));
  };
  double variances = 0, deviations = 0;
  for (std::size_t i = 0; i < length; ++i) {
    WeighedCost sum;
    for (const WeighedCost& v : values_[pool + i]) sum.add(v);
    const double own = variance(sum.duration_ns, sum.squares, sum.count);
    variances += own;
    deviations += std::sqrt(own);
  }
  const double products = deviations * deviations - variances;
  const double more = variance(all.sum, all.squares, all.count) - variances;
  constexpr double nothing = 1e-9, tenths = 10;
  if (products <= nothing * deviations * deviations) return 0;
  return static_cast<float>(std::round(std::clamp(more / products, 0.0, 1.0) * tenths) / tenths);
}

void CostPools::add_value(std::size_t pool, const WeighedCost& value) {
  values_[pool].push_back(value);
  shorten(values_[pool], most_values);
}

void CostPools::feed(Symbol symbol, std::span<const WeighedCost> values) {
  const std::size_t pool = first_pool_[symbol];
  if (symbol < short_.size() && short_[symbol]) return;  // all nodes of the token are added separately
  if (pool != no_pool) {
    double total = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      add_value(pool + i, values[i]);
      total += values[i].duration_ns;
    }
    Totals& totals = totals_[symbol];
    totals.sum += total;
    totals.squares += total * total;
    ++totals.count;
    return;
  }
  const auto [a, b] = segments_.grammar().parts(symbol);
  feed(a, values.first(segments_.grammar().length(a)));
  feed(b, values.subspan(segments_.grammar().length(a)));
}

void CostPools::add_nodes(std::size_t rank, std::uint32_t gap, std::uint32_t segment,
                          std::span<const NodeCost> costs) {
  const std::vector<std::uint32_t>& tokens = segments_.segments()[segment];
  row_.clear();
  std::uint32_t lane = no_index;
  double factor = 1;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const Token& token = segments_.tokens()[tokens[i]];
    if (token.lane != lane) {
      lane = token.lane;
      factor = places_.factor(gap, rank, lane);
    }
    row_.emplace_back(costs[i], static_cast<double>(costs[i].duration_ns) / factor);
  }
  std::size_t at = 0;
  for (const Symbol piece : segments_.pieces()[segment].symbols) {
    const std::size_t n = segments_.grammar().length(piece);
    feed(piece, std::span(row_).subspan(at, n));
    at += n;
  }
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (short_[tokens[i]]) add_value(first_pool_[tokens[i]], row_[i]);
  }
}

void CostPools::add(std::size_t rank, const EncodedRank& encoded) {
  std::vector<std::uint32_t> segment;
  for (std::uint32_t s = 0; s < encoded.segments.size(); ++s) segment.push_back(segments_.find(encoded, s));
  for (const EncodedRank::Part& part : encoded.parts) {
    const bool iteration = places_.is_iteration(rank, part.part);
    for (std::uint32_t g = part.first; g < part.first + part.gaps; ++g) {
      const EncodedRank::Gap& gap = encoded.gaps[g];
      const std::vector<std::uint32_t>& tokens = segments_.segments()[segment[gap.segment]];
      const auto costs = std::span(encoded.costs).subspan(gap.first, tokens.size());
      add_nodes(rank, next_gap_, segment[gap.segment], costs);
      const auto add_work = [&](std::uint32_t token, const NodeCost& cost) {
        if (!iteration) return;
        auto& [ns, nodes] = work_[rank][segments_.tokens()[token].lane];
        ns += static_cast<double>(cost.duration_ns);
        ++nodes;
      };
      for (std::size_t i = 0; i < tokens.size(); ++i) add_work(tokens[i], costs[i]);
      if (gap.call != no_index) {
        const WeighedCost cost(gap.call_cost, static_cast<double>(gap.call_cost.duration_ns));
        for (const std::uint32_t pool : places_.call_pools(next_gap_)) add_value(first_call_ + pool, cost);
        add_work(segments_.find(encoded.tokens[gap.call]), gap.call_cost);
      }
      ++next_gap_;
    }
  }
}

std::uint32_t CostPools::write(WorkloadProfile& profile) const {
  std::map<CostPool, std::uint32_t> numbers;  // equal pools are shared
  const auto number = [&](std::size_t pool) {
    const auto [at, is_new] =
        numbers.try_emplace(cost_clusters(values_[pool], k_), static_cast<std::uint32_t>(profile.pools.size()));
    if (is_new) profile.pools.push_back(at->first);
    return at->second;
  };
  const Grammar& grammar = segments_.grammar();
  profile.costs.resize(grammar.symbols());
  for (Symbol s = 0; s < grammar.symbols(); ++s) {
    profile.together.push_back(together(s));
    if (first_pool_[s] == no_pool) continue;
    for (std::size_t i = 0; i < grammar.length(s); ++i) profile.costs[s].push_back(number(first_pool_[s] + i));
  }
  const auto first_call = static_cast<std::uint32_t>(profile.pools.size());
  for (std::size_t c = first_call_; c < values_.size(); ++c) profile.pools.push_back(cost_clusters(values_[c], k_));
  for (std::size_t r = 0; r < work_.size(); ++r) {
    const SegmentTable::RankUse& use = segments_.ranks()[r];
    std::vector<double>& work = profile.jobs[use.job].work_ns.emplace_back();
    const double iterations = std::max(1U, places_.iterations(use.job));
    for (const auto& [ns, nodes] : work_[r]) work.push_back(nodes < k_ ? 0 : std::round(ns / iterations));
  }
  return first_call;
}

}  // namespace convert
