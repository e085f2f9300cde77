// SPDX-License-Identifier: MIT
#include "graph/collectives.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "core/found_attrs.h"

namespace convert {
namespace {

using Facts = FoundAttrs<collective_attributes>;

class CallCollector {
 public:
  explicit CallCollector(const NodeTable& table) : table_(table) {}

  void add(std::uint32_t index) {
    const Facts f(table_.attributes(table_.nodes[index]));
    const Attr* const group = f[attr::pg_name];
    if (group != nullptr && group->kind != Kind::string_val) return;
    GroupUse& use = use_of(group == nullptr ? std::string_view() : table_.string(*group));
    CollectiveNode c{.node = index};
    c.type = type_of(f[attr::comm_type]) & 15U;
    if (const IntValue size = int_value(f[attr::comm_size]); size && size.value >= 0) c.size = size.value;
    c.position = (index < table_.positions.size() ? table_.positions[index] : 0) & ((std::uint64_t{1} << 48U) - 1);
    if (const IntValue ranks = int_value(f[attr::group_size]); ranks) note_size(use, ranks.value);
    if (add_details(use, f, c)) c.has_details = 1;
    use.calls.push_back(c);
  }

  RankCollectives end() {
    for (GroupUse& use : uses_) {
      use.calls.shrink_to_fit();
      use.details.shrink_to_fit();
      use.splits.shrink_to_fit();
    }
    return std::move(uses_);
  }

 private:
  static std::uint32_t type_of(const Attr* attribute) {
    const IntValue type = int_value(attribute);
    const bool known = type && in_traces(collective_of(type.value));
    return known ? static_cast<std::uint32_t>(type.value) : CollectiveNode::unknown_type;
  }

  GroupUse& use_of(std::string_view group) {
    if (group == "0") group = {};
    if (last_ < uses_.size() && uses_[last_].group == group) return uses_[last_];
    const auto [at, is_new] = by_group_.try_emplace(group, uses_.size());
    if (is_new) uses_.push_back({.group = std::string(group)});
    last_ = at->second;
    return uses_[last_];
  }

  static void note_size(GroupUse& use, std::int64_t ranks) {
    constexpr std::size_t kept = 4;
    auto& sizes = use.stated_sizes;
    const bool known = std::any_of(sizes.begin(), sizes.end(), [&](const auto& s) { return s.ranks == ranks; });
    if (!known && sizes.size() < kept) sizes.push_back({ranks, static_cast<std::uint32_t>(use.calls.size())});
  }

  // Returns whether the splits are equal for all ranks, which is also what a node without splits means.
  static bool is_even(const GroupUse& use, const CollectiveDetails& d, const CollectiveNode& c, IntValue ranks) {
    const auto send = use.list(d.send_splits);
    const auto recv = use.list(d.recv_splits);
    if (send.empty() || recv.empty()) return false;
    std::int64_t sum = 0;
    const auto all_same = [&](std::span<const std::int64_t> list) {
      return std::all_of(list.begin(), list.end(), [&](std::int64_t n) { return n == send.front(); });
    };
    return ranks && ranks.value == static_cast<std::int64_t>(send.size()) && send.size() == recv.size() &&
           !__builtin_mul_overflow(send.front(), ranks.value, &sum) && sum == c.size && all_same(send) &&
           all_same(recv);
  }

  Range add_splits(GroupUse& use, const Attr* list) {
    Range r{.begin = static_cast<std::uint32_t>(use.splits.size())};
    if (list == nullptr || !is_list(list->kind) || !is_integer(scalar_of(list->kind))) return r;
    const auto numbers = table_.list(*list);
    for (const std::uint64_t n : numbers) use.splits.push_back(static_cast<std::int64_t>(n));
    r.count = static_cast<std::uint32_t>(numbers.size());
    return r;
  }

  bool add_details(GroupUse& use, const Facts& f, const CollectiveNode& c) {
    const auto type = collective_of(c.type);
    CollectiveDetails d{.call = static_cast<std::uint32_t>(use.calls.size())};
    d.dims_left_out = dims_left_out(f[attr::involved_dim]);
    if (has_root(type)) {
      const IntValue root = int_value(comes_from_root(type) ? f[attr::comm_src] : f[attr::comm_dst]);
      if (root && root.value >= 0) d.root = root.value;
    } else if (type == Collective::all_gather) {
      d.bytes_out = unequal_bytes_out(f[attr::comm_bytes_out], c.size, f[attr::group_size]);
    } else if (type == Collective::all_to_all) {
      add_both_splits(use, f, c, d);
    }
    const bool any = d.root >= 0 || d.bytes_out >= 0 || d.dims_left_out != 0 || d.send_splits.count != 0 ||
                     d.recv_splits.count != 0;
    if (any) use.details.push_back(d);
    return any;
  }

  void add_both_splits(GroupUse& use, const Facts& f, const CollectiveNode& c, CollectiveDetails& d) {
    d.send_splits = add_splits(use, f[attr::send_splits]);
    d.recv_splits = add_splits(use, f[attr::recv_splits]);
    if (!is_even(use, d, c, int_value(f[attr::group_size]))) return;
    use.splits.resize(d.send_splits.begin);
    d.send_splits = d.recv_splits = {};
  }

  [[nodiscard]] std::uint64_t dims_left_out(const Attr* involved) const {
    std::uint64_t bits = 0;
    if (involved == nullptr || involved->kind != Kind::bool_list) return bits;
    const auto dims = table_.list(*involved);
    for (std::size_t d = 0; d < std::min<std::size_t>(dims.size(), 64); ++d) {
      if (dims[d] == 0) bits |= std::uint64_t{1} << d;
    }
    return bits;
  }

  const NodeTable& table_;
  RankCollectives uses_;
  std::unordered_map<std::string_view, std::size_t> by_group_;
  std::size_t last_ = 0;
};

}  // namespace

std::int64_t unequal_bytes_out(const Attr* bytes_out, std::int64_t bytes, const Attr* group_size) {
  const IntValue out = int_value(bytes_out);
  const IntValue ranks = int_value(group_size);
  if (!out || out.value < 0) return -1;
  std::int64_t all = 0;
  const bool equal = ranks && !__builtin_mul_overflow(bytes, ranks.value, &all) && all == out.value;
  return equal ? -1 : out.value;
}

CollectiveDetails GroupUse::details_of(std::uint32_t call) const {
  const auto at = std::lower_bound(details.begin(), details.end(), call,
                                   [](const CollectiveDetails& d, std::uint32_t c) { return d.call < c; });
  return at != details.end() && at->call == call ? *at : CollectiveDetails{.call = call};
}

RankCollectives collectives_of(const NodeTable& table, std::span<const std::uint32_t> order) {
  CallCollector reader(table);
  for (const std::uint32_t i : order) {
    if (table.nodes[i].type == NodeType::comm_coll) reader.add(i);
  }
  return reader.end();
}

}  // namespace convert
