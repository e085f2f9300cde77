// SPDX-License-Identifier: MIT
// Reader of lines of comma-separated fields, with the location of each field.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/diagnostic.h"
#include "core/units.h"

namespace convert {

class CsvLines {
 public:
  CsvLines(const std::string& file, std::string_view text) : file_(file), rest_(text) {}  // both must outlive *this

  // Splits the next non-empty line into trimmed fields. Returns false at the end.
  bool next();
  [[nodiscard]] std::uint32_t line() const { return line_; }
  [[nodiscard]] std::size_t size() const { return fields_.size(); }
  // Returns field i; empty if the line has no such field.
  [[nodiscard]] std::string_view operator[](std::size_t i) const {
    return i < fields_.size() ? fields_[i] : std::string_view{};
  }

  // Returns the text from field i to the end of the line, including commas.
  [[nodiscard]] std::string_view rest(std::size_t i) const;

  [[nodiscard]] Error error(std::size_t field, const std::string& message) const;
  // Return field i as a whole number from 0 to `most`, or as any number. Throw Error(input) that names `what`.
  [[nodiscard]] std::int64_t natural(std::size_t i, std::string_view what, std::int64_t most) const;
  [[nodiscard]] double number(std::size_t i, std::string_view what) const;
  // Returns field i as a time in units of `unit_ps`. Throws Error(input) if it is not from 0 to 53 days.
  [[nodiscard]] Picoseconds time(std::size_t i, std::string_view what, double unit_ps) const;
  // Throws Error(input) unless the line has exactly `count` fields.
  void expect_fields(std::size_t count, std::string_view what) const;

 private:
  const std::string& file_;
  std::string_view rest_;
  std::string_view text_;  // text of the current line
  std::uint32_t line_ = 0;
  std::vector<std::string_view> fields_;
};

}  // namespace convert
