// SPDX-License-Identifier: MIT
#include "formats/flexflow/task_label.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "core/units.h"
#include "formats/flexflow/dot_lexer.h"
#include "util/utf8.h"

namespace convert::flexflow {
namespace {

constexpr std::string_view blanks = " \t\r\n";
constexpr std::size_t most_fields = 7;

// The fields of a record, trimmed.
struct Fields {
  std::array<std::string_view, most_fields> text;
  std::size_t count = 0;
  [[nodiscard]] std::string_view operator[](std::size_t i) const { return text[i]; }
};

std::string_view trim(std::string_view s) {
  const std::size_t begin = s.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return s.substr(s.size());
  std::size_t end = s.find_last_not_of(blanks) + 1;
  if (end < s.size() && s[end - 1] == '\\') ++end;  // an escaped blank ("\ ") is kept
  return s.substr(begin, end - begin);
}

// Splits "{ a | b | { c | d } }" into a, b, "{ c | d }". Returns false if the record is not in braces or has more
// than seven fields.
bool split_record(std::string_view record, Fields& fields) {
  record = trim(record);
  fields.count = 0;
  std::size_t depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < record.size(); ++i) {
    const char c = record[i];
    if (c == '\\') {
      ++i;
    } else if (c == '{') {
      if (++depth == 1) begin = i + 1;
    } else if ((c == '|' && depth == 1) || c == '}') {
      if (c == '}' && (depth == 0 || --depth != 0)) {
        if (depth == 0) return false;
        continue;
      }
      if (fields.count == most_fields) return false;
      fields.text[fields.count++] = trim(record.substr(begin, i - begin));
      begin = i + 1;
      if (c == '}') return i + 1 == record.size();
    }
    if (depth == 0) return false;  // text before the brace
  }
  return false;
}

// Resolves escapes of strings and of records: \n, \l and \r end a line; otherwise the backslash is dropped.
void unescape(std::string_view field, std::string& out) {
  out.clear();
  for (std::size_t i = 0; i < field.size(); ++i) {
    if (field[i] != '\\' || i + 1 == field.size()) {
      out += field[i];
      continue;
    }
    const char c = field[++i];
    out += c == 'n' || c == 'l' || c == 'r' ? '\n' : c;
  }
}

class Parser {
 public:
  explicit Parser(std::string_view raw) : raw_(raw) {}

  void parse(TaskLabel& label, Task& task) {
    if (!split_record(raw_, fields_)) fail_neither();
    if (fields_.count == 5 && fields_[3] == "COMP_NODE") {
      head(label);
      task.kind = TaskKind::compute;
      task.rank = label.owner;
      set_seconds(fields_[4], task);
    } else if (fields_.count == 7 && fields_[3] == "COMM_SEND_RECV_NODE") {
      head(label);
      task.rank = rank(fields_[4], "src");
      task.peer = rank(fields_[5], "dst");
      task.bytes = bytes(fields_[6]);
      // A transfer within a rank is a copy.
      task.kind = task.rank == task.peer ? TaskKind::compute : TaskKind::transfer;
    } else {
      stock(label, task);
    }
    if (find_invalid_utf8(label.name) != std::string_view::npos ||
        find_invalid_utf8(label.type) != std::string_view::npos) {
      fail(raw_, "a task's name must be UTF-8");
    }
  }

 private:
  [[noreturn]] void fail(std::string_view at, const std::string& message) const {
    throw BadLabel{static_cast<std::size_t>(at.data() - raw_.data()), message};
  }
  [[noreturn]] void fail_neither() const {
    fail(raw_, "the label \"" + shown_text(raw_, 200) +
                   "\" is not a task label; the forms are { npu_id=R | NAME | … | COMP_NODE | runtime=SECONDS }, "
                   "{ npu_id=R | NAME | … | COMM_SEND_RECV_NODE | src=R | dst=R | size=BYTES }, "
                   "{ NAME | TYPE | { START | END } }");
  }

  void head(TaskLabel& label) {
    label.dialect = Dialect::chakra;
    label.owner = rank(fields_[0], "npu_id");
    unescape(fields_[1], label.name);
    unescape(fields_[2], label.type);
  }

