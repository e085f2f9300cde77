// SPDX-License-Identifier: MIT
// Statistics as JSON and CSV.
#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

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
  std::string open;  // the object that is open
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

namespace {

// Columns of all tables, each once, in order of first use.
class CsvColumns {
 public:
  // Returns the index of a column; adds the column if it is new.
  std::size_t operator[](const std::string& name) {
    const auto [at, added] = places_.try_emplace(name, names_.size());
    if (added) names_.push_back(name);
    return at->second;
  }
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }

 private:
  std::map<std::string, std::size_t> places_;
  std::vector<std::string> names_;
};

}  // namespace

std::string statistics_csv(const Statistics& statistics, std::size_t top) {
  CsvColumns columns;
  for (const char* first : {"section", "table"}) (void)columns[first];
  for (const Section& section : statistics) {
    if (!section.figures.empty()) {
      for (const char* of_figures : {"figure", "value"}) (void)columns[of_figures];
    }
    for (const Table& t : section.tables) {
      for (const TableColumn& c : t.columns) (void)columns[key_with_unit(c.key, c.unit)];
    }
  }
  std::string out;
  std::vector<std::string> cells(columns.names().size());
  const auto end_row = [&] {
    for (std::size_t i = 0; i < cells.size(); ++i)
      out += (i == 0 ? "" : ",") + csv_field(std::exchange(cells[i], {}));
    out += '\n';
  };
  cells = columns.names();
  end_row();
  for (const Section& section : statistics) {
    for (const Figure& f : section.figures) {
      cells[columns["section"]] = section.name;
      cells[columns["table"]] = "figures";
      cells[columns["figure"]] = key_with_unit(f.key, f.unit);
      cells[columns["value"]] = raw_cell(f.value, f.unit);
      end_row();
    }
    for (const Table& t : section.tables) {
      for (std::size_t r = 0; r < shown_rows(t, top); ++r) {
        cells[columns["section"]] = section.name;
        cells[columns["table"]] = t.key;
        for (std::size_t c = 0; c < t.columns.size(); ++c)
          cells[columns[key_with_unit(t.columns[c].key, t.columns[c].unit)]] =
              raw_cell(t.rows[r][c], t.columns[c].unit);
        end_row();
      }
    }
  }
  return out;
}

}  // namespace convert
