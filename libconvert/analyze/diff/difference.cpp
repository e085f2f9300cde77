// SPDX-License-Identifier: MIT
#include "analyze/diff/difference.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "util/json_writer.h"
#include "util/visible.h"

namespace convert {
namespace {

Table path_table(const std::map<std::string, Difference::OnPath>& parts, bool paths) {
  Table t{.key = "path",
          .title = paths ? "the critical paths" : "time of the mean NPU by category",
          .columns = {{"part", "part", Unit::text},
                      {"a", "A", Unit::time},
                      {"b", "B", Unit::time},
                      {"difference", "difference", Unit::time}}};
  for (const auto& [what, part] : parts) t.rows.push_back({what, part.a_ps.get(), part.b_ps.get(), part.change()});
  std::ranges::stable_sort(t.rows, [](const auto& x, const auto& y) {
    return std::abs(std::get<std::int64_t>(x[3])) > std::abs(std::get<std::int64_t>(y[3]));
  });
  return t;
}

Table node_table(const std::string& key, const std::string& title, const std::vector<Difference::NodeRef>& nodes,
                 const std::string& more) {
  Table t{.key = key,
          .title = title,
          .columns = {{"rank", "rank", Unit::count},
                      {"node", "node", Unit::count},
                      {"type", "type", Unit::text},
                      {"name", "name", Unit::text}},
          .more = more};
  for (const Difference::NodeRef& n : nodes)
    t.rows.push_back({std::int64_t{n.rank}, value_of(n.node), n.type, n.name});
  return t;
}

Table edge_table(const std::string& key, const std::string& title, const std::vector<Difference::Edge>& edges) {
  Table t{.key = key,
          .title = title,
          .columns = {{"rank", "rank", Unit::count},
                      {"node", "node", Unit::count},
                      {"on", "depends on", Unit::count},
                      {"kind", "kind", Unit::text}},
          .more = "dependencies"};
  for (const Difference::Edge& e : edges)
    t.rows.push_back({std::int64_t{e.rank}, value_of(e.node), value_of(e.on), e.kind});
  return t;
}

Table change_table(const std::vector<Difference::Change>& changes) {
  Table t{.key = "changes",
          .title = "changed",
          .columns = {{"rank", "rank", Unit::count},
                      {"node", "node", Unit::count},
                      {"node_b", "in B", Unit::count},
                      {"what", "what", Unit::text},
                      {"old", "A", Unit::text},
                      {"new", "B", Unit::text},
                      {"name", "name", Unit::text}},
          .more = "changes"};
  for (const Difference::Change& c : changes)
    t.rows.push_back({std::int64_t{c.node.rank}, value_of(c.node.node), value_of(c.in_b), c.what, c.old_value,
                      c.new_value, c.node.name});
  return t;
}

Table group_table(const std::vector<Difference::Group>& groups) {
  Table t{.key = "groups",
          .title = "process groups",
          .columns = {{"group", "group", Unit::count}, {"a", "A", Unit::text}, {"b", "B", Unit::text}},
          .more = "groups"};
  for (const Difference::Group& g : groups) t.rows.push_back({g.id, g.a, g.b});
  return t;
}

}  // namespace

Statistics Difference::sections() const {
  Section s{.name = "difference"};
  const std::string noun = total_a ? "slices" : "nodes";
  if (total_a) {
    s.figures = {{"total_a", "A", Unit::time, *total_a}, {"total_b", "B", Unit::time, *total_b}};
  }
  s.figures.insert(
      s.figures.end(),
      {{"ranks", "ranks compared", Unit::count, value_of(ranks)},
       {"nodes_a", noun + " of A", Unit::count, value_of(nodes_a)},
       {"nodes_b", noun + " of B", Unit::count, value_of(nodes_b)},
       {"matched", "matched", Unit::count, value_of(matched)},
       {"only_a", "only in A", Unit::count, value_of(only_a.count)},
       {"only_b", "only in B", Unit::count, value_of(only_b.count)},
       {"changed", "changed", Unit::count, value_of(changed_nodes)},
       {"dependencies_only_a", total_a ? "" : "dependencies only in A", Unit::count, value_of(edges_only_a.count)},
       {"dependencies_only_b", total_a ? "" : "dependencies only in B", Unit::count, value_of(edges_only_b.count)},
       {"groups_differ", groups.count == 0 ? "" : "process groups that differ", Unit::count,
        value_of(groups.count)}});
  Table what{.key = "changed_attributes",
             .title = "what changed",
             .columns = {{"what", "what", Unit::text}, {"count", noun, Unit::count}},
             .more = "attributes"};
  for (const auto& [name, n] : changes_by_what) what.rows.push_back({name, value_of(n)});
  std::stable_sort(what.rows.begin(), what.rows.end(), [](const auto& x, const auto& y) { return x[1] > y[1]; });
  s.tables = {path_table(path_parts, paths),
              names.table(paths),
              std::move(what),
              node_table("nodes_only_a", "only in A", only_a.kept, noun),
              node_table("nodes_only_b", "only in B", only_b.kept, noun),
              change_table(changes.kept),
              edge_table("edges_only_a", "dependencies only in A", edges_only_a.kept),
              edge_table("edges_only_b", "dependencies only in B", edges_only_b.kept),
              group_table(groups.kept)};
  if (ranks == 0 && !ranks_only_a.empty() && !ranks_only_b.empty()) {
    const std::string a = std::to_string(ranks_only_a.front());
    const std::string b = std::to_string(ranks_only_b.front());
    s.notes.push_back("A and B share no rank, so nothing was compared; --map-ranks " + a + '=' + b +
                      " compares rank " + a + " of A with rank " + b + " of B");
  }
  if (other_ids != 0) s.notes.push_back(noun + " matched although their ids differ: " + std::to_string(other_ids));
  if (std::max({only_a.count, only_b.count, changes.count, edges_only_a.count, edges_only_b.count, groups.count}) >
      List<Edge>::most)
    s.notes.push_back("each list holds the first " + std::to_string(List<Edge>::most) +
                      " items; counts include all items");
  s.notes.insert(s.notes.end(), notes.begin(), notes.end());
  return {std::move(s)};
}

std::string difference_text(const Difference& difference, std::size_t top) {
  std::string out = difference.sentence() + '\n';
  if (!difference.same()) return out + '\n' + statistics_text(difference.sections(), top);
  for (const Section& s : difference.sections()) {
    for (const std::string& note : s.notes) out += "note: " + visible(note) + '\n';
  }
  return out;
}

std::string difference_json(const Difference& difference, std::size_t top) {
  std::string out = "{";
  out += difference.same() ? "\"same\":true" : "\"same\":false";
  out += ",\"summary\":";
  append_json_string(out, difference.sentence());
  return out + ',' + statistics_json(difference.sections(), top).substr(1);
}

void Difference::append(Difference&& other) {
  structure = other.structure;
  times = other.times;
  tolerant = other.tolerant;
  ranks += other.ranks;
  nodes_a += other.nodes_a;
  nodes_b += other.nodes_b;
  matched += other.matched;
  other_ids += other.other_ids;
  changed_nodes += other.changed_nodes;
  only_a.append(std::move(other.only_a));
  only_b.append(std::move(other.only_b));
  changes.append(std::move(other.changes));
  edges_only_a.append(std::move(other.edges_only_a));
  edges_only_b.append(std::move(other.edges_only_b));
  groups.append(std::move(other.groups));
  groups_only_a += other.groups_only_a;
  groups_only_b += other.groups_only_b;
  for (const auto& [what, n] : other.changes_by_what) changes_by_what[what] += n;
  names.append(std::move(other.names));
}

}  // namespace convert
