// SPDX-License-Identifier: MIT
#include "page/report/report.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "page/report/columns.h"
#include "page/report/parts.h"
#include "page/report/slices.h"
#include "page/report/tables.h"
#include "util/json_writer.h"

namespace convert {
namespace {

void write_pairs(JsonWriter& json, std::string_view key, const std::vector<Run::Setting>& pairs) {
  json.key(key).begin_array();
  for (const Run::Setting& pair : pairs) json.begin_array().value(pair.key).value(pair.value).end_array();
  json.end_array();
}

void write_texts(JsonWriter& json, std::string_view key, const std::vector<std::string>& texts) {
  json.key(key).begin_array();
  for (const std::string& text : texts) json.value(text);
  json.end_array();
}

template <typename Names>
void write_names(JsonWriter& json, std::string_view key, const Names& names) {
  json.key(key).begin_array();
  for (const std::string_view name : names) json.value(name);
  json.end_array();
}

void write_meta(JsonWriter& json, const Run& run, const ReportColumns& columns, const ShownTimeline& shown) {
  json.member("version", 1).member("title", run.title).member("status", name(run.status));
  json.member("recorded", run.recorded).member("tick_ps", columns.tick_ps());
  json.member("end_ps", window(run)).member("total_ps", run.total_ps).member("reached_ps", run.reached_ps);
  json.member("merged_below_ps", shown.merged_below_ps).member("slices", run.timeline.slices.size());
  json.member("link_bins", run.link_bins_each)
      .member("link_bin_ps", run.link_bin_ps)
      .member("activity_bins", activity_bins);
  write_pairs(json, "settings", run.settings);
  write_pairs(json, "inputs", run.inputs);
  write_texts(json, "limits", run.limits);
  write_texts(json, "hints", run.hints);
  write_names(json, "parts", part_names);
  write_names(json, "lanes", lane_names);
  write_names(json, "ops", collective_names);
}

}  // namespace

ReportData report_data(const Run& run) {
  const NpuIndex index(run);
  const RunParts parts = run_parts(run, index);
  const ShownTimeline shown = shown_timeline(run, index, parts);
  ReportColumns columns(std::max(window(run), run.total_ps));
  PageTexts names(run.timeline.names);
  PageTexts texts(run.texts);
  std::string head;
  JsonWriter json(head);
  json.begin_object();
  write_meta(json, run, columns, shown);
  add_npus(run, index, parts, columns);
  add_slices(run, shown, names, columns);
  add_path(run, index, names, texts, json, columns);
  add_calls(run, texts, columns);
  add_links(run, texts, columns);
  add_matrix(run, index, json, columns);
  add_memory(run, columns);
  write_dims(run, json);
  write_what_if(run, json);
  write_operations(run, json);
  write_use(run, json);
  write_certainty(run, json);
  write_groups(run, json);
  write_waits(run, json);
  write_findings(run, json);
  names.write(json, "names");
  texts.write(json, "texts");
  json.end_object();
  return {std::move(head), std::move(columns.all())};
}

void write_report_page(const Run& run, Output& output) {
  const ReportData data = report_data(run);
  write_page(PageKind::report, run.title, data.head, data.columns, output);
}

}  // namespace convert
