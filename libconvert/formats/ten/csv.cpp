// SPDX-License-Identifier: MIT
#include "formats/ten/csv.h"

#include <algorithm>

#include "formats/ten/builder.h"
#include "util/utf8.h"

namespace convert {
namespace {

std::string_view trimmed(std::string_view s) {
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!s.empty() && blank(s.front())) s.remove_prefix(1);
  while (!s.empty() && blank(s.back())) s.remove_suffix(1);
  return s;
}

std::string shown(std::string_view s) { return "'" + cut_text(s, 40) + "'"; }

}  // namespace

bool CsvLines::next() {
  do {
    if (rest_.empty()) return false;
    const std::size_t end = std::min(rest_.find('\n'), rest_.size());
    text_ = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    ++line_;
  } while (trimmed(text_).empty());
  fields_.clear();
  std::string_view left = text_;
  for (;;) {
    const std::size_t comma = left.find(',');
    fields_.push_back(trimmed(left.substr(0, comma)));
    if (comma == std::string_view::npos) return true;
    left.remove_prefix(comma + 1);
  }
}

std::string_view CsvLines::rest(std::size_t i) const {
  if (i >= fields_.size()) return {};
  return trimmed(text_.substr(static_cast<std::size_t>(fields_[i].data() - text_.data())));
}

Error CsvLines::error(std::size_t field, const std::string& message) const {
  Location where{.file = file_, .line = line_};
  if (field < fields_.size()) {
    where.column = static_cast<std::uint32_t>(fields_[field].data() - text_.data()) + 1;
  } else {
    where.column = static_cast<std::uint32_t>(trimmed(text_).size()) + 1;
  }
  return input_error(where, message, "R0");
}

std::int64_t CsvLines::natural(std::size_t i, std::string_view what, std::int64_t most) const {
  const auto value = parse_int((*this)[i]);
  if (value && *value >= 0 && *value <= most) return *value;
  throw error(i, std::string(what) + " must be a whole number from 0 to " + std::to_string(most) +
                     (i < size() ? ", not " + shown(fields_[i]) : "; it is missing"));
}

double CsvLines::number(std::size_t i, std::string_view what) const {
  if (const auto value = parse_number((*this)[i])) return *value;
  throw error(
      i, std::string(what) + " must be a number" + (i < size() ? ", not " + shown(fields_[i]) : "; it is missing"));
}

Picoseconds CsvLines::time(std::size_t i, std::string_view what, double unit_ps) const {
  if (const auto value = parse_ps((*this)[i], unit_ps)) return *value;
  throw error(i, std::string(what) + " must be a time of at least 0 and less than 53 days" +
                     (i < size() ? ", not " + shown(fields_[i]) : "; it is missing"));
}

void CsvLines::expect_fields(std::size_t count, std::string_view what) const {
  if (size() == count) return;
  throw error(std::min(count, size()), std::string(what) + " has " + counted(count, "field") +
                                           ", but this line has " + std::to_string(size()));
}

}  // namespace convert
