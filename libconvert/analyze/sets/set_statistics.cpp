// SPDX-License-Identifier: MIT
#include "analyze/sets/set_statistics.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include "core/words.h"

namespace convert {
namespace {

constexpr std::size_t most_set_names = 1'000'000;
constexpr std::string_view further_names = "(further names)";

void add_defects(RankStatistics::Defects& to, const RankStatistics::Defects& from, std::uint64_t times) {
  using Defects = RankStatistics::Defects;
  for (const auto member : {&Defects::duplicate_ids, &Defects::dangling, &Defects::repeated,
                            &Defects::behind_cycles, &Defects::bad_sizes, &Defects::bad_times, &Defects::unsized})
    to.*member += from.*member * times;
}

// Adds nodes that `times` ranks have, without their durations.
void add_counts(RankStatistics::Nodes& to, const RankStatistics::Nodes& from, std::uint64_t times) {
  to.count += from.count * times;
  to.timed += from.timed * times;
  to.time_ps.add(from.time_ps, times);
  to.bytes.add(from.bytes, times);
}

}  // namespace

void SetStatistics::Keyed::add(RankStatistics::Nodes&& from, std::uint64_t times) {
  add_counts(nodes, from, times);
  ranks += times;
  if (times > 1) {
    for (const std::int64_t duration : from.durations) repeated.push_back({duration, times});
  } else if (nodes.durations.empty()) {
    nodes.durations = std::move(from.durations);
  } else {
    nodes.durations.insert(nodes.durations.end(), from.durations.begin(), from.durations.end());
  }
}

std::array<Value, 3> SetStatistics::Keyed::percentiles() const {
  if (nodes.durations.empty() && repeated.empty()) return {};
  if (repeated.empty()) {
    std::vector<std::int64_t> durations = nodes.durations;
    return {percentile(durations, 50), percentile(durations, 99), percentile(durations, 100)};
  }
  std::vector<Repeated> all = repeated;
  for (const std::int64_t duration : nodes.durations) all.push_back({duration, 1});
  std::ranges::sort(all, {}, &Repeated::value);
  return {percentile(all, 50), percentile(all, 99), percentile(all, 100)};
}

void SetStatistics::KeyedNodes::add(std::string_view key, RankStatistics::Nodes&& nodes, std::uint64_t ranks) {
  const std::uint32_t number = keys.add(keys.size() < most_set_names ? key : further_names);
  if (number == rows.size()) rows.emplace_back();
  rows[number].add(std::move(nodes), ranks);
}

void SetStatistics::KeyedNodes::take(TextSet&& texts, std::vector<RankStatistics::Nodes>&& nodes) {
  keys = std::move(texts);
  rows.resize(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    rows[i].nodes = std::move(nodes[i]);
    rows[i].ranks = rows[i].nodes.count != 0 ? 1 : 0;
  }
}

std::vector<std::uint32_t> SetStatistics::KeyedNodes::by_weight(std::size_t most) const {
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < rows.size(); ++i) {
    if (rows[i].nodes.count != 0) order.push_back(i);
  }
  const std::size_t n = most == 0 ? order.size() : std::min(most, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(n), order.end(),
                    [this](std::uint32_t x, std::uint32_t y) {
                      const RankStatistics::Nodes& a = rows[x].nodes;
                      const RankStatistics::Nodes& b = rows[y].nodes;
                      return std::tuple(b.time_ps, b.count, keys[x]) < std::tuple(a.time_ps, a.count, keys[y]);
                    });
  order.resize(n);
  return order;
}

void SetStatistics::add(RankStatistics&& r) {
  add_alike(r, 1);
  add_one(r, nullptr);
  keep_path(std::move(r.path));
}

