// SPDX-License-Identifier: MIT
#include <algorithm>

#include "analyze/figures/cells.h"
#include "analyze/figures/figures.h"
#include "util/text_table.h"
#include "util/utf8.h"
#include "util/visible.h"

namespace convert {
namespace {

constexpr std::size_t longest_text = 72;  // bytes of a name in a table; JSON has the whole name

void append_figures(const std::vector<Figure>& figures, std::string& out) {
  TextTable table({"<", "<"});
  bool any = false;
  for (const Figure& f : figures) {
    if (f.title.empty()) continue;
    table.add({"  " + f.title, text_cell(f.value, f.unit)});
    any = true;
  }
  if (!any) return;
  std::string lines;
  table.append_to(lines);
  out += lines.substr(lines.find('\n') + 1);  // without titles
}

void append_table(const Table& t, std::size_t top, std::string& out) {
  if (t.rows.empty()) return;
  TextTable::Row titles;
  for (const TableColumn& c : t.columns) titles.push_back((c.unit == Unit::text ? "<" : "") + c.title);
  titles.front().insert(titles.front().starts_with('<') ? 1 : 0, "  ");
  TextTable table(std::move(titles));
  const std::size_t shown = top == 0 ? t.rows.size() : std::min(top, t.rows.size());
  for (std::size_t r = 0; r < shown; ++r) {
    TextTable::Row row;
    for (std::size_t c = 0; c < t.columns.size(); ++c)
      row.push_back(cut_text(visible(text_cell(t.rows[r][c], t.columns[c].unit)), longest_text));
    row.front().insert(0, "  ");
    table.add(std::move(row));
  }
  out += "\n  " + t.title + '\n';
  table.append_to(out);
  if (const std::size_t more = t.rows.size() - shown + t.left_out; more != 0) {
    out += "  … " + std::to_string(more) + " more " + (t.more.empty() ? "rows" : t.more) + ": --top 0 shows all\n";
  }
}

}  // namespace

std::string statistics_text(const Statistics& statistics, std::size_t top) {
  std::string out;
  for (const Section& section : statistics) {
    if (!out.empty()) out += '\n';
    out += section.name + '\n';
    append_figures(section.figures, out);
    for (const Table& t : section.tables) append_table(t, top, out);
    for (const std::string& note : section.notes) out += "  note: " + visible(note) + '\n';
  }
  return out;
}

}  // namespace convert
