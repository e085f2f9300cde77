// SPDX-License-Identifier: MIT
#include "passes/iterations/take.h"

#include <algorithm>
#include <limits>

#include "core/units.h"
#include "passes/dep_rules.h"

namespace convert {
namespace {

const Name taken_iteration{std::string_view("iteration")};
constexpr std::uint64_t ns_per_us = 1000;

Error cannot_take(const Trace& trace, const std::string& what) {
  return input_error({.file = trace.name, .rank = static_cast<std::int64_t>(trace.rank)}, what, "iterations");
}

}  // namespace

void TakenCounts::add(const TakenCounts& other, std::uint64_t times) {
  left_out += times * other.left_out;
  dropped += times * other.dropped;
  made += times * other.made;
}

IterationTaker::IterationTaker(const Trace& trace, const Iterations& found, TakenIterations taken)
    : trace_(trace),
      found_(found),
      taken_(taken),
      length_(taken.last - taken.first + 1),
      ids_(trace.nodes),
      nodes_(found.numbers.size()),
      ordinal_(found.of.size()) {
  for (std::uint32_t i = 0; i < found.of.size(); ++i) {
    const std::uint32_t k = found.of[i];
    const bool stays = k == Iterations::prologue || (k >= taken_.first && k <= taken_.last);
    counts_.left_out += stays ? 0 : 1;
    if (stays) next_id_ = std::max(next_id_, trace.nodes.nodes[i].id);
    if (k < nodes_.size()) nodes_[k].push_back(i);
  }
  for (std::size_t k = taken_.first; k <= taken_.last; ++k) {
    for (const std::uint32_t i : nodes_[k]) ordinal_[i] = block_++;
  }
  if (taken_.repeat == 1) return;
  check_copies();
  index_classes();
  if (found.numbers.size() == 1) find_ends();
}

void IterationTaker::check_copies() {
  const std::uint64_t copies = taken_.repeat - 1;
  std::uint64_t more = 0;
  if (__builtin_mul_overflow(copies, block_, &more) || more >= std::numeric_limits<NodeId>::max() - next_id_)
    throw cannot_take(trace_, "--repeat " + std::to_string(taken_.repeat) + ": not enough node ids after " +
                                  std::to_string(next_id_) + " for copies of " + std::to_string(block_) + " nodes");
  ++next_id_;
  span_ = found_.numbers[taken_.last] - found_.numbers[taken_.first] + 1;
  std::int64_t numbers = 0;
  if (copies > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) ||
      __builtin_mul_overflow(static_cast<std::int64_t>(copies), span_, &numbers) ||
      numbers > std::numeric_limits<std::int64_t>::max() - found_.numbers[taken_.last])
    throw cannot_take(trace_,
                      "--repeat " + std::to_string(taken_.repeat) + ": the iteration numbers exceed 63 bits");
  for (std::size_t i = 0; i < found_.of.size(); ++i) {
    const std::uint32_t k = found_.of[i];
    if (k < taken_.first || k > taken_.last) continue;
    if (find(trace_.nodes.attributes(trace_.nodes.nodes[i]), attr::merged_from) != nullptr)
      throw input_error(
          location_of(trace_, i),
          "node " + std::to_string(trace_.nodes.nodes[i].id) +
              " belongs to a merged collective, which cannot be repeated; use --collapse to restore the collective",
          "iterations");
  }
}

void IterationTaker::index_classes() {
  classes_ = alike_classes(trace_);
  place_.resize(classes_.size());
  alike_.resize(nodes_.size());
  for (const std::uint32_t i : found_.order) {
    if (found_.of[i] < nodes_.size()) alike_[found_.of[i]].emplace_back(classes_[i], i);
  }
  for (auto& of_iteration : alike_) {
    std::ranges::stable_sort(of_iteration, {}, [](const auto& entry) { return entry.first; });
    for (std::uint32_t at = 0; at < of_iteration.size(); ++at) {
      const bool same = at > 0 && of_iteration[at - 1].first == of_iteration[at].first;
      place_[of_iteration[at].second] = same ? place_[of_iteration[at - 1].second] + 1 : 0;
    }
  }
}

