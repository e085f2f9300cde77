// SPDX-License-Identifier: MIT
#include "passes/anonymize/sizes.h"

#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "core/found_attrs.h"
#include "passes/anonymize/kept.h"

namespace convert {
namespace {

constexpr std::int64_t largest_size = std::numeric_limits<std::int64_t>::max();

constexpr std::array size_attributes = {attr::comm_type,  attr::comm_size,   attr::comm_bytes_out,
                                        attr::group_size, attr::send_splits, attr::recv_splits,
                                        attr::num_ops,    attr::tensor_size};
using SizeAttributes = FoundAttrs<size_attributes>;

bool is_message(NodeType type) { return type == NodeType::comm_send || type == NodeType::comm_recv; }

bool has_parts(const Attr* list) { return list != nullptr && fits(AttributeRole::sizes, list->kind); }

std::int64_t rounded_up(std::int64_t size, std::int64_t unit) {
  const std::int64_t rest = size % unit;
  if (rest == 0) return size;
  return size > largest_size - (unit - rest) ? largest_size : size + (unit - rest);
}

// Returns the sum of sizes; nothing if there are none, one is negative, or they leave 63 bits.
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

}  // namespace

SizeOwner size_owner(const NodeTable& table, const Node& node) {
  if (is_message(node.type)) return message_size;
  const IntValue type = int_value(table.attributes(node), attr::comm_type);
  constexpr std::int64_t others = 253;
  return static_cast<SizeOwner>(type && type.value >= 0 && type.value < others ? type.value : others);
}

void SizeRule::count(const NodeTable& nodes, SizeCounts& counts) const {
  for (const Node& n : nodes.nodes) {
    if (!is_message(n.type) && n.type != NodeType::comm_coll) continue;
    const SizeAttributes found(nodes.attributes(n));
    for (const Name name : {attr::send_splits, attr::recv_splits}) {
      if (!has_parts(found[name])) continue;
      for (const std::uint64_t part : nodes.list(*found[name]))
        counts.add(split_size, changed(static_cast<std::int64_t>(part)), 1);
    }
    const IntValue size = int_value(found[attr::comm_size]);
    if (size && !has_parts(found[attr::send_splits])) counts.add(size_owner(nodes, n), changed(size.value), 1);
  }
}

void SizeRule::merge(const SizeCounts& counts) {
  std::vector<std::int64_t> together;  // sizes of one owner that become the largest of them
  std::vector<std::int64_t> before;    // those that were closed last
  std::uint64_t uses = 0;
  const auto close = [&](SizeOwner owner) {
    for (const std::int64_t size : together) merged_[{owner, size}] = together.back();
    before = std::exchange(together, {});
    uses = 0;
  };
  const auto& all = counts.all();
  for (auto at = all.begin(); at != all.end(); ++at) {
    const auto [owner, size] = at->first;
    if (size <= 0) continue;
    together.push_back(size);
    uses += at->second;
    const auto next = std::next(at);
    const bool is_last = next == all.end() || next->first.first != owner;
    if (uses >= least_uses_) close(owner);
    if (!is_last) continue;
    // There is no larger one: what was closed last becomes these.
    if (!together.empty()) {
      together.insert(together.begin(), before.begin(), before.end());
      close(owner);
    }
    before.clear();
  }
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
  if (rounding_ == SizeRounding::two_digits) {
    std::int64_t unit = 1;
    while (size / unit >= 100) unit *= 10;
    return rounded_up(size, unit);
  }
  return size;
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
  for (const Name name : {attr::num_ops, attr::tensor_size}) {
    if (const IntValue v = int_value(found[name])) set_number(*writable(name), changed(v.value));
  }
  const auto parts = [&](Name name, IntValue whole) -> std::optional<std::int64_t> {
    if (!has_parts(found[name])) return std::nullopt;
    const auto before = sum_of(nodes.list(*found[name]));
    const std::int64_t sum = change_list(nodes, *found[name]);
    return whole && before == whole.value ? std::optional(sum) : std::nullopt;
  };
  const IntValue size = int_value(found[attr::comm_size]), out = int_value(found[attr::comm_bytes_out]);
  const IntValue ranks = int_value(found[attr::group_size]);
  const auto sent = parts(attr::send_splits, size), received = parts(attr::recv_splits, out);
  const std::int64_t now = sent.value_or(size ? of_call(size_owner(nodes, node), size.value) : 0);
  if (size) set_number(*writable(attr::comm_size), now);
  if (!out) return;
  std::int64_t out_now = received.value_or(changed(out.value));
  if (!received && size && out.value == size.value) {
    out_now = now;
  } else if (!received && size && ranks && ranks.value > 1 && product(size.value, ranks.value) == out.value) {
    out_now = product(now, ranks.value);  // an all-gather's
  } else if (!received && size && ranks && ranks.value > 1 && product(out.value, ranks.value) == size.value) {
    out_now = rounded_up(now, ranks.value) / ranks.value;  // a reduce-scatter's
  }
  set_number(*writable(attr::comm_bytes_out), out_now);
}

}  // namespace convert