void SetStatistics::add_alike(RankStatistics& r, std::uint64_t ranks) {
  for (std::size_t t = 0; t < RankStatistics::types; ++t) add_counts(total_.by_type[t], r.by_type[t], ranks);
  using S = RankStatistics;
  for (const auto m : {&S::nodes, &S::on_cpu, &S::data_edges, &S::control_edges, &S::roots, &S::redundant_edges,
                       &S::edges_not_searched, &S::sends, &S::recvs, &S::calls, &S::unnamed_apart})
    total_.*m += r.*m * ranks;
  for (const auto m : {&S::most_parents, &S::most_children, &S::depth}) total_.*m = std::max(total_.*m, r.*m);
  for (const auto m : {&S::sent_bytes, &S::received_bytes, &S::call_bytes, &S::operations, &S::tensor_bytes,
                       &S::loaded_bytes, &S::stored_bytes})
    (total_.*m).add(r.*m, ranks);
  add_defects(total_.defects, r.defects, ranks);
  add_counts(total_.unknown_communication, r.unknown_communication, ranks);
  total_.message_sizes.add(r.message_sizes, ranks);
  total_.call_sizes.add(r.call_sizes, ranks);
  if (ranks == 1 && names_.rows.empty() && r.by_name.size() < most_set_names) {
    names_.take(std::move(r.names), std::move(r.by_name));
  } else {
    for (std::uint32_t i = 0; i < r.by_name.size(); ++i) {
      if (r.by_name[i].count != 0) names_.add(r.names[i], std::move(r.by_name[i]), ranks);
    }
  }
  r.names = {};
  r.by_name = {};
  for (std::size_t i = 0; i < r.by_key.size(); ++i) {
    if (is_shared_key(r.key_names[i])) keyed_.add(r.key_names[i], std::exchange(r.by_key[i], {}), ranks);
  }
  path_dropped_ = path_dropped_ || (options_.most_path_nodes != 0 && total_.nodes > options_.most_path_nodes);
}

bool SetStatistics::is_shared_key(std::string_view key) const {
  if (options_.by == NodeKey::rank) return false;
  return options_.by != NodeKey::group || key == RankStatistics::no_group || key == RankStatistics::all_ranks;
}

void SetStatistics::add_one(const RankStatistics& r, const Changes* changes) {
  const Rank rank = changes == nullptr ? r.rank : changes->rank;
  rows_.push_back({rank, r.nodes, r.data_edges + r.control_edges, r.depth, r.sends, r.recvs, r.calls, r.sent_bytes,
                   r.received_bytes, r.call_bytes, r.operations, r.tensor_bytes, r.first_start_ns, r.last_end_ns});
  for (std::size_t i = 0; i < r.by_key.size(); ++i) {
    const std::string& key = r.key_names[i];
    if (is_shared_key(key)) continue;
    RankStatistics::Nodes nodes = r.by_key[i];
    if (changes == nullptr) {
      keyed_.add(key, std::move(nodes), 1);
    } else {
      keyed_.add(options_.by == NodeKey::rank ? std::to_string(rank) : changes->group(key), std::move(nodes), 1);
    }
  }
  for (const RankStatistics::Sent& s : r.sent_to) {
    RankStatistics::Sent& to = sent_[{rank, changes == nullptr ? s.peer : changes->peer(s.peer)}];
    to.messages += s.messages;
    to.bytes.add(s.bytes);
  }
  for (const RankStatistics::Calls& c : r.collectives) {
    RankStatistics::Calls& to =
        calls_[{c.op, changes == nullptr ? c.group : changes->group(c.group), c.size_class}];
    to.count += c.count;
    to.bytes.add(c.bytes);
  }
  for (const auto& [stream, idle] : r.streams) streams_[{rank, stream}] = idle;
}

void SetStatistics::add_like(const RankStatistics& one, const Changes& changes) {
  add_one(one, &changes);
  if (!options_.path || path_dropped_) return keep_path({});
  PathRank path = one.path;
  path.rank = changes.rank;
  for (std::vector<Message>* messages : {&path.messages.sends, &path.messages.recvs}) {
    for (Message& m : *messages) m.peer = static_cast<std::int32_t>(changes.peer(m.peer));
  }
  for (GroupUse& use : path.collectives) use.group = changes.group(use.group);
  keep_path(std::move(path));
}

void SetStatistics::keep_path(PathRank&& path) {
  if (path_dropped_) path_ranks_.clear();
  if (options_.path && !path_dropped_) path_ranks_.push_back(std::move(path));
}

bool SetStatistics::names_left_out() const {
  return std::max(names_.keys.size(), keyed_.keys.size()) >= most_set_names;
}

