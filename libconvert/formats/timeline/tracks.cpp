// SPDX-License-Identifier: MIT
#include "formats/timeline/tracks.h"

#include <algorithm>
#include <compare>
#include <functional>
#include <queue>
#include <utility>

#include "core/rank_list.h"

namespace convert {
namespace {

constexpr std::size_t lanes = lane_names.size();

// Gives each slice of a lane, taken in order of begin, the lowest track on which nothing runs.
class LaneTracks {
 public:
  std::uint32_t place(const Slice& s) {
    while (!busy_.empty() && busy_.top().first <= s.begin_ps) {
      free_.push(busy_.top().second);
      busy_.pop();
    }
    if (free_.empty()) free_.push(count_++);
    const std::uint32_t track = free_.top();
    free_.pop();
    busy_.emplace(s.end_ps, track);
    return track;
  }
  [[nodiscard]] std::uint32_t count() const { return count_; }

 private:
  template <typename T>
  using MinHeap = std::priority_queue<T, std::vector<T>, std::greater<>>;
  MinHeap<std::pair<Picoseconds, std::uint32_t>> busy_;  // end, track
  MinHeap<std::uint32_t> free_;
  std::uint32_t count_ = 0;
};

std::vector<Rank> ranks_of(std::span<const Slice> slices) {
  std::vector<Rank> ranks;
  Rank most = 0;
  for (const Slice& s : slices) most = std::max(most, s.rank);
  if (most >= most_listed_ranks) {  // none that a replay has
    for (const Slice& s : slices) ranks.push_back(s.rank);
    std::ranges::sort(ranks);
    ranks.erase(std::ranges::unique(ranks).begin(), ranks.end());
    return ranks;
  }
  std::vector<bool> seen(std::size_t{most} + 1);
  for (const Slice& s : slices) seen[s.rank] = true;
  for (Rank r = 0; r <= most; ++r) {
    if (seen[r]) ranks.push_back(r);
  }
  return ranks;
}

// Finds the position of a rank among those of the timeline.
class RankPositions {
 public:
  explicit RankPositions(std::span<const Rank> ranks) : ranks_(ranks) {}
  [[nodiscard]] std::size_t of(Rank rank) const {
    if (rank < ranks_.size() && ranks_[rank] == rank) return rank;
    return static_cast<std::size_t>(std::ranges::lower_bound(ranks_, rank) - ranks_.begin());
  }

 private:
  std::span<const Rank> ranks_;
};

struct Begin {
  Picoseconds time;
  std::uint32_t slice;
  auto operator<=>(const Begin& other) const = default;
};

}  // namespace

std::string track_name(const Track& track) {
  return std::string(lane_name(track.lane)) + (track.number == 0 ? "" : " " + std::to_string(track.number + 1));
}

Tracks place_on_tracks(std::span<const Slice> slices) {
  const std::vector<Rank> ranks = ranks_of(slices);
  const RankPositions position(ranks);
  const auto lane_of = [&](const Slice& s) {
    return position.of(s.rank) * lanes + static_cast<std::size_t>(s.lane);
  };
  std::vector<std::uint32_t> begins(ranks.size() * lanes + 1);
  for (const Slice& s : slices) ++begins[lane_of(s) + 1];
  for (std::size_t i = 1; i < begins.size(); ++i) begins[i] += begins[i - 1];
  std::vector<Begin> sorted(slices.size());
  std::vector<std::uint32_t> next = begins;
  for (std::uint32_t i = 0; i < slices.size(); ++i) sorted[next[lane_of(slices[i])]++] = {slices[i].begin_ps, i};

  Tracks out;
  out.order.resize(slices.size());
  out.of.resize(slices.size());
  for (std::size_t lane = 0; lane + 1 < begins.size(); ++lane) {
    const std::span<Begin> own(sorted.data() + begins[lane], begins[lane + 1] - begins[lane]);
    if (!std::ranges::is_sorted(own)) std::ranges::sort(own);
    const auto first = static_cast<std::uint32_t>(out.tracks.size());
    LaneTracks tracks;
    for (std::size_t i = 0; i < own.size(); ++i) {
      out.order[begins[lane] + i] = own[i].slice;
      out.of[own[i].slice] = first + tracks.place(slices[own[i].slice]);
    }
    for (std::uint32_t t = 0; t < tracks.count(); ++t)
      out.tracks.push_back({ranks[lane / lanes], static_cast<Lane>(lane % lanes), t});
  }
  return out;
}

}  // namespace convert
