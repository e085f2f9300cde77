// SPDX-License-Identifier: MIT
// Writes statistics for programs: JSON and CSV.
#include <algorithm>
#include <map>

#include "analyze/figures/cells.h"
#include "analyze/figures/figures.h"
#include "util/json_writer.h"
#include "util/text_table.h"

namespace convert {
namespace {

std::size_t shown_rows(const Table& t, std::size_t top) {
  return top == 0 ? t.rows.size() : std::min(top, t.rows.size());
}

void write_value(JsonWriter& json, const Value& value, Unit unit) {
  if (std::holds_alternative<std::monostate>(value)) {
    json.raw("null");
  } else if (const auto* s = std::get_if<std::string>(&value)) {
    json.value(*s);
  } else {
    json.raw(raw_cell(value, unit));
  }
}

// Writes "total" as a member, "all_reduce.bytes" as a member of the object all_reduce.
void write_figures(JsonWriter& json, const std::vector<Figure>& figures) {
  std::string open;  // the object that is begun
  for (const Figure& f : figures) {
    const std::size_t dot = f.key.rfind('.');
    const std::string object = dot == std::string::npos ? "" : f.key.substr(0, dot);
    if (object != open && !open.empty()) json.end_object();
    if (object != open && !object.empty()) json.line(4).key(object).begin_object();
    open = object;
    if (open.empty()) json.line(4);
    json.key(key_with_unit(dot == std::string::npos ? f.key : f.key.substr(dot + 1), f.unit));
    write_value(json, f.value, f.unit);
  }
  if (!open.empty()) json.end_object();
}

void write_table(JsonWriter& json, const Table& t, std::size_t top) {
  json.line(4).key(t.key).begin_array();
  const std::size_t shown = shown_rows(t, top);
  for (std::size_t r = 0; r < shown; ++r) {
    json.line(6).begin_object();
    for (std::size_t c = 0; c < t.columns.size(); ++c) {
      json.key(key_with_unit(t.columns[c].key, t.columns[c].unit));
      write_value(json, t.rows[r][c], t.columns[c].unit);
    }
    json.end_object();
  }
  if (shown != 0) json.line(4);
  json.end_array();
  const std::size_t more = t.rows.size() - shown + t.left_out;
  if (more != 0) json.line(4).member(t.key + "_left_out", more);
}

}  // namespace

std::string statistics_json(const Statistics& statistics, std::size_t top) {
  std::string out;
  JsonWriter json(out);
  json.begin_object();
  for (const Section& section : statistics) {
    json.line(2).key(section.name).begin_object();
    write_figures(json, section.figures);
    for (const Table& t : section.tables) write_table(json, t, top);
    if (!section.notes.empty()) {
      json.line(4).key("notes").begin_array();
      for (const std::string& note : section.notes) json.line(6).value(note);
      json.line(4).end_array();
    }
    json.line(2).end_object();
  }
  json.line().end_object();
  return out + '\n';
}

std::string statistics_csv(const Statistics& statistics, std::size_t top) {
  std::string out;
  const auto begin_block = [&out] {
    if (!out.empty()) out += '\n';
  };
  for (const Section& section : statistics) {
    if (!section.figures.empty()) {
      begin_block();
      out += "section,figure,value\n";
    }
    for (const Figure& f : section.figures) {
      out += section.name + ',' + csv_field(key_with_unit(f.key, f.unit)) + ',' +
             csv_field(raw_cell(f.value, f.unit)) + '\n';
    }
    for (const Table& t : section.tables) {
      begin_block();
      out += "section,table";
      for (const TableColumn& c : t.columns) out += ',' + key_with_unit(c.key, c.unit);
      out += '\n';
      for (std::size_t r = 0; r < shown_rows(t, top); ++r) {
        out += section.name + ',' + t.key;
        for (std::size_t c = 0; c < t.columns.size(); ++c)
          out += ',' + csv_field(raw_cell(t.rows[r][c], t.columns[c].unit));
        out += '\n';
      }
    }
  }
  return out;
}

}  // namespace convert
