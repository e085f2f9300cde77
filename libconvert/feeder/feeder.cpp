// SPDX-License-Identifier: MIT
#include "feeder/feeder.h"

#include <numeric>
#include <stdexcept>

namespace convert {
namespace {

// Table indices in ascending order of id (equal ids: of index); empty if the table is in that order already.
std::vector<std::uint32_t> order_by_id(const NodeTable& table) {
  const auto by_id = [&](const Node& a, const Node& b) { return a.id < b.id; };
  if (std::is_sorted(table.nodes.begin(), table.nodes.end(), by_id)) return {};
  std::vector<std::uint32_t> order(table.nodes.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return table.nodes[a].id < table.nodes[b].id; });
  return order;
}

}  // namespace

Feeder::Feeder(const NodeTable& table, const Graph& graph, std::span<const std::uint8_t> lanes)
    : order_(order_by_id(table)) {
  const auto n = static_cast<std::uint32_t>(graph.size());
  if (n != table.nodes.size() || (!lanes.empty() && lanes.size() != n)) {
    throw std::invalid_argument("Feeder: graph or lanes do not belong to the table");
  }
  std::vector<std::uint32_t> node_of;  // index in the table → node
  if (!order_.empty()) {
    node_of.resize(n);
    for (std::uint32_t node = 0; node < n; ++node) node_of[order_[node]] = node;
  }
  rows_.resize(n + std::size_t{1});
  children_.reserve(graph.edges());
  std::uint8_t last_lane = 0;
  if (!lanes.empty()) lanes_.resize(n);
  for (std::uint32_t node = 0; node < n; ++node) {
    const std::uint32_t index = index_of(node);
    rows_[node].first_child = static_cast<std::uint32_t>(children_.size());
    for (const Edge& e : graph.children(index)) children_.push_back(node_of.empty() ? e.node : node_of[e.node]);
    if (!node_of.empty()) {
      std::sort(children_.begin() + static_cast<std::ptrdiff_t>(rows_[node].first_child), children_.end());
    }
    if (lanes.empty()) continue;
    if (lanes[index] >= max_lanes) throw std::invalid_argument("Feeder: lane number too large");
    lanes_[node] = lanes[index];
    last_lane = std::max(last_lane, lanes[index]);
  }
  rows_[n].first_child = static_cast<std::uint32_t>(children_.size());
  heaps_.resize(std::size_t{last_lane} + 1);
  reset();
}

void Feeder::reset() {
  for (Row& row : rows_) row.waiting = 0;
  for (const std::uint32_t child : children_) ++rows_[child].waiting;
  for (Heap& heap : heaps_) heap.clear();
  fresh_.clear();
  taken_ = completed_ = blocked_ = 0;
  for (std::uint32_t node = 0; node < size(); ++node) {
    if (rows_[node].waiting == 0) fresh_.push_back(node);
  }
}

void Feeder::block(std::uint32_t node, std::uint8_t lane) {
  heaps_[lane].push_back(node);
  std::push_heap(heaps_[lane].begin(), heaps_[lane].end(), std::greater<>());
  ++blocked_;
}

void Feeder::unblock(std::uint8_t lane) {
  std::pop_heap(heaps_[lane].begin(), heaps_[lane].end(), std::greater<>());
  heaps_[lane].pop_back();
  --blocked_;
}

}  // namespace convert
