// SPDX-License-Identifier: MIT
#include "scenario/bench/call_series.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "machine/machine.h"
#include "util/json_writer.h"
#include "util/text_table.h"

namespace convert {
namespace {

constexpr std::int64_t float32_bytes = 4;
constexpr int table_decimals = 3;
constexpr int exact_decimals = 6;

// Returns "64 KiB", or "1000000 B" if the short form is not exact.
std::string exact_bytes(std::int64_t bytes) {
  const std::string text = format_bytes(bytes);
  std::string parsed = text;
  std::erase(parsed, ' ');
  return parse_bytes(parsed) == bytes ? text : std::to_string(bytes) + " B";
}

std::string in_us(Picoseconds time) { return format_fixed(static_cast<double>(time) / ps_per_us, table_decimals); }

// Returns microseconds with at least four digits.
std::string in_short_us(Picoseconds time) {
  constexpr double thousand = 1000;
  const double us = static_cast<double>(time) / ps_per_us;
  return format_fixed(us, us < 10 ? 3 : us < 100 ? 2 : us < thousand ? 1 : 0);
}

double ratio_of(Picoseconds time, Picoseconds to) {
  return to == 0 ? 1 : static_cast<double>(time) / static_cast<double>(to);
}

// Returns by how many percent the predicted time differs from the measured one.
double difference_pct(const TimedCall& call) {
  constexpr double percent = 100;
  return (ratio_of(call.time, *call.measured) - 1) * percent;
}

std::string signed_percent(double value) {
  const std::string text = format_fixed(std::abs(value), 1);
  return (text == "0.0" ? "" : value < 0 ? "\u2212" : "+") + text + " %";
}

std::string expected_text(const std::optional<double>& error_pct) {
  return error_pct ? "±" + format_fixed(*error_pct, 1) + " %" : "-";
}

// A column of the table of one series, with its cells.
struct SeriesColumn {
  std::string title;
  std::string (*cell)(const CallSeries& series, const TimedCall& call);
};

template <class Has>
bool any_call(const CallSeries& series, Has has) {
  return std::ranges::any_of(series.calls, has);
}

std::vector<SeriesColumn> columns_of(const CallSeries& series) {
  std::vector<SeriesColumn> out;
  const auto add = [&](std::string title, std::string (*cell)(const CallSeries&, const TimedCall&)) {
    out.push_back({std::move(title), cell});
  };
  add("size", [](const CallSeries&, const TimedCall& c) { return exact_bytes(c.bytes); });
  if (series.elements) {
    add("count", [](const CallSeries& s, const TimedCall& c) {
      return std::to_string(round_to_elements(s.collective, c.bytes, s.npus).count);
    });
    add("type", [](const CallSeries&, const TimedCall&) { return std::string("float"); });
  }
  add("time µs", [](const CallSeries&, const TimedCall& c) { return in_us(c.time); });
  add("algbw GB/s",
      [](const CallSeries&, const TimedCall& c) { return format_fixed(algorithm_bandwidth(c), table_decimals); });
  add("busbw GB/s",
      [](const CallSeries& s, const TimedCall& c) { return format_fixed(bus_bandwidth(s, c), table_decimals); });
  if (any_call(series, [](const TimedCall& c) { return c.measured.has_value(); })) {
    add("measured µs", [](const CallSeries&, const TimedCall& c) { return c.measured ? in_us(*c.measured) : "-"; });
    add("difference",
        [](const CallSeries&, const TimedCall& c) { return c.measured ? signed_percent(difference_pct(c)) : "-"; });
  }
  if (any_call(series, [](const TimedCall& c) { return c.bound.has_value(); })) {
    add("of bound", [](const CallSeries&, const TimedCall& c) {
      return c.bound ? format_fixed(ratio_of(c.time, *c.bound), table_decimals) : "-";
    });
  }
  if (any_call(series, [](const TimedCall& c) { return c.library.has_value(); })) {
    add("library µs", [](const CallSeries&, const TimedCall& c) { return c.library ? in_us(*c.library) : "-"; });
    add("of library", [](const CallSeries&, const TimedCall& c) {
      return c.library ? format_fixed(ratio_of(*c.library, c.time), table_decimals) : "-";
    });
  }
  add('<' + std::string(series.algorithm_title), [](const CallSeries&, const TimedCall& c) { return c.algorithm; });
  if (any_call(series, [](const TimedCall& c) { return !c.source.empty(); })) {
    add("<source", [](const CallSeries&, const TimedCall& c) { return c.source.empty() ? "-" : c.source; });
    add("error", [](const CallSeries&, const TimedCall& c) { return expected_text(c.error_pct); });
  }
  return out;
}

std::string heading(const CallSeries& series) {
  std::string out = std::string(name(series.collective)) + ", " + counted(series.npus, "NPU");
  if (!series.network.empty()) out += ", " + series.network;
  if (!series.choice.empty()) out += ", " + series.choice;
  if (!series.benchmark.empty()) out += ", measured: " + series.benchmark;
  return out + '\n';
}

// Returns the mean error of predictions, by the sizes for which machines have an error of their own.
std::string accuracy_text(const CallSeries& series) {
  constexpr std::array<const char*, 3> bands = {"below 1 MiB", "below 64 MiB", "from 64 MiB"};
  std::array<double, 3> sums{};
  std::array<double, 3> counts{};
  for (const TimedCall& c : series.calls) {
    if (!c.measured || c.bytes < least_compared_bytes) continue;
    const std::size_t band = size_band(static_cast<double>(c.bytes));
    sums.at(band) += std::abs(difference_pct(c));
    counts.at(band) += 1;
  }
  std::string out;
  for (std::size_t i = 0; i < bands.size(); ++i) {
    if (counts.at(i) == 0) continue;
    out += (out.empty() ? "mean error " : ", ") + format_fixed(sums.at(i) / counts.at(i), 1) + " % " + bands.at(i);
  }
  return out.empty() ? "" : out + '\n';
}

// Appends the times of several series of a collective, a column for each, and which is the fastest.
void append_side_by_side(std::string& out, const std::vector<const CallSeries*>& all,
                         const std::vector<std::string>& names) {
  std::map<std::int64_t, std::vector<std::optional<Picoseconds>>> rows;
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (const TimedCall& c : all[i]->calls) {
      std::vector<std::optional<Picoseconds>>& row = rows[c.bytes];
      row.resize(all.size());
      row[i] = c.time;
    }
  }
  out += std::string(name(all.front()->collective)) + ": time in µs\n";
  TextTable::Row titles = {"size"};
  for (std::size_t i = 0; i < all.size(); ++i) {
    out += "  " + std::to_string(i + 1) + "  " + names[i] + '\n';
    titles.push_back(std::to_string(i + 1));
  }
  titles.emplace_back("<fastest");
  TextTable table(std::move(titles));
  for (const auto& [bytes, times] : rows) {
    TextTable::Row row = {exact_bytes(bytes)};
    std::optional<std::size_t> best;
    for (std::size_t i = 0; i < times.size(); ++i) {
      row.push_back(times[i] ? in_short_us(*times[i]) : "-");
      if (times[i] && (!best || *times[i] < *times[*best])) best = i;
    }
    row.push_back(best ? names[*best] : "-");
    table.add(std::move(row));
  }
  table.append_to(out);
}

void write_series(JsonWriter& json, const CallSeries& series) {
  const auto us = [&](const char* key, const std::optional<Picoseconds>& time) {
    if (time) json.key(key).raw(format_exact(*time, ps_per_us));
  };
  json.begin_object().member("collective", name(series.collective)).member("npus", series.npus);
  if (series.nodes != 0) json.member("nodes", series.nodes);
  if (!series.network.empty()) json.member("network", series.network);
  if (!series.choice.empty()) json.member("choice", series.choice);
  if (!series.benchmark.empty()) json.member("benchmark", series.benchmark);
  json.key("sizes").begin_array();
  for (const TimedCall& c : series.calls) {
    json.begin_object().member("bytes", c.bytes);
    if (series.elements) {
      json.member("count", round_to_elements(series.collective, c.bytes, series.npus).count);
      json.member("type", "float");
    }
    us("time_us", c.time);
    us("measured_us", c.measured);
    us("bound_us", c.bound);
    us("library_us", c.library);
    json.key("algbw_GB_per_s").raw(format_fixed(algorithm_bandwidth(c), exact_decimals));
    json.key("busbw_GB_per_s").raw(format_fixed(bus_bandwidth(series, c), exact_decimals));
    json.member(series.algorithm_title, c.algorithm);
    if (!c.source.empty()) json.member("source", c.source);
    if (c.error_pct) json.member("error_pct", *c.error_pct);
    json.end_object();
  }
  json.end_array().end_object();
}

}  // namespace

