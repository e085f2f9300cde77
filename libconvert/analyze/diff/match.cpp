// SPDX-License-Identifier: MIT
#include "analyze/diff/match.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <tuple>
#include <unordered_map>

#include "analyze/diff/lcs.h"
#include "core/id_lookup.h"

namespace convert {
namespace {

using Nodes = std::span<const Matchable>;
using NodeOrder = std::span<const std::uint32_t>;

// Returns how often a key has occurred before.
template <class Key, class Hash>
class Numbers {
 public:
  std::uint32_t next(const Key& key) { return counts_[key]++; }

 private:
  std::unordered_map<Key, std::uint32_t, Hash> counts_;
};

std::size_t mix(std::size_t seed, std::uint64_t value) {
  return (seed ^ value) * 0x9E3779B97F4A7C15ULL ^ (seed >> 29U);
}
template <class Tuple>
struct TupleHash {
  std::size_t operator()(const Tuple& t) const {
    return std::apply(
        [](const auto&... v) {
          std::size_t h = 0x51ED270B;
          ((h = mix(h, static_cast<std::uint64_t>(v))), ...);
          return h;
        },
        t);
  }
};

class Matcher {
 public:
  Matcher(Nodes a, Nodes b) : a_(a), b_(b) {
    out_.b_of_a.assign(a.size(), no_index);
    out_.a_of_b.assign(b.size(), no_index);
  }

  void by_id() {
    const IdLookup ids(b_.size(), [&](std::size_t i) { return std::optional(b_[i].id); });
    for (std::uint32_t i = 0; i < a_.size(); ++i) {
      const std::uint32_t j = ids.find(a_[i].id);
      if (j != IdLookup::none && a_[i].type == b_[j].type && a_[i].name == b_[j].name) pair(i, j);
    }
  }

  // Pairs nodes with equal keys and equal numbers. The number counts all nodes of the key, matched or not.
  template <class Key, class KeyOf>
  void by_key(NodeOrder order_a, NodeOrder order_b, const KeyOf& key_of) {
    if (done()) return;
    using Hash = TupleHash<Key>;
    using Numbered = std::tuple<Key, std::uint32_t>;
    struct NumberedHash {
      std::size_t operator()(const Numbered& n) const { return mix(Hash()(std::get<0>(n)), std::get<1>(n)); }
    };
    std::unordered_map<Numbered, std::uint32_t, NumberedHash> free;  // nodes of b
    Numbers<Key, Hash> numbers_b, numbers_a;
    for (const std::uint32_t j : order_b) {
      const std::optional<Key> key = key_of(b_[j]);
      if (!key) continue;
      const std::uint32_t number = numbers_b.next(*key);
      if (out_.a_of_b[j] == no_index) free.emplace(Numbered(*key, number), j);
    }
    for (const std::uint32_t i : order_a) {
      const std::optional<Key> key = key_of(a_[i]);
      if (!key) continue;
      const std::uint32_t number = numbers_a.next(*key);
      if (out_.b_of_a[i] != no_index) continue;
      const auto at = free.find(Numbered(*key, number));
      if (at != free.end()) pair(i, at->second);
    }
  }

  void by_order() {
    if (done()) return;
    std::vector<std::uint32_t> left_a, left_b, kinds_a, kinds_b;
    std::unordered_map<std::uint64_t, std::uint32_t> kinds;
    const auto collect = [&](Nodes nodes, const std::vector<std::uint32_t>& other, auto& left, auto& kinds_of) {
      for (std::uint32_t i = 0; i < nodes.size(); ++i) {
        if (other[i] != no_index) continue;
        const std::uint64_t kind = std::uint64_t{nodes[i].type} << 32U | nodes[i].name;
        left.push_back(i);
        kinds_of.push_back(kinds.try_emplace(kind, static_cast<std::uint32_t>(kinds.size())).first->second);
      }
    };
    collect(a_, out_.b_of_a, left_a, kinds_a);
    collect(b_, out_.a_of_b, left_b, kinds_b);
    for_each_common(kinds_a, kinds_b, [&](std::size_t i, std::size_t j) { pair(left_a[i], left_b[j]); });
  }

  NodeMatching take() { return std::move(out_); }

 private:
  // Returns whether all nodes of one side are matched.
  [[nodiscard]] bool done() const { return out_.matched == std::min(a_.size(), b_.size()); }
  void pair(std::uint32_t i, std::uint32_t j) {
    if (out_.a_of_b[j] != no_index) return;  // of several nodes with one id, the first is matched
    out_.b_of_a[i] = j;
    out_.a_of_b[j] = i;
    ++out_.matched;
  }

  Nodes a_, b_;
  NodeMatching out_;
};

}  // namespace

NodeMatching match_nodes(Nodes a, NodeOrder order_a, Nodes b, NodeOrder order_b, UseIds ids) {
  Matcher m(a, b);
  if (ids == UseIds::yes) m.by_id();
  using PartnerKey = std::tuple<Matchable::Meets, std::uint64_t, std::int64_t>;
  m.by_key<PartnerKey>(order_a, order_b, [](const Matchable& n) {
    return n.meets == Matchable::Meets::nobody ? std::nullopt
                                               : std::optional<PartnerKey>({n.meets, n.partner, n.tag});
  });
  std::vector<std::uint32_t> all_a(a.size()), all_b(b.size());
  for (std::uint32_t i = 0; i < a.size(); ++i) all_a[i] = i;
  for (std::uint32_t i = 0; i < b.size(); ++i) all_b[i] = i;
  using NameKey = std::tuple<std::uint32_t, std::uint32_t>;
  m.by_key<NameKey>(all_a, all_b, [](const Matchable& n) { return std::optional<NameKey>({n.type, n.name}); });
  m.by_order();
  return m.take();
}

}  // namespace convert
