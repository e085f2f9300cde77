// SPDX-License-Identifier: MIT
#include "sets/classes/stand_ins.h"

#include <algorithm>
#include <utility>

#include "core/diagnostic.h"
#include "core/master/pack.h"

namespace convert {

std::optional<std::vector<std::uint64_t>> places_by_rank(const MasterSet& set) {
  constexpr std::uint64_t nowhere = UINT64_MAX;
  std::vector<std::uint64_t> places(set.ranks(), nowhere);
  for (std::uint64_t i = 0; i < set.ranks(); ++i) {
    const Rank r = set.rank(set.place(i));
    if (r >= places.size() || places[r] != nowhere) return std::nullopt;
    places[r] = i;
  }
  return places;
}

StandIns::StandIns(const MasterSet& set, std::string file, Each each) : set_(set), file_(std::move(file)) {
  for (std::uint32_t c = 0; c < set.classes.size(); ++c) {
    first_of_class_.push_back(size());
    StandIn s{.of_class = c};
    if (each == Each::class_of_ranks && find_columns(s)) {
      stand_ins_.push_back(std::move(s));
      continue;
    }
    for (std::uint64_t i = 0; i < set.classes[c].ranks.size(); ++i)
      stand_ins_.push_back({.of_class = c, .only = i});
  }
}

bool StandIns::find_columns(StandIn& s) const {
  const RankClass& c = set_.classes[s.of_class];
  if (!c.metadata.varying.empty() || !c.metadata.own.empty() || !c.values.own.empty()) return false;
  const std::vector<std::uint32_t> begins = node_begins(c, set_.shapes);
  std::vector<std::uint32_t> rules(c.values.first.size(), no_index);
  for (const RankValues::Varying& v : c.values.varying) rules[v.value] = v.rule;
  std::size_t taken = 0;
  std::map<std::pair<std::uint64_t, std::uint32_t>, bool> groups, peers;  // values of the first rank, and rules
  for (std::uint32_t i = 0; i < c.shapes.size(); ++i) {
    const NodeShape& shape = set_.shapes[c.shapes[i]];
    const bool call = shape.type == NodeType::comm_coll;
    if (!call && shape.type != NodeType::comm_send && shape.type != NodeType::comm_recv) continue;
    for (const Name name : {attr::pg_name, attr::comm_src, attr::comm_dst}) {
      const auto a = std::ranges::find(shape.attrs, name, &NodeShape::Attribute::name);
      const bool group = name == attr::pg_name;
      if (a == shape.attrs.end() || is_list(a->kind) ||
          !(group ? a->kind == Kind::string_val : is_integer(a->kind)))
        continue;
      const std::uint32_t at = begins[i] + ShapeSet::value_of(shape, name);
      taken += rules[at] == no_index ? 0 : 1;
      (group ? groups : peers)[{c.values.first[at], rules[at]}] = true;
    }
  }
  if (taken != c.values.varying.size()) return false;
  std::vector<Column> of_groups, of_peers;
  for (const auto& [key, unused] : groups) of_groups.push_back({key.first, key.second});
  for (const auto& [key, unused] : peers) of_peers.push_back({key.first, key.second});
  if (!differ_everywhere(c, of_groups) || !differ_everywhere(c, of_peers)) return false;
  for (const Column& column : of_groups) {
    if (!s.groups.emplace(text(s, column, 0), column).second) return false;  // the same text as two values
  }
  for (const Column& column : of_peers) s.peers.emplace(column.first, column);
  return true;
}

bool StandIns::differ_everywhere(const RankClass& c, const std::vector<Column>& columns) const {
  constexpr std::uint64_t most_values = std::uint64_t{1} << 28U;
  const bool vary = std::ranges::any_of(columns, [](const Column& one) { return one.rule != no_index; });
  if (!vary || columns.size() < 2) return true;
  if (columns.size() > most_values / c.ranks.size()) return false;
  std::vector<std::uint64_t> values(columns.size());
  for (std::uint64_t i = 0; i < c.ranks.size(); ++i) {
    std::ranges::transform(columns, values.begin(), [&](const Column& one) {
      return one.first + (one.rule == no_index ? 0 : c.values.rules[one.rule][i]);
    });
    std::ranges::sort(values);
    if (std::ranges::adjacent_find(values) != values.end()) return false;
  }
  return true;
}

StandIns::Place StandIns::place(std::uint64_t i) const {
  const MasterSet::Place p = set_.place(i);
  const std::uint32_t first = first_of_class_[p.of_class];
  if (!stand_ins_[first].only) return {first, p.ordinal};
  return {first + static_cast<std::uint32_t>(p.ordinal), 0};
}

std::uint64_t StandIns::ranks(std::uint32_t stand_in) const {
  const StandIn& s = stand_ins_[stand_in];
  return s.only ? 1 : set_.classes[s.of_class].ranks.size();
}

Rank StandIns::rank(const Place& p) const {
  const StandIn& s = stand_ins_[p.stand_in];
  return set_.rank({s.of_class, s.only.value_or(p.ordinal)});
}

Trace StandIns::read(std::uint32_t stand_in) const {
  const StandIn& s = stand_ins_[stand_in];
  const MasterSet::Place place{s.of_class, s.only.value_or(0)};
  Trace trace = set_.head(place, file_);
  set_.nodes(place, file_, trace.nodes);
  return trace;
}

std::uint64_t StandIns::value(const StandIn& s, const Column& c, std::uint64_t ordinal) const {
  return c.first + (c.rule == no_index ? 0 : set_.classes[s.of_class].values.rules[c.rule][ordinal]);
}

std::string StandIns::text(const StandIn& s, const Column& c, std::uint64_t ordinal) const {
  std::string number;
  const auto found = unpacked_text(value(s, c, ordinal), set_.texts, number);
  if (!found)
    throw input_error({.file = file_, .rank = static_cast<std::int64_t>(set_.rank({s.of_class, ordinal}))},
                      "the name of a group is missing: the file is damaged", "master");
  return std::string(*found);
}

std::vector<std::string> StandIns::groups(std::uint32_t stand_in) const {
  std::vector<std::string> out;
  for (const auto& [name, column] : stand_ins_[stand_in].groups) {
    if (column.rule != no_index) out.push_back(name);
  }
  return out;
}

bool StandIns::groups_are_numbers(std::uint32_t stand_in) const {
  const StandIn& s = stand_ins_[stand_in];
  const auto varies = [](const auto& group) { return group.second.rule != no_index; };
  if (std::ranges::none_of(s.groups, varies)) return true;
  for (const auto& [name, column] : s.groups) {
    const std::uint64_t ordinals = column.rule == no_index ? 1 : ranks(stand_in);
    const std::uint64_t least = packed_number(column.rule == no_index ? 0 : 1);
    for (std::uint64_t i = 0; i < ordinals; ++i) {
      const std::uint64_t packed = value(s, column, i);
      if (packed % 2 == 0 || packed < least || packed > packed_number(largest_packed_number)) return false;
    }
  }
  return true;
}

bool StandIns::peers_are_ranks(std::uint32_t stand_in) const {
  const StandIn& s = stand_ins_[stand_in];
  for (const auto& [peer, column] : s.peers) {
    const std::uint64_t ordinals = column.rule == no_index ? 1 : ranks(stand_in);
    for (std::uint64_t i = 0; i < ordinals; ++i) {
      if (value(s, column, i) > largest_rank) return false;
    }
  }
  return true;
}

std::string StandIns::group(const Place& p, std::string_view of_stand_in) const {
  const StandIn& s = stand_ins_[p.stand_in];
  const auto at = s.groups.find(of_stand_in);
  if (at == s.groups.end()) return std::string(of_stand_in);
  return text(s, at->second, p.ordinal);
}

std::uint64_t StandIns::peer(const Place& p, std::uint64_t of_stand_in) const {
  const StandIn& s = stand_ins_[p.stand_in];
  const auto at = s.peers.find(of_stand_in);
  return at == s.peers.end() ? of_stand_in : value(s, at->second, p.ordinal);
}

void StandIns::become(const Place& p, Trace& trace) const {
  trace.rank = rank(p);
  if (p.ordinal == 0) return;
  trace.name = MasterSet::name_of(trace.rank, file_);
  NodeTable& table = trace.nodes;
  const auto attribute = [&](const Node& n, Name name) -> Attr* {
    const Attr* const a = find(table.attributes(n), name);
    return a == nullptr || is_list(a->kind) ? nullptr
                                            : &table.attrs[static_cast<std::size_t>(a - table.attrs.data())];
  };
  for (const Node& n : table.nodes) {
    if (n.type != NodeType::comm_coll && n.type != NodeType::comm_send && n.type != NodeType::comm_recv) continue;
    for (const Name name : {attr::comm_src, attr::comm_dst}) {
      if (Attr* const a = attribute(n, name); a != nullptr && is_integer(a->kind)) a->bits = peer(p, a->bits);
    }
    Attr* const a = attribute(n, attr::pg_name);
    if (a == nullptr || a->kind != Kind::string_val) continue;
    const std::string now = group(p, table.string(*a));
    const Text text = table.add_text(now);
    a->bits = text.offset;
    a->size = text.size;
  }
}

}  // namespace convert