std::uint32_t IterationTaker::partner(std::uint32_t node, std::uint32_t iteration) const {
  if (alike_.empty()) return no_index;
  const auto range = std::ranges::equal_range(alike_[iteration], classes_[node], {},
                                              [](const auto& entry) { return entry.first; });
  if (range.empty()) return no_index;
  return range[std::min<std::size_t>(place_[node], range.size() - 1)].second;
}

// Finds the nodes without dependents in the iteration, and the nodes without dependencies in it.
void IterationTaker::find_ends() {
  constexpr std::size_t most = std::size_t{1} << 20U;
  std::vector<bool> waited(found_.of.size());
  root_.assign(found_.of.size(), true);
  std::size_t roots = 0;
  for (const std::uint32_t i : nodes_[0]) {
    const Node& n = trace_.nodes.nodes[i];
    for (const auto deps : {trace_.nodes.data_deps(n), trace_.nodes.ctrl_deps(n)}) {
      for (const NodeId id : deps) {
        const std::uint32_t parent = ids_.find(id);
        if (parent == IdIndex::none || found_.of[parent] != 0) continue;
        waited[parent] = true;
        root_[i] = false;
      }
    }
    roots += root_[i] ? 1 : 0;
  }
  for (const std::uint32_t i : nodes_[0]) {
    if (!waited[i]) sinks_.push_back(i);
  }
  if (roots * sinks_.size() > most)
    throw cannot_take(trace_, "the only iteration has " + counted(roots, "first node") + " and " +
                                  counted(sinks_.size(), "last node") +
                                  ": too many for copies that begin when the previous copy has ended");
}

NodeId IterationTaker::id_of(Place p) const {
  if (p.slot < length_) return trace_.nodes.nodes[p.node].id;
  return next_id_ + (p.slot / length_ - 1) * block_ + ordinal_[p.node];
}

IterationTaker::Place IterationTaker::seen_from(Slot slot, std::uint32_t iteration, std::uint32_t parent) const {
  constexpr Place nowhere{no_index, no_slot};
  const std::uint32_t of_parent = found_.of[parent];
  if (of_parent >= nodes_.size()) return nowhere;
  // modulo 2^64, so that a slot before the first compares as after the last
  const Slot target = slot + of_parent - iteration;
  if (target >= parts() - 1) return nowhere;
  const std::uint32_t there = recorded(target);
  const std::uint32_t node = there == of_parent ? parent : partner(parent, there);
  return node == no_index ? nowhere : Place{node, target};
}

void IterationTaker::add_deps(std::uint32_t node, Slot slot, bool data, NodeTable& out) {
  const Node& from = trace_.nodes.nodes[node];
  const Attr* const rules = data ? dep_rules_of(trace_.nodes, from) : nullptr;
  const std::span<const NodeId> deps = data ? trace_.nodes.data_deps(from) : trace_.nodes.ctrl_deps(from);
  const std::uint32_t iteration = found_.of[node];
  for (std::size_t d = 0; d < deps.size(); ++d) {
    const std::uint32_t parent = ids_.find(deps[d]);
    NodeId id = deps[d];
    if (parent != IdIndex::none && found_.of[parent] != Iterations::prologue) {
      const Place p = seen_from(slot, iteration, parent);
      if (p.slot == no_slot) {
        ++counts_.dropped;
        continue;
      }
      counts_.made += p.slot / length_ == slot / length_ ? 0 : 1;
      id = id_of(p);
    }
    data ? out.add_data_dep(id) : out.add_ctrl_dep(id);
    if (rules != nullptr) letters_ += trace_.nodes.string(*rules)[d];
  }
}

