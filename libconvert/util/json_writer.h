// SPDX-License-Identifier: MIT
// Appends JSON to a string value by value, with the commas, without a document in memory.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

namespace convert {

// Appends `s` quoted and escaped. C1 controls are escaped too, since terminals execute them. Bytes that are not
// UTF-8 become U+FFFD; returns false if there were any.
bool append_json_string(std::string& out, std::string_view s);
// Append the shortest text that reads back as the same number, or the strings "NaN", "Infinity", "-Infinity".
void append_json_number(std::string& out, double value);
void append_json_number(std::string& out, float value);
void append_json_number(std::string& out, std::int64_t value);
void append_json_number(std::string& out, std::uint64_t value);

//   JsonWriter w(out);
//   w.begin_object().member("rank", 3).key("nodes").begin_array();
//   for (…) w.line(2).value(…);          // each element on a line of its own, indented by 2
//   w.line().end_array().end_object();
class JsonWriter {
 public:
  explicit JsonWriter(std::string& out) : out_(out) {}

  JsonWriter& begin_object() { return open('{'); }
  JsonWriter& end_object() { return close('}'); }
  JsonWriter& begin_array() { return open('['); }
  JsonWriter& end_array() { return close(']'); }

  JsonWriter& key(std::string_view k);
  JsonWriter& value(std::string_view s);
  JsonWriter& value(const char* s) { return value(std::string_view(s)); }
  JsonWriter& value(bool b) { return raw(b ? "true" : "false"); }
  template <std::integral T>
  JsonWriter& value(T number) {
    separate();
    if constexpr (std::signed_integral<T>) {
      append_json_number(out_, static_cast<std::int64_t>(number));
    } else {
      append_json_number(out_, static_cast<std::uint64_t>(number));
    }
    return *this;
  }
  template <std::floating_point T>
  JsonWriter& value(T number) {
    separate();
    append_json_number(out_, number);
    return *this;
  }
  // Appends text that is already JSON, such as a number with a fixed number of decimals.
  JsonWriter& raw(std::string_view json) {
    separate();
    out_ += json;
    return *this;
  }
  template <typename T>
  JsonWriter& member(std::string_view k, const T& v) {
    return key(k).value(v);
  }

  // Begins a new line before the next element, key or closing bracket, after a comma if there is one.
  JsonWriter& line(unsigned indent = 0) {
    line_ = true;
    indent_ = indent;
    return *this;
  }

 private:
  JsonWriter& open(char bracket) {
    separate();
    out_ += bracket;
    comma_ = false;
    return *this;
  }
  JsonWriter& close(char bracket) {
    if (line_) break_line();
    out_ += bracket;
    comma_ = true;
    return *this;
  }
  // Before every value and key.
  void separate() {
    if (comma_) out_ += ',';
    comma_ = true;
    if (line_) break_line();
  }
  void break_line() {
    out_ += '\n';
    out_.append(indent_, ' ');
    line_ = false;
  }

  std::string& out_;
  unsigned indent_ = 0;
  bool comma_ = false;  // an element precedes: the next one needs a comma
  bool line_ = false;
};

}  // namespace convert
