// SPDX-License-Identifier: MIT
// Tells how fast collectives were, in the terms of nccl-tests.
#include <algorithm>
#include <map>
#include <tuple>

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

}  // namespace

Section calls_section(const Run& run, const RunWishes&) {
  Section s{.name = "collectives"};
  using Key = std::tuple<Collective, std::int64_t, std::uint32_t, std::int64_t, std::uint32_t>;
  std::map<Key, CallsOfKind> kinds;
  std::uint64_t unended = 0;
  for (const Run::Call& c : run.calls) {
    kinds[{c.op, c.size_bytes, c.npus, c.group, c.algorithm}].add(c);
    unended += c.end_ps < 0 ? 1 : 0;
  }
  Table t{.key = "kinds",
          .title =
              "by collective, size and group (time: first call to last end; algbw, busbw: of the mean time, GB of "
              "10^9 bytes)",
          .columns = {{"collective", "collective", Unit::text},
                      {"size", "size", Unit::bytes},
                      {"npus", "NPUs", Unit::count},
                      {"group", "group", Unit::text},
                      {"algorithm", "algorithm", Unit::text},
                      {"count", "count", Unit::count},
                      {"time", "time", Unit::time},
                      {"min", "min", Unit::time},
                      {"max", "max", Unit::time},
                      {"algbw", "algbw", Unit::gb_per_s},
                      {"busbw", "busbw", Unit::gb_per_s},
                      {"of_bound", "of bound", Unit::share},
                      {"waits_for_last", "waits for last", Unit::time}},
          .more = "kinds of collectives"};
  for (const auto& [key, k] : kinds) {
    const auto& [op, size, npus, group, algorithm] = key;
    std::vector<Value> row = {std::string(name(op)),
                              size < 0 ? Value{} : Value(size),
                              std::int64_t{npus},
                              group_title(group),
                              algorithm == no_index ? Value{} : Value(std::string(run.texts[algorithm])),
                              value_of(k.count)};
    if (k.ended == 0) {
      row.resize(t.columns.size());
      t.rows.push_back(std::move(row));
      continue;
    }
    const auto n = static_cast<double>(k.ended);
    const double mean = static_cast<double>(k.time.get()) / n;
    const double factor = bus_bandwidth_factor(op, npus);
    const bool speed = size > 0 && mean > 0 && factor > 0;
    const double algbw = speed ? static_cast<double>(size) * 1000 / mean : 0;
    row.insert(
        row.end(),
        {mean, k.least, k.most, speed ? Value(algbw) : Value{}, speed ? Value(algbw * factor) : Value{},
         k.bounded ? share_of(k.bound.get(), k.moving.get()) : Value{}, static_cast<double>(k.spread.get()) / n});
    t.rows.push_back(std::move(row));
  }
  std::stable_sort(t.rows.begin(), t.rows.end(), [](const auto& a, const auto& b) { return a[6] > b[6]; });
  s.figures = {{"calls", "collectives", Unit::count, value_of(run.calls.size())}};
  s.tables.push_back(std::move(t));
  if (unended != 0)
    s.notes.push_back("collectives that had not ended when the run did: " + std::to_string(unended));
  return s;
}

}  // namespace convert
