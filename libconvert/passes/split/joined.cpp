// SPDX-License-Identifier: MIT
#include "passes/split/joined.h"

#include <algorithm>

namespace convert {
namespace {

const Name joined_ranks{std::string_view("joined.ranks")};
const Name joined_first_ids{std::string_view("joined.first_ids")};
const Name joined_keeps_ids{std::string_view("joined.keeps_ids")};
const Name joined_metadata{std::string_view("joined.metadata")};
const Name joined_groups{std::string_view("joined.groups")};

// Ranks with an id of at least this value are renumbered: adding offsets to such ids could exceed 64 bits.
constexpr NodeId most_ids = NodeId{1} << 32;

Error bad(const Trace& trace, const std::string& what) { return input_error({.file = trace.name}, what, "joined"); }

const Attr& list_of(const Trace& trace, Name name, Kind kind, std::size_t size) {
  const Attr* const a = find(trace.metadata.table.attrs, name);
  if (a == nullptr || a->kind != kind)
    throw bad(trace, "metadata attribute " + std::string(name.view()) + " of a joined set is missing or is not " +
                         std::string(kind_name(kind)));
  if (a->size != size)
    throw bad(trace, "metadata attribute " + std::string(name.view()) + " has " + std::to_string(a->size) +
                         " values instead of " + std::to_string(size));
  return *a;
}

}  // namespace

std::optional<JoinedRanks> read_joined(const Trace& trace) {
  const AttrTable& table = trace.metadata.table;
  const Attr* const ranks = find(table.attrs, joined_ranks);
  if (ranks == nullptr) return std::nullopt;
  const std::size_t n = ranks->size;
  if (n == 0) throw bad(trace, "metadata attribute joined.ranks is empty");
  JoinedRanks out;
  for (const std::uint64_t r : table.list(list_of(trace, joined_ranks, Kind::uint32_list, n)))
    out.ranks.push_back(static_cast<Rank>(r));
  for (const std::uint64_t id : table.list(list_of(trace, joined_first_ids, Kind::uint64_list, n + 1)))
    out.first_ids.push_back(id);
  for (const std::uint64_t b : table.list(list_of(trace, joined_keeps_ids, Kind::bool_list, n)))
    out.keeps_ids.push_back(b != 0);
  for (const Text t : table.string_list(list_of(trace, joined_metadata, Kind::bytes_list, n)))
    out.metadata.emplace_back(table.view(t));
  const bool twice = std::ranges::adjacent_find(out.ranks) != out.ranks.end();
  if (!std::ranges::is_sorted(out.ranks) || twice || !std::ranges::is_sorted(out.first_ids))
    throw bad(trace, "the ranks in the metadata of this joined set, or their ids, are not ascending");
  if (const auto text = string_value(table, table.attrs, joined_groups)) out.groups = *text;
  return out;
}

void write_joined(const JoinedRanks& joined, Metadata& metadata) {
  AttrTable& table = metadata.table;
  const std::vector<std::int64_t> ranks(joined.ranks.begin(), joined.ranks.end());
  std::vector<std::int64_t> ids;
  for (const NodeId id : joined.first_ids) ids.push_back(static_cast<std::int64_t>(id));
  const std::vector<std::int64_t> keeps(joined.keeps_ids.begin(), joined.keeps_ids.end());
  table.add_ints(joined_ranks, Kind::uint32_list, ranks);
  table.add_ints(joined_first_ids, Kind::uint64_list, ids);
  table.add_ints(joined_keeps_ids, Kind::bool_list, keeps);
  table.add_strings(joined_metadata, joined.metadata);
  table.attrs.back().kind = Kind::bytes_list;
  if (joined.groups) table.add_string(joined_groups, *joined.groups);
}

void RankJoiner::add(const Trace& trace, std::string metadata) {
  const NodeTable& table = trace.nodes;
  NodeId last = 0;
  for (const Node& n : table.nodes) last = std::max(last, n.id);
  for (const NodeId id : table.deps) last = std::max(last, id);
  const bool far = last >= most_ids;
  const NodeId count = table.nodes.empty() ? 0 : far ? table.nodes.size() : last + 1;
  joined_.ranks.push_back(trace.rank);
  joined_.keeps_ids.push_back(far);
  joined_.first_ids.push_back(joined_.first_ids.back() + count);
  joined_.metadata.push_back(std::move(metadata));
}

NodeTable RankJoiner::number(const Trace& trace, std::size_t i) const {
  const NodeTable& table = trace.nodes;
  const bool keeps = joined_.keeps_ids[i];
  const NodeId first = joined_.first_ids[i];
  const IdIndex index(table);
  const auto dep = [&](std::size_t child, NodeId id) {
    if (!keeps) return first + id;
    const std::uint32_t parent = index.find(id);
    if (parent != IdIndex::none) return first + parent;
    throw input_error(location_of(trace, child),
                      "node " + std::to_string(table.nodes[child].id) + " depends on node " + std::to_string(id) +
                          ", which does not exist",
                      "joined");
  };
  NodeTable out;
  for (std::size_t k = 0; k < table.nodes.size(); ++k) {
    const Node& from = table.nodes[k];
    out.begin_copy(table, from, first + (keeps ? k : from.id), from.type);
    for (const NodeId id : table.data_deps(from)) out.add_data_dep(dep(k, id));
    for (const NodeId id : table.ctrl_deps(from)) out.add_ctrl_dep(dep(k, id));
    out.add_int(attr::npu, Kind::int32_val, trace.rank);
    if (keeps) out.add_int(attr::joined_id, Kind::uint64_val, static_cast<std::int64_t>(from.id));
    for (const Attr& a : table.attributes(from)) out.add_copy(table, a);
    out.end_copy(table, from);
  }
  return out;
}

}  // namespace convert
