// SPDX-License-Identifier: MIT
#include "analyze/diff/difference.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "analyze/figures/cells.h"
#include "util/json_writer.h"
#include "util/visible.h"

namespace convert {
namespace {

// Returns "1 edge", "2 edges".
void add_part(std::vector<std::string>& parts, std::uint64_t n, std::string_view noun, const std::string& text) {
  if (n != 0) parts.push_back(counted(n, noun) + text);
}

std::string listed(const std::vector<std::string>& parts) {
  std::string out;
  for (std::size_t i = 0; i < parts.size(); ++i)
    out += (i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ") + parts[i];
  return out;
}

// Returns "rank 1 only in A", "ranks 1, 2 and 17 more only in A".
std::string ranks_only(const std::vector<Rank>& ranks, std::string_view side) {
  constexpr std::size_t shown = 8;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < ranks.size() && i < shown; ++i) names.push_back(std::to_string(ranks[i]));
  if (ranks.size() > shown) names.push_back(std::to_string(ranks.size() - shown) + " more");
  return (ranks.size() == 1 ? "rank " : "ranks ") + listed(names) + " only in " + std::string(side);
}

// Returns " (duration of 64, comm_size of 32)": what changed most, three attributes at most.
std::string most_changed(const std::map<std::string, std::uint64_t>& changes) {
  std::vector<std::pair<std::uint64_t, std::string>> by_count;
  for (const auto& [what, n] : changes) by_count.emplace_back(n, what);
  std::stable_sort(by_count.begin(), by_count.end(),
                   [](const auto& x, const auto& y) { return x.first > y.first; });
  constexpr std::size_t shown = 3;
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < by_count.size() && i < shown; ++i)
    texts.push_back(visible(by_count[i].second) + " of " + std::to_string(by_count[i].first));
  if (by_count.size() > shown) texts.push_back(counted(by_count.size() - shown, "more attribute"));
  return texts.empty() ? "" : " (" + listed(texts) + ')';
}

// Returns what the difference of two runs is made of: up to three parts of the critical path that are 5 % of it.
std::string contributions(const Difference& d, Picoseconds delta) {
  if (!d.paths) return {};
  std::vector<std::pair<Picoseconds, std::string>> parts;
  for (const auto& [what, part] : d.path_parts) {
    constexpr std::int64_t least_part = 20;
    if (std::abs(part.change()) >= std::max<Picoseconds>(1, std::abs(delta) / least_part))
      parts.emplace_back(part.change(), what);
  }
  std::ranges::stable_sort(parts,
                           [](const auto& x, const auto& y) { return std::abs(x.first) > std::abs(y.first); });
  constexpr std::size_t shown = 3;
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < parts.size() && i < shown; ++i)
    texts.push_back(format_time(std::abs(parts[i].first)) + (parts[i].first < 0 ? " less " : " more ") +
                    parts[i].second);
  return texts.empty() ? "" : ": " + listed(texts) + " on the critical path";
}

// Returns "A takes 22 ms", "A is stopped at 3 ms", "B does not end (deadlock at 3 ms)".
std::string ending(char side, RunStatus status, Picoseconds time) {
  const std::string run(1, side);
  if (status == RunStatus::complete) return run + " takes " + format_time(time);
  if (status == RunStatus::stopped) return run + " is stopped at " + format_time(time);
  return run + " does not end (" + std::string(name(status)) + " at " + format_time(time) + ')';
}

