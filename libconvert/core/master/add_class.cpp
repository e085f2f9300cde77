// SPDX-License-Identifier: MIT
#include "core/master/add_class.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/master/value_rule.h"

namespace convert {
namespace {

constexpr std::array<Name, 3> names_of_others = {attr::pg_name, attr::comm_src, attr::comm_dst};

// One node of a trace for each combination of type, group and peers.
class KindsOfCalls {
 public:
  explicit KindsOfCalls(const Trace& of) {
    for (const Node& n : of.nodes.nodes) kind_.push_back(kind_of(of.nodes, n));
    rules_.resize(trace_.nodes.nodes.size());
  }

  // Adds the attributes of these nodes in a rank.
  void add(std::uint64_t i, const std::function<void(std::uint64_t, Trace&)>& become, TextSet& texts) {
    Trace own = trace_;
    become(i, own);
    for (std::size_t k = 0; k < rules_.size(); ++k) {
      const auto attrs = own.nodes.attributes(own.nodes.nodes[k]);
      for (std::size_t a = 0; a < names_of_others.size(); ++a) {
        const Attr* const value = find(attrs, names_of_others.at(a));
        if (value == nullptr) continue;
        rules_[k].at(a).add(is_text(value->kind) ? packed_text(own.nodes.string(*value), texts) : value->bits);
      }
    }
  }

  void vary(const ShapeSet& shapes, RankClass& to) {
    const std::vector<std::uint32_t> begins = node_begins(to, shapes);
    for (std::size_t i = 0; i < kind_.size(); ++i) {
      if (kind_[i] == no_index) continue;
      for (std::size_t a = 0; a < names_of_others.size(); ++a) {
        const std::uint32_t at = ShapeSet::value_of(shapes[to.shapes[i]], names_of_others.at(a));
        if (at == no_index) continue;
        if (const auto rule = rules_[kind_[i]].at(a).number(to.values))
          to.values.varying.push_back({begins[i] + at, *rule});
      }
    }
    std::ranges::sort(to.values.varying, {}, &RankValues::Varying::value);
  }

 private:
  std::uint32_t kind_of(const NodeTable& table, const Node& n) {
    if (n.type != NodeType::comm_coll && n.type != NodeType::comm_send && n.type != NodeType::comm_recv)
      return no_index;
    std::string key(1, static_cast<char>(n.type));
    std::vector<const Attr*> own;
    for (const Name name : names_of_others) {
      const Attr* const a = find(table.attributes(n), name);
      if (a == nullptr || is_list(a->kind)) {
        key += '-';
      } else {
        key += is_text(a->kind) ? std::string(table.string(*a)) : std::to_string(a->bits);
        own.push_back(a);
      }
      key += '\0';
    }
    const auto [at, added] = known_.try_emplace(key, static_cast<std::uint32_t>(known_.size()));
    if (!added) return at->second;
    NodeTable& to = trace_.nodes;
    to.add_node(at->second, n.type, "");
    for (const Attr* a : own) {
      if (is_text(a->kind)) {
        to.add_string(a->name, table.string(*a));
        to.attrs.back().kind = a->kind;
      } else {
        to.attrs.push_back({.name = a->name, .kind = a->kind, .bits = a->bits});
      }
    }
    to.end_node();
    return at->second;
  }

  Trace trace_;
  std::map<std::string, std::uint32_t> known_;
  std::vector<std::uint32_t> kind_;  // by node
  std::vector<std::array<ValueRule, names_of_others.size()>> rules_;
};

}  // namespace

void pack_first(const Trace& rank, MasterSet& set, RankClass& to) {
  Packer packer(set.texts, set.shapes);
  PackedTrace metadata, nodes;
  packer.metadata(rank.metadata, metadata);
  packer.nodes(rank.nodes, nodes);
  to.metadata_shape = metadata.shapes[0];
  to.metadata.first = std::move(metadata.values);
  to.shapes = std::move(nodes.shapes);
  to.values.first = std::move(nodes.values);
}

void add_class(MasterSet& to, const Trace& like, std::span<const Rank> ranks,
               const std::function<void(std::uint64_t i, Trace& trace)>& become) {
  Trace first = like;
  become(0, first);
  RankClass& c = to.classes.emplace_back();
  KindsOfCalls kinds(like);
  for (std::uint64_t i = 0; i < ranks.size(); ++i) {
    c.ranks.add(ranks[i]);
    kinds.add(i, become, to.texts);
  }
  pack_first(first, to, c);
  kinds.vary(to.shapes, c);
}

}  // namespace convert
