// SPDX-License-Identifier: MIT
#include "graph/kept_nodes.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "graph/collectives.h"
#include "graph/messages.h"

namespace convert {

NodeParts& NodeParts::attributes(On on, std::span<const Name> names) {
  for (const Name name : names) {
    On& now = attributes_.at(name.index());
    now = std::max(now, on);
  }
  return *this;
}

NodeParts communication_parts() {
  NodeParts parts;
  return parts.attributes(NodeParts::On::communication, message_attributes)
      .attributes(NodeParts::On::communication, collective_attributes);
}

void KeptNodes::add(const NodeTable& batch) {
  const bool some_whole = !(parts_.whole_ == Name());
  for (const Node& node : batch.nodes) {
    if (some_whole && find(batch.attributes(node), parts_.whole_) != nullptr) {
      table_.add_copy(batch, node);
    } else {
      add_parts(batch, node);
    }
  }
  if (!parts_.positions_) return;
  table_.positions.insert(table_.positions.end(), batch.positions.begin(), batch.positions.end());
  table_.positions_are_lines = batch.positions_are_lines;
}

void KeptNodes::add_parts(const NodeTable& batch, const Node& node) {
  const bool communicates =
      node.type == NodeType::comm_send || node.type == NodeType::comm_recv || node.type == NodeType::comm_coll;
  Node& kept = table_.add_node(node.id, node.type, {});
  kept.start_us = node.start_us;
  kept.duration_us = node.duration_us;
  if (parts_.names_ == NodeParts::On::all || (parts_.names_ == NodeParts::On::communication && communicates)) {
    const std::string_view name = batch.name(node);
    if (table_.view(last_name_) != name) last_name_ = add_text(name);
    kept.name = last_name_;
  }
  for (const NodeId id : batch.data_deps(node)) table_.add_data_dep(id);
  for (const NodeId id : batch.ctrl_deps(node)) table_.add_ctrl_dep(id);
  add_attributes(batch, node, communicates);
  table_.end_node();
}

void KeptNodes::add_attributes(const NodeTable& batch, const Node& node, bool communicates) {
  using On = NodeParts::On;
  for (const Attr& a : batch.attributes(node)) {
    if (a.name.index() >= parts_.attributes_.size()) continue;
    On& on = parts_.attributes_[a.name.index()];
    if (on == On::none || (on == On::communication && !communicates)) continue;
    if (on == On::first) on = On::none;
    Attr copy = a;
    copy.extra = 0;
    if (a.kind == Kind::string_val || a.kind == Kind::bytes_val) {
      copy.bits = add_text(batch.string(a)).offset;
      table_.attrs.push_back(copy);
    } else {
      table_.add_copy(batch, copy);
    }
  }
}

Text KeptNodes::add_text(std::string_view text) {
  // If nearly all texts are distinct, a lookup takes longer than a copy.
  if (texts_.size() > 1024 && texts_.size() * 8 > table_.nodes.size()) return table_.add_text(text);
  const auto hash_of = [this](std::uint32_t row) {
    return std::hash<std::string_view>()(table_.view(texts_[row]));
  };
  const auto next = static_cast<std::uint32_t>(texts_.size());
  const std::uint32_t row = text_rows_.find_or_add(
      std::hash<std::string_view>()(text), next, [&](std::uint32_t i) { return table_.view(texts_[i]) == text; },
      hash_of);
  if (row == next) texts_.push_back(table_.add_text(text));
  return texts_[row];
}

}  // namespace convert