ElementCount round_to_elements(Collective collective, std::int64_t bytes, std::uint32_t npus) {
  const std::int64_t elements = bytes / float32_bytes;
  if (collective == Collective::all_reduce || collective == Collective::broadcast ||
      collective == Collective::reduce)
    return {elements, elements * float32_bytes};
  constexpr std::int64_t aligned = 16 / float32_bytes;
  const std::int64_t part = elements / npus / aligned * aligned;
  return {part, part * float32_bytes * npus};
}

double algorithm_bandwidth(const TimedCall& call) {
  constexpr double giga_ps = 1000;  // bytes per ns are GB/s
  return call.time == 0 ? 0 : static_cast<double>(call.bytes) * giga_ps / static_cast<double>(call.time);
}

double bus_bandwidth(const CallSeries& series, const TimedCall& call) {
  return algorithm_bandwidth(call) * bus_bandwidth_factor(series.collective, series.npus);
}

std::string series_text(const CallSeries& series) {
  std::string out = heading(series);
  const std::vector<SeriesColumn> columns = columns_of(series);
  TextTable::Row titles;
  for (const SeriesColumn& column : columns) titles.push_back(column.title);
  TextTable table(std::move(titles));
  for (const TimedCall& call : series.calls) {
    TextTable::Row row;
    for (const SeriesColumn& column : columns) row.push_back(column.cell(series, call));
    table.add(std::move(row));
  }
  table.append_to(out);
  return out + accuracy_text(series);
}

