// SPDX-License-Identifier: MIT
#include "formats/flexflow/dot_lexer.h"

#include <algorithm>
#include <array>

#include "util/utf8.h"

namespace convert::flexflow {
namespace {

enum class Class : std::uint8_t { other, blank, letter, digit, symbol };

constexpr auto class_table = [] {
  std::array<Class, 256> table{};
  for (const char c : std::string_view(" \t\r\n\f\v")) table[static_cast<unsigned char>(c)] = Class::blank;
  for (const char c : std::string_view("{}[]=;,+:")) table[static_cast<unsigned char>(c)] = Class::symbol;
  for (unsigned c = '0'; c <= '9'; ++c) table[c] = Class::digit;
  for (unsigned c = 'a'; c <= 'z'; ++c) table[c] = table[c - 'a' + 'A'] = Class::letter;
  for (unsigned c = 0x80; c < 0x100; ++c) table[c] = Class::letter;
  table['_'] = Class::letter;
  return table;
}();

Class class_of(char c) { return class_table[static_cast<unsigned char>(c)]; }

std::string shown_byte(char c) {
  const auto byte = static_cast<unsigned char>(c);
  if (byte > 0x20 && byte < 0x7f) return std::string("'") + c + "'";
  constexpr std::string_view digits = "0123456789abcdef";
  return std::string("byte 0x") + digits[byte >> 4U] + digits[byte & 0xfU];
}

}  // namespace

std::string shown_text(std::string_view text, std::size_t most) {
  std::string out = cut_text(text, most);
  std::replace_if(
      out.begin(), out.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
  return out;
}

bool DotToken::is_keyword(std::string_view lower) const {
  if (kind != Kind::word || text.size() != lower.size()) return false;
  return std::equal(text.begin(), text.end(), lower.begin(),
                    [](char c, char l) { return c == l || (c >= 'A' && c <= 'Z' && c - 'A' + 'a' == l); });
}

void DotLexer::fail(std::uint32_t line, std::uint32_t column, const std::string& message) const {
  throw input_error({.file = input_.name(), .line = line, .column = column}, message);
}

bool DotLexer::more() {
  const auto kept = static_cast<std::size_t>(end_ - token_);
  const auto done = static_cast<std::size_t>(at_ - token_);
  if (kept > largest_token) fail(line_, column_of(token_), "a name or string longer than 1 MiB");
  input_.skip(static_cast<std::size_t>(token_ - base_));
  const std::string_view window = input_.peek(kept + 1);
  base_ = token_ = window.data();
  at_ = base_ + done;
  end_ = base_ + window.size();
  return window.size() > kept;
}

void DotLexer::skip_line() {
  for (;;) {
    at_ = std::find(at_, end_, '\n');
    token_ = at_;
    if (at_ != end_ || !more()) return;
  }
}

// Skips a comment at a '/'. Returns false if no comment begins there.
bool DotLexer::skip_comment() {
  const std::uint32_t line = line_, column = column_of(at_);
  if (!have(2) || (at_[1] != '/' && at_[1] != '*')) return false;
  if (at_[1] == '/') {
    skip_line();
    return true;
  }
  at_ += 2;
  for (;;) {
    token_ = at_;
    if (!have(2)) fail(line, column, "unterminated comment");
    const char c = *at_++;
    if (c == '\n') new_line();
    if (c == '*' && *at_ == '/') {
      ++at_;
      return true;
    }
  }
}

void DotLexer::skip_blank() {
  for (;;) {
    token_ = at_;
    if (at_ == end_ && !more()) return;
    const char c = *at_;
    if (class_of(c) == Class::blank) {
      ++at_;
      if (c == '\n') new_line();
    } else if (c == '/') {
      if (!skip_comment()) return;
    } else if (c == '#' && offset_of(at_) == line_begin_) {  // inserted by a preprocessor
      skip_line();
    } else if (c == '\xef' && offset_of(at_) == 0 && have(3) && at_[1] == '\xbb' && at_[2] == '\xbf') {
      at_ += 3;  // byte order mark
      line_begin_ = offset_of(at_);
    } else {
      return;
    }
  }
}

DotToken DotLexer::next() {
  skip_blank();
  token_ = at_;
  DotToken token{.kind = DotToken::Kind::end, .text = {}, .line = line_, .column = column_of(at_)};
  if (at_ == end_) return token;
  switch (class_of(*at_)) {
    case Class::letter: read_name(token); break;
    case Class::digit: read_numeral(token); break;
    case Class::symbol:
      token.kind = DotToken::Kind::symbol;
      token.text = {at_++, 1};
      break;
    default: read_symbol(token);
  }
  return token;
}

void DotLexer::read_name(DotToken& token) {
  for (;;) {
    while (at_ != end_ && (class_of(*at_) == Class::letter || class_of(*at_) == Class::digit)) ++at_;
    if (at_ != end_ || !more()) break;
  }
  token.kind = DotToken::Kind::word;
  token.text = {token_, static_cast<std::size_t>(at_ - token_)};
}

// Reads [-](.digits | digits[.digits]), not followed by a letter or '.'.
void DotLexer::read_numeral(DotToken& token) {
  bool point = false;
  bool digits = false;
  if (*at_ == '-') ++at_;
  for (; have(1); ++at_) {
    if (class_of(*at_) == Class::digit) {
      digits = true;
    } else if (*at_ == '.' && !point) {
      point = true;
    } else {
      break;
    }
  }
  const bool joined = have(1) && (class_of(*at_) == Class::letter || *at_ == '.');
  if (!digits || joined) {
    const std::string_view found(token_, static_cast<std::size_t>(at_ - token_) + (joined ? 1 : 0));
    fail(token.line, token.column,
         "'" + shown_text(found, 40) + "' is neither a name nor a number; put it in quotes");
  }
  token.kind = DotToken::Kind::word;
  token.text = {token_, static_cast<std::size_t>(at_ - token_)};
}

void DotLexer::read_symbol(DotToken& token) {
  const char c = *at_;
  if (c == '"') return read_quoted(token);
  if (c == '.') return read_numeral(token);
  if (c == '-' && have(2)) {
    if (at_[1] == '>' || at_[1] == '-') {
      token.kind = at_[1] == '>' ? DotToken::Kind::arrow : DotToken::Kind::line;
      token.text = {at_, 2};
      at_ += 2;
      return;
    }
    if (class_of(at_[1]) == Class::digit || at_[1] == '.') return read_numeral(token);
  }
  if (c == '<') fail(token.line, token.column, "an HTML string is not part of a task graph");
  fail(token.line, token.column, "unexpected " + shown_byte(*at_));
}

void DotLexer::read_quoted(DotToken& token) {
  ++at_;
  for (;;) {
    while (at_ != end_ && *at_ != '"' && *at_ != '\\' && *at_ != '\n') ++at_;
    if (at_ == end_) {
      if (more()) continue;
      fail(token.line, token.column, "unterminated string");
    }
    if (*at_ == '"') break;
    if (*at_ == '\\') {
      ++at_;
      if (!have(1)) continue;  // the loop reports the end
    }
    if (*at_++ == '\n') new_line();
  }
  token.kind = DotToken::Kind::quoted;
  token.text = {token_ + 1, static_cast<std::size_t>(at_ - token_) - 1};
  ++at_;
}

}  // namespace convert::flexflow
