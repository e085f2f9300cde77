// SPDX-License-Identifier: MIT
#include "calibrate/read/text_proto.h"

#include <algorithm>
#include <string>

namespace convert {
namespace {

constexpr std::string_view proto_ends = " \t\r\n\f\v{}<>[]:,;\"'#";

}  // namespace

char TextProto::peek() {
  for (; at_ < text_.size(); ++at_) {
    const char c = text_[at_];
    if (c == '\n') {
      ++line_;
    } else if (c == '#') {
      at_ = std::min(text_.find('\n', at_), text_.size()) - 1;
    } else if (c != ' ' && c != '\t' && c != '\r' && c != '\f' && c != '\v') {
      if (c == '\0') throw failure("a zero byte");
      return c;
    }
  }
  return '\0';
}

Error TextProto::failure(const char* message) const {
  std::string text = std::string("malformed text protobuf: ") + message;
  text += at_ >= text_.size() ? ", but the text ends"
                              : ", not " + shown_word(text_.substr(at_, text_.find_first_of("\r\n", at_) - at_));
  return source_.failure(line_, text);
}

std::string_view TextProto::word() {
  (void)peek();
  const std::size_t end = std::min(text_.find_first_of(proto_ends, at_), text_.size());
  if (end == at_) throw failure("a name or a value is expected");
  const std::string_view found = text_.substr(at_, end - at_);
  at_ = end;
  return found;
}

std::string_view TextProto::quoted() {
  const char quote = text_[at_];
  for (std::size_t i = at_ + 1; i < text_.size() && text_[i] != '\n'; ++i) {
    if (text_[i] == '\\') {
      ++i;
    } else if (text_[i] == quote) {
      const std::string_view found = text_.substr(at_ + 1, i - at_ - 1);
      at_ = i + 1;
      return found;
    }
  }
  throw failure("a string that ends in its line is expected");
}

std::string_view TextProto::scalar() {
  const auto is_quote = [](char c) { return c == '"' || c == '\''; };
  if (!is_quote(peek())) return word();
  const std::string_view first = quoted();
  while (is_quote(peek())) (void)quoted();  // a string may be written in pieces
  return first;
}

void TextProto::skip() {
  std::size_t depth = 0;
  do {
    const char c = peek();
    if (c == '{' || c == '<' || c == '[') {
      ++depth;
      ++at_;
    } else if (depth > 0 && (c == '}' || c == '>' || c == ']')) {
      --depth;
      ++at_;
    } else if (depth > 0 && (c == ':' || c == ',' || c == ';')) {
      ++at_;
    } else {
      (void)scalar();
    }
  } while (depth > 0);
}

}  // namespace convert
