// SPDX-License-Identifier: MIT
// Columns of a report page, collected table by table.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/run.h"
#include "page/page.h"
#include "util/json_writer.h"

namespace convert {

// Numbers the texts that a page uses, in order of first use.
class PageTexts {
 public:
  explicit PageTexts(const TextSet& all) : all_(all), numbers_(all.size(), no_index) {}
  // Returns the page's number of a text of the run; -1 for no_index.
  [[nodiscard]] std::int32_t number(std::uint32_t text);
  void write(JsonWriter& json, std::string_view key) const;

 private:
  const TextSet& all_;
  std::vector<std::uint32_t> numbers_;
  std::vector<std::uint32_t> used_;
};

// Columns of a page, and the unit of its times. 2^53 picoseconds are 2.5 h; longer runs use nanoseconds.
class ReportColumns {
 public:
  explicit ReportColumns(Picoseconds end) : tick_ps_(end < (std::int64_t{1} << 53) ? 1 : ps_per_ns) {}
  [[nodiscard]] Picoseconds tick_ps() const { return tick_ps_; }
  [[nodiscard]] std::vector<Column>& all() { return columns_; }

  // Adds a column with the result of `value` for each element; times in picoseconds.
  template <typename Rows, typename F>
  void times(std::string name, const Rows& rows, F value, Column::Code code = Column::Code::delta) {
    reals(
        std::move(name), rows, [&](const auto& row) { return ticks(value(row)); }, code);
  }
  template <typename Rows, typename F>
  void reals(std::string name, const Rows& rows, F value, Column::Code code = Column::Code::raw) {
    std::vector<double> values;
    values.reserve(rows.size());
    for (const auto& row : rows) values.push_back(static_cast<double>(value(row)));
    columns_.push_back({std::move(name), std::move(values), code});
  }
  template <typename Rows, typename F>
  void numbers(std::string name, const Rows& rows, F value, Column::Code code = Column::Code::dict) {
    std::vector<std::int32_t> values;
    values.reserve(rows.size());
    for (const auto& row : rows) values.push_back(static_cast<std::int32_t>(value(row)));
    columns_.push_back({std::move(name), std::move(values), code});
  }
  template <typename Rows, typename F>
  void kinds(std::string name, const Rows& rows, F value) {
    std::vector<std::uint8_t> values;
    values.reserve(rows.size());
    for (const auto& row : rows) values.push_back(static_cast<std::uint8_t>(value(row)));
    columns_.push_back({std::move(name), std::move(values), Column::Code::raw});
  }
  // Adds the columns NAME and NAME.high of ids, 32 bits each.
  template <typename Rows, typename F>
  void ids(const std::string& name, const Rows& rows, F value) {
    numbers(
        name, rows, [&](const auto& row) { return static_cast<std::uint32_t>(value(row)); }, Column::Code::delta);
    numbers(
        name + ".high", rows, [&](const auto& row) { return value(row) >> 32; }, Column::Code::delta);
  }

 private:
  [[nodiscard]] double ticks(Picoseconds time) const {
    return static_cast<double>(tick_ps_ == 1 || time < 0 ? time : (time + tick_ps_ / 2) / tick_ps_);
  }

  Picoseconds tick_ps_;
  std::vector<Column> columns_;
};

}  // namespace convert
