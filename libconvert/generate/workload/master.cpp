// SPDX-License-Identifier: MIT
// Makes a workload as a class-compressed set: a body for each class of ranks, and rules for groups and peers.
#include <algorithm>
#include <optional>

#include "core/master/add_class.h"
#include "core/master/value_rule.h"
#include "generate/workload/workload.h"

namespace convert {
// Rules for the values that differ among the ranks of a class.
struct WorkloadSet::ClassRules {
  ValueRule rank;
  std::array<ValueRule, group_kind_names.size()> groups;
  std::array<ValueRule, peer_kinds> peers;

  void add(const OfRank& own, TextSet& texts) {
    rank.add(own.rank);
    for (std::size_t k = 0; k < groups.size(); ++k)
      groups.at(k).add(own.groups.at(k).empty() ? 0 : packed_text(own.groups.at(k), texts));
    for (std::size_t p = 0; p < peers.size(); ++p) peers.at(p).add(own.peers.at(p));
  }
};

void WorkloadSet::add_rules(const StageBody& body, ClassRules& rules, const ShapeSet& shapes, RankClass& to) const {
  const std::vector<std::uint32_t> begins = node_begins(to, shapes);
  for (std::uint32_t i = 0; i < body.nodes.size(); ++i) {
    const BodyNode& n = body.nodes[i];
    const auto vary = [&](Name attribute, ValueRule& rule) {
      if (const auto number = rule.number(to.values))
        to.values.varying.push_back({begins[i] + ShapeSet::value_of(shapes[to.shapes[i]], attribute), *number});
    };
    if (n.type == NodeType::comm_coll) {
      vary(attr::pg_name, rules.groups.at(static_cast<std::size_t>(n.group)));
    } else if (n.type == NodeType::comm_send || n.type == NodeType::comm_recv) {
      ValueRule& peer = rules.peers.at(static_cast<std::size_t>(n.peer));
      vary(attr::comm_src, n.type == NodeType::comm_send ? rules.rank : peer);
      vary(attr::comm_dst, n.type == NodeType::comm_send ? peer : rules.rank);
    }
  }
}

MasterSet WorkloadSet::master() const {
  MasterSet set;
  const auto classes = static_cast<std::size_t>(this->classes());
  std::vector<ClassRules> rules(classes);
  std::vector<std::optional<Rank>> first(classes);
  set.classes.resize(classes);
  for (Rank rank = 0; rank < ranks(); ++rank) {
    const auto c = static_cast<std::size_t>(class_of(rank));
    if (!first[c]) first[c] = rank;
    set.classes[c].ranks.add(rank);
    set.add_to_order(static_cast<std::uint32_t>(c), 1);
    rules[c].add(of_rank(rank), set.texts);
  }
  for (std::size_t c = 0; c < classes; ++c) {
    RankClass& to = set.classes[c];
    pack_first(trace(*first[c]), set, to);
    add_rules(body(static_cast<std::int64_t>(c)), rules[c], set.shapes, to);
  }
  if (group_count() > 0) set.groups = groups_text(groups());
  return set;
}

}  // namespace convert
