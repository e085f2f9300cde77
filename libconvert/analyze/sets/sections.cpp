// SPDX-License-Identifier: MIT
// Sections of a trace set about bytes, operations and time.
#include <algorithm>
#include <limits>
#include <utility>

#include "analyze/figures/cells.h"
#include "analyze/figures/traffic.h"
#include "analyze/sets/set_statistics.h"
#include "graph/collectives.h"

namespace convert {
namespace {

// Minimum, mean and maximum over ranks.
class RankSpread {
 public:
  void add(const Sum& n) {
    min_ = count_ == 0 ? n : std::min(min_, n);
    max_ = count_ == 0 ? n : std::max(max_, n);
    sum_.add(n);
    ++count_;
  }
  // Returns a row: title, minimum, mean, maximum, balance.
  [[nodiscard]] std::vector<Value> row(const std::string& title) const {
    if (count_ == 0) return {title, {}, {}, {}, {}};
    const double mean = sum_.number() / static_cast<double>(count_);
    return {title, value_of(min_), mean, value_of(max_), mean == 0 ? Value{} : Value(max_.number() / mean)};
  }

 private:
  Sum min_, max_, sum_;
  std::size_t count_ = 0;
};

std::string op_name(std::uint32_t op) {
  const std::string_view known = name(collective_of(op));
  return known.empty() ? "unknown" : std::string(known);
}
std::string group_title(const std::string& group) { return group.empty() ? "(all ranks)" : group; }
std::string class_title(std::size_t k) {
  if (k == SizeClasses::zero) return "0 B";
  if (k > SizeClasses::zero) return "unknown";
  return k < 63 ? format_bytes(std::int64_t{1} << k) : "2^63 B";
}
Value class_begin(std::size_t k) {
  if (k > SizeClasses::zero) return {};
  return k == SizeClasses::zero ? std::int64_t{0} : std::int64_t{1} << std::min<std::size_t>(k, 62);
}

Table size_table(const std::string& key, const std::string& title, const SizeClasses& sizes) {
  Table t{.key = key,
          .title = title,
          .columns = {{"from", "from", Unit::bytes},
                      {"count", "count", Unit::count},
                      {"bytes", "bytes", Unit::bytes},
                      {"count_share", "share", Unit::share},
                      {"cumulative_bytes_share", "cumulative bytes", Unit::share}},
          .more = "classes"};
  std::uint64_t count = 0;
  Sum bytes, so_far;
  for (std::size_t k = 0; k < sizes.count.size(); ++k) {
    count += sizes.count[k];
    bytes.add(sizes.bytes[k]);
  }
  for (std::size_t i = 0; i < sizes.count.size(); ++i) {
    const std::size_t k = i == 0 ? SizeClasses::zero : i - 1;
    if (sizes.count[k] == 0) continue;
    so_far.add(sizes.bytes[k]);
    t.rows.push_back({class_begin(k), value_of(sizes.count[k]), value_of(sizes.bytes[k]),
                      share_of(static_cast<std::int64_t>(sizes.count[k]), static_cast<std::int64_t>(count)),
                      share_of(so_far, bytes)});
  }
  return t;
}

// Returns the longest steps of the longest chain; at most `rows`, 0: all.
Table step_table(const SetPath& p, std::size_t rows) {
  Table t{.key = "steps",
          .title = "longest steps of the longest chain",
          .columns = {{"rank", "rank", Unit::count},
                      {"node", "node", Unit::count},
                      {"time", "time", Unit::time},
                      {"span_share", "share", Unit::share}},
          .more = "steps"};
  std::vector<SetPath::Step> steps = p.steps;
  const std::size_t most = rows == 0 ? steps.size() : std::min(rows, steps.size());
  std::partial_sort(steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(most), steps.end(),
                    [](const SetPath::Step& x, const SetPath::Step& y) {
                      return std::tuple(y.time_ps, x.rank, x.node) < std::tuple(x.time_ps, y.rank, y.node);
                    });
  t.left_out = steps.size() - most;
  steps.resize(most);
  for (const SetPath::Step& step : steps)
    t.rows.push_back(
        {std::int64_t{step.rank}, value_of(step.node), step.time_ps, share_of(Sum(step.time_ps), p.span_ps)});
  return t;
}

}  // namespace

Section SetStatistics::volume() const {
  Section s{.name = "volume"};
  const auto add = [&s](const char* key, const char* title, Unit unit, Value value) {
    const bool zero = value == Value(std::int64_t{0});
    s.figures.push_back({key, zero ? "" : title, unit, std::move(value)});
  };
  add("messages", "messages sent", Unit::count, value_of(total_.sends));
  add("sent", "bytes of messages sent", Unit::bytes, value_of(total_.sent_bytes));
  add("receives", "messages received", Unit::count, value_of(total_.recvs));
  add("received", "bytes of messages received", Unit::bytes, value_of(total_.received_bytes));
  add("calls", "collective calls of all ranks", Unit::count, value_of(total_.calls));
  add("call", "bytes of collective calls of all ranks", Unit::bytes, value_of(total_.call_bytes));
  add("operations", "operations of nodes that compute", Unit::count, value_of(total_.operations));
  add("tensor", "tensors of nodes that compute", Unit::bytes, value_of(total_.tensor_bytes));
  Table t{.key = "per_npu",
          .title = "per NPU",
          .columns = {{"what", "what", Unit::text},
                      {"min", "min", Unit::bytes},
                      {"mean", "mean", Unit::bytes},
                      {"max", "max", Unit::bytes},
                      {"balance", "max / mean", Unit::number}}};
  for (const auto& [title, member, present] :
       {std::tuple("sent in messages", &Row::sent, total_.sends != 0),
        std::tuple("received in messages", &Row::received, total_.recvs != 0),
        std::tuple("in calls of collectives", &Row::call_bytes, total_.calls != 0),
        std::tuple("tensors", &Row::tensor_bytes, total_.tensor_bytes.get() != 0)}) {
    if (!present) continue;
    RankSpread spread;
    for (const Row& r : rows_) spread.add(r.*member);
    t.rows.push_back(spread.row(title));
  }
  s.tables.push_back(std::move(t));
  Table by_rank{.key = "by_rank",
                .title = "by rank",
                .columns = {{"rank", "rank", Unit::count},
                            {"nodes", "nodes", Unit::count},
                            {"messages", "messages", Unit::count},
                            {"sent", "sent", Unit::bytes},
                            {"received", "received", Unit::bytes},
                            {"calls", "calls", Unit::count},
                            {"call", "in calls", Unit::bytes},
                            {"operations", "operations", Unit::count}},
                .more = "ranks"};
  for (const Row& r : rows_)
    by_rank.rows.push_back({std::int64_t{r.rank}, value_of(r.nodes), value_of(r.sends), value_of(r.sent),
                            value_of(r.received), value_of(r.calls), value_of(r.call_bytes),
                            value_of(r.operations)});
  s.tables.push_back(std::move(by_rank));
  const RankStatistics::Defects& d = total_.defects;
  if (d.unsized != 0)
    s.notes.push_back("messages and calls without a size: " + std::to_string(d.unsized) +
                      " (algorithms have no size: -f msccl,size=1MiB sets one)");
  if (d.bad_sizes != 0)
    s.notes.push_back(
        "sizes omitted, as they are negative or not integers (et-validate --rules attributes lists them): " +
        std::to_string(d.bad_sizes));
  note_sums(s, {&total_.sent_bytes, &total_.received_bytes, &total_.call_bytes, &total_.operations,
                &total_.tensor_bytes});
  return s;
}

Section SetStatistics::collectives() const {
  Section s{.name = "collectives"};
  std::map<std::uint32_t, std::pair<std::uint64_t, Sum>> by_op;
  for (const auto& [key, c] : calls_) {
    auto& [count, bytes] = by_op[std::get<0>(key)];
    count += c.count;
    bytes.add(c.bytes);
  }
  for (const auto& [op, sums] : by_op) {
    const std::string name = op_name(op);
    s.figures.push_back({name + ".calls", "", Unit::count, value_of(sums.first)});
    s.figures.push_back({name + ".bytes", "", Unit::bytes, value_of(sums.second)});
  }
  Table ops{.key = "by_type",
            .title = "by type, calls of all ranks",
            .columns = {{"collective", "collective", Unit::text},
                        {"calls", "calls", Unit::count},
                        {"bytes", "bytes", Unit::bytes},
                        {"bytes_share", "share", Unit::share}},
            .more = "types"};
  for (const auto& [op, sums] : by_op)
    ops.rows.push_back(
        {op_name(op), value_of(sums.first), value_of(sums.second), share_of(sums.second, total_.call_bytes)});
  Table groups{.key = "by_group",
               .title = "by type, process group and size (size: from this to twice as much)",
               .columns = {{"collective", "collective", Unit::text},
                           {"group", "group", Unit::text},
                           {"size", "size", Unit::text},
                           {"size_from", "from", Unit::bytes},
                           {"calls", "calls", Unit::count},
                           {"bytes", "bytes", Unit::bytes}},
               .more = "kinds"};
  for (const auto& [key, c] : calls_) {
    const auto& [op, group, k] = key;
    groups.rows.push_back(
        {op_name(op), group_title(group), class_title(k), class_begin(k), value_of(c.count), value_of(c.bytes)});
  }
  std::stable_sort(groups.rows.begin(), groups.rows.end(),
                   [](const auto& a, const auto& b) { return a.back() > b.back(); });
  s.tables = {std::move(ops), std::move(groups)};
  if (calls_.empty()) s.notes.emplace_back("no collectives");
  if (const RankStatistics::Nodes& n = total_.unknown_communication; n.count != 0)
    s.notes.push_back(counted(n.count, "COMP node") + (n.count == 1 ? " communicates" : " communicate") +
                      " with an unknown collective (communication_unknown), for " +
                      text_cell(value_of(n.time_ps), Unit::time));
  note_sums(s, {&total_.call_bytes});
  return s;
}

Section SetStatistics::sizes() const {
  Section s{.name = "sizes"};
  const std::string title = ": from this size to twice as much";
  if (total_.sends != 0) s.tables.push_back(size_table("messages", "messages sent" + title, total_.message_sizes));
  if (total_.calls != 0) s.tables.push_back(size_table("calls", "calls of collectives" + title, total_.call_sizes));
  if (s.tables.empty()) s.notes.emplace_back("no messages and no collectives");
  return s;
}

Section SetStatistics::matrix() const {
  Section s{.name = "matrix"};
  std::vector<PairBytes> pairs;
  for (const auto& [pair, sent] : sent_)
    pairs.push_back({std::int64_t{pair.first}, pair.second, sent.messages, sent.bytes});
  s.figures = {{"pairs", "pairs of NPUs", Unit::count, value_of(sent_.size())}};
  s.figures.front().key = "pairs_used";
  s.tables.push_back(traffic_table("bytes that one NPU sends to another in messages", pairs, total_.sent_bytes));
  if (total_.calls != 0)
    s.notes.push_back(counted(total_.calls, "call") +
                      " of collectives not counted: their messages are known only when they are replayed "
                      "(et-replay -o x.run, then et-stats x.run) or merged with an algorithm (et-merge)");
  return s;
}

Section SetStatistics::memory() const {
  Section s{.name = "memory"};
  const RankStatistics::Nodes& loads = total_.by_type[static_cast<std::size_t>(NodeType::mem_load)];
  const RankStatistics::Nodes& stores = total_.by_type[static_cast<std::size_t>(NodeType::mem_store)];
  s.figures = {{"loads", "loads", Unit::count, value_of(loads.count)},
               {"loaded", "bytes loaded", Unit::bytes, value_of(total_.loaded_bytes)},
               {"stores", "stores", Unit::count, value_of(stores.count)},
               {"stored", "bytes stored", Unit::bytes, value_of(total_.stored_bytes)}};
  note_sums(s, {&total_.loaded_bytes, &total_.stored_bytes});
  return s;
}

Section SetStatistics::flops() const {
  Section s{.name = "flops"};
  std::int64_t first = -1, last = -1;
  RankSpread spread;
  for (const Row& r : rows_) {
    spread.add(r.operations);
    if (r.first_start_ns < 0) continue;
    // Clocks of ranks may differ, so the longest rank counts.
    if (first < 0 || r.last_end_ns - r.first_start_ns > last - first) {
      first = r.first_start_ns;
      last = r.last_end_ns;
    }
  }
  const auto per_npu = spread.row("operations");
  s.figures = {{"operations", "operations of all NPUs", Unit::count, value_of(total_.operations)},
               {"per_npu_mean", "per NPU, mean", Unit::number, per_npu[2]},
               {"per_npu_max", "per NPU, most", Unit::count, per_npu[3]},
               {"balance", "max / mean", Unit::number, per_npu[4]}};
  s.figures.push_back({"intensity", "operations per byte of tensors", Unit::number,
                       share_of(total_.operations, total_.tensor_bytes)});
  if (options_.ops_per_ns <= 0) return s;
  if (first < 0) {
    s.notes.emplace_back(
        "the traces do not record when nodes started, so the used share of the peak is unknown: replay them, "
        "then et-stats --run RUN --peak ... TRACES");
    return s;
  }
  constexpr double ps_per_nano = 1000;
  const auto ns = static_cast<double>(last - first);
  s.figures.push_back({"time", "from first start to last end of the longest rank", Unit::time, ns * ps_per_nano});
  const double possible = ns * options_.ops_per_ns * static_cast<double>(rows_.size());
  s.figures.push_back({"mfu", "used share of the peak (MFU)", Unit::share,
                       possible == 0 ? Value{} : Value(total_.operations.number() / possible)});
  return s;
}

Section SetStatistics::path() const {
  Section s{.name = "path"};
  if (path_dropped_) {
    s.notes.push_back("skipped: the set has " + counted(total_.nodes, "node") + ", more than " +
                      std::to_string(options_.most_path_nodes) +
                      ", which would all be in memory; --show path computes it anyway");
    return s;
  }
  const SetPath p = find_path(path_ranks_);
  const bool busy = p.busiest_ps > Sum();
  s.figures = {
      {"work", "work: sum of all durations", Unit::time, value_of(p.work_ps)},
      {"span", "span: longest chain through all ranks", Unit::time, value_of(p.span_ps)},
      {"parallelism", "parallelism: work / span", Unit::number, share_of(p.work_ps, p.span_ps)},
      {"span_nodes", "nodes on that chain", Unit::count, value_of(p.span_nodes)},
      {"span_free_communication", "span if communication took no time", Unit::time, value_of(p.compute_span_ps)},
      {"span_free_computing", "span if computing took no time", Unit::time, value_of(p.comm_span_ps)},
      {"busiest", "computing of the busiest rank", Unit::time, value_of(p.busiest_ps)},
      {"busiest_rank", busy ? "busiest rank" : "", Unit::count,
       busy ? Value(std::int64_t{p.busiest_rank}) : Value{}},
      {"lower_bound", "lower bound of a run", Unit::time, value_of(std::max(p.span_ps, p.busiest_ps))},
      {"depth", "depth: nodes of the longest chain through all ranks", Unit::count, value_of(p.depth)},
      {"messages", "messages with both ends", Unit::count, value_of(p.pairs)},
      {"calls", "collectives of several ranks", Unit::count, value_of(p.joined_calls)}};
  const bool timed = p.work_ps.get() != 0;
  for (Figure& f : s.figures) {
    if (!timed && f.unit != Unit::count) f.title.clear();
    if (!timed && f.key == "span_nodes") f.title.clear();
  }
  s.tables.push_back(step_table(p, options_.rows));
  std::uint64_t untimed = 0;
  for (const RankStatistics::Nodes& n : total_.by_type) untimed += n.count - n.timed;
  if (!timed && total_.nodes != 0) {
    s.notes.emplace_back(
        "no node has a duration; --peak estimates nodes with operations, et-replay simulates all nodes");
  } else if (untimed != 0) {
    s.notes.push_back(
        std::to_string(untimed) + " of " + counted(total_.nodes, "node") +
        " have no duration and count as 0 here, usually communication; et-replay simulates it on a network");
  }
  if (p.stuck != 0)
    s.notes.push_back(counted(p.stuck, "node") +
                      " never run, as they wait for missing nodes or for each other; et-validate reports why");
  note_sums(s, {&p.work_ps});
  return s;
}

Section SetStatistics::idle() const {
  Section s{.name = "idle"};
  Sum busy, host, kernel, other;
  std::uint64_t unlaunched = 0;
  Table t{.key = "streams",
          .title = "gaps between operations, by stream of the device",
          .columns = {{"rank", "rank", Unit::count},
                      {"stream", "stream", Unit::count},
                      {"operations", "operations", Unit::count},
                      {"busy", "busy", Unit::time},
                      {"host_wait", "host wait", Unit::time},
                      {"kernel_wait", "kernel wait", Unit::time},
                      {"other_wait", "other wait", Unit::time},
                      {"idle", "idle", Unit::share}},
          .more = "streams"};
  const auto ps = [](std::int64_t ns) {
    Picoseconds product = 0;
    return __builtin_mul_overflow(ns, ps_per_ns, &product) ? std::numeric_limits<Picoseconds>::max() : product;
  };
  for (const auto& [key, i] : streams_) {
    busy.add(ps(i.busy_ns));
    host.add(ps(i.host_wait_ns));
    kernel.add(ps(i.kernel_wait_ns));
    other.add(ps(i.other_wait_ns));
    unlaunched += i.unlaunched;
    const std::int64_t gaps = i.host_wait_ns + i.kernel_wait_ns + i.other_wait_ns;
    t.rows.push_back({std::int64_t{key.first}, key.second, value_of(i.operations), ps(i.busy_ns),
                      ps(i.host_wait_ns), ps(i.kernel_wait_ns), ps(i.other_wait_ns),
                      share_of(gaps, gaps + i.busy_ns)});
  }
  s.figures = {{"busy", "streams busy, sum", Unit::time, value_of(busy)},
               {"host_wait", "idle, waiting for the host to launch", Unit::time, value_of(host)},
               {"kernel_wait", "idle for " + std::to_string(kernel_delay_ns) + " ns at most, launched before",
                Unit::time, value_of(kernel)},
               {"other_wait", "idle for other reasons", Unit::time, value_of(other)}};
  s.tables.push_back(std::move(t));
  if (streams_.empty())
    s.notes.emplace_back(
        "no device operations with stream and start: PyTorch traces linked with a device trace have "
        "them (et-link)");
  if (unlaunched != 0)
    s.notes.push_back("operations without a launch dependency: " + std::to_string(unlaunched) +
                      "; gaps before them count as other waits");
  note_sums(s, {&busy, &host, &kernel, &other});
  return s;
}

Section SetStatistics::redundant() const {
  Section s{.name = "redundant"};
  const std::uint64_t edges = total_.data_edges + total_.control_edges;
  s.figures = {{"edges", "dependencies that others imply", Unit::count, value_of(total_.redundant_edges)},
               {"edges_share", "share of all", Unit::share,
                share_of(static_cast<std::int64_t>(total_.redundant_edges), static_cast<std::int64_t>(edges))}};
  if (total_.edges_not_searched != 0)
    s.notes.push_back("dependencies not searched, to limit the time: " + std::to_string(total_.edges_not_searched) +
                      "; up to this number may be redundant too");
  return s;
}

}  // namespace convert