// Adds dependencies of the first iteration on the one before it, which was not recorded.
void IterationTaker::add_to_earlier(std::uint32_t node, Slot slot, bool data, NodeTable& out) {
  if (slot == 0 || recorded(slot) != 0) return;
  const auto add = [&](Place p) {
    ++counts_.made;
    data ? out.add_data_dep(id_of(p)) : out.add_ctrl_dep(id_of(p));
  };
  if (nodes_.size() == 1) {
    if (!data || !root_[node]) return;
    for (const std::uint32_t sink : sinks_) add({sink, slot - 1});
    letters_.append(sinks_.size(), dep_rule_letter(DepRule::program_order));
    return;
  }
  const std::uint32_t second = partner(node, 1);
  if (second == no_index) return;
  const Node& from = trace_.nodes.nodes[second];
  const Attr* const rules = data ? dep_rules_of(trace_.nodes, from) : nullptr;
  const std::span<const NodeId> deps = data ? trace_.nodes.data_deps(from) : trace_.nodes.ctrl_deps(from);
  for (std::size_t d = 0; d < deps.size(); ++d) {
    const std::uint32_t parent = ids_.find(deps[d]);
    if (parent == IdIndex::none || found_.of[parent] != 0) continue;
    const Place p = seen_from(slot, 1, parent);
    if (p.slot == no_slot) continue;
    add(p);
    if (data)
      letters_ += rules != nullptr ? trace_.nodes.string(*rules)[d] : dep_rule_letter(DepRule::program_order);
  }
}

std::string IterationTaker::name_of(std::uint32_t node, Slot slot) const {
  const Node& from = trace_.nodes.nodes[node];
  std::string name(trace_.nodes.name(from));
  if (slot < length_) return name;
  const auto mark = iteration_mark(trace_.nodes, from);
  if (!mark || mark->digits == 0 || mark->number != found_.numbers[found_.of[node]]) return name;
  return name.replace(mark->at, mark->digits, std::to_string(mark->number + later(slot) * span_));
}

void IterationTaker::add_attributes(std::uint32_t node, Slot slot, NodeTable& out) {
  const Node& from = trace_.nodes.nodes[node];
  const bool message = from.type == NodeType::comm_send || from.type == NodeType::comm_recv;
  const std::int64_t copy = later(slot);
  const auto shift = static_cast<std::uint64_t>(copy * taken_.step_ns);
  bool exact = shift == 0 || from.start_us == 0;
  for (const Attr& a : trace_.nodes.attributes(from)) {
    if (a.name == attr::dep_rules && a.kind == Kind::string_val && dep_rules_of(trace_.nodes, from) == &a) {
      out.add_string(attr::dep_rules, letters_);
      continue;
    }
    out.add_copy(trace_.nodes, a);
    std::uint64_t& bits = out.attrs.back().bits;
    if (!is_integer(a.kind)) continue;
    if (message && a.name == attr::comm_tag) bits += static_cast<std::uint64_t>(copy * taken_.tag_step);
    if (a.name == taken_iteration) bits += static_cast<std::uint64_t>(copy * span_);
    if (a.name != attr::start_nanos) continue;
    bits += shift;
    if (!exact) out.nodes.back().start_us = bits / ns_per_us;
    exact = true;
  }
  if (exact) return;
  const std::uint64_t begin = from.start_us * ns_per_us + shift;
  out.nodes.back().start_us = begin / ns_per_us;
  if (begin % ns_per_us != 0) out.add_int(attr::start_nanos, Kind::uint64_val, static_cast<std::int64_t>(begin));
}

void IterationTaker::add_node(std::uint32_t node, Slot slot, NodeTable& out) {
  const Node& from = trace_.nodes.nodes[node];
  Node& n = out.add_node(id_of({node, slot}), from.type, name_of(node, slot));
  n.start_us = from.start_us;
  n.duration_us = from.duration_us;
  letters_.clear();
  add_deps(node, slot, true, out);
  add_to_earlier(node, slot, true, out);
  add_deps(node, slot, false, out);
  add_to_earlier(node, slot, false, out);
  add_attributes(node, slot, out);
  out.end_copy(trace_.nodes, from);
}

NodeTable IterationTaker::part(std::uint64_t i) {
  NodeTable out;
  if (i != 0) {
    for (const std::uint32_t node : nodes_[recorded(i - 1)]) add_node(node, i - 1, out);
    return out;
  }
  for (std::uint32_t node = 0; node < found_.of.size(); ++node) {
    if (found_.of[node] == Iterations::prologue) out.add_copy(trace_.nodes, trace_.nodes.nodes[node]);
  }
  return out;
}

}  // namespace convert