std::string series_json(const CallSeries& series) {
  std::string out;
  JsonWriter json(out);
  write_series(json, series);
  return out + '\n';
}

std::string all_series_text(std::span<const CallSeries> all) {
  std::string out;
  std::set<Collective> done;
  const std::vector<std::string> names = series_names(all);
  for (const CallSeries& first : all) {
    if (!done.insert(first.collective).second) continue;
    std::vector<const CallSeries*> alike;
    std::vector<std::string> their_names;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].collective != first.collective) continue;
      alike.push_back(&all[i]);
      their_names.push_back(names[i]);
    }
    if (!out.empty()) out += '\n';
    if (alike.size() > 1 && first.benchmark.empty()) {
      append_side_by_side(out, alike, their_names);
      continue;
    }
    for (const CallSeries* series : alike) out += (series == alike.front() ? "" : "\n") + series_text(*series);
  }
  return out;
}

std::string all_series_csv(std::span<const CallSeries> all) {
  std::string out =
      "collective,network,choice,ranks,nodes,bytes,count,type,us,algbw_gb_per_s,busbw_gb_per_s,algorithm,source,"
      "error_pct,benchmark,measured_us,difference_pct\n";
  const auto optional_us = [](const std::optional<Picoseconds>& time) {
    return time ? format_exact(*time, ps_per_us) : "";
  };
  for (const CallSeries& s : all) {
    for (const TimedCall& c : s.calls) {
      const std::vector<std::string> fields = {
          std::string(name(s.collective)),
          csv_field(s.network),
          csv_field(s.choice),
          std::to_string(s.npus),
          s.nodes == 0 ? "" : std::to_string(s.nodes),
          std::to_string(c.bytes),
          std::to_string(round_to_elements(s.collective, c.bytes, s.npus).count),
          "float",
          format_exact(c.time, ps_per_us),
          format_fixed(algorithm_bandwidth(c), exact_decimals),
          format_fixed(bus_bandwidth(s, c), exact_decimals),
          csv_field(c.algorithm),
          c.source,
          c.error_pct ? format_fixed(*c.error_pct, exact_decimals) : "",
          csv_field(s.benchmark),
          optional_us(c.measured),
          c.measured ? format_fixed(difference_pct(c), exact_decimals) : ""};
      for (std::size_t i = 0; i < fields.size(); ++i) out += (i == 0 ? "" : ",") + fields[i];
      out += '\n';
    }
  }
  return out;
}

std::string all_series_json(std::span<const CallSeries> all) {
  std::string out;
  JsonWriter json(out);
  json.begin_array();
  for (const CallSeries& series : all) {
    json.line(1);
    write_series(json, series);
  }
  json.line().end_array();
  return out + '\n';
}

std::vector<std::string> series_names(std::span<const CallSeries> all) {
  const auto differ = [&](auto of) {
    return std::ranges::any_of(all, [&](const CallSeries& s) { return of(s) != of(all.front()); });
  };
  const bool collectives = differ([](const CallSeries& s) { return s.collective; });
  const bool npus = differ([](const CallSeries& s) { return s.npus; });
  const bool networks = differ([](const CallSeries& s) { return s.network; });
  const bool choices = differ([](const CallSeries& s) { return s.choice; });
  const bool benchmarks = differ([](const CallSeries& s) { return s.benchmark; });
  std::vector<std::string> out;
  for (const CallSeries& s : all) {
    std::vector<std::string> parts;
    if (collectives) parts.emplace_back(name(s.collective));
    if (networks) parts.push_back(s.network);
    if (npus && (!networks || benchmarks)) parts.push_back(counted(s.npus, "NPU"));
    if (choices) parts.push_back(s.choice.empty() ? std::string(s.nodes == 0 ? "native" : "library") : s.choice);
    if (benchmarks) parts.push_back(s.benchmark);
    std::string text;
    for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
    out.push_back(text.empty() ? std::string(name(s.collective)) : text);
  }
  return out;
}

}  // namespace convert
