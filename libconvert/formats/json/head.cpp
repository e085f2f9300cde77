// SPDX-License-Identifier: MIT
#include "formats/json/head.h"

#include <algorithm>

#include "util/utf8.h"

namespace convert {

JsonHead::JsonHead(std::string_view text) : text_(without_mark(text)) {}

void JsonHead::space() { at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size()); }

void JsonHead::skip_string() {
  for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
    if (text_[at_] == '\\') ++at_;
  }
  at_ = std::min(at_ + 1, text_.size());
}

std::optional<std::string_view> JsonHead::key() {
  if (peek() == ',') ++at_;
  if (peek() != '"') return std::nullopt;
  const std::size_t begin = at_;
  skip_string();
  const std::size_t end = at_;
  if (peek() != ':') return std::nullopt;
  ++at_;
  return text_.substr(begin + 1, end - begin - 2);
}

bool JsonHead::has_key(std::initializer_list<std::string_view> keys) {
  for (auto own = key(); own; own = key()) {
    if (std::ranges::find(keys, *own) != keys.end()) return true;
    (void)skip();
  }
  return false;
}

std::string_view JsonHead::skip() {
  space();
  const std::size_t begin = at_;
  std::size_t depth = 0;
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c == '"') {
      skip_string();
      if (depth == 0) break;
      continue;
    }
    const bool closes = c == '}' || c == ']';
    if (depth == 0 && (closes || c == ',')) break;
    ++at_;
    if (c == '{' || c == '[') ++depth;
    if (closes && --depth == 0) break;
  }
  return text_.substr(begin, at_ - begin);
}

}  // namespace convert
