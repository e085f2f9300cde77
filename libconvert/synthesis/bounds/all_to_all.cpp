// SPDX-License-Identifier: MIT
#include "synthesis/bounds/all_to_all.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <queue>
#include <utility>

#include "synthesis/fraction.h"

namespace convert {
namespace {

// Shortest routes from one device, by lengths of links.
template <class Length>
class ShortestWays {
 public:
  explicit ShortestWays(const LinkGraph& graph) : graph_(graph), distance_(graph.devices), place_(graph.devices) {}

  void find(Device from, const std::vector<Length>& lengths) {
    std::fill(distance_.begin(), distance_.end(), unreached);
    order_.clear();
    distance_[from] = 0;
    open_.emplace(Length{0}, from);
    while (!open_.empty()) {
      const auto [so_far, device] = open_.top();
      open_.pop();
      if (so_far > distance_[device]) continue;
      place_[device] = static_cast<std::uint32_t>(order_.size());
      order_.push_back(device);
      for (const std::uint32_t l : graph_.out[device]) {
        const Device to = graph_.links[l].to;
        if (const Length length = so_far + lengths[l]; length < distance_[to]) {
          distance_[to] = length;
          open_.emplace(length, to);
        }
      }
    }
  }
  [[nodiscard]] Length distance(Device d) const { return distance_[d]; }
  [[nodiscard]] const std::vector<Length>& distances() const { return distance_; }
  // Return the reachable devices, the nearest first, and the position of a device among them.
  [[nodiscard]] const std::vector<Device>& order() const { return order_; }
  [[nodiscard]] std::uint32_t place(Device d) const { return place_[d]; }

 private:
  static constexpr Length unreached = std::numeric_limits<Length>::max();
  using Entry = std::pair<Length, Device>;
  const LinkGraph& graph_;
  std::vector<Length> distance_;
  std::vector<Device> order_;
  std::vector<std::uint32_t> place_;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open_;
};

class LengthSearch {
 public:
  LengthSearch(const LinkGraph& graph, std::span<const Device> participants)
      : graph_(graph),
        participants_(participants),
        takes_part_(graph.devices, 0),
        loads_(graph.links.size(), 0),
        means_(graph.links.size(), 0),
        mean_loads_(graph.links.size(), 0),
        through_(graph.devices, 0),
        ways_(graph) {
    for (const Device d : participants) takes_part_[d] = 1;
    for (const LinkGraph::Link& l : graph.links) lengths_.push_back(1 / static_cast<double>(l.bandwidth));
  }

  // Returns the best lengths, and the time of the flow over the routes of all rounds together. The lengths
  // oscillate, so their mean over the last rounds may be better than any single round.
  std::pair<std::vector<double>, double> find() {
    constexpr double closed = 0.9999;
    const double work = static_cast<double>(participants_.size()) * static_cast<double>(graph_.links.size());
    const auto rounds = static_cast<int>(std::clamp(1e8 / work, 4., 400.));
    double reached = std::numeric_limits<double>::infinity();
    for (int round = 1; round <= rounds && best_ratio_ < closed * reached; ++round) {
      std::fill(loads_.begin(), loads_.end(), 0);
      const double capacity = capacity_of(lengths_);
      take(route(lengths_, true) / capacity, lengths_);
      for (std::size_t l = 0; l < lengths_.size(); ++l) means_[l] += lengths_[l] / capacity;
      reached = std::min(reached, lengthen(round));
      if ((round & (round - 1)) != 0 && round != rounds) continue;
      take(route(means_, false) / capacity_of(means_), means_);
      std::fill(means_.begin(), means_.end(), 0);
      std::fill(mean_loads_.begin(), mean_loads_.end(), 0);
      averaged_ = 0;
    }
    return {std::move(best_), reached};
  }

 private:
  void take(double ratio, const std::vector<double>& lengths) {
    if (ratio <= best_ratio_) return;
    best_ratio_ = ratio;
    best_ = lengths;
  }

  [[nodiscard]] double capacity_of(const std::vector<double>& lengths) const {
    double sum = 0;
    for (std::size_t l = 0; l < lengths.size(); ++l)
      sum += lengths[l] * static_cast<double>(graph_.links[l].bandwidth);
    return sum;
  }