std::vector<std::string> SetStatistics::section_names() {
  return {"nodes", "volume", "collectives", "sizes", "matrix", "memory", "flops", "idle", "path", "redundant"};
}

bool SetStatistics::has(std::string_view section) const {
  if (section == "collectives") return total_.calls != 0;
  if (section == "sizes") return total_.calls + total_.sends != 0;
  if (section == "matrix") return !sent_.empty();
  if (section == "memory") return total_.loaded_bytes > Sum() || total_.stored_bytes > Sum();
  if (section == "flops") return total_.operations.get() != 0;
  if (section == "idle") return !streams_.empty();
  return section != "redundant";
}

Section SetStatistics::section(std::string_view name) const {
  if (name == "nodes") return nodes();
  if (name == "volume") return volume();
  if (name == "collectives") return collectives();
  if (name == "sizes") return sizes();
  if (name == "matrix") return matrix();
  if (name == "memory") return memory();
  if (name == "flops") return flops();
  if (name == "idle") return idle();
  if (name == "path") return path();
  return redundant();
}

void SetStatistics::note_sums(Section& section, std::initializer_list<const Sum*> sums) const {
  if (std::any_of(sums.begin(), sums.end(), [](const Sum* s) { return s->saturated(); }))
    section.notes.emplace_back("a sum exceeds 2^63-1 and is rounded");
}

void SetStatistics::note_defects(Section& section) const {
  const RankStatistics::Defects& d = total_.defects;
  const auto note = [&](std::uint64_t n, const std::string& text) {
    if (n != 0) section.notes.push_back(text + ": " + std::to_string(n));
  };
  note(d.duplicate_ids, "nodes with the id of an earlier node of their rank (et-validate --rules ids lists them)");
  note(d.dangling, "dependencies omitted, on nodes that do not exist (et-validate --rules deps lists them)");
  note(d.repeated, "dependencies given twice, for example as data and as control, counted once");
  note(d.behind_cycles, "nodes on or after a cycle, without depth (et-validate --rules cycles lists it)");
  note(d.bad_times, "times omitted, as they are negative or too large (et-validate --rules attributes)");
  note(total_.unnamed_apart, "nodes counted without their names, after the first million names of a rank");
}

Section SetStatistics::nodes() const {
  Section s{.name = "nodes"};
  const std::uint64_t edges = total_.data_edges + total_.control_edges;
  const double nodes = static_cast<double>(total_.nodes);
  s.figures = {{"total", "nodes", Unit::count, value_of(total_.nodes)},
               {"ranks", "ranks", Unit::count, value_of(rows_.size())}};
  if (total_.on_cpu != 0) s.figures.push_back({"on_cpu", "nodes on the CPU", Unit::count, value_of(total_.on_cpu)});
  s.figures.insert(s.figures.end(),
                   {{"edges", "dependencies", Unit::count, value_of(edges)},
                    {"data_edges", "data dependencies", Unit::count, value_of(total_.data_edges)},
                    {"control_edges", "control dependencies", Unit::count, value_of(total_.control_edges)},
                    {"roots", "nodes without dependencies", Unit::count, value_of(total_.roots)},
                    {"depth", "depth: nodes of the longest chain of a rank", Unit::count, value_of(total_.depth)}});
  double width = 0;
  for (const Row& r : rows_)
    width = std::max(width, r.depth == 0 ? 0.0 : static_cast<double>(r.nodes) / static_cast<double>(r.depth));
  s.figures.insert(
      s.figures.end(),
      {{"width", "width: nodes / depth, of the widest rank", Unit::number, rows_.empty() ? Value{} : Value(width)},
       {"parents_mean", "dependencies per node, mean", Unit::number,
        total_.nodes == 0 ? Value{} : Value(static_cast<double>(edges) / nodes)},
       {"parents_max", "dependencies of a node, at most", Unit::count, value_of(total_.most_parents)},
       {"children_max", "dependents of a node, at most", Unit::count, value_of(total_.most_children)}});
  s.tables.push_back(table_by_type());
  if (!keyed_.rows.empty() || options_.by == NodeKey::name) s.tables.push_back(table_by_key());
  if (options_.by != NodeKey::name) s.tables.push_back(table_by_name());
  note_defects(s);
  return s;
}

