// SPDX-License-Identifier: MIT
// Reads JSON token by token. simdjson's first stage finds the tokens (window.h), at the speed of memory; its
// on-demand front end needs the whole document at once (less than 4 GiB, and as much again for the tokens), so this
// cursor is etkit's own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "formats/json/grammar.h"
#include "formats/json/tokens.h"

namespace convert {

// Reads the tokens of a window from a place on. Members throw BadJson on malformed text, and OutOfWindow if the
// item goes on after the window. Nothing recurses.
class JsonCursor {
 public:
  struct OutOfWindow {};

  // Returns the first byte of the token, '\0' after the last one.
  [[nodiscard]] char peek() const { return *here(); }
  [[nodiscard]] const char* here() const { return base_ + *token_; }
  void next() { ++token_; }
  // Returns where the token begins that was taken last.
  [[nodiscard]] const char* last() const { return base_ + token_[-1]; }
  // Returns how many tokens there are from that cursor, of the same window, to this one.
  [[nodiscard]] std::size_t tokens_since(const JsonCursor& begin) const {
    return static_cast<std::size_t>(token_ - begin.token_);
  }
  // Skips `n` tokens, which starts_with() has compared.
  void skip_tokens(std::size_t n) { token_ += n; }
  // Returns whether the text from this token on, tokens and white space, begins with `text`.
  [[nodiscard]] bool starts_with(std::string_view text) const {
    return static_cast<std::size_t>(end_ - here()) >= text.size() && same(here(), text.data(), text.size());
  }

  [[nodiscard]] bool take(char c) {
    if (peek() != c) return false;
    ++token_;
    return true;
  }
  void expect(char c) {
    if (!take(c)) [[unlikely]]
      fail_expected(c);
  }
  // Takes a string and returns its contents as they stand, escapes and all.
  std::string_view string() {
    if (peek() != '"') [[unlikely]]
      fail("a string is expected");
    const std::string_view s = token();
    ++token_;
    return s.substr(1, s.size() - 2);
  }
  // Takes a string, number or word and returns it as it stands: check_json_scalar() tells whether it is JSON.
  std::string_view scalar() {
    if (json_token(peek()) < JsonTokenKind::string) [[unlikely]]
      fail("a value is expected");
    const std::string_view s = token();
    ++token_;
    return s;
  }
  // Takes an integer of at most 18 digits and no sign; takes nothing if another value stands here.
  [[nodiscard]] bool small_integer(std::uint64_t& value) {
    const char* const begin = here();
    const char* p = begin;
    std::uint64_t sum = 0;
    for (unsigned digit = 0; (digit = static_cast<unsigned char>(*p) - unsigned{'0'}) < 10; ++p)
      sum = sum * 10 + digit;
    const auto digits = p - begin;
    if (digits == 0 || digits > 18 || (digits > 1 && *begin == '0') || !ends_scalar(*p)) return false;
    ++token_;
    value = sum;
    return true;
  }
  // Take an object or array: call each() once for every member or element, which takes all of it.
  template <typename Each>
  void object(const Each& each) {
    list('{', '}', each);
  }
  template <typename Each>
  void array(const Each& each) {
    list('[', ']', each);
  }
  // Takes any value and returns its text, brackets and all. Checks brackets, commas and colons, but not scalars.
  std::string_view skip() { return json_token(peek()) >= JsonTokenKind::string ? scalar() : skip_brackets(false); }
  // Takes any value, checks all of it, and returns its text.
  std::string_view value();
  [[noreturn]] void fail(const char* what) const;

 private:
  friend class JsonWindow;
  // Returns the text from this token to the next one, without the white space between.
  [[nodiscard]] std::string_view token() const {
    const char* const begin = here();
    const char* end = base_ + token_[1];
    while (end != begin && static_cast<unsigned char>(end[-1]) <= ' ' && is_space(end[-1])) --end;
    return {begin, static_cast<std::size_t>(end - begin)};
  }
  static bool same(const char* a, const char* b, std::size_t n) {
    return std::char_traits<char>::compare(a, b, n) == 0;
  }
  static bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }
  static bool ends_scalar(char c) { return c == ',' || c == '}' || c == ']' || is_space(c); }
  template <typename Each>
  void list(char open, char close, const Each& each) {
    expect(open);
    if (take(close)) return;
    do {
      each();
    } while (take(','));
    expect(close);
  }
  std::string_view skip_brackets(bool check_scalars);
  [[noreturn]] void fail_expected(char c) const;

  const char* base_ = nullptr;
  const char* end_ = nullptr;  // of the window; a zero byte stands there
  const std::uint32_t* token_ = nullptr;
};

enum class LoneSurrogates : std::uint8_t { replaced, refused };
// Appends the text of a string without escapes; lone surrogates become U+FFFD, or throw BadJson as unknown escapes
// do.
void append_unescaped(std::string& out, std::string_view raw, LoneSurrogates lone = LoneSurrogates::replaced);
// Returns the text of a string without escapes; `scratch` holds it if there are escapes.
[[nodiscard]] std::string_view unescaped(std::string_view raw, std::string& scratch);

// Throws BadJson if `token` is none of string, number, true, false, null and the words for NaN and infinity of
// Python and C++, which PyTorch writes: NaN, Infinity, -Infinity, nan, -nan, inf, -inf.
void check_json_scalar(std::string_view token);

}  // namespace convert
