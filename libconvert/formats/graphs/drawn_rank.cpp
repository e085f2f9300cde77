// SPDX-License-Identifier: MIT
#include "formats/graphs/drawn_rank.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "formats/format.h"

namespace convert::drawing {
namespace {

using protobuf::put_varint;

// Bits of DrawnNode::has after the bits of the numbers.
constexpr std::uint32_t group_bit = 1U << drawn_numbers;
constexpr std::uint32_t start_bit = group_bit << 1U;
constexpr std::uint32_t duration_bit = group_bit << 2U;

void append_varint(std::string& to, std::uint64_t v) {
  std::array<char, 10> bytes;
  to.append(bytes.data(), put_varint(bytes.data(), v));
}

}  // namespace

void DrawnRank::add(const NodeTable& batch) {
  if (batch.nodes.size() >= no_index - ids_.size())
    throw input_error({.file = name}, "more than 4294967294 nodes in one trace");
  DrawnNode drawn;
  for (const Node& node : batch.nodes) {
    const FoundAttrs<drawn_names> found(batch.attributes(node));
    drawn.index = size();
    drawn.type = node.type;
    drawn.has = 0;
    for (std::size_t i = 0; i < drawn_numbers; ++i) {
      if (found[drawn_names[i]] == nullptr) continue;
      const IntValue value = int_value(found[drawn_names[i]]);
      if (!value) continue;
      drawn.has |= 1U << i;
      drawn.numbers[i] = value.value;
    }
    const Attr* const group = found[attr::pg_name];
    if (group != nullptr && group->kind == Kind::string_val) drawn.has |= group_bit;
    pack(node, drawn);
    pack(batch.name(node));
    if ((drawn.has & group_bit) != 0) pack(batch.string(*group));
    pack_dependencies(batch, node);
    add_message(drawn);
    ids_.push_back(node.id);
  }
}

void DrawnRank::pack(const Node& node, const DrawnNode& drawn) {
  std::array<char, 2 + (3 + drawn_numbers) * 10> bytes;
  const std::uint32_t has =
      drawn.has | (node.start_us != 0 ? start_bit : 0) | (node.duration_us != 0 ? duration_bit : 0);
  char* at = protobuf::put_fixed(bytes.data(), static_cast<std::uint16_t>(has));
  at = put_varint(at, static_cast<std::uint32_t>(node.type));
  if (node.start_us != 0) at = put_varint(at, node.start_us);
  if (node.duration_us != 0) at = put_varint(at, node.duration_us);
  for (std::uint32_t left = has & (group_bit - 1); left != 0; left &= left - 1)
    at = put_varint(at, protobuf::zigzag64(drawn.numbers[static_cast<std::size_t>(std::countr_zero(left))]));
  facts_.append(bytes.data(), at);
}

// Encodes a text as its number in texts_ + 1. If nearly all texts are distinct, a lookup takes longer than a copy,
// so the text itself follows a 0.
void DrawnRank::pack(std::string_view text) {
  if (last_text_ == no_index || texts_[last_text_] != text) {
    if (texts_.size() > 1024 && texts_.size() > ids_.size() / 8) {
      facts_ += '\0';
      append_varint(facts_, text.size());
      facts_ += text;
      return;
    }
    last_text_ = texts_.add(text);
  }
  append_varint(facts_, std::uint64_t{last_text_} + 1);
}

void DrawnRank::pack_dependencies(const NodeTable& batch, const Node& node) {
  in_order_ = in_order_ && (ids_.empty() || ids_.back() < node.id);
  std::array<char, 100> bytes;
  char* at = put_varint(bytes.data(), node.data_deps.count);
  at = put_varint(at, node.ctrl_deps.count);
  const auto pack_all = [&](std::span<const NodeId> deps) {
    for (const NodeId id : deps) {
      in_order_ = in_order_ && id <= node.id;
      at = put_varint(at, protobuf::zigzag64(static_cast<std::int64_t>(node.id - id)));
      if (bytes.data() + bytes.size() - at >= 10) continue;
      dependencies_.append(bytes.data(), at);
      at = bytes.data();
    }
  };
  pack_all(batch.data_deps(node));
  pack_all(batch.ctrl_deps(node));
  dependencies_.append(bytes.data(), at);
}

// Adds a send or receive with known peer and tag, by the rules of messages_of().
void DrawnRank::add_message(const DrawnNode& node) {
  const bool sends = node.type == NodeType::comm_send;
  if (!sends && node.type != NodeType::comm_recv) return;
  const auto peer = node[sends ? attr::comm_dst : attr::comm_src];
  const auto tag = node[attr::comm_tag];
  if (!peer || !tag || *peer < 0 || *peer > std::numeric_limits<std::int32_t>::max()) return;
  (sends ? messages.sends : messages.recvs)
      .push_back({.node = node.index, .peer = static_cast<std::int32_t>(*peer), .tag = *tag});
}

void DrawnRank::unpack(protobuf::Cursor& facts, DrawnNode& node) const {
  node.id = ids_[node.index];
  node.has = facts.read_fixed<std::uint16_t>();
  node.type = static_cast<NodeType>(facts.read_varint());
  node.start_us = (node.has & start_bit) != 0 ? facts.read_varint() : 0;
  node.duration_us = (node.has & duration_bit) != 0 ? facts.read_varint() : 0;
  for (std::uint32_t left = node.has & (group_bit - 1); left != 0; left &= left - 1)
    node.numbers[static_cast<std::size_t>(std::countr_zero(left))] = protobuf::unzigzag64(facts.read_varint());
  node.name = unpack_text(facts);
  node.group = (node.has & group_bit) != 0 ? std::optional(unpack_text(facts)) : std::nullopt;
}

std::string_view DrawnRank::unpack_text(protobuf::Cursor& facts) const {
  const std::uint64_t number = facts.read_varint();
  return number == 0 ? facts.read_bytes() : texts_[static_cast<std::uint32_t>(number - 1)];
}

void DrawnRank::finish() {
  using What = GraphDefect::What;
  index_ = IdIndex(ids_.size(), [this](std::size_t i) { return ids_[i]; });
  DependencyReader dependencies(*this);
  for (std::uint32_t i = 0; i < size(); ++i) {
    if (find(ids_[i]) != i) duplicates.push_back(i);
    for (const DrawnParent& p : dependencies.next()) {
      if (p.id == ids_[i]) {
        broken.push_back({What::self, i, p.id, p.kind});
      } else if (find(p.id) == IdIndex::none) {
        broken.push_back({What::dangling, i, p.id, p.kind});
        missing.push_back(p.id);
      }
    }
  }
  std::ranges::sort(missing);
  missing.erase(std::unique(missing.begin(), missing.end()), missing.end());
  if (!in_order_ && !(messages.sends.empty() && messages.recvs.empty())) order_messages();
}

void DrawnRank::order_messages() {
  std::vector<bool> are_messages(size());
  for (const Message& m : messages.sends) are_messages[m.node] = true;
  for (const Message& m : messages.recvs) are_messages[m.node] = true;
  NodeTable table;
  DependencyReader dependencies(*this);
  for (std::uint32_t i = 0; i < size(); ++i) {
    table.add_node(ids_[i], are_messages[i] ? NodeType::comm_send : NodeType::comp, {});
    for (const DrawnParent& p : dependencies.next_parents()) table.add_data_dep(p.id);
    table.end_node();
  }
  std::vector<std::uint32_t> places(size());
  std::uint32_t place = 0;
  for (const std::uint32_t i : communication_order(table, build_graph(table))) places[i] = place++;
  const auto place_of = [&](const Message& m) { return places[m.node]; };
  std::ranges::sort(messages.sends, {}, place_of);
  std::ranges::sort(messages.recvs, {}, place_of);
}

DrawnRank read_drawn(TraceReader& reader, Trace& trace) {
  DrawnRank rank(trace);
  while (reader.next_nodes(trace, all_nodes)) rank.add(trace.nodes);
  rank.finish();
  return rank;
}

std::span<const DrawnParent> DependencyReader::next() {
  const NodeId of = rank_.id(next_++);
  const std::uint64_t data = in_.read_varint(), all = data + in_.read_varint();
  all_.clear();
  for (std::uint64_t i = 0; i < all; ++i) {
    const auto less = static_cast<std::uint64_t>(protobuf::unzigzag64(in_.read_varint()));
    all_.push_back({of - less, i < data ? DepKind::data : DepKind::control});
  }
  return all_;
}

std::span<const DrawnParent> DependencyReader::next_parents() {
  const std::span<const DrawnParent> all = next();
  if (all.size() < 2 && rank_.broken.empty()) return all;
  const std::uint32_t node = next_ - 1;
  parents_.clear();
  for (const DrawnParent& p : all) {
    if (p.id == rank_.id(node) || (!rank_.broken.empty() && rank_.find(p.id) == IdIndex::none)) continue;
    if (!is_repeated(p, all.size())) parents_.push_back(p);
  }
  return parents_;
}

// Compares the dependencies pairwise if they are few; uses a table of stamps only for a node with many.
bool DependencyReader::is_repeated(const DrawnParent& parent, std::size_t dependencies) {
  if (dependencies <= 16) return std::ranges::find(parents_, parent.id, &DrawnParent::id) != parents_.end();
  if (stamps_.empty()) stamps_.resize(rank_.size());
  return std::exchange(stamps_[rank_.find(parent.id)], next_) == next_;
}

}  // namespace convert::drawing
