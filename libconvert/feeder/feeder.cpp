// SPDX-License-Identifier: MIT
#include "feeder/feeder.h"

#include <numeric>
#include <stdexcept>
#include <utility>

#include "core/diagnostic.h"

namespace convert {
namespace {

// Returns table indices in ascending order of id, then index; empty if the table is in that order already.
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

Feeder::Feeder(const NodeTable& table, const Graph& graph, std::span<const std::uint8_t> lanes) {
  const auto n = static_cast<std::uint32_t>(graph.size());
  if (n != table.nodes.size() || (!lanes.empty() && lanes.size() != n)) {
    throw std::invalid_argument("Feeder: graph or lanes do not belong to the table");
  }
  if (n >= Children::none || graph.edges() >= Children::list_bit)
    throw Error("a rank has too many nodes or dependencies; the limit of each is 2^31");
  auto shape = std::make_shared<Shape>();
  shape->order = order_by_id(table);
  const std::vector<std::uint32_t>& order = shape->order;
  std::vector<std::uint32_t> node_of;  // index in the table → node
  if (!order.empty()) {
    node_of.resize(n);
    for (std::uint32_t node = 0; node < n; ++node) node_of[order[node]] = node;
  }
  shape->waits_for.resize(n);
  shape->children.resize(n);
  std::vector<std::uint32_t> children;  // of one node
  std::uint8_t last_lane = 0;
  if (!lanes.empty()) shape->lanes.resize(n);
  for (std::uint32_t node = 0; node < n; ++node) {
    const std::uint32_t index = order.empty() ? node : order[node];
    children.clear();
    for (const Edge& e : graph.children(index)) children.push_back(node_of.empty() ? e.node : node_of[e.node]);
    if (!node_of.empty()) std::sort(children.begin(), children.end());
    for (const std::uint32_t child : children) ++shape->waits_for[child];
    Children& c = shape->children[node];
    if (children.size() > 2) {
      c.nodes = {static_cast<std::uint32_t>(shape->lists.size()),
                 static_cast<std::uint32_t>(children.size()) | Children::list_bit};
      shape->lists.insert(shape->lists.end(), children.begin(), children.end());
    } else {
      std::copy(children.begin(), children.end(), c.nodes.begin());
    }
    if (lanes.empty()) continue;
    if (lanes[index] >= max_lanes) throw std::invalid_argument("Feeder: lane number too large");
    shape->lanes[node] = lanes[index];
    last_lane = std::max(last_lane, lanes[index]);
  }
  size_ = n;
  lists_ = shape->lists.data();
  children_ = shape->children.data();
  if (!lanes.empty()) lanes_ = shape->lanes.data();
  shape_ = std::move(shape);
  heaps_.resize(std::size_t{last_lane} + 1);
  own_.resize(n);
  waits_for_ = {own_.data(), LineArray<std::uint32_t>::per_line};
  reset();
}

Feeder::Feeder(const Feeder& other)
    : size_(other.size_),
      taken_(other.taken_),
      completed_(other.completed_),
      blocked_(other.blocked_),
      fresh_(other.fresh_),
      children_(other.children_),
      lists_(other.lists_),
      heaps_(other.heaps_),
      lanes_(other.lanes_),
      shape_(other.shape_),
      own_(other.size_) {
  waits_for_ = {own_.data(), LineArray<std::uint32_t>::per_line};
  for (std::uint32_t node = 0; node < size_; ++node) waits_for_[node] = other.waits_for_[node];
}

Feeder& Feeder::operator=(const Feeder& other) {
  if (this != &other) *this = Feeder(other);
  return *this;
}

Feeder::Feeder(const Feeder& other, LineArray<std::uint32_t> waits_for)
    : waits_for_(waits_for),
      size_(other.size_),
      children_(other.children_),
      lists_(other.lists_),
      heaps_(other.heaps_.size()),
      lanes_(other.lanes_),
      shape_(other.shape_) {
  reset();
}

std::span<const std::uint32_t> Feeder::children(std::uint32_t node) const {
  const Children& c = children_[node];
  if (c.is_list()) return list(c);
  return {c.nodes.begin(), std::find(c.nodes.begin(), c.nodes.end(), Children::none)};
}

std::vector<std::uint32_t> Feeder::free_list() const {
  std::vector<std::uint32_t> list = fresh_;
  for (const Heap& heap : heaps_) list.insert(list.end(), heap.begin(), heap.end());
  std::sort(list.begin(), list.end());
  return list;
}

void Feeder::reset() {
  if (shape_ == nullptr) return;
  for (Heap& heap : heaps_) heap.clear();
  fresh_.clear();
  taken_ = completed_ = blocked_ = 0;
  constexpr std::uint32_t at_once = LineArray<std::uint32_t>::per_line;
  for (std::uint32_t node = 0; node < size(); node += at_once)
    std::copy_n(&shape_->waits_for[node], std::min(at_once, size() - node), &waits_for_[node]);
  for (std::uint32_t node = 0; node < size(); ++node) {
    if (shape_->waits_for[node] == 0) fresh_.push_back(node);
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
