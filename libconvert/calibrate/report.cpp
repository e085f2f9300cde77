// SPDX-License-Identifier: MIT
#include "calibrate/report.h"

#include <algorithm>
#include <array>
#include <optional>

#include "core/words.h"
#include "util/json_writer.h"
#include "util/text_table.h"

namespace convert {
namespace {

constexpr std::array<const char*, 3> band_titles = {"below 1 MiB", "1-63 MiB", "64 MiB up"};
constexpr double ns_per_us = 1000;

// The calls of a curve.
struct ComparedCurve {
  const BenchmarkCurve* curve = nullptr;
  BandErrors errors{};
  std::array<std::vector<std::string>, 3> algorithms{};  // of each band, in the order of their sizes
  std::vector<std::string> sources{};                    // of the predictions, in this order
};

std::vector<ComparedCurve> by_curve(std::span<const ComparedCall> calls) {
  std::vector<ComparedCurve> all;
  for (const ComparedCall& c : calls) {
    if (all.empty() || all.back().curve != c.curve) all.push_back({.curve = c.curve});
    ComparedCurve& to = all.back();
    to.errors.add(c.bytes, c.predicted_ns, c.measured_ns);
    std::vector<std::string>& names = to.algorithms.at(size_band(c.bytes));
    if (names.empty() || names.back() != c.algorithm) names.push_back(c.algorithm);
    const std::string source(name(c.source));
    if (std::ranges::find(to.sources, source) == to.sources.end()) to.sources.push_back(source);
  }
  return all;
}

std::string percent_cell(const std::optional<double>& percent) {
  return percent ? format_fixed(*percent, 1) + " %" : "-";
}
void append_errors(std::vector<std::string>& row, const BandErrors& errors) {
  row.push_back(std::to_string(errors.count()));
  for (const std::optional<double>& p : errors.percent()) row.push_back(percent_cell(p));
}

void write_errors(JsonWriter& w, const BandErrors& errors) {
  w.member("points", errors.count()).key("error_pct").begin_array();
  for (const std::optional<double>& p : errors.percent()) {
    if (p) {
      w.raw(format_fixed(*p, 3));
    } else {
      w.raw("null");
    }
  }
  w.end_array();
}

std::string_view kind_name(NoteKind kind) {
  switch (kind) {
    case NoteKind::note: return "note";
    case NoteKind::warning: return "warning";
    case NoteKind::conflict: return "conflict";
  }
  return "";
}

BandErrors all_errors(std::span<const ComparedCall> calls) {
  BandErrors all;
  for (const ComparedCall& c : calls) all.add(c.bytes, c.predicted_ns, c.measured_ns);
  return all;
}

}  // namespace

std::string calibration_text(const CalibrationReport& report) {
  TextTable table({"<curve", "points", band_titles[0], band_titles[1], band_titles[2], "<source", "<algorithms"});
  for (const ComparedCurve& c : by_curve(report.calls)) {
    TextTable::Row row{c.curve->title()};
    append_errors(row, c.errors);
    row.push_back(join(c.sources));
    std::vector<std::string> bands;
    for (const auto& names : c.algorithms) bands.push_back(names.empty() ? "-" : join(names, ", "));
    row.push_back(join(bands, " | "));
    table.add(std::move(row));
  }
  TextTable::Row all{"all curves"};
  append_errors(all, all_errors(report.calls));
  table.add(std::move(all));
  std::string out;
  table.append_to(out);
  if (report.methods.empty()) return out;
  TextTable methods({"<mean error", "points", band_titles[0], band_titles[1], band_titles[2]});
  for (const auto& [method, errors] : report.methods) {
    TextTable::Row row{method};
    append_errors(row, errors);
    methods.add(std::move(row));
  }
  out += '\n';
  methods.append_to(out);
  return out;
}

std::string calibration_json(const CalibrationReport& report) {
  std::string out;
  JsonWriter w(out);
  w.begin_object().member("machine", report.machine).line(1).key("curves").begin_array();
  for (const ComparedCurve& c : by_curve(report.calls)) {
    w.line(2).begin_object().member("set", c.curve->set).member("collective", name(c.curve->collective));
    w.member("ranks", c.curve->ranks).member("nodes", c.curve->nodes);
    write_errors(w, c.errors);
    w.key("algorithms").begin_array();
    for (const auto& names : c.algorithms) w.value(join(names, ", "));
    w.end_array().key("sources").begin_array();
    for (const std::string& source : c.sources) w.value(source);
    w.end_array().end_object();
  }
  w.end_array().line(1).key("all").begin_object();
  write_errors(w, all_errors(report.calls));
  w.end_object().line(1).key("methods").begin_array();
  for (const auto& [method, errors] : report.methods) {
    w.line(2).begin_object().member("method", method);
    write_errors(w, errors);
    w.end_object();
  }
  w.end_array().line(1).key("notes").begin_array();
  for (const CalibrationNote& note : report.notes)
    w.line(2).begin_object().member("kind", kind_name(note.kind)).member("text", note.text).end_object();
  w.end_array().line().end_object();
  return out + '\n';
}

std::string calls_csv(std::span<const ComparedCall> calls) {
  std::string out = "set,collective,ranks,nodes,bytes,us,predicted_us,error_pct,algorithm,source\n";
  for (const ComparedCall& c : calls) {
    out += csv_field(c.curve->set) + ',' + std::string(name(c.curve->collective)) + ',' +
           std::to_string(c.curve->ranks) + ',' + std::to_string(c.curve->nodes) + ',' + format_fixed(c.bytes, 0) +
           ',' + format_fixed(c.measured_ns / ns_per_us, 4) + ',' + format_fixed(c.predicted_ns / ns_per_us, 4) +
           ',' + format_fixed(c.error_pct(), 2) + ',' + csv_field(c.algorithm) + ',' + std::string(name(c.source)) +
           '\n';
  }
  return out;
}

std::vector<PlotCurve> bandwidth_curves(std::span<const ComparedCall> calls) {
  std::vector<PlotCurve> curves;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const ComparedCall& c = calls[i];
    if (i == 0 || c.curve != calls[i - 1].curve)
      curves.push_back({.name = c.curve->title(), .marks = {}, .line = {}});
    const double moved = bus_bandwidth_factor(c.curve->collective, c.curve->ranks) * c.bytes;
    curves.back().marks.emplace_back(c.bytes, moved / c.measured_ns);
    curves.back().line.emplace_back(c.bytes, moved / c.predicted_ns);
  }
  return curves;
}

}  // namespace convert
