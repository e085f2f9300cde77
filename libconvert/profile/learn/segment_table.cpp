// SPDX-License-Identifier: MIT
#include "profile/learn/segment_table.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <numeric>
#include <tuple>

namespace convert {
namespace {

// Returns a similarity of two tokens of a class.
std::int64_t likeness(const Token& a, const Token& b) {
  std::vector<TokenDep> common;
  std::ranges::set_intersection(a.deps, b.deps, std::back_inserter(common));
  const auto n = static_cast<std::int64_t>(common.size());
  const auto all = static_cast<std::int64_t>(a.deps.size() + b.deps.size());
  const std::int64_t other_lane = a.lane == b.lane ? 0 : 1, other_time = a.magnitude == b.magnitude ? 0 : 1;
  return 4 * n - all - other_lane - other_time;
}

}  // namespace

void SegmentTable::add(std::size_t job, std::size_t rank, const EncodedRank& encoded) {
  std::vector<std::uint32_t> number;
  for (const Token& t : encoded.tokens) {
    number.push_back(add_token(t));
  }
  std::vector<std::uint32_t> segment;
  for (std::vector<std::uint32_t> s : encoded.segments) {
    for (std::uint32_t& t : s) t = number[t];
    const auto [at, is_new] = segment_numbers_.try_emplace(s, static_cast<std::uint32_t>(segments_.size()));
    if (is_new) {
      segments_.push_back(std::move(s));
      weights_.push_back(0);
    }
    segment.push_back(at->second);
  }
  RankUse& use = ranks_.emplace_back(RankUse{job, rank, encoded.parts});
  for (EncodedRank::Part& p : use.parts) p.first += static_cast<std::uint32_t>(gaps_.size());
  std::map<std::uint32_t, LaneWork> work;
  for (const EncodedRank::Gap& g : encoded.gaps) {
    work.clear();
    const std::uint32_t s = segment[g.segment];
    ++weights_[s];
    std::uint32_t node = g.first;
    for (const std::uint32_t t : segments_[s]) {
      const auto ns = static_cast<double>(encoded.costs[node++].duration_ns);
      LaneWork& of_lane = work[tokens_[t].lane];
      of_lane.ns += ns;
      ++of_lane.nodes;
      sums_[t].first += ns;
      ++sums_[t].second;
    }
    GapUse& gap = gaps_.emplace_back(GapUse{.segment = s, .place = g.place});
    if (g.call != no_index) {
      gap.call = number[g.call];
      ++sums_[gap.call].second;
    }
    gap.work = {static_cast<std::uint32_t>(work_.size()), static_cast<std::uint32_t>(work.size())};
    for (const auto& [lane, of_lane] : work) work_.push_back({lane, of_lane.nodes, of_lane.ns});
  }
}

std::uint32_t SegmentTable::busiest_lane() const {
  std::map<std::uint32_t, double> nodes;
  for (std::size_t t = 0; t < tokens_.size(); ++t) nodes[tokens_[t].lane] += sums_[t].second;
  return std::ranges::max_element(nodes, {}, [](const auto& l) { return l.second; })->first;
}

// Returns a token of the common class, in the most frequent lane, with the dependencies of at least half of the
// tokens. For fewer than k nodes: in the most frequent lane of all nodes, with a dependency on the previous node.
Token SegmentTable::in_common(const std::vector<std::uint32_t>& tokens, std::uint32_t k) const {
  std::map<std::uint32_t, double> lanes;
  std::map<TokenDep, double> deps;
  double all = 0;
  for (const std::uint32_t t : tokens) {
    const double n = sums_[t].second;
    all += n;
    lanes[tokens_[t].lane] += n;
    for (const TokenDep& d : tokens_[t].deps) deps[d] += n;
  }
  const bool few = all < k;
  Token out{.node_class = tokens_[tokens.front()].node_class,
            .lane = few ? busiest_lane()
                        : std::ranges::max_element(lanes, {}, [](const auto& l) { return l.second; })->first};
  for (const auto& [dep, n] : deps) {
    if (2 * n >= all && !few) out.deps.push_back(dep);
  }
  if (out.deps.empty()) out.deps.push_back({.what = out.lane});
  return out;
}

std::uint32_t SegmentTable::add_token(const Token& token) {
  const auto [at, is_new] = numbers_.try_emplace(token, static_cast<std::uint32_t>(tokens_.size()));
  if (is_new) {
    tokens_.push_back(token);
    sums_.emplace_back(0, 0);
  }
  return at->second;
}

// Merges rare tokens whose dependencies on a lane reach similarly far: distances are rounded down to a power of
// two.
void SegmentTable::blur_rare(std::uint32_t k) {
  std::map<std::uint32_t, std::vector<std::uint32_t>> alike;  // by the blurred token
  const auto known = static_cast<std::uint32_t>(tokens_.size());
  for (std::uint32_t t = 0; t < known; ++t) {
    if (sums_[t].second >= k) continue;
    Token blurred = tokens_[t];
    for (TokenDep& d : blurred.deps) {
      if (!d.of_class) d.back = std::bit_floor(d.back);
    }
    std::ranges::sort(blurred.deps);
    blurred.deps.erase(std::ranges::unique(blurred.deps).begin(), blurred.deps.end());
    if (blurred != tokens_[t]) alike[add_token(blurred)].push_back(t);
  }
  replaced_.resize(tokens_.size());
  std::iota(replaced_.begin(), replaced_.end(), 0U);
  for (const auto& [to, from] : alike) {
    double nodes = sums_[to].second;
    for (const std::uint32_t t : from) nodes += sums_[t].second;
    if (nodes < k) continue;
    for (const std::uint32_t t : from) replaced_[t] = to;
  }
  for (std::uint32_t t = 0; t < known; ++t) {
    if (replaced_[t] == t) continue;
    sums_[replaced_[t]].first += sums_[t].first;
    sums_[replaced_[t]].second += sums_[t].second;
    sums_[t] = {0, 0};
  }
}

void SegmentTable::replace_rare(std::uint32_t k) {
  blur_rare(k);
  std::map<std::uint32_t, std::vector<std::uint32_t>> of_class;
  for (std::uint32_t t = 0; t < tokens_.size(); ++t) {
    if (replaced_[t] == t && sums_[t].second > 0) of_class[tokens_[t].node_class].push_back(t);
  }
  const auto nodes = [&](std::uint32_t t) { return sums_[t].second; };
  for (const auto& [node_class, all] : of_class) {
    std::vector<std::uint32_t> frequent;
    for (const std::uint32_t t : all) {
      if (nodes(t) >= k) frequent.push_back(t);
    }
    std::uint32_t common = no_index;
    for (const std::uint32_t t : all) {
      if (nodes(t) >= k) continue;
      replaced_nodes_ += static_cast<std::uint64_t>(nodes(t));
      if (!frequent.empty()) {
        replaced_[t] = *std::ranges::max_element(
            frequent, {}, [&](std::uint32_t f) { return std::tuple(likeness(tokens_[t], tokens_[f]), nodes(f)); });
        continue;
      }
      if (common == no_index) {
        common = static_cast<std::uint32_t>(tokens_.size());
        tokens_.push_back(in_common(all, k));
        sums_.emplace_back(0, 0);
        replaced_.push_back(common);
      }
      replaced_[t] = common;
    }
  }
  for (std::uint32_t t = 0; t < replaced_.size(); ++t) {
    const std::uint32_t to = replaced_[t];
    if (to == t) continue;
    sums_[to].first += sums_[t].first;
    sums_[to].second += sums_[t].second;
    sums_[t] = {0, 0};
  }
  for (std::uint32_t& t : replaced_) t = replaced_[t];  // blurred tokens can still be rare and replaced
}

// Renumbers the remaining tokens by class and lane, and merges segments that have become equal.
void SegmentTable::renumber() {
  std::vector<std::uint32_t> left;
  for (std::uint32_t t = 0; t < tokens_.size(); ++t) {
    if (replaced_[t] == t && sums_[t].second > 0) left.push_back(t);
  }
  std::ranges::sort(left, {}, [&](std::uint32_t t) -> const Token& { return tokens_[t]; });
  std::vector<std::uint32_t> number(tokens_.size());
  std::vector<Token> tokens;
  std::vector<std::pair<double, double>> sums;
  for (const std::uint32_t t : left) {
    number[t] = static_cast<std::uint32_t>(tokens.size());
    tokens.push_back(tokens_[t]);
    sums.push_back(sums_[t]);
  }
  for (std::uint32_t& t : replaced_) t = number[t];
  tokens_ = std::move(tokens);
  sums_ = std::move(sums);
  std::map<std::vector<std::uint32_t>, std::uint32_t> numbers;
  std::vector<std::vector<std::uint32_t>> segments;
  std::vector<std::uint32_t> segment_number;
  std::vector<std::uint64_t> weights;
  for (std::size_t s = 0; s < segments_.size(); ++s) {
    for (std::uint32_t& t : segments_[s]) t = replaced_[t];
    const auto [at, is_new] = numbers.try_emplace(segments_[s], static_cast<std::uint32_t>(segments.size()));
    if (is_new) {
      segments.push_back(std::move(segments_[s]));
      weights.push_back(0);
    }
    weights[at->second] += weights_[s];
    segment_number.push_back(at->second);
  }
  segments_ = std::move(segments);
  weights_ = std::move(weights);
  segment_numbers_ = std::move(numbers);
  for (GapUse& g : gaps_) {
    g.segment = segment_number[g.segment];
    if (g.call != no_index) g.call = replaced_[g.call];
  }
}

void SegmentTable::settle(std::uint32_t k) {
  replace_rare(k);
  renumber();
  for (std::size_t s = 0; s < segments_.size(); ++s) pieces_.push_back({segments_[s], weights_[s]});
  const auto terminals = static_cast<std::uint32_t>(tokens_.size());
  rules_ = replace_pairs(pieces_, terminals, k);
  grammar_ = Grammar(terminals, rules_);
}

std::uint32_t SegmentTable::find(const EncodedRank& encoded, std::uint32_t segment) const {
  std::vector<std::uint32_t> tokens = encoded.segments[segment];
  for (std::uint32_t& t : tokens) t = find(encoded.tokens[t]);
  return segment_numbers_.at(tokens);
}

}  // namespace convert
