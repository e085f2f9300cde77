// SPDX-License-Identifier: MIT
// Shortest routes over the links of a network (Dijkstra's algorithm, with early termination).
#pragma once

#include <algorithm>
#include <cstdint>
#include <queue>
#include <utility>
#include <vector>

#include "synthesis/graph.h"

namespace convert {

class WaySearch {
 public:
  explicit WaySearch(const LinkGraph& graph)
      : graph_(graph), labels_(graph.devices) {}  // the graph must outlive
                                                  // this object

  // Returns the nearest device for which wanted(device), the lowest among equals; no_index if none is reached.
  // length(link) must be at least 0.
  template <class Length, class Wanted>
  Device run(Device from, const Length& length, const Wanted& wanted) {
    ++search_;
    heap_ = {};
    from_ = from;
    labels_[from] = {.search = search_};
    heap_.push({0, from});
    while (!heap_.empty()) {
      const Device at = heap_.top().at;
      heap_.pop();
      if (wanted(at)) return at;
      if (std::exchange(labels_[at].settled, true)) continue;
      for (const std::uint32_t link : graph_.out[at]) {
        Label& to = labels_[graph_.links[link].to];
        const double total = labels_[at].length + length(link);
        if (to.search == search_ && (to.settled || to.length <= total)) continue;
        to = {.search = search_, .settled = false, .length = total, .by = link};
        heap_.push({total, graph_.links[link].to});
      }
    }
    return no_index;
  }

  // Returns the links of the route to the device that run() has returned.
  [[nodiscard]] std::vector<std::uint32_t> way_to(Device to) const {
    std::vector<std::uint32_t> way;
    for (Device at = to; at != from_; at = graph_.links[way.back()].from) way.push_back(labels_[at].by);
    std::ranges::reverse(way);
    return way;
  }

 private:
  struct Label {
    std::uint32_t search = 0;
    bool settled = false;
    double length = 0;
    std::uint32_t by = no_index;
  };
  struct Candidate {
    double length = 0;
    Device at = 0;
    friend bool operator<(const Candidate& a, const Candidate& b) {  // the least comes first
      return a.length != b.length ? a.length > b.length : a.at > b.at;
    }
  };

  const LinkGraph& graph_;
  std::vector<Label> labels_;  // by device
  std::uint32_t search_ = 0;
  Device from_ = 0;
  std::priority_queue<Candidate> heap_;
};

}  // namespace convert
