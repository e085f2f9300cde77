// SPDX-License-Identifier: MIT
// Statistics as sections of metrics and tables, each value with its unit; source of text, JSON and CSV.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/units.h"

namespace convert {

// Unit of a value. In JSON and CSV the unit ends the key: "time_ns", "sent_bytes", "exposed_share", "bus_gb_per_s".
enum class Unit : std::uint8_t {
  text,
  count,  // also ids and ranks
  bytes,
  time,      // picoseconds here, nanoseconds in JSON and CSV
  share,     // fraction of 1 here and in JSON, percent in text
  gb_per_s,  // 10^9 bytes per second
  number,    // no unit: ratios and means
  distance,  // no unit: 0 if two things are equal; three significant digits in text
  change,    // relative; fraction of 1 here and in JSON, signed percent in text
};

// std::monostate: the value is unknown or has no meaning.
using Value = std::variant<std::monostate, std::int64_t, double, std::string>;
[[nodiscard]] inline Value value_of(std::uint64_t n) {
  constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  return static_cast<std::int64_t>(n < most ? n : most);
}

struct Figure {
  std::string key;    // "total"; "all_reduce.bytes" becomes an object in JSON
  std::string title;  // in text; empty: JSON and CSV only, as a table shows the value too
  Unit unit = Unit::count;
  Value value{};
};

struct TableColumn {
  std::string key;
  std::string title;
  Unit unit = Unit::count;
};
struct Table {
  std::string key;
  std::string title;
  std::vector<TableColumn> columns;
  std::vector<std::vector<Value>> rows{};  // the most important first
  std::string more{};                      // "pairs": name of the rows that are omitted if not all are shown
  std::size_t left_out = 0;                // rows that were not made
};

struct Section {
  std::string name;
  std::vector<Figure> figures{};
  std::vector<Table> tables{};
  std::vector<std::string> notes{};  // sentences: how it was counted, what is missing
};
using Statistics = std::vector<Section>;

// Sum in 128 bits: exact beyond 2^63-1.
class Sum {
 public:
  Sum() = default;
  explicit Sum(std::int64_t n) : value_(n) {}
  void add(std::int64_t n) { value_ += n; }
  void add(const Sum& s) { value_ += s.value_; }
  // Adds `s` `times` times; `times` is at least 1.
  void add(const Sum& s, std::uint64_t times) { value_ += s.value_ * static_cast<Wide>(times); }
  // Returns the sum, clamped to 64 bits.
  [[nodiscard]] std::int64_t get() const {
    return saturated() ? value_ < 0 ? least : most : static_cast<std::int64_t>(value_);
  }
  // Returns whether the sum exceeds 64 bits.
  [[nodiscard]] bool saturated() const { return value_ > most || value_ < least; }
  [[nodiscard]] double number() const { return static_cast<double>(value_); }
  friend auto operator<=>(const Sum&, const Sum&) = default;

 private:
  static constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
  static constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  __extension__ using Wide = __int128;
  Wide value_ = 0;
};
// Returns the sum, rounded if it exceeds 64 bits.
[[nodiscard]] inline Value value_of(const Sum& s) { return s.saturated() ? Value(s.number()) : Value(s.get()); }

// Returns part / whole; nothing if the whole is 0.
[[nodiscard]] inline Value share_of(std::int64_t part, std::int64_t whole) {
  if (whole == 0) return {};
  return static_cast<double>(part) / static_cast<double>(whole);
}
[[nodiscard]] inline Value share_of(const Sum& part, const Sum& whole) {
  if (whole.get() == 0) return {};
  return part.number() / whole.number();
}
// Returns bytes / time in GB/s; nothing if bytes are negative or the time is not positive.
[[nodiscard]] inline Value rate_of(std::int64_t bytes, Picoseconds time) {
  if (bytes < 0 || time <= 0) return {};
  return static_cast<double>(bytes) * 1000 / static_cast<double>(time);
}

// Returns the percentile by nearest rank: the least element that `percent` of all elements (above 0, at most 100)
// do not exceed. `values` must not be empty; its order changes.
[[nodiscard]] std::int64_t percentile(std::vector<std::int64_t>& values, double percent);
// A value and its number of occurrences.
struct Repeated {
  std::int64_t value = 0;
  std::uint64_t times = 0;
};
// Returns the percentile of values that are sorted ascending.
[[nodiscard]] std::int64_t percentile(std::span<const Repeated> sorted, double percent);

// Returns the key with the suffix of its unit: "time_ns" for "time".
[[nodiscard]] std::string key_with_unit(std::string_view key, Unit unit);

// Returns the sections as text tables. Each table shows at most `top` rows (0: all) and the number of omitted rows.
[[nodiscard]] std::string statistics_text(const Statistics& statistics, std::size_t top);
// Returns one object with a member for each section; ends with a line break.
[[nodiscard]] std::string statistics_json(const Statistics& statistics, std::size_t top);
// Returns one CSV table with one header line. Columns "section" and "table" name the table of a row: "figures",
// with the columns "figure" and "value", or a table with its columns. Columns of other tables are empty.
[[nodiscard]] std::string statistics_csv(const Statistics& statistics, std::size_t top);
// Returns one metric by key, such as "nodes.total" or with unit "path.span_ns", as in JSON, texts without quotes.
// Throws Error(usage) with similar keys if no metric has this key.
[[nodiscard]] std::string get_figure(const Statistics& statistics, std::string_view key);

}  // namespace convert