  // Makes links longer by their loads. Returns the time of this round's flow, or of the mean flow if that is less.
  double lengthen(int round) {
    double most = 0, most_of_means = 0;
    ++averaged_;
    for (std::size_t l = 0; l < loads_.size(); ++l) {
      const auto bandwidth = static_cast<double>(graph_.links[l].bandwidth);
      mean_loads_[l] += loads_[l];
      most = std::max(most, loads_[l] / bandwidth);
      most_of_means = std::max(most_of_means, mean_loads_[l] / bandwidth / averaged_);
    }
    const double step = 1 / (1 + 0.05 * round);
    for (std::size_t l = 0; l < loads_.size(); ++l)
      lengths_[l] *= std::exp(step * loads_[l] / static_cast<double>(graph_.links[l].bandwidth) / most);
    return std::min(most, most_of_means);
  }

  // Returns the sum of the distances. With `loads`, it also sends a byte from each participant to each other over
  // the shortest routes.
  double route(const std::vector<double>& lengths, bool loads) {
    double sum = 0;
    for (const Device from : participants_) {
      ways_.find(from, lengths);
      for (const Device to : participants_) sum += ways_.distance(to);
      if (loads) send(from, lengths);
    }
    return sum;
  }

  // Sends equal shares over routes of equal length, within rounding errors, which may be all of a link's length.
  void send(Device from, const std::vector<double>& lengths) {
    std::fill(through_.begin(), through_.end(), 0);
    for (auto at = ways_.order().rbegin(); at != ways_.order().rend() && *at != from; ++at) {
      if (takes_part_[*at] != 0) through_[*at] += 1;
      if (through_[*at] == 0) continue;
      constexpr double rounding = 1e-9;
      const double most = ways_.distance(*at) * (1 + rounding);
      last_.clear();
      for (const std::uint32_t l : graph_.in[*at]) {
        const Device before = graph_.links[l].from;
        if (ways_.distance(before) + lengths[l] <= most && ways_.place(before) < ways_.place(*at))
          last_.push_back(l);
      }
      const double part = through_[*at] / static_cast<double>(last_.size());
      for (const std::uint32_t l : last_) {
        loads_[l] += part;
        through_[graph_.links[l].from] += part;
      }
    }
  }

  const LinkGraph& graph_;
  std::span<const Device> participants_;
  std::vector<std::uint8_t> takes_part_;  // by device
  std::vector<double> lengths_;           // by link, as are the next four
  std::vector<double> loads_;
  // Sums over some rounds; lengths are scaled to the same capacity before.
  std::vector<double> means_;
  std::vector<double> mean_loads_;
  int averaged_ = 0;  // rounds
  std::vector<double> best_;
  double best_ratio_ = 0;
  std::vector<double> through_;      // by device
  std::vector<std::uint32_t> last_;  // last links of shortest routes
  ShortestWays<double> ways_;
};

// Returns integers proportional to the lengths, small enough for exact sums.
std::vector<std::int64_t> whole_lengths(const LinkGraph& graph, std::span<const Device> participants,
                                        const std::vector<double>& lengths) {
  double bandwidth = 0;
  for (const LinkGraph::Link& l : graph.links) bandwidth += static_cast<double>(l.bandwidth);
  const auto n = static_cast<double>(participants.size());
  const double longest = std::max(bandwidth, n * n * static_cast<double>(graph.devices));
  const double most = std::min(0x1p24, std::max(1., 0x1p61 / longest));
  const double scale = most / *std::max_element(lengths.begin(), lengths.end());
  std::vector<std::int64_t> out;
  for (const double length : lengths) out.push_back(std::llround(length * scale));
  return out;
}

// Grows sets of devices, one by one, and keeps the worst cut: its number of devices and its direction.
class GrowingCut {
 public:
  GrowingCut(const LinkGraph& graph, std::span<const Device> participants)
      : graph_(graph), participants_(participants), takes_part_(graph.devices, 0), inside_(graph.devices, 0) {
    for (const Device d : participants) takes_part_[d] = 1;
  }

