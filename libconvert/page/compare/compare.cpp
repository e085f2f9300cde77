// SPDX-License-Identifier: MIT
#include "page/compare/compare.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "analyze/fidelity/fidelity.h"
#include "page/page.h"
#include "page/report/report.h"
#include "util/json_writer.h"
#include "util/utf8.h"

namespace convert {
namespace {

constexpr std::size_t most_names = 500;       // rows of the table of times
constexpr std::size_t most_name_bytes = 400;  // of a name; the rest is cut

double change(Picoseconds a, Picoseconds b) { return std::fabs(static_cast<double>(b) - static_cast<double>(a)); }

// Returns the names that differ, by contribution to the difference of the critical paths, then of the sums.
std::vector<NameTimes::Row> by_contribution(const Difference& difference) {
  std::vector<NameTimes::Row> rows = difference.names.rows();
  if (!difference.paths) return rows;
  std::ranges::stable_sort(rows, [](const NameTimes::Row& x, const NameTimes::Row& y) {
    return change(x.path_a_ps.get(), x.path_b_ps.get()) > change(y.path_a_ps.get(), y.path_b_ps.get());
  });
  return rows;
}

void write_names(JsonWriter& json, const Difference& difference) {
  const std::vector<NameTimes::Row> rows = by_contribution(difference);
  json.member("names", rows.size()).key("times").begin_array();
  for (std::size_t i = 0; i < std::min(rows.size(), most_names); ++i) {
    const NameTimes::Row& row = rows[i];
    json.begin_object().member("name", cut_text(row.name, most_name_bytes));
    json.member("count_a", row.a.count).member("count_b", row.b.count);
    json.member("a_ps", row.a.sum_ps.get()).member("b_ps", row.b.sum_ps.get());
    json.member("path_a_ps", row.path_a_ps.get()).member("path_b_ps", row.path_b_ps.get());
    json.member("clear", clear_text(row.a, row.b)).end_object();
  }
  json.end_array();
}

void write_path(JsonWriter& json, const Difference& difference) {
  using Part = std::pair<std::string, Difference::OnPath>;
  std::vector<Part> parts(difference.path_parts.begin(), difference.path_parts.end());
  std::ranges::stable_sort(parts, [](const Part& x, const Part& y) {
    return change(x.second.a_ps.get(), x.second.b_ps.get()) > change(y.second.a_ps.get(), y.second.b_ps.get());
  });
  json.key("path").begin_array();
  for (const auto& [part, times] : parts) {
    json.begin_object().member("part", part).member("a_ps", times.a_ps.get());
    json.member("b_ps", times.b_ps.get()).end_object();
  }
  json.end_array();
}

void write_difference(JsonWriter& json, const Difference& difference) {
  json.key("difference").begin_object().member("same", difference.same());
  json.member("sentence", difference.sentence()).member("paths", difference.paths);
  json.key("notes").begin_array();
  for (const std::string& note : difference.notes) json.value(note);
  json.end_array();
  write_path(json, difference);
  write_names(json, difference);
  json.end_object();
}

// Appends the columns of a side, with the side as prefix of their names.
void append_columns(std::vector<Column>& columns, std::vector<Column>&& more, const std::string& side) {
  for (Column& column : more) {
    column.name.insert(0, side);
    columns.push_back(std::move(column));
  }
}

std::string title_of(const Run& a, const Run& b, const InputNames& inputs) {
  if (a.title != b.title) return a.title + " and " + b.title;
  if (inputs.a.empty() || inputs.b.empty()) return a.title + ": A and B";
  return a.title + ": " + inputs.a + " and " + inputs.b;
}

}  // namespace

void write_compare_page(const Run& a, const Run& b, const Difference& difference, const InputNames& inputs,
                        Output& output) {
  ReportData data_a = report_data(a), data_b = report_data(b);
  std::string head;
  JsonWriter json(head);
  const std::string title = title_of(a, b, inputs);
  json.begin_object().member("title", title).member("input_a", inputs.a).member("input_b", inputs.b);
  json.key("a").raw(data_a.head).key("b").raw(data_b.head);
  write_difference(json, difference);
  json.key("statistics").raw(statistics_json(compare_run_statistics(a, b).sections(), 0));
  json.end_object();
  std::vector<Column> columns;
  append_columns(columns, std::move(data_a.columns), "a.");
  append_columns(columns, std::move(data_b.columns), "b.");
  write_page(PageKind::compare, title, head, columns, output);
}

}  // namespace convert
