// SPDX-License-Identifier: MIT
#include "passes/anonymize/sizes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "core/collective.h"
#include "core/found_attrs.h"
#include "core/units.h"
#include "passes/anonymize/kept.h"

namespace convert {
namespace {

constexpr std::int64_t largest_size = std::numeric_limits<std::int64_t>::max();

constexpr std::array size_attributes = {attr::comm_type,  attr::comm_size,   attr::comm_bytes_out,
                                        attr::group_size, attr::send_splits, attr::recv_splits,
                                        attr::num_ops,    attr::tensor_size};
using SizeAttributes = FoundAttrs<size_attributes>;
constexpr std::array tensor_attributes = {attr::comm_size, attr::tensor_size, attr::inputs, attr::outputs};

bool is_message(NodeType type) { return type == NodeType::comm_send || type == NodeType::comm_recv; }

bool communicates(NodeType type) { return is_message(type) || type == NodeType::comm_coll; }

bool has_parts(const Attr* list) { return list != nullptr && fits(AttributeRole::sizes, list->kind); }

std::int64_t rounded_up(std::int64_t size, std::int64_t unit) {
  const std::int64_t rest = size % unit;
  if (rest == 0) return size;
  return size > largest_size - (unit - rest) ? largest_size : size + (unit - rest);
}

std::int64_t two_digits_up(std::int64_t size) {
  std::int64_t unit = 1;
  while (size / unit >= 100) unit *= 10;
  return rounded_up(size, unit);
}

// Returns the sum of sizes, or nullopt if the list is empty, a size is negative, or the sum exceeds 63 bits.
std::optional<std::int64_t> sum_of(std::span<const std::uint64_t> list) {
  std::int64_t sum = 0;
  for (const std::uint64_t bits : list) {
    const auto size = static_cast<std::int64_t>(bits);
    if (size < 0 || __builtin_add_overflow(sum, size, &sum)) return std::nullopt;
  }
  return list.empty() ? std::nullopt : std::optional(sum);
}

std::int64_t product(std::int64_t a, std::int64_t b) {
  std::int64_t out = 0;
  return __builtin_mul_overflow(a, b, &out) ? largest_size : out;
}

// Relation of comm_bytes_out to comm_size.
enum class OutputSize : std::uint8_t {
  other,
  same,
  gathered,   // comm_size times group_size, as in an all-gather
  scattered,  // comm_size divided by group_size, as in a reduce-scatter
};
OutputSize output_of(const SizeAttributes& found) {
  const IntValue size = int_value(found[attr::comm_size]), out = int_value(found[attr::comm_bytes_out]);
  const IntValue ranks = int_value(found[attr::group_size]);
  if (!size || !out) return OutputSize::other;
  if (out.value == size.value) return OutputSize::same;
  if (!ranks || ranks.value <= 1) return OutputSize::other;
  if (product(size.value, ranks.value) == out.value) return OutputSize::gathered;
  return product(out.value, ranks.value) == size.value ? OutputSize::scattered : OutputSize::other;
}

}  // namespace

SizeOwner size_owner(const NodeTable& table, const Node& node) {
  if (is_message(node.type)) return message_size;
  const IntValue type = int_value(table.attributes(node), attr::comm_type);
  constexpr std::int64_t others = 253;
  return static_cast<SizeOwner>(type && type.value >= 0 && type.value < others ? type.value : others);
}

std::string describe(SizeOwner owner) {
  if (owner == tensor_owner) return "tensor sizes";
  if (owner == split_size) return "split sizes of all-to-alls";
  const auto of = static_cast<SizeOwner>(owner & ~bytes_out_bit);
  const std::string_view type = of == message_size ? "messages" : name(collective_of(of));
  return std::string(of == owner ? "comm_size of " : "comm_bytes_out of ") +
         (type.empty() ? "comm_type " + std::to_string(of) : std::string(type));
}

std::optional<std::int64_t> listed_bytes(const NodeTable& table, const Attr& list, std::uint32_t at) {
  const auto bytes = parse_plain(table.view(table.texts[list.bits + 2 * std::size_t{at} + 1]), INT64_MAX);
  return bytes ? std::optional(static_cast<std::int64_t>(*bytes)) : std::nullopt;
}

void SizeCounts::add_node(const std::set<Size>& sizes) {
  const Size* below = nullptr;
  for (const Size& size : sizes) {
    ++counts_[size];
    if (below != nullptr && below->first == size.first) ++next_below_[{size, below->second}];
    below = &size;
  }
}

void SizeCounts::add(const SizeCounts& other) {
  for (const auto& [size, nodes] : other.counts_) counts_[size] += nodes;
  for (const auto& [sizes, nodes] : other.next_below_) next_below_[sizes] += nodes;
  transferred_.insert(other.transferred_.begin(), other.transferred_.end());
}

std::uint64_t SizeCounts::first_of(const Size& size, std::int64_t least) const {
  std::uint64_t nodes = counts_.at(size);
  for (auto at = next_below_.lower_bound({size, least}); at != next_below_.end() && at->first.first == size; ++at)
    nodes -= at->second;
  return nodes;
}

// Adds tensor_size and the sizes of lists to `sizes`.
void SizeRule::count_tensors(const NodeTable& nodes, const Node& node, std::set<SizeCounts::Size>& sizes,
                             SizeCounts& counts) const {
  const FoundAttrs<tensor_attributes> found(nodes.attributes(node));
  const IntValue comm_size = communicates(node.type) ? int_value(found[attr::comm_size]) : IntValue();
  const auto add = [&](std::int64_t size) {
    sizes.emplace(tensor_owner, changed(size));
    if (comm_size && comm_size.value == size) counts.add_transferred(size_owner(nodes, node), changed(size));
  };
  if (const IntValue v = int_value(found[attr::tensor_size])) add(v.value);
  for (const Name name : {attr::inputs, attr::outputs}) {
    const Attr* const list = found[name];
    if (list == nullptr || list->kind != Kind::string_list || list->size % 2 != 0) continue;
    for (std::uint32_t i = 0; i < list->size / 2; ++i) {
      if (const auto bytes = listed_bytes(nodes, *list, i)) add(*bytes);
    }
  }
}

void SizeRule::count(const NodeTable& nodes, SizeCounts& counts) const {
  std::set<SizeCounts::Size> sizes;
  for (const Node& n : nodes.nodes) {
    sizes.clear();
    count_tensors(nodes, n, sizes, counts);
    if (communicates(n.type)) count_communication(nodes, n, sizes);
    counts.add_node(sizes);
  }
}

void SizeRule::count_communication(const NodeTable& nodes, const Node& node,
                                   std::set<SizeCounts::Size>& sizes) const {
  const SizeAttributes found(nodes.attributes(node));
  for (const Name name : {attr::send_splits, attr::recv_splits}) {
    if (!has_parts(found[name])) continue;
    for (const std::uint64_t part : nodes.list(*found[name]))
      sizes.emplace(split_size, changed(static_cast<std::int64_t>(part)));
  }
  const SizeOwner owner = size_owner(nodes, node);
  const IntValue size = int_value(found[attr::comm_size]), out = int_value(found[attr::comm_bytes_out]);
  if (size && !has_parts(found[attr::send_splits])) sizes.emplace(owner, changed(size.value));
  if (out && !has_parts(found[attr::recv_splits]) && output_of(found) == OutputSize::other)
    sizes.emplace(owner | bytes_out_bit, changed(out.value));
}

// Replaces each size by the largest of a run of neighbouring sizes that at least `least_uses_` nodes have together.
// If fewer nodes have that largest size itself, it is rounded up to two digits.
void SizeRule::merge(const SizeCounts& counts) {
  std::vector<std::int64_t> together;    // sizes of one owner, to be raised to the largest one
  std::vector<std::int64_t> before;      // the run that was closed last
  std::uint64_t uses = 0, all_uses = 0;  // nodes with any of these sizes; nodes of the owner
  const auto& all = counts.all();
  const auto close = [&](SizeOwner owner) {
    const std::int64_t largest = together.back();
    const std::int64_t to = all.at({owner, largest}) < least_uses_ ? two_digits_up(largest) : largest;
    for (const std::int64_t size : together) merged_[{owner, size}] = to;
    before = std::exchange(together, {});
    uses = 0;
  };
  for (auto at = all.begin(); at != all.end(); ++at) {
    const auto [owner, size] = at->first;
    if (size > 0) {
      together.push_back(size);
      uses += counts.first_of(at->first, together.front());
      all_uses += counts.first_of(at->first, 1);
    }
    const auto next = std::next(at);
    const bool is_last = next == all.end() || next->first.first != owner;
    if (uses >= least_uses_) close(owner);
    if (!is_last) continue;
    // No larger size follows: merge these sizes into the run that was closed last.
    if (!together.empty()) {
      together.insert(together.begin(), before.begin(), before.end());
      close(owner);
    }
    before.clear();
    if (all_uses > 0 && all_uses < least_uses_) few_[owner] = all_uses;
    all_uses = 0;
  }
  // A tensor has the same size on all nodes.
  std::map<std::int64_t, std::int64_t> tensors;
  for (const auto& [owner, size] : counts.transferred()) {
    const auto at = merged_.find({owner, size});
    if (at != merged_.end() && at->second != size) tensors[size] = std::max(tensors[size], at->second);
  }
  for (const auto& [size, to] : tensors) merged_[{tensor_owner, size}] = to;
}

std::int64_t SizeRule::changed(std::int64_t size) const {
  if (size <= 0) return size;
  if (scale_ != 1) {
    const double scaled = std::round(static_cast<double>(size) * scale_);
    size = scaled < 1 ? 1 : scaled < 9e18 ? static_cast<std::int64_t>(scaled) : largest_size;
  }
  if (rounding_ == SizeRounding::power_of_two) {
    constexpr std::int64_t largest_power = std::int64_t{1} << 62U;
    if (size > largest_power) return largest_size;
    std::int64_t power = 1;
    while (power < size) power *= 2;
    return power;
  }
  return rounding_ == SizeRounding::two_digits ? two_digits_up(size) : size;
}

std::int64_t SizeRule::of_call(SizeOwner owner, std::int64_t size) const {
  const std::int64_t now = changed(size);
  const auto at = merged_.find({owner, now});
  return at == merged_.end() ? now : at->second;
}

std::int64_t SizeRule::change_list(NodeTable& nodes, const Attr& list) const {
  std::int64_t sum = 0;
  for (std::uint32_t i = 0; i < list.size; ++i) {
    std::uint64_t& bits = nodes.numbers[list.bits + i];
    const std::int64_t part = of_call(split_size, static_cast<std::int64_t>(bits));
    bits = static_cast<std::uint64_t>(part);
    if (part > 0 && __builtin_add_overflow(sum, part, &sum)) sum = largest_size;
  }
  return sum;
}

void SizeRule::change(NodeTable& nodes, const Node& node) const {
  const SizeAttributes found(nodes.attributes(node));
  const auto writable = [&](Name name) -> Attr* {
    const Attr* const a = found[name];
    return a == nullptr ? nullptr : &nodes.attrs[static_cast<std::size_t>(a - nodes.attrs.data())];
  };
  if (const IntValue v = int_value(found[attr::num_ops])) set_number(*writable(attr::num_ops), changed(v.value));
  if (const IntValue v = int_value(found[attr::tensor_size]))
    set_number(*writable(attr::tensor_size), of_tensor(v.value));
  const auto parts = [&](Name name, IntValue whole) -> std::optional<std::int64_t> {
    if (!has_parts(found[name])) return std::nullopt;
    const auto before = sum_of(nodes.list(*found[name]));
    const std::int64_t sum = change_list(nodes, *found[name]);
    return whole && before == whole.value ? std::optional(sum) : std::nullopt;
  };
  const IntValue size = int_value(found[attr::comm_size]), out = int_value(found[attr::comm_bytes_out]);
  const OutputSize output = output_of(found);
  const auto sent = parts(attr::send_splits, size), received = parts(attr::recv_splits, out);
  if (!size && !out) return;
  const SizeOwner owner = size_owner(nodes, node);
  const std::int64_t now = sent.value_or(size ? of_call(owner, size.value) : 0);
  if (size) set_number(*writable(attr::comm_size), now);
  if (!out) return;
  std::int64_t out_now = received.value_or(of_call(owner | bytes_out_bit, out.value));
  if (!received) {
    const std::int64_t ranks = output == OutputSize::other ? 1 : int_value(found[attr::group_size]).value;
    if (output == OutputSize::same) out_now = now;
    if (output == OutputSize::gathered) out_now = product(now, ranks);
    if (output == OutputSize::scattered) out_now = rounded_up(now, ranks) / ranks;
  }
  set_number(*writable(attr::comm_bytes_out), out_now);
}

}  // namespace convert