Table SetStatistics::table_by_type() const {
  Table t{.key = "by_type",
          .title = "by type",
          .columns = {{"type", "type", Unit::text},
                      {"count", "nodes", Unit::count},
                      {"count_share", "share", Unit::share},
                      {"timed", "with a duration", Unit::count},
                      {"time", "sum of durations", Unit::time},
                      {"bytes", "bytes", Unit::bytes}}};
  for (std::size_t k = 0; k < RankStatistics::types; ++k) {
    const RankStatistics::Nodes& n = total_.by_type[k];
    if (n.count == 0) continue;
    const std::string_view name = node_type_name(static_cast<NodeType>(k));
    t.rows.push_back({name.empty() ? std::string("(unknown type)") : std::string(name), value_of(n.count),
                      share_of(static_cast<std::int64_t>(n.count), static_cast<std::int64_t>(total_.nodes)),
                      value_of(n.timed), n.timed == 0 ? Value{} : value_of(n.time_ps), value_of(n.bytes)});
  }
  return t;
}

namespace {

Value mean_of(const RankStatistics::Nodes& n) {
  if (n.timed == 0) return {};
  return n.time_ps.number() / static_cast<double>(n.timed);
}

}  // namespace

Table SetStatistics::table_by_name() const {
  Table t{.key = "by_name",
          .title = "by name",
          .columns = {{"name", "name", Unit::text},
                      {"count", "nodes", Unit::count},
                      {"time", "sum of durations", Unit::time},
                      {"mean", "mean", Unit::time},
                      {"bytes", "bytes", Unit::bytes}},
          .more = "names"};
  for (const std::uint32_t i : names_.by_weight(options_.rows)) {
    const RankStatistics::Nodes& n = names_.rows[i].nodes;
    t.rows.push_back({std::string(names_.keys[i]), value_of(n.count), n.timed == 0 ? Value{} : value_of(n.time_ps),
                      mean_of(n), value_of(n.bytes)});
  }
  t.left_out = names_.used() - t.rows.size();
  return t;
}

Table SetStatistics::table_by_key() const {
  constexpr std::array<std::string_view, 5> keys = {"", "name", "type", "group", "rank"};
  const std::string key(keys.at(static_cast<std::size_t>(options_.by)));
  const bool by_rank = options_.by == NodeKey::rank;
  Table t{.key = "nodes_by_" + key,
          .title = "by " + key + " (percentiles: nearest rank)",
          .columns = {{key, key, by_rank ? Unit::count : Unit::text},
                      {"count", "nodes", Unit::count},
                      {"ranks", "ranks", Unit::count},
                      {"time", "sum of durations", Unit::time},
                      {"time_share", "share", Unit::share},
                      {"mean", "mean", Unit::time},
                      {"p50", "p50", Unit::time},
                      {"p99", "p99", Unit::time},
                      {"max", "max", Unit::time},
                      {"bytes", "bytes", Unit::bytes}},
          .more = key + "s"};
  const KeyedNodes& from = options_.by == NodeKey::name ? names_ : keyed_;
  Sum all;
  for (const Keyed& k : from.rows) all.add(k.nodes.time_ps);
  for (const std::uint32_t i : from.by_weight(by_rank ? 0 : options_.rows)) {
    const RankStatistics::Nodes& n = from.rows[i].nodes;
    auto [p50, p99, most] = from.rows[i].percentiles();
    const bool any = most != Value{};
    const std::string_view name = from.keys[i];
    const Value first = by_rank ? Value(parse_int(name).value_or(0)) : Value(std::string(name));
    t.rows.push_back({first, value_of(n.count), value_of(from.rows[i].ranks), any ? value_of(n.time_ps) : Value{},
                      any ? share_of(n.time_ps, all) : Value{}, mean_of(n), std::move(p50), std::move(p99),
                      std::move(most), value_of(n.bytes)});
  }
  t.left_out = from.used() - t.rows.size();
  if (by_rank) {
    std::stable_sort(t.rows.begin(), t.rows.end(),
                     [](const auto& a, const auto& b) { return a.front() < b.front(); });
  }
  return t;
}

}  // namespace convert
