// SPDX-License-Identifier: MIT
#include "anonymize/numbers.h"

#include <cmath>
#include <ranges>
#include <string_view>
#include <utility>

#include "passes/anonymize/chains.h"
#include "passes/anonymize/kept.h"
#include "passes/anonymize/sizes.h"

namespace tools {

using namespace convert;

namespace {

// Excludes starts, which are shifted, and flags and numbers of ranks, which reveal nothing if they are rare.
bool is_telling(AttributeRole role) {
  return role == AttributeRole::size || role == AttributeRole::sizes || role == AttributeRole::duration ||
         role == AttributeRole::delay || role == AttributeRole::thread || role == AttributeRole::number;
}

void add_values(const NodeTable& nodes, const Node& n, SetNumbers& to) {
  if (n.duration_us != 0) ++to.values["duration_micros"][n.duration_us];
  for (const Attr& a : nodes.attributes(n)) {
    const AttributeRole role = role_of(a.name);
    if (!is_telling(role) || !fits(role, a.kind)) continue;
    auto& values = to.values[std::string(a.name.view())];
    if (!is_list(a.kind)) {
      ++values[a.bits];
      continue;
    }
    for (const std::uint64_t v : nodes.list(a)) ++values[v];
  }
}

void add_things(const NodeTable& nodes, const Node& n, SetNumbers& to) {
  const auto number = [&](Name name) { return std::to_string(int_value(nodes.attributes(n), name).value); };
  to.names.add(std::string(nodes.name(n)));
  if (n.type == NodeType::comp) {
    to.computations.add(number(attr::num_ops) + ' ' + number(attr::tensor_size));
  } else if (n.type == NodeType::comm_coll || n.type == NodeType::comm_send || n.type == NodeType::comm_recv) {
    to.sizes.add(std::to_string(size_owner(nodes, n)) + ' ' + number(attr::comm_size));
  }
}

// Returns the number of nodes that --merge-chains would remove from a rank with only the attributes that are kept.
std::uint64_t mergeable_nodes(NodeTable nodes) {
  for (Node& n : nodes.nodes) {
    std::uint32_t left = 0;
    for (std::uint32_t k = 0; k < n.attrs.count; ++k) {
      const Attr a = nodes.attrs[n.attrs.begin + k];
      const AttributeRole role = role_of(a.name);
      if (role != AttributeRole::tensors && fits(role, a.kind)) nodes.attrs[n.attrs.begin + left++] = a;
    }
    n.attrs.count = left;
  }
  return merge_chains(nodes);
}

LeftApart left(const Variety& before, const Variety& after) {
  return {.before = before.distinct(),
          .after = after.distinct(),
          .bits_before = before.bits(),
          .bits_after = after.bits()};
}

}  // namespace

void Variety::add(const Variety& other) {
  for (const auto& [value, count] : other.counts_) counts_[value] += count;
}

double Variety::bits() const {
  double all = 0, sum = 0;
  for (const auto& [value, count] : counts_) all += static_cast<double>(count);
  for (const auto& [value, count] : counts_) {
    const double share = static_cast<double>(count) / all;
    sum -= share * std::log2(share);
  }
  return sum == 0 ? 0 : sum;  // not -0
}

void SetNumbers::add(const NodeTable& table) {
  nodes += table.nodes.size();
  for (const Node& n : table.nodes) {
    add_values(table, n, *this);
    add_things(table, n, *this);
  }
  mergeable += mergeable_nodes(table);
}

void SetNumbers::add(const SetNumbers& other) {
  for (const auto& [name, values_of] : other.values) {
    auto& to = values[name];
    for (const auto& [value, count] : values_of) to[value] += count;
  }
  names.add(other.names);
  sizes.add(other.sizes);
  computations.add(other.computations);
  nodes += other.nodes;
  mergeable += other.mergeable;
}

NumbersProof compare_numbers(const SetNumbers& before, const SetNumbers& after) {
  constexpr std::size_t shown = 5;
  NumbersProof out;
  for (const auto& [name, values] : before.values) {
    RareNumbers rare;
    const auto others = after.values.find(name);
    for (const auto& [value, count] : std::views::reverse(values)) {
      if (count != 1) continue;
      ++rare.once;
      if (others == after.values.end() || !others->second.contains(value)) continue;
      ++rare.survive;
      if (rare.largest.size() < shown) rare.largest.push_back(value);
    }
    if (rare.once != 0) out.rare.emplace(name, std::move(rare));
  }
  out.names = left(before.names, after.names);
  out.sizes = left(before.sizes, after.sizes);
  out.computations = left(before.computations, after.computations);
  out.nodes_before = before.nodes;
  out.nodes_after = after.nodes;
  out.mergeable_before = before.mergeable;
  out.mergeable_after = after.mergeable;
  return out;
}

}  // namespace tools
