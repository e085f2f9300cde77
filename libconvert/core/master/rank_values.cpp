// SPDX-License-Identifier: MIT
#include "core/master/rank_values.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace convert {
namespace {

struct PairHash {
  std::size_t operator()(const std::pair<std::uint32_t, std::uint64_t>& p) const {
    const std::uint64_t h = (p.second ^ (std::uint64_t{p.first} << 32U)) * 0x9e3779b97f4a7c15U;
    return h ^ (h >> 31U);
  }
};

}  // namespace

void RankValues::get(std::uint64_t ordinal, std::vector<std::uint64_t>& to) const {
  to = first;
  if (ordinal == 0) return;
  std::vector<std::uint64_t> by_rule(rules.size());
  for (std::size_t r = 0; r < rules.size(); ++r) by_rule[r] = rules[r][ordinal];
  for (const Varying& v : varying) to[v.value] += by_rule[v.rule];
  const std::uint64_t* row = own_differences.data() + (ordinal - 1) * own.size();
  for (const std::uint32_t value : own) to[value] += *row++;
}

void DifferenceFinder::add(const std::vector<std::uint64_t>& values) {
  const std::size_t groups = parent_.size();
  std::vector<std::uint64_t> row(groups);
  std::vector<bool> met(groups);
  std::unordered_map<std::pair<std::uint32_t, std::uint64_t>, std::uint32_t, PairHash> split;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::uint64_t difference = values[i] - first_[i];
    std::uint32_t& group = group_[i];
    if (!met[group]) {
      met[group] = true;
      row[group] = difference;
    } else if (row[group] != difference) {
      const auto [at, added] = split.try_emplace({group, difference}, static_cast<std::uint32_t>(row.size()));
      if (added) {
        row.push_back(difference);
        parent_.push_back(group);
      }
      group = at->second;
    }
  }
  rows_.push_back(std::move(row));
}

std::uint64_t DifferenceFinder::difference(std::uint32_t group, std::size_t row) const {
  while (group >= rows_[row].size()) group = parent_[group];
  return rows_[row][group];
}

RankValues DifferenceFinder::finish() {
  RankValues out;
  std::vector<std::uint32_t> members(parent_.size());
  for (const std::uint32_t g : group_) ++members[g];
  constexpr std::uint32_t unset = 0xffffffff, equal = 0xfffffffe, alone = 0xfffffffd;
  std::vector<std::uint32_t> rule_of(parent_.size(), unset);
  const auto find_rule = [&](std::uint32_t g) {
    bool differs = false;
    NumberRuns rule;
    rule.add(0);
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      rule.add(difference(g, row));
      differs = differs || difference(g, row) != 0;
    }
    if (!differs) return equal;
    if (members[g] == 1 && rule.runs().size() * 2 > rows_.size()) return alone;
    out.rules.push_back(std::move(rule));
    return static_cast<std::uint32_t>(out.rules.size() - 1);
  };
  for (std::uint32_t i = 0; i < group_.size(); ++i) {
    std::uint32_t& rule = rule_of[group_[i]];
    if (rule == unset) rule = find_rule(group_[i]);
    if (rule == alone) out.own.push_back(i);
    if (rule < alone) out.varying.push_back({i, rule});
  }
  out.own_differences.reserve(out.own.size() * rows_.size());
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    for (const std::uint32_t i : out.own) out.own_differences.push_back(difference(group_[i], row));
  }
  out.first = std::move(first_);
  return out;
}

}  // namespace convert