  // Returns the text after "key=". Accepts any key except the key of another field.
  [[nodiscard]] std::string_view value(std::string_view field, std::string_view key) const {
    constexpr std::array<std::string_view, 5> keys = {"npu_id", "runtime", "src", "dst", "size"};
    const std::size_t equals = field.find('=');
    if (equals == std::string_view::npos)
      fail(field, "'" + shown_text(field, 80) + "': " + std::string(key) + "=… is expected");
    const std::string_view found = trim(field.substr(0, equals));
    if (found != key && std::ranges::find(keys, found) != keys.end())
      fail(field, "'" + shown_text(field, 80) + "' is not valid here; " + std::string(key) + "=… is expected");
    return trim(field.substr(equals + 1));
  }

  [[nodiscard]] Rank rank(std::string_view field, std::string_view key) const {
    const auto v = parse_unsigned(value(field, key));
    if (!v || *v > largest_rank)
      fail(field, "'" + shown_text(field, 80) + "': a rank is expected, an integer from 0 to 2^31-1");
    return static_cast<Rank>(*v);
  }

  [[nodiscard]] std::int64_t bytes(std::string_view field) const {
    const auto v = parse_int(value(field, "size"));
    if (!v || *v < 0)
      fail(field, "'" + shown_text(field, 80) + "': a size in bytes is expected, an integer from 0 to 2^63-1");
    return *v;
  }

  [[nodiscard]] double number(std::string_view field, std::string_view text) const {
    double v = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), v);
    const bool range = error == std::errc::result_out_of_range;  // includes underflow, such as 1e-400
    if ((error != std::errc() && !range) || end != text.data() + text.size() || text.empty())
      fail(field, "'" + shown_text(field, 80) + "': a number is expected");
    if (range || !std::isfinite(v) || std::signbit(v))
      fail(field, "'" + shown_text(field, 80) + "': a finite time of at least 0 is expected");
    return v;
  }

  // Returns time × units, rounded.
  [[nodiscard]] std::uint64_t scaled(std::string_view field, double time, double units) const {
    constexpr double limit = 9.2e18;
    if (time * units >= limit) fail(field, "'" + shown_text(field, 80) + "': the time exceeds 2^63 ns");
    return static_cast<std::uint64_t>(std::llround(time * units));
  }

  void set_seconds(std::string_view field, Task& task) const {
    const double seconds = number(field, value(field, "runtime"));
    task.duration_ns = scaled(field, seconds, 1e9);
    task.duration_us = scaled(field, seconds, 1e6);
  }

  void stock(TaskLabel& label, Task& task) const {
    static constexpr std::array<std::string_view, 5> types = {"Forward", "Backward", "Comm", "Update", "Barrier"};
    Fields times;
    if (fields_.count < 2 || fields_.count > 3 || !split_record(fields_[fields_.count - 1], times) ||
        times.count != 2) {
      fail_neither();
    }
    label.dialect = Dialect::stock;
    label.owner = no_rank;
    const std::string_view type = fields_[fields_.count - 2];
    if (std::ranges::find(types, type) == types.end()) {
      fail(type, "'" + shown_text(type, 80) +
                     "' is not a task type; the types are Forward, Backward, Comm, Update and Barrier");
    }
    label.type = type;
    unescape(fields_.count == 3 ? fields_[0] : std::string_view(), label.name);
    if (label.name.empty()) label.name = type;
    const double begin = number(times[0], times[0]);
    const double end = number(times[1], times[1]);
    if (end < begin)
      fail(times[1],
           "the task ends at " + std::string(times[1]) + " before it begins, at " + std::string(times[0]));
    task.kind = type == "Comm" ? TaskKind::transfer : TaskKind::compute;
    task.start_ns = scaled(times[0], begin, 1e6);
    task.duration_ns = scaled(times[1], end, 1e6) - task.start_ns;
    task.duration_us = (task.duration_ns + 500) / 1000;
  }

  std::string_view raw_;
  Fields fields_;
};

}  // namespace

void parse_label(std::string_view raw, TaskLabel& label, Task& task) { Parser(raw).parse(label, task); }

}  // namespace convert::flexflow
