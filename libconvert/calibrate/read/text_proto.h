// SPDX-License-Identifier: MIT
// Cursor over a text protobuf: fields in the order of the text, each with its line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "calibrate/read/source.h"

namespace convert {

// Members throw Error(input) with the line for malformed text. No member recurses by itself.
class TextProto {
 public:
  explicit TextProto(const BenchmarkSource& source) : source_(source), text_(source.text) {}

  // Calls take(name) for each field of the document, or of the message at the cursor. take() must consume the
  // field's value by one of the members.
  template <class Take>
  void document(const Take& take) {
    fields('\0', take);
  }
  template <class Take>
  void message(const Take& take) {
    if (peek() != '{' && peek() != '<') throw failure("a message is expected");
    const char close = text_[at_++] == '{' ? '}' : '>';
    fields(close, take);
  }
  // Calls take(text) for the scalar, or for each of a list of scalars. The text of a string is without quotes, its
  // escapes not resolved; of several pieces, the first.
  template <class Take>
  void scalars(const Take& take) {
    if (peek() != '[') return take(scalar());
    ++at_;
    while (peek() != ']') {
      take(scalar());
      if (peek() == ',') ++at_;
    }
    ++at_;
  }
  void skip();
  // Returns the line of the cursor.
  [[nodiscard]] std::uint32_t line() const { return line_; }

 private:
  template <class Take>
  void fields(char close, const Take& take) {
    while (peek() != close) {
      const std::string_view name = word();
      if (peek() == ':') ++at_;
      (void)peek();
      take(name);
      if (peek() == ',' || peek() == ';') ++at_;
    }
    if (close != '\0') ++at_;
  }
  // Skips white space and comments. Returns the next character; a zero byte at the end of the text.
  [[nodiscard]] char peek();
  std::string_view word();
  std::string_view scalar();
  std::string_view quoted();
  [[nodiscard]] Error failure(const char* message) const;

  const BenchmarkSource& source_;
  std::string_view text_;
  std::size_t at_ = 0;
  std::uint32_t line_ = 1;
};

}  // namespace convert
