// SPDX-License-Identifier: MIT
#include <algorithm>
#include <map>
#include <set>

#include "profile/learn/encoded_rank.h"

namespace convert {
namespace {

// Returns pairs of a rank's lanes and their common names; lanes of an uneven kind are numbered by first use.
std::vector<std::pair<NodeLane, NodeLane>> common_lanes(const RankLog& rank,
                                                        const std::set<NodeLane::Kind>& uneven) {
  std::vector<std::pair<NodeLane, NodeLane>> out;
  std::map<NodeLane::Kind, std::int64_t> next;
  for (const NodeLane& lane : rank.lanes) {
    NodeLane to = lane;
    if (uneven.contains(lane.kind)) to.number = next[lane.kind]++;
    out.emplace_back(lane, to);
  }
  return out;
}

// Returns the kinds of lanes whose numbers differ between ranks.
std::set<NodeLane::Kind> uneven_kinds(const JobLog& job) {
  std::map<NodeLane::Kind, std::set<NodeLane>> first;
  std::set<NodeLane::Kind> uneven;
  for (const RankLog& rank : job.ranks) {
    std::map<NodeLane::Kind, std::set<NodeLane>> own;
    for (const NodeLane& lane : rank.lanes) own[lane.kind].insert(lane);
    for (const auto& [kind, lanes] : own) {
      const auto [at, is_new] = first.try_emplace(kind, lanes);
      if (kind != NodeLane::Kind::type && !std::ranges::includes(at->second, lanes) &&
          !std::ranges::includes(lanes, at->second))
        uneven.insert(kind);
      at->second.insert(lanes.begin(), lanes.end());
    }
  }
  return uneven;
}

}  // namespace

LaneTable::LaneTable(std::span<const JobLog> jobs) {
  std::map<NodeLane, std::uint32_t> numbers;
  for (const JobLog& job : jobs) {
    const std::set<NodeLane::Kind> uneven = uneven_kinds(job);
    auto& of_job = of_rank_.emplace_back();
    for (const RankLog& rank : job.ranks) {
      auto& own = of_job.emplace_back();
      for (const auto& [lane, to] : common_lanes(rank, uneven)) {
        const auto [at, is_new] = numbers.try_emplace(to, static_cast<std::uint32_t>(lanes_.size()));
        if (is_new) lanes_.push_back(to);
        own.emplace_back(lane, at->second);
      }
      std::ranges::sort(own);
    }
  }
}

std::uint32_t LaneTable::number(std::size_t job, std::size_t rank, const NodeLane& lane) const {
  const auto& own = of_rank_[job][rank];
  return std::ranges::lower_bound(own, lane, {}, &std::pair<NodeLane, std::uint32_t>::first)->second;
}

}  // namespace convert