Table path_table(const std::map<std::string, Difference::OnPath>& parts) {
  Table t{.key = "path",
          .title = "the critical paths",
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

Table node_table(const std::string& key, const std::string& title, const std::vector<Difference::NodeRef>& nodes) {
  Table t{.key = key,
          .title = title,
          .columns = {{"rank", "rank", Unit::count},
                      {"node", "node", Unit::count},
                      {"type", "type", Unit::text},
                      {"name", "name", Unit::text}},
          .more = "nodes"};
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

}  // namespace

bool Difference::same() const {
  return only_a.count + only_b.count + changes.count + edges_only_a.count + edges_only_b.count == 0 &&
         ranks_only_a.empty() && ranks_only_b.empty() && !totals_differ && status_a == status_b;
}

std::string Difference::sentence() const {
  std::vector<std::string> parts;
  if (!ranks_only_a.empty()) parts.push_back(ranks_only(ranks_only_a, "A"));
  if (!ranks_only_b.empty()) parts.push_back(ranks_only(ranks_only_b, "B"));
  const std::string_view noun = total_a ? "slice" : "node";
  add_part(parts, only_a.count, noun, " only in A");
  add_part(parts, only_b.count, noun, " only in B");
  add_part(parts, changed_nodes, noun, " changed" + most_changed(changes_by_what));
  if (const std::uint64_t other = changes.count != 0 && changed_nodes == 0 ? changes.count : 0; other != 0)
    parts.push_back(counted(other, "change") + " of metadata");
  if (const std::uint64_t n = edges_only_a.count; n != 0)
    parts.push_back(std::to_string(n) + (n == 1 ? " dependency" : " dependencies") + " only in A");
  if (const std::uint64_t n = edges_only_b.count; n != 0)
    parts.push_back(std::to_string(n) + (n == 1 ? " dependency" : " dependencies") + " only in B");
  const std::string size = counted(ranks, "rank") + ", " + counted(nodes_a, noun);
  const bool ended = status_a == RunStatus::complete && status_b == RunStatus::complete;
  if (total_a && !structure && !ended && (totals_differ || status_a != status_b))
    return ending('A', status_a, *total_a) + ", " + ending('B', status_b, *total_b);
  if (total_a && totals_differ) {
    const Picoseconds delta = *total_b - *total_a;
    std::string out = "B is " + format_time(std::abs(delta));
    if (*total_a > 0) out += " (" + text_cell(share_of(std::abs(delta), *total_a), Unit::share) + ')';
    return out + (delta < 0 ? " faster" : " slower") + contributions(*this, delta);
  }
  const std::string within = structure ? " but for times" : tolerant ? " within the tolerance" : "";
  const std::string time = total_a && !structure && !tolerant ? ", " + format_time(*total_a) : "";
  if (same()) return "A and B are the same" + within + ": " + size + time;
  if (total_a && !structure) return "A and B take equally long" + within + time + ", but differ: " + listed(parts);
  return "B differs from A: " + listed(parts);
}

Statistics Difference::sections() const {
  Section s{.name = "difference"};
  const std::string noun = total_a ? "slices" : "nodes";
  if (total_a) {
    s.figures = {{"total_a", "A", Unit::time, *total_a}, {"total_b", "B", Unit::time, *total_b}};
  }
  s.figures.insert(s.figures.end(),
                   {{"ranks", "ranks compared", Unit::count, value_of(ranks)},
                    {"nodes_a", noun + " of A", Unit::count, value_of(nodes_a)},
                    {"nodes_b", noun + " of B", Unit::count, value_of(nodes_b)},
                    {"matched", "of them matched", Unit::count, value_of(matched)},
                    {"only_a", "only in A", Unit::count, value_of(only_a.count)},
                    {"only_b", "only in B", Unit::count, value_of(only_b.count)},
                    {"changed", "changed", Unit::count, value_of(changed_nodes)},
                    {"dependencies_only_a", "dependencies only in A", Unit::count, value_of(edges_only_a.count)},
                    {"dependencies_only_b", "dependencies only in B", Unit::count, value_of(edges_only_b.count)}});
  Table what{.key = "changed_attributes",
             .title = "what changed",
             .columns = {{"what", "what", Unit::text}, {"count", noun, Unit::count}},
             .more = "attributes"};
  for (const auto& [name, n] : changes_by_what) what.rows.push_back({name, value_of(n)});
  std::stable_sort(what.rows.begin(), what.rows.end(), [](const auto& x, const auto& y) { return x[1] > y[1]; });
  s.tables = {path_table(path_parts),
              names.table(paths),
              std::move(what),
              node_table("nodes_only_a", "only in A", only_a.kept),
              node_table("nodes_only_b", "only in B", only_b.kept),
              change_table(changes.kept),
              edge_table("edges_only_a", "dependencies only in A", edges_only_a.kept),
              edge_table("edges_only_b", "dependencies only in B", edges_only_b.kept)};
  if (ranks == 0 && !ranks_only_a.empty() && !ranks_only_b.empty()) {
    const std::string a = std::to_string(ranks_only_a.front());
    const std::string b = std::to_string(ranks_only_b.front());
    s.notes.push_back("no rank is in both, so nothing was compared; --map-ranks " + a + '=' + b +
                      " compares rank " + a + " of A with rank " + b + " of B");
  }
  if (other_ids != 0)
    s.notes.push_back(noun + " with other ids, which is no difference: " + std::to_string(other_ids));
  if (std::max({only_a.count, only_b.count, changes.count, edges_only_a.count, edges_only_b.count}) >
      List<Edge>::most)
    s.notes.push_back("lists hold the first " + std::to_string(List<Edge>::most) + " of a kind; all are counted");
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
  for (const auto& [what, n] : other.changes_by_what) changes_by_what[what] += n;
  names.append(std::move(other.names));
}

}  // namespace convert
