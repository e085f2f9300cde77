// SPDX-License-Identifier: MIT
// After Pearce and Kelly, "A dynamic topological sort algorithm for directed acyclic graphs" (2006).
#include "passes/incremental_order.h"

#include <algorithm>

namespace convert {

IncrementalOrder::IncrementalOrder(const std::vector<std::uint32_t>& order, std::span<const Edge> edges)
    : edges_(edges),
      place_(order.size()),
      out_(rows_by_key(edges.size(), order.size(), [&](std::size_t e) { return edges[e].from; })),
      in_(rows_by_key(edges.size(), order.size(), [&](std::size_t e) { return edges[e].to; })),
      added_(edges.size()),
      seen_(order.size()) {
  for (std::uint32_t i = 0; i < order.size(); ++i) place_[order[i]] = i;
}

bool IncrementalOrder::add(std::uint32_t edge) {
  const auto [from, to] = edges_[edge];
  if (from == to) return false;
  if (place_[from] > place_[to]) {
    const bool cycle = reach_forward(to, from);
    if (!cycle) reach_backward(from, place_[to]);
    if (!cycle) reorder();
    for (const auto* found : {&forward_, &backward_}) {
      for (const std::uint32_t node : *found) seen_[node] = false;
    }
    forward_.clear();
    backward_.clear();
    if (cycle) return false;
  }
  added_[edge] = true;
  return true;
}

// Collects in forward_ the successors of `from`, up to the position of `target`. Returns true if it reaches
// `target`.
bool IncrementalOrder::reach_forward(std::uint32_t from, std::uint32_t target) {
  seen_[from] = true;
  forward_.push_back(from);
  for (std::size_t i = 0; i < forward_.size(); ++i) {
    for (const std::uint32_t e : out_[forward_[i]]) {
      const std::uint32_t to = edges_[e].to;
      if (!added_[e] || seen_[to] || place_[to] > place_[target]) continue;
      if (to == target) return true;
      seen_[to] = true;
      forward_.push_back(to);
    }
  }
  return false;
}

void IncrementalOrder::reach_backward(std::uint32_t from, std::uint32_t lowest) {
  seen_[from] = true;
  backward_.push_back(from);
  for (std::size_t i = 0; i < backward_.size(); ++i) {
    for (const std::uint32_t e : in_[backward_[i]]) {
      const std::uint32_t parent = edges_[e].from;
      if (!added_[e] || seen_[parent] || place_[parent] < lowest) continue;
      seen_[parent] = true;
      backward_.push_back(parent);
    }
  }
}

// Moves the ancestors of the edge before its descendants, within the positions that both occupy.
void IncrementalOrder::reorder() {
  const auto by_place = [&](std::uint32_t a, std::uint32_t b) { return place_[a] < place_[b]; };
  std::sort(forward_.begin(), forward_.end(), by_place);
  std::sort(backward_.begin(), backward_.end(), by_place);
  std::vector<std::uint32_t> places;
  for (const auto* found : {&backward_, &forward_}) {
    for (const std::uint32_t node : *found) places.push_back(place_[node]);
  }
  std::sort(places.begin(), places.end());
  std::size_t i = 0;
  for (const auto* found : {&backward_, &forward_}) {
    for (const std::uint32_t node : *found) place_[node] = places[i++];
  }
}

}  // namespace convert
