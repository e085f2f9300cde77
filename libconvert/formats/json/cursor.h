// SPDX-License-Identifier: MIT
// JSON token cursor. simdjson's first stage finds the tokens (window.h) at memory speed. simdjson's on-demand front
// end is not used because it needs the whole document at once, below 4 GiB, plus the same amount of memory for
// tokens.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "formats/json/grammar.h"
#include "formats/json/tokens.h"

namespace convert {

// Cursor over the tokens of a window. Members throw BadJson on malformed text, and OutOfWindow if the item
// continues after the window. No member recurses.
class JsonCursor {
 public:
  struct OutOfWindow {};

  // Returns the first byte of the current token, '\0' after the last one.
  [[nodiscard]] char peek() const { return *here(); }
  [[nodiscard]] const char* here() const { return base_ + *token_; }
  void next() { ++token_; }
  // Returns the start of the last consumed token.
  [[nodiscard]] const char* last() const { return base_ + token_[-1]; }
  // Returns the number of tokens from `begin`, a cursor of the same window, to this cursor.
  [[nodiscard]] std::size_t tokens_since(const JsonCursor& begin) const {
    return static_cast<std::size_t>(token_ - begin.token_);
  }
  // Skips `n` tokens that starts_with() has compared.
  void skip_tokens(std::size_t n) { token_ += n; }
  // Returns whether the text from the current token on, including white space, begins with `text`.
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
  // Consumes a string and returns its contents, escapes not resolved.
  std::string_view string() {
    if (peek() != '"') [[unlikely]]
      fail("a string is expected");
    const std::string_view s = token();
    ++token_;
    return s.substr(1, s.size() - 2);
  }
  // Consumes a string, number or word and returns its text. check_json_scalar() checks that it is JSON.
  std::string_view scalar() {
    if (json_token(peek()) < JsonTokenKind::string) [[unlikely]]
      fail("a value is expected");
    const std::string_view s = token();
    ++token_;
    return s;
  }
  // Consumes an unsigned integer of at most 18 digits. Consumes nothing and returns false if the value is another
  // one.
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
  // Consume an object or array. each() is called once per member or element and must consume all of it.
  template <typename Each>
  void object(const Each& each) {
    list('{', '}', each);
  }
  template <typename Each>
  void array(const Each& each) {
    list('[', ']', each);
  }
  // Consumes any value and returns its text, including brackets. Checks brackets, commas and colons, but not
  // scalars.
  std::string_view skip() { return json_token(peek()) >= JsonTokenKind::string ? scalar() : skip_brackets(false); }
  // Consumes any value, checks all of it, and returns its text.
  std::string_view value();
  [[noreturn]] void fail(const char* what) const;

 private:
  friend class JsonWindow;
  // Returns the text from this token to the next one, without trailing white space.
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
  const char* end_ = nullptr;  // end of the window, where there is a zero byte
  const std::uint32_t* token_ = nullptr;
};

enum class LoneSurrogates : std::uint8_t { replaced, refused };
// Appends the contents of a string with escapes resolved. Lone surrogates become U+FFFD, or throw BadJson if
// refused. Unknown escapes throw BadJson.
void append_unescaped(std::string& out, std::string_view raw, LoneSurrogates lone = LoneSurrogates::replaced);
// Returns the contents of a string with escapes resolved; stored in `scratch` if there are escapes.
[[nodiscard]] std::string_view unescaped(std::string_view raw, std::string& scratch);

// Throws BadJson if `token` is not a string, number, true, false or null. Also accepts the words for NaN and
// infinity of Python and C++, which PyTorch writes: NaN, Infinity, -Infinity, nan, -nan, inf, -inf.
void check_json_scalar(std::string_view token);

}  // namespace convert
