// SPDX-License-Identifier: MIT
// CSV of measured calls.
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "calibrate/read/source.h"
#include "core/units.h"
#include "core/words.h"

namespace convert {
namespace {

enum CsvColumn : std::size_t {
  collective_cell,
  ranks_cell,
  bytes_cell,
  us_cell,
  nodes_cell,
  set_cell,
  machine_cell,
  us2_cell,
  csv_columns
};
constexpr std::array<std::string_view, csv_columns> csv_names = {"collective", "ranks", "bytes",   "us",
                                                                 "nodes",      "set",   "machine", "us2"};
constexpr std::size_t required_columns = 4;

// Returns the cells of a line, without spaces around them and quotes.
std::vector<std::string> cells_of_line(std::string_view line) {
  constexpr std::size_t most_cells = 256;
  std::vector<std::string> cells(1);
  bool is_quoted = false;
  for (const char c : line) {
    if (c == '"') {
      is_quoted = !is_quoted;
    } else if (c == ',' && !is_quoted && cells.size() < most_cells) {
      cells.emplace_back();
    } else {
      cells.back() += c;
    }
  }
  for (std::string& cell : cells) {
    constexpr std::string_view space = " \t";
    cell.erase(0, std::min(cell.find_first_not_of(space), cell.size()));
    cell.erase(cell.find_last_not_of(space) + 1);
  }
  return cells;
}

// Returns the first line with contents, or an empty text.
std::string_view first_line(std::string_view text) {
  BenchmarkLines lines(text);
  while (lines.next()) {
    if (!lines.line().empty() && !lines.line().starts_with('#')) return lines.line();
  }
  return {};
}

class BenchmarkCsvReader {
 public:
  explicit BenchmarkCsvReader(const BenchmarkSource& source) : source_(source) { at_.fill(absent); }

  Benchmark read() {
    BenchmarkLines lines(source_.text);
    bool has_header = false;
    while (lines.next()) {
      if (lines.line().empty() || lines.line().starts_with('#')) continue;
      line_ = lines.number();
      cells_ = cells_of_line(lines.line());
      if (has_header) {
        take_row();
      } else {
        take_header();
      }
      has_header = true;
    }
    for (const auto& [name, rows] : omitted_)
      source_.warn(rows.first, "not a collective of a machine: " + shown_word(name) + "; " +
                                   counted(rows.second, "row") + " omitted");
    return std::move(benchmark_);
  }

 private:
  static constexpr std::size_t absent = SIZE_MAX;

  void take_header() {
    for (std::size_t c = 0; c < csv_columns; ++c) {
      const auto found = std::ranges::find(cells_, csv_names[c]);
      if (found != cells_.end()) {
        at_[c] = static_cast<std::size_t>(found - cells_.begin());
      } else if (c < required_columns) {
        throw source_.failure(line_, "column " + std::string(csv_names[c]) +
                                         " is missing; required are collective, ranks, bytes and us, optional are "
                                         "nodes, set, machine and us2");
      }
    }
  }

  // Returns an empty text for an optional column that is absent.
  [[nodiscard]] const std::string& cell(CsvColumn c) const {
    static const std::string nothing;
    if (at_[c] < cells_.size()) return cells_[at_[c]];
    if (c >= required_columns) return nothing;
    throw source_.failure(line_, "column " + std::string(csv_names[c]) + " is missing in this row");
  }

  void take_row() {
    const std::optional<Collective> collective = benchmark_collective(cell(collective_cell));
    if (!collective) {
      ++omitted_.try_emplace(cell(collective_cell), line_, 0).first->second.second;
      return;
    }
    BenchmarkPoint point{.collective = *collective,
                         .ranks = source_.ranks(line_, "ranks", cell(ranks_cell)),
                         .nodes = source_.options.nodes,
                         .bytes = source_.bytes(line_, "bytes", cell(bytes_cell)),
                         .time_ns = source_.time_ns(line_, "us", cell(us_cell), 1000),
                         .set = cell(set_cell),
                         .machine = cell(machine_cell),
                         .line = line_};
    if (!cell(nodes_cell).empty()) {
      point.nodes = source_.ranks(line_, "nodes", cell(nodes_cell));
      if (*point.nodes > point.ranks)
        throw source_.failure(line_, "nodes is more than ranks: " + std::to_string(*point.nodes) +
                                         "; count the nodes that have a rank");
    }
    if (!cell(us2_cell).empty()) point.in_place_ns = source_.time_ns(line_, "us2", cell(us2_cell), 1000);
    benchmark_.points.push_back(std::move(point));
  }

  const BenchmarkSource& source_;
  Benchmark benchmark_;
  std::array<std::size_t, csv_columns> at_{};
  std::vector<std::string> cells_;
  std::map<std::string, std::pair<std::uint32_t, std::uint32_t>> omitted_;  // first line and number of rows
  std::uint32_t line_ = 0;
};

}  // namespace

Benchmark read_benchmark_csv(const BenchmarkSource& source) { return BenchmarkCsvReader(source).read(); }

bool is_benchmark_csv(std::string_view text) {
  const std::vector<std::string> cells = cells_of_line(first_line(text).substr(0, 4096));
  const auto has = [&](std::string_view name) { return std::ranges::find(cells, name) != cells.end(); };
  return cells.size() > 2 && (has("bytes") || has("collective")) && (has("us") || has("ranks"));
}

}  // namespace convert
