// SPDX-License-Identifier: MIT
#include "passes/anonymize/ids.h"

#include <algorithm>

namespace convert {
namespace {

void sort_unique(std::vector<NodeId>& ids) {
  if (!std::ranges::is_sorted(ids)) std::ranges::sort(ids);
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
}

NodeId place_in(const std::vector<NodeId>& ids, NodeId id) {
  return static_cast<NodeId>(std::ranges::lower_bound(ids, id) - ids.begin());
}

}  // namespace

void DenseIdCheck::add(const NodeTable& batch) {
  for (const Node& n : batch.nodes) add_id(n.id);
  for (const NodeId d : batch.deps) add_dep(d);
}

std::optional<DenseIds> DenseIdCheck::finish() const {
  const bool inside = least_dep_ > largest_dep_ || (least_dep_ >= first_ && largest_dep_ - first_ < count_);
  const bool wraps = count_ != 0 && first_ + (count_ - 1) < first_;
  return dense_ && inside && !wraps ? std::optional(DenseIds{first_}) : std::nullopt;
}

IdNumbers::IdNumbers(const NodeTable& nodes) {
  ids_.reserve(nodes.nodes.size());
  for (const Node& n : nodes.nodes) ids_.push_back(n.id);
  sort_unique(ids_);
  for (const Node& n : nodes.nodes) {
    for (const auto deps : {nodes.data_deps(n), nodes.ctrl_deps(n)}) {
      for (const NodeId d : deps) {
        if (!std::ranges::binary_search(ids_, d)) missing_.push_back(d);
      }
    }
  }
  sort_unique(missing_);
  const bool dense = !ids_.empty() && missing_.empty() && ids_.back() - ids_.front() == ids_.size() - 1;
  if (!dense) return;
  first_ = ids_.front();
  ids_.clear();
}

NodeId IdNumbers::of(NodeId id) const {
  if (ids_.empty() && missing_.empty()) return id - first_;
  // Ids smaller than all node ids stay smaller: for example the process node, which Chakra's converter omits.
  const NodeId before = ids_.empty() ? 0 : place_in(missing_, ids_.front());
  const NodeId place = place_in(ids_, id);
  if (place < ids_.size() && ids_[place] == id) return before + place;
  const NodeId missing = place_in(missing_, id);
  return missing < before ? missing : ids_.size() + missing;
}

void IdNumbers::renumber(NodeTable& nodes) const {
  if (ids_.empty() && missing_.empty() && first_ == 0) return;
  for (Node& n : nodes.nodes) n.id = of(n.id);
  for (NodeId& d : nodes.deps) d = of(d);
}

}  // namespace convert
