// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <vector>

#include "core/units.h"
#include "simulate/report/report.h"
#include "simulate/report/values.h"
#include "util/json_writer.h"
#include "util/text_table.h"
#include "util/visible.h"

namespace convert {
namespace {

constexpr std::size_t max_npu_rows = 32;
constexpr std::size_t max_kind_rows = 16;
constexpr std::size_t max_wire_rows = 32;
constexpr std::size_t max_collective_rows = 100;

std::string time_or_dash(const std::optional<Picoseconds>& time) { return time ? format_time(*time) : "-"; }
std::string rate(const std::optional<double>& gb_per_s) {
  return gb_per_s ? format_fixed(*gb_per_s, *gb_per_s < 10 ? 3 : 2) + " GB/s" : "-";
}
std::string percent(double share) { return format_fixed(100 * share, 1) + " %"; }
std::string bound_share(const CollectiveSpeed& s) {
  if (s.beyond) return "beyond";
  return s.bound_share ? percent(*s.bound_share) : "-";
}
// For calls on a machine: origin of the time, and its expected error.
std::string source_or_dash(const CollectiveKind& kind) { return kind.source.empty() ? "-" : kind.source; }
std::string error_or_dash(const CollectiveKind& kind) {
  return kind.error_pct ? "±" + format_fixed(*kind.error_pct, 1) + " %" : "-";
}
void explain_beyond(std::string& out) {
  out +=
      "beyond: faster than the bound: messages of model unaware share no links, delays may be truncated to whole "
      "ns, and a custom algorithm may move fewer bytes\n";
}
void append_more(std::size_t more, const std::string& what, std::string& out) {
  if (more != 0) out += "… " + std::to_string(more) + " more " + what + "\n";
}

// Returns the columns of the table of NPUs: waiting, memory and CPU only if an NPU has any.
std::vector<const NpuTime*> shown_times(const ReplayResult& result) {
  std::vector<const NpuTime*> shown;
  const auto has_any = [&](std::size_t i) {
    const std::optional<Spread> s = spread(result, npu_times.at(i));
    return s && s->max != 0;
  };
  for (const std::size_t i : {time_finish, time_compute, time_communication, time_exposed, time_overlap,
                              time_waiting, time_idle, time_memory, time_cpu}) {
    const bool optional = i == time_waiting || i == time_memory || i == time_cpu;
    if (!optional || has_any(i)) shown.push_back(&npu_times.at(i));
  }
  return shown;
}

void append_npus(const ReplayResult& result, bool all, std::string& out) {
  const std::vector<const NpuTime*> times = shown_times(result);
  TextTable::Row titles = {"npu"};
  for (const NpuTime* t : times) titles.emplace_back(t->title);
  titles.insert(titles.end(), {"sends", "sent"});
  const std::optional<Spread> peaks = spread_of_peaks(result);
  if (peaks) titles.emplace_back("peak memory");
  TextTable table(std::move(titles));
  const bool each = all || result.npus.size() <= max_npu_rows;
  for (std::size_t i = 0; each && i < result.npus.size(); ++i) {
    const NpuResult& n = result.npus[i];
    TextTable::Row row = {std::to_string(result.rank(i))};
    for (const NpuTime* t : times) row.push_back(time_or_dash(t->of(n)));
    if (!n.finish_ps)
      row[1] = "not finished (" + std::to_string(n.nodes_done) + " of " + counted(n.nodes, "node") + ")";
    row.insert(row.end(), {std::to_string(n.sends), format_bytes(n.bytes_sent)});
    if (n.peak_memory) row.push_back(format_bytes(n.peak_memory->bytes));
    table.add(std::move(row));
  }
  const auto add_spread = [&](const char* name, std::int64_t Spread::*value) {
    TextTable::Row row = {name};
    for (const NpuTime* t : times) {
      const std::optional<Spread> s = spread(result, *t);
      row.push_back(time_or_dash(s ? std::optional((*s).*value) : std::nullopt));
    }
    const Spread sends = spread_of_sends(result);
    row.push_back(value == &Spread::mean ? format_mean(sends, 3) : std::to_string(sends.*value));
    const auto bytes = [value](const Spread& s) {
      return value == &Spread::mean && s.mean < 1024 ? format_mean(s, 3) + " B" : format_bytes(s.*value);
    };
    row.push_back(bytes(spread_of_bytes(result)));
    if (peaks) row.push_back(bytes(*peaks));
    table.add(std::move(row));
  };
  if (!each) add_spread("min", &Spread::min);
  if (result.npus.size() > 1) add_spread("mean", &Spread::mean);
  if (!each) add_spread("max", &Spread::max);
  table.append_to(out);
  if (each) return;
  const auto unfinished = std::count_if(result.npus.begin(), result.npus.end(),
                                        [](const NpuResult& n) { return !n.finish_ps.has_value(); });
  if (unfinished != 0) out += counted(unfinished, "NPU") + " did not finish\n";
  out += "each of the " + std::to_string(result.npus.size()) + " NPUs: with -v, --format csv or json\n";
}

void append_peak_tensors(const ReplayResult& result, std::string& out) {
  if (!result.peak_tensors) return;
  const PeakTensors& at = *result.peak_tensors;
  out += "peak memory on npu " + std::to_string(at.npu) + " at " + format_time(at.peak.at_ps) + ": " +
         counted(at.tensors, "tensor");
  for (std::size_t i = 0; i < at.largest.size(); ++i) {
    out += i == 0 ? ": " : ", ";
    std::string tensor;
    append_json_string(tensor, at.largest[i].first);
    out += visible(tensor);
    out += ' ' + format_bytes(at.largest[i].second);
  }
  out += at.tensors > at.largest.size() ? ", …\n" : "\n";
}

// Collectives of a kind; rows with most time come first.
struct KindRow {
  const CollectiveKind* kind = nullptr;
  std::size_t count = 0;
  std::size_t ended = 0;
  double time_ps = 0;   // sum of all
  double bound_ps = 0;  // sum of all
};

std::vector<KindRow> rows_of_kinds(const ReplayResult& result) {
  using Key = std::tuple<Collective, std::int64_t, std::uint32_t, std::string>;
  std::map<Key, std::size_t> numbers;
  std::vector<KindRow> rows;
  std::vector<std::size_t> row_of_plan(result.kinds.size());
  for (std::size_t plan = 0; plan < result.kinds.size(); ++plan) {
    const CollectiveKind& k = result.kinds[plan];
    const auto [at, is_new] = numbers.emplace(Key{k.op, k.size_bytes, k.npus, k.algorithm}, rows.size());
    if (is_new) rows.push_back({.kind = &k});
    row_of_plan[plan] = at->second;
  }
  for (const CollectiveResult& c : result.collectives) {
    KindRow& row = rows[row_of_plan[c.plan]];
    row.count += c.alike;
    const std::optional<Picoseconds> time = time_of(c);
    if (!time) continue;
    row.ended += c.alike;
    row.time_ps += static_cast<double>(*time) * c.alike;
    row.bound_ps += static_cast<double>(result.kinds.at(c.plan).bound_ps.value_or(0)) * c.alike;
  }
  std::erase_if(rows, [](const KindRow& r) { return r.count == 0; });
  std::stable_sort(rows.begin(), rows.end(),
                   [](const KindRow& a, const KindRow& b) { return a.time_ps > b.time_ps; });
  return rows;
}

// Appends the bandwidths of the collective, for traces of an algorithm.
void append_whole(const ReplayResult& result, std::string& out) {
  if (!result.whole || result.status != ReplayStatus::complete) return;
  const CollectiveKind& kind = *result.whole;
  const CollectiveSpeed s = speed_of(kind, result.total_ps);
  if (!s.alg_gb_per_s) return;
  out += std::string(name(kind.op)) + " of " + format_bytes(kind.size_bytes) + " on " + std::to_string(kind.npus) +
         " NPUs: algbw " + rate(s.alg_gb_per_s) + ", busbw " + rate(s.bus_gb_per_s) + '\n';
}

void append_kinds(const ReplayResult& result, bool all, std::string& out) {
  if (result.collectives.empty()) return;
  const std::vector<KindRow> rows = rows_of_kinds(result);
  TextTable::Row titles = {"<collective", "size",  "npus",  "<algorithm", "count",
                           "mean time",   "algbw", "busbw", "bound share"};
  const bool on_machine = std::ranges::any_of(rows, [](const KindRow& r) { return !r.kind->source.empty(); });
  if (on_machine) titles.insert(titles.end(), {"<source", "error"});
  TextTable table(std::move(titles));
  const std::size_t shown = all ? rows.size() : std::min(rows.size(), max_kind_rows);
  bool beyond = false;
  for (std::size_t i = 0; i < shown; ++i) {
    const KindRow& r = rows[i];
    CollectiveSpeed s;
    std::optional<Picoseconds> mean;
    if (r.ended != 0) {
      CollectiveKind kind = *r.kind;
      const auto ended = static_cast<double>(r.ended);
      mean = std::llround(r.time_ps / ended);
      if (kind.bound_ps) kind.bound_ps = static_cast<Picoseconds>(r.bound_ps / ended);
      s = speed_of(kind, *mean);
    }
    beyond = beyond || s.beyond;
    TextTable::Row row = {
        std::string(name(r.kind->op)),
        format_bytes(r.kind->size_bytes),
        std::to_string(r.kind->npus),
        r.kind->algorithm.empty() ? "-" : r.kind->algorithm,
        r.ended == r.count ? std::to_string(r.count) : std::to_string(r.ended) + " of " + std::to_string(r.count),
        time_or_dash(mean),
        rate(s.alg_gb_per_s),
        rate(s.bus_gb_per_s),
        bound_share(s)};
    if (on_machine) row.insert(row.end(), {source_or_dash(*r.kind), error_or_dash(*r.kind)});
    table.add(std::move(row));
  }
  out += '\n';
  table.append_to(out);
  append_more(rows.size() - shown, "kinds of collectives: with -v", out);
  if (beyond) explain_beyond(out);
}

void append_bottleneck(const ReplayResult& result, std::string& out) {
  const WireUse* wire = bottleneck(result);
  if (wire == nullptr) return;
  out += "bottleneck link " + visible(wire->from + '>' + wire->to) + ": busy " +
         percent(utilisation(result, *wire)) + " of the time\n";
}

// Appends the collective with the longest mean exposed time.
void append_most_exposed(const ReplayResult& result, std::string& out) {
  const auto most = std::max_element(
      result.collectives.begin(), result.collectives.end(),
      [](const CollectiveResult& a, const CollectiveResult& b) { return a.exposed_mean_ps < b.exposed_mean_ps; });
  if (most->exposed_mean_ps == 0) return;
  const CollectiveKind& kind = result.kinds.at(most->plan);
  out += "most exposed: " + std::string(name(kind.op)) + " of " + format_bytes(kind.size_bytes) + ", number " +
         std::to_string(most->number) + " of group " + std::to_string(most->group) + ": " +
         format_time(most->exposed_mean_ps) + " of " + format_time(*time_of(*most)) + '\n';
}

void append_collectives(const ReplayResult& result, bool all, std::string& out) {
  if (result.collectives.empty()) out += "no collectives\n";
  if (result.collectives.empty()) return append_bottleneck(result, out);
  TextTable::Row titles = {"<collective", "size",    "group",        "npus",  "<algorithm", "begin",      "waits",
                           "time",        "exposed", "most exposed", "algbw", "busbw",      "bound share"};
  const bool on_machine =
      std::ranges::any_of(result.kinds, [](const CollectiveKind& k) { return !k.source.empty(); });
  if (on_machine) titles.insert(titles.end(), {"<source", "error"});
  TextTable table(std::move(titles));
  const std::size_t shown =
      all ? result.collectives.size() : std::min(result.collectives.size(), max_collective_rows);
  bool beyond = false;
  for (std::size_t i = 0; i < shown; ++i) {
    const CollectiveResult& c = result.collectives[i];
    const CollectiveKind& kind = result.kinds.at(c.plan);
    const std::optional<Picoseconds> time = time_of(c);
    const CollectiveSpeed s = time ? speed_of(kind, *time) : CollectiveSpeed{};
    beyond = beyond || s.beyond;
    TextTable::Row row = {std::string(name(kind.op)),
                          format_bytes(kind.size_bytes),
                          std::to_string(c.group),
                          std::to_string(kind.npus),
                          kind.algorithm.empty() ? "-" : kind.algorithm,
                          format_time(c.begin_ps),
                          format_time(c.last_begin_ps - c.begin_ps),
                          time ? format_time(*time) : "not ended",
                          time ? format_time(c.exposed_mean_ps) : "-",
                          time ? format_time(c.exposed_max_ps) : "-",
                          rate(s.alg_gb_per_s),
                          rate(s.bus_gb_per_s),
                          bound_share(s)};
    if (on_machine) row.insert(row.end(), {source_or_dash(kind), error_or_dash(kind)});
    table.add(std::move(row));
  }
  table.append_to(out);
  append_more(result.collectives.size() - shown, "collectives: with -v, --format csv or json", out);
  append_most_exposed(result, out);
  if (beyond) explain_beyond(out);
  append_bottleneck(result, out);
}

void append_wires(const ReplayResult& result, bool all, std::string& out) {
  std::vector<const WireUse*> wires;
  for (const WireUse& w : result.wires) wires.push_back(&w);
  std::stable_sort(wires.begin(), wires.end(),
                   [](const WireUse* a, const WireUse* b) { return a->busy_ps > b->busy_ps; });
  TextTable table({"<link", "sent", "messages", "busy", "utilisation", "peak queue"});
  const std::size_t shown = all ? wires.size() : std::min(wires.size(), max_wire_rows);
  for (std::size_t i = 0; i < shown; ++i) {
    const WireUse& w = *wires[i];
    table.add({w.from + '>' + w.to, format_bytes(w.bytes), std::to_string(w.messages), format_time(w.busy_ps),
               percent(utilisation(result, w)), std::to_string(w.peak_queue)});
  }
  table.append_to(out);
  append_more(wires.size() - shown, "links: with -v, --format csv or json", out);
  append_bottleneck(result, out);
}

}  // namespace

void append_text(const ReplayResult& result, std::string& out, const ReportOptions& options) {
  out += "total " + format_exact_time(result.total_ps) + ", " + counted(result.npus.size(), "NPU") + ", " +
         (result.machine.empty()
              ? ""
              : "machine " + result.machine + " (" + counted(result.machine_nodes, "node") + "), ") +
         (result.recorded_communication ? "--comm recorded"
          : result.ideal_network        ? "ideal network,"
                                        : "--model " + std::string(name(result.model))) +
         (result.forwarding ? " --forwarding " + std::string(name(*result.forwarding)) : "") +
         (result.spread ? " --multipath " + name(*result.spread) : "") + " --issue " +
         std::string(name(result.issue));
  if (result.status != ReplayStatus::complete) out += ", " + std::string(name(result.status));
  if (result.status == ReplayStatus::stopped || result.status == ReplayStatus::deadlock)
    out += " at " + format_time(result.reached_ps);
  out += '\n';
  switch (options.part) {
    case ReportPart::npus:
      append_npus(result, options.all, out);
      append_peak_tensors(result, out);
      append_whole(result, out);
      append_kinds(result, options.all, out);
      break;
    case ReportPart::collectives: append_collectives(result, options.all, out); break;
    case ReportPart::wires: append_wires(result, options.all, out); break;
  }
}

}  // namespace convert