  void grow(const std::vector<Device>& order) {
    std::fill(inside_.begin(), inside_.end(), 0);
    std::int64_t out = 0, in = 0, members = 0;  // bandwidths out of the set and into it
    for (std::size_t i = 0; i + 1 < order.size(); ++i) {
      const Device d = order[i];
      for (const std::uint32_t l : graph_.out[d])
        (inside_[graph_.links[l].to] == 0 ? out : in) += signed_bandwidth(l, inside_[graph_.links[l].to] == 0);
      for (const std::uint32_t l : graph_.in[d])
        (inside_[graph_.links[l].from] == 0 ? in : out) += signed_bandwidth(l, inside_[graph_.links[l].from] == 0);
      inside_[d] = 1;
      members += takes_part_[d];
      const std::int64_t parts = members * (static_cast<std::int64_t>(participants_.size()) - members);
      if (parts == 0) continue;
      offer(order, i + 1, parts, out, false);
      offer(order, i + 1, parts, in, true);
    }
  }
  [[nodiscard]] DeviceCut take() {
    return worst_into_ ? opposite(std::move(worst_), graph_.devices) : std::move(worst_);
  }

 private:
  // A link leads out of the set, or into it, until both ends are inside.
  [[nodiscard]] std::int64_t signed_bandwidth(std::uint32_t link, bool crosses) const {
    return crosses ? graph_.links[link].bandwidth : -graph_.links[link].bandwidth;
  }
  void offer(const std::vector<Device>& order, std::size_t count, std::int64_t parts, std::int64_t bandwidth,
             bool into) {
    if (!worst_.devices.empty() && !less(worst_.ratio(), {parts, bandwidth})) return;
    worst_ = {.devices = {order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count)},
              .parts = parts,
              .bandwidth = bandwidth};
    std::ranges::sort(worst_.devices);
    worst_into_ = into;
  }

  const LinkGraph& graph_;
  std::span<const Device> participants_;
  std::vector<std::uint8_t> takes_part_;  // by device
  std::vector<std::uint8_t> inside_;      // by device
  DeviceCut worst_;
  bool worst_into_ = false;
};

}  // namespace

DeviceCut worst_exchange_cut(const LinkGraph& graph, std::span<const Device> participants,
                             const LengthBound& lengths) {
  // Examines about as many pairs as take a second: an even selection of participants.
  constexpr double most_work = 6e8;
  const double of_pair = static_cast<double>(graph.links.size()) + 8 * static_cast<double>(graph.devices);
  const auto n = participants.size();
  const std::size_t some = std::clamp<std::size_t>(static_cast<std::size_t>(std::sqrt(most_work / of_pair)), 2, n);
  ShortestWays<std::int64_t> ways(graph);
  GrowingCut cut(graph, participants);
  std::vector<std::vector<std::int64_t>> distances;  // from these participants
  for (std::size_t i = 0; i < n; ++i) {
    ways.find(participants[i], lengths.lengths);
    cut.grow(ways.order());
    if (i * some / n != (i + 1) * some / n) distances.push_back(ways.distances());
  }
  std::vector<Device> order = ways.order();  // devices that can reach one participant can reach all
  for (std::size_t a = 0; a < distances.size(); ++a) {
    for (std::size_t b = a + 1; b < distances.size(); ++b) {
      std::ranges::sort(order);
      std::ranges::stable_sort(order, {}, [&](Device d) { return distances[a][d] - distances[b][d]; });
      cut.grow(order);
    }
  }
  return cut.take();
}

LengthBound all_to_all_lengths(const LinkGraph& graph, std::span<const Device> participants) {
  LengthBound out;
  if (participants.size() < 2) return out;
  auto [lengths, reached] = LengthSearch(graph, participants).find();
  out.lengths = whole_lengths(graph, participants, lengths);
  out.reached = reached;
  WideInteger distance = 0, capacity = 0;
  ShortestWays<std::int64_t> ways(graph);
  for (const Device from : participants) {
    ways.find(from, out.lengths);
    for (const Device to : participants) distance += ways.distance(to);
  }
  for (std::size_t l = 0; l < graph.links.size(); ++l)
    capacity += static_cast<WideInteger>(out.lengths[l]) * graph.links[l].bandwidth;
  if (std::max(distance, capacity) >= most_synthesis_integer)
    throw input_error({}, "the network is too large for an exact bound of an all-to-all");
  out.distance = static_cast<std::int64_t>(distance);
  out.capacity = static_cast<std::int64_t>(capacity);
  return out;
}

}  // namespace convert
