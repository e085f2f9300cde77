// SPDX-License-Identifier: MIT
// Holds statistics as sections of figures and tables, each with its unit; text, JSON and CSV are written of these.
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

// What a value counts. In JSON and CSV the unit ends the key: "time_ns", "sent_bytes", "exposed_share",
// "bus_gb_per_s".
enum class Unit : std::uint8_t {
  text,
  count,  // also ids and ranks
  bytes,
  time,      // picoseconds here, nanoseconds in JSON and CSV
  share,     // of 1 here and in JSON, percent in text
  gb_per_s,  // of 10^9 bytes
  number,    // of no unit: ratios and means
  distance,  // of no unit: 0 where two things are alike; three digits in text, however small it is
  change,    // relative, of 1 here and in JSON; in text percent, with its sign
};

// Nothing, where it is not known or has no meaning.
using Value = std::variant<std::monostate, std::int64_t, double, std::string>;
[[nodiscard]] inline Value value_of(std::uint64_t n) {
  constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  return static_cast<std::int64_t>(n < most ? n : most);
}

struct Figure {
  std::string key;    // "total"; "all_reduce.bytes" becomes an object in JSON
  std::string title;  // in text; empty: only JSON and CSV have it, since a table says it too
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
  std::string more{};                      // "pairs": what is left out where not all rows are shown
  std::size_t left_out = 0;                // rows that were not made
};

struct Section {
  std::string name;
  std::vector<Figure> figures{};
  std::vector<Table> tables{};
  std::vector<std::string> notes{};  // sentences: how it was counted, what is missing
};
using Statistics = std::vector<Section>;

// Adds up in 128 bits: exact beyond 2^63-1, too.
class Sum {
 public:
  Sum() = default;
  explicit Sum(std::int64_t n) : value_(n) {}
  void add(std::int64_t n) { value_ += n; }
  void add(const Sum& s) { value_ += s.value_; }
  // Adds `s` so many times, at least once.
  void add(const Sum& s, std::uint64_t times) { value_ += s.value_ * static_cast<Wide>(times); }
  // Returns the sum; the limit of 64 bits if it is beyond that.
  [[nodiscard]] std::int64_t get() const {
    return saturated() ? value_ < 0 ? least : most : static_cast<std::int64_t>(value_);
  }
  // Returns whether 64 bits do not hold the sum.
  [[nodiscard]] bool saturated() const { return value_ > most || value_ < least; }
  [[nodiscard]] double number() const { return static_cast<double>(value_); }
  friend auto operator<=>(const Sum&, const Sum&) = default;

 private:
  static constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
  static constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  __extension__ using Wide = __int128;
  Wide value_ = 0;
};
// Returns the sum, rounded if 64 bits do not hold it.
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
// Returns bytes / time in GB/s; nothing without bytes or time.
[[nodiscard]] inline Value rate_of(std::int64_t bytes, Picoseconds time) {
  if (bytes < 0 || time <= 0) return {};
  return static_cast<double>(bytes) * 1000 / static_cast<double>(time);
}

// Returns the percentile by nearest rank: the least element that `percent` of all (above 0, at most 100) do not
// exceed. `values` is not empty; its order changes.
[[nodiscard]] std::int64_t percentile(std::vector<std::int64_t>& values, double percent);
// A value, and how often it stands there.
struct Repeated {
  std::int64_t value = 0;
  std::uint64_t times = 0;
};
// Returns the same of values that are sorted.
[[nodiscard]] std::int64_t percentile(std::span<const Repeated> sorted, double percent);

// Returns "time_ns" for the key "time" with that unit.
[[nodiscard]] std::string key_with_unit(std::string_view key, Unit unit);

// Returns the sections as tables to read, of which each shows `top` rows at most (0: all), and says what it left
// out.
[[nodiscard]] std::string statistics_text(const Statistics& statistics, std::size_t top);
// Returns one object with a member for each section; ends with a line break.
[[nodiscard]] std::string statistics_json(const Statistics& statistics, std::size_t top);
// Returns one CSV table with one header line. Columns "section" and "table" name the table of a row: "figures",
// with the columns "figure" and "value", or a table with its columns. Columns of other tables are empty.
[[nodiscard]] std::string statistics_csv(const Statistics& statistics, std::size_t top);
// Returns one figure, such as "nodes.total" (its unit may be behind it: "path.span_ns"), as JSON has it, texts
// without quotes. Throws Error(usage) that names near ones where there is none.
[[nodiscard]] std::string get_figure(const Statistics& statistics, std::string_view key);

}  // namespace convert
