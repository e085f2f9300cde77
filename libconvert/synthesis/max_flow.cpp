// SPDX-License-Identifier: MIT
#include "synthesis/max_flow.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace convert {

MaxFlow::MaxFlow(std::uint32_t nodes, std::span<const Arc> arcs)
    : begin_(std::size_t{nodes} + 1, 0),
      halves_(2 * arcs.size()),
      half_of_(arcs.size()),
      arc_of_(2 * arcs.size(), no_index),
      capacity_(2 * arcs.size(), 0),
      is_touched_(2 * arcs.size(), 0),
      level_(nodes, unseen),
      next_(nodes, 0) {
  for (const Arc& a : arcs) {
    ++begin_[a.from];
    ++begin_[a.to];
  }
  std::exclusive_scan(begin_.begin(), begin_.end(), begin_.begin(), 0U);
  end_.assign(begin_.begin(), begin_.end() - 1);
  std::vector<std::uint32_t> at = end_;
  for (std::size_t i = 0; i < arcs.size(); ++i) {
    const std::uint32_t along = at[arcs[i].from]++;
    const std::uint32_t back = at[arcs[i].to]++;
    half_of_[i] = along;
    arc_of_[along] = static_cast<std::uint32_t>(i);
    halves_[along] = {.to = arcs[i].to, .twin = back};
    halves_[back] = {.to = arcs[i].from, .twin = along};
  }
}

void MaxFlow::set_capacity(std::uint32_t arc, std::int64_t capacity) {
  const bool active = capacity != 0;
  if ((capacity_[half_of_[arc]] != 0) != active) {
    undo();  // its list of touched halves is not updated when halves are swapped
    set_active(half_of_[arc], active);
    set_active(halves_[half_of_[arc]].twin, active);
  }
  capacity_[half_of_[arc]] = capacity;
  touch(half_of_[arc]);
}

// Keeps the active halves of a node before the others, so that flows skip arcs without capacity.
void MaxFlow::set_active(std::uint32_t half, bool active) {
  const std::uint32_t node = halves_[halves_[half].twin].to;
  if (active) {
    swap(half, end_[node]++);
  } else {
    swap(half, --end_[node]);
  }
}

void MaxFlow::swap(std::uint32_t a, std::uint32_t b) {
  if (a == b) return;
  std::swap(halves_[a], halves_[b]);
  std::swap(capacity_[a], capacity_[b]);
  std::swap(arc_of_[a], arc_of_[b]);
  const bool twins = halves_[a].twin == a;  // of an arc from a node to itself
  for (const std::uint32_t half : {a, b}) {
    if (twins) halves_[half].twin = half == a ? b : a;
    halves_[halves_[half].twin].twin = half;
    if (arc_of_[half] != no_index) half_of_[arc_of_[half]] = half;
  }
}

std::int64_t MaxFlow::capacity(std::uint32_t arc) const { return capacity_[half_of_[arc]]; }

std::int64_t MaxFlow::flow(std::uint32_t arc) const {
  const std::uint32_t half = half_of_[arc];
  return capacity_[half] - halves_[half].residual;
}

void MaxFlow::touch(std::uint32_t half) {
  if (is_touched_[half] != 0) return;
  is_touched_[half] = 1;
  touched_.push_back(half);
}

void MaxFlow::undo() {
  for (const std::uint32_t half : touched_) {
    is_touched_[half] = 0;
    halves_[half].residual = capacity_[half];
    halves_[halves_[half].twin].residual = capacity_[halves_[half].twin];
  }
  touched_.clear();
}

// Only nodes that are nearer to the source than the sink is are useful, so the search ends when it reaches the
// sink.
bool MaxFlow::set_levels(std::uint32_t source, std::uint32_t sink) {
  for (const std::uint32_t node : seen_) level_[node] = unseen;
  seen_.assign(1, source);
  level_[source] = 0;
  next_[source] = begin_[source];
  for (std::size_t i = 0; i < seen_.size() && level_[sink] == unseen; ++i) {
    const std::uint32_t node = seen_[i];
    for (std::uint32_t h = begin_[node]; h < end_[node]; ++h) {
      const std::uint32_t to = halves_[h].to;
      if (level_[to] != unseen || halves_[h].residual == 0) continue;
      level_[to] = level_[node] + 1;
      next_[to] = begin_[to];
      seen_.push_back(to);
      if (to == sink) break;
    }
  }
  return level_[sink] != unseen;
}

bool MaxFlow::advance(std::uint32_t node) {
  for (std::uint32_t& h = next_[node]; h < end_[node]; ++h) {
    if (halves_[h].residual == 0 || level_[halves_[h].to] != level_[node] + 1) continue;
    way_.push_back(h);
    return true;
  }
  return false;
}

// Sends flow over paths of the current levels until there are no more. The path is stored in a list, not on the
// stack, since it may have as many arcs as there are nodes.
std::int64_t MaxFlow::augment(std::uint32_t source, std::uint32_t sink, std::int64_t limit) {
  std::int64_t sent = 0;
  way_.clear();
  while (sent < limit) {
    const std::uint32_t node = way_.empty() ? source : halves_[way_.back()].to;
    if (node == sink) {
      std::int64_t amount = limit - sent;
      for (const std::uint32_t h : way_) amount = std::min(amount, halves_[h].residual);
      std::size_t full = way_.size();
      for (std::size_t i = way_.size(); i-- > 0;) {
        const std::uint32_t h = way_[i];
        halves_[h].residual -= amount;
        halves_[halves_[h].twin].residual += amount;
        touch(h);
        if (halves_[h].residual == 0) full = i;
      }
      sent += amount;
      way_.resize(full);
    } else if (!advance(node)) {
      if (node == source) break;
      ++next_[halves_[halves_[way_.back()].twin].to];
      way_.pop_back();
    }
  }
  return sent;
}

std::int64_t MaxFlow::run(std::uint32_t source, std::uint32_t sink, std::int64_t limit) {
  undo();
  std::int64_t sent = 0;
  while (sent < limit && set_levels(source, sink)) sent += augment(source, sink, limit - sent);
  return sent;
}

}  // namespace convert
