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

// Gives each slice of a lane, in order of begin, the lowest free track.
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
  if (most >= most_listed_ranks) {  // exceeds the ranks of a replay
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

// Position of a rank among the ranks of the timeline.
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

// Numbering of the lanes and streams of all ranks: for each rank its lanes, then its streams, ascending.
class Lines {
 public:
  Lines(std::span<const Slice> slices, const RankPositions& position, std::size_t ranks) : position_(position) {
    for (const Slice& s : slices) {
      if (s.stream < 0) continue;
      const Stream stream{position.of(s.rank), s.stream};
      if (streams_.empty() || streams_.back() != stream) streams_.push_back(stream);
    }
    std::ranges::sort(streams_);
    streams_.erase(std::ranges::unique(streams_).begin(), streams_.end());
    for (std::size_t r = 0, s = 0; r <= ranks; ++r) {
      while (s < streams_.size() && streams_[s].first < r) ++s;
      first_.push_back(r * lanes + s);
    }
  }
  [[nodiscard]] std::size_t count() const { return first_.back(); }
  [[nodiscard]] std::size_t of(const Slice& s) const {
    const std::size_t rank = position_.of(s.rank);
    if (s.stream < 0) return first_[rank] + static_cast<std::size_t>(s.lane);
    const auto at = std::ranges::lower_bound(streams_, Stream{rank, s.stream});
    return (rank + 1) * lanes + static_cast<std::size_t>(at - streams_.begin());
  }

 private:
  using Stream = std::pair<std::size_t, std::int32_t>;  // position of the rank, number
  const RankPositions& position_;
  std::vector<Stream> streams_;
  std::vector<std::size_t> first_;  // by position of the rank, plus the end
};

struct Begin {
  Picoseconds time;
  std::uint32_t slice;
  auto operator<=>(const Begin& other) const = default;
};

}  // namespace

std::string track_name(const Track& track) {
  if (track.stream >= 0) {
    return "stream " + std::to_string(track.stream) +
           (track.number == 0 ? "" : " (" + std::to_string(track.number + 1) + ')');
  }
  return std::string(lane_name(track.lane)) + (track.number == 0 ? "" : " " + std::to_string(track.number + 1));
}

Tracks place_on_tracks(std::span<const Slice> slices) {
  const std::vector<Rank> ranks = ranks_of(slices);
  const RankPositions position(ranks);
  const Lines lines(slices, position, ranks.size());
  std::vector<std::uint32_t> begins(lines.count() + 1);
  for (const Slice& s : slices) ++begins[lines.of(s) + 1];
  for (std::size_t i = 1; i < begins.size(); ++i) begins[i] += begins[i - 1];
  std::vector<Begin> sorted(slices.size());
  std::vector<std::uint32_t> next = begins;
  for (std::uint32_t i = 0; i < slices.size(); ++i) sorted[next[lines.of(slices[i])]++] = {slices[i].begin_ps, i};

  Tracks out;
  out.order.resize(slices.size());
  out.of.resize(slices.size());
  for (std::size_t line = 0; line + 1 < begins.size(); ++line) {
    const std::span<Begin> own(sorted.data() + begins[line], begins[line + 1] - begins[line]);
    if (own.empty()) continue;
    if (!std::ranges::is_sorted(own)) std::ranges::sort(own);
    const auto first = static_cast<std::uint32_t>(out.tracks.size());
    LaneTracks tracks;
    bool sends = false;
    for (std::size_t i = 0; i < own.size(); ++i) {
      const Slice& s = slices[own[i].slice];
      sends = sends || s.lane == Lane::send;
      out.order[begins[line] + i] = own[i].slice;
      out.of[own[i].slice] = first + tracks.place(s);
    }
    const Slice& s = slices[own.front().slice];
    for (std::uint32_t t = 0; t < tracks.count(); ++t) out.tracks.push_back({s.rank, s.lane, t, s.stream, sends});
  }
  return out;
}

}  // namespace convert
