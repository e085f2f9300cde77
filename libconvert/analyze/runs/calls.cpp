// SPDX-License-Identifier: MIT
// Speed of collectives, in the terms of nccl-tests.
#include <algorithm>
#include <compare>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "analyze/runs/certainty.h"
#include "analyze/runs/group_titles.h"
#include "analyze/runs/kernel_words.h"
#include "analyze/runs/sections.h"
#include "analyze/runs/slices.h"
#include "core/collective.h"

namespace convert {
namespace {

struct CallsOfKind {
  std::uint64_t count = 0;
  std::uint64_t ended = 0;
  Picoseconds least = 0, most = 0;
  Sum time, spread, bound, moving;
  bool bounded = true;

  void add(const Run::Call& c) {
    ++count;
    if (c.end_ps < 0) return;
    const Picoseconds t = c.end_ps - c.begin_ps;
    least = ended == 0 ? t : std::min(least, t);
    most = std::max(most, t);
    ++ended;
    time.add(t);
    spread.add(c.last_begin_ps - c.begin_ps);
    moving.add(c.end_ps - c.last_begin_ps);
    bounded = bounded && c.bound_ps >= 0;
    if (c.bound_ps >= 0) bound.add(c.bound_ps);
  }
};

// Properties of a collective that nccl-tests print besides its size, as far as the run contains them.
struct Details {
  std::string type{}, reduction{};  // empty: unknown
  std::int64_t element_bytes = 0;
  std::int64_t root = -1;
  auto operator<=>(const Details& other) const = default;
};

bool reduces(Collective op) {
  return op == Collective::all_reduce || op == Collective::reduce_scatter || op == Collective::reduce;
}

// Returns for each call the name index of one of its nodes; no_index if the run has no slice of the call.
std::vector<std::uint32_t> names_of_calls(const Run& run) {
  std::vector<std::uint32_t> names(run.calls.size(), no_index);
  for (const Slice& s : run.timeline.slices) {
    if (s.call < names.size() && names[s.call] == no_index) names[s.call] = s.name;
  }
  return names;
}

Details details_of(const Run& run, const Run::Call& c, std::uint32_t name) {
  Details d{.root = has_root(c.op) ? c.root : -1};
  const KernelWords words =
      name < run.timeline.names.size() ? words_of_kernel(run.timeline.names[name]) : KernelWords{};
  if (reduces(c.op)) d.reduction = words.reduction;
  std::optional<ElementType> type;
  if (c.type < run.texts.size()) {
    type = element_type(run.texts[c.type]);
    if (type && type->name.empty()) type.reset();
    d.type = type ? std::string(type->name) : std::string(run.texts[c.type]);
    // Kernels of other operations name an element type that they do not use.
  } else if (reduces(c.op) && words.type) {
    type = words.type;
    d.type = type->name;
  }
  d.element_bytes = type ? type->bytes : 0;
  return d;
}

// Returns the number of elements as nccl-tests count them: of one rank's shard if ranks have shards, else of the
// whole.
Value elements_of(Collective op, std::int64_t size, std::uint32_t npus, std::int64_t element_bytes) {
  if (size < 0 || element_bytes == 0) return {};
  const bool whole = op == Collective::all_reduce || op == Collective::broadcast || op == Collective::reduce;
  return size / element_bytes / (whole || npus == 0 ? 1 : std::int64_t{npus});
}

// Returns the table without rows. Columns have the names of nccl-tests.
Table empty_table() {
  return {.key = "kinds",
          .title =
              "by collective, size and group, with the columns of nccl-tests (count: elements; time: first call to "
              "last end; algbw, busbw: of the mean time, GB of 10^9 bytes)",
          .columns = {{"collective", "collective", Unit::text},
                      {"group", "group", Unit::text},
                      {"npus", "NPUs", Unit::count},
                      {"algorithm", "algorithm", Unit::text},
                      {"calls", "calls", Unit::count},
                      {"size", "size", Unit::bytes},
                      {"count", "count", Unit::count},
                      {"type", "type", Unit::text},
                      {"redop", "redop", Unit::text},
                      {"root", "root", Unit::count},
                      {"time", "time", Unit::time},
                      {"algbw", "algbw", Unit::gb_per_s},
                      {"busbw", "busbw", Unit::gb_per_s},
                      {"min", "min", Unit::time},
                      {"max", "max", Unit::time},
                      {"of_bound", "of bound", Unit::share},
                      {"waits_for_last", "waits for last", Unit::time}},
          .more = "kinds of collectives"};
}

// Returns the columns from "time" to "waits for last" of calls that ended.
std::vector<Value> times_of(const CallsOfKind& k, Collective op, std::int64_t size, std::uint32_t npus) {
  const auto n = static_cast<double>(k.ended);
  const double mean = k.time.number() / n;
  const double factor = bus_bandwidth_factor(op, npus);
  const bool speed = size > 0 && mean > 0 && factor > 0;
  const double algbw = speed ? static_cast<double>(size) * 1000 / mean : 0;
  return {mean,
          speed ? Value(algbw) : Value{},
          speed ? Value(algbw * factor) : Value{},
          k.least,
          k.most,
          k.bounded ? share_of(k.bound, k.moving) : Value{},
          k.spread.number() / n};
}

constexpr double percent_of_share = 100;

Value error_value(double error_pct) { return error_pct < 0 ? Value{} : Value(error_pct / percent_of_share); }

// Adds the origins of the times of calls on a machine.
void add_origins(const Run& run, Section& s) {
  const Certainty certainty = certainty_of(run);
  if (certainty.origins.empty()) return;
  s.figures.push_back(
      {"expected_error", "expected error of their time", Unit::share, error_value(certainty.error_pct)});
  Table t{
      .key = "sources",
      .title = "by origin of the time on the machine (share: of the time of calls, for each NPU; error: expected)",
      .columns = {{"source", "source", Unit::text},
                  {"calls", "calls", Unit::count},
                  {"share", "share", Unit::share},
                  {"error", "error", Unit::share}},
      .more = "origins"};
  for (const CallOrigin& o : certainty.origins)
    t.rows.push_back({o.source, value_of(o.calls), o.share, error_value(o.error_pct)});
  s.tables.push_back(std::move(t));
}

}  // namespace

Section calls_section(const Run& run, const RunWishes&) {
  Section s{.name = "collectives"};
  using Key = std::tuple<Collective, std::int64_t, std::uint32_t, std::int64_t, std::uint32_t, std::uint32_t,
                         double, Details>;
  const std::vector<std::uint32_t> names = names_of_calls(run);
  const GroupTitles titles(run);
  std::map<Key, CallsOfKind> kinds;
  std::uint64_t unended = 0;
  bool on_machine = false;
  for (std::size_t i = 0; i < run.calls.size(); ++i) {
    const Run::Call& c = run.calls[i];
    kinds[{c.op, c.size_bytes, c.npus, titles.representative(c.group), c.algorithm, c.source, c.error_pct,
           details_of(run, c, names[i])}]
        .add(c);
    on_machine = on_machine || c.source != no_index;
    unended += c.end_ps < 0 ? 1 : 0;
  }
  Table t = empty_table();
  if (on_machine) {
    t.columns.push_back({"source", "source", Unit::text});
    t.columns.push_back({"error", "error", Unit::share});
  }
  for (const auto& [key, k] : kinds) {
    const auto& [op, size, npus, group, algorithm, source, error_pct, details] = key;
    const auto text_or_none = [](const std::string& text) { return text.empty() ? Value{} : Value(text); };
    std::vector<Value> row = {std::string(name(op)),
                              titles.title(group),
                              std::int64_t{npus},
                              algorithm == no_index ? Value{} : Value(std::string(run.texts[algorithm])),
                              value_of(k.count),
                              size < 0 ? Value{} : Value(size),
                              elements_of(op, size, npus, details.element_bytes),
                              text_or_none(details.type),
                              reduces(op) ? text_or_none(details.reduction) : Value(std::string("none")),
                              has_root(op) && details.root < 0 ? Value{} : Value(details.root)};
    if (k.ended == 0) {
      row.resize(t.columns.size());
      t.rows.push_back(std::move(row));
      continue;
    }
    for (Value& value : times_of(k, op, size, npus)) row.push_back(std::move(value));
    if (on_machine) {
      row.push_back(source == no_index ? Value{} : Value(std::string(run.texts[source])));
      row.push_back(error_value(error_pct));
    }
    t.rows.push_back(std::move(row));
  }
  std::stable_sort(t.rows.begin(), t.rows.end(), [](const auto& a, const auto& b) { return a[10] > b[10]; });
  s.figures = {{"calls", "collectives", Unit::count, value_of(run.calls.size())}};
  s.tables.push_back(std::move(t));
  add_origins(run, s);
  if (!run.calls.empty())
    s.notes.emplace_back(
        "a run does not record whether collectives work in place: times cover both; - marks unknown "
        "values");
  if (unended != 0)
    s.notes.push_back("collectives that had not ended at the end of the run: " + std::to_string(unended));
  return s;
}

}  // namespace convert
