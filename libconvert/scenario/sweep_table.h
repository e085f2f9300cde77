// SPDX-License-Identifier: MIT
// Table of a sweep: a CSV file that grows by one row for each finished run, and can be continued.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace convert {

// Returns a CSV cell: quoted if it has a comma, a quote or a space at an end. Line breaks become spaces.
[[nodiscard]] std::string csv_cell(std::string_view text);
// Returns the cells of a line; nothing if a quote is not closed.
[[nodiscard]] std::optional<std::vector<std::string>> parse_csv_line(std::string_view line);

class SweepTable {
 public:
  // The row of a run begins with its ID, which identifies the runs of a table. With a path, continues with the
  // existing rows; drops a last row that is cut off. Throws Error(input) if the rows are of other runs, unless
  // `force`, which starts again; Error(usage) if another process writes the table.
  SweepTable(std::optional<std::string> path, std::vector<std::string> columns, std::vector<std::string> ids,
             bool force);
  SweepTable(const SweepTable&) = delete;
  SweepTable& operator=(const SweepTable&) = delete;

  // Returns the cells of a run; empty if it has not been done.
  [[nodiscard]] const std::vector<std::string>& cells(std::size_t run) const { return cells_[run]; }
  // Returns the number of runs that had rows before.
  [[nodiscard]] std::size_t taken_up() const { return taken_up_; }
  // Drops a row, so that the run is executed again.
  void drop(std::size_t run) { cells_[run].clear(); }
  // Sets the cells of a run, and appends its row to the file. Throws Error(system).
  void put(std::size_t run, std::vector<std::string> cells);
  // Adds a column to all rows.
  void add_column(const std::string& name, const std::vector<std::string>& cells);
  // Writes all rows in the order of the runs; replaces the file as a whole.
  void finish();

 private:
  struct File {
    int descriptor = -1;
    File() = default;
    ~File();
    File(const File&) = delete;
    File& operator=(const File&) = delete;
  };
  void open(bool force);
  [[nodiscard]] std::string contents() const;
  void take_up(std::string_view text, std::size_t& good);
  [[nodiscard]] std::string line(const std::vector<std::string>& cells) const;
  void write(std::string_view bytes) const;

  std::optional<std::string> path_;
  std::vector<std::string> columns_;  // after the id
  std::vector<std::string> ids_;
  std::vector<std::vector<std::string>> cells_;
  std::size_t taken_up_ = 0;
  File file_;
};

}  // namespace convert
