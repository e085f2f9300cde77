// SPDX-License-Identifier: MIT
// Reads a JSON document whose bulk is one array, item by item through a window: memory does not grow with the file,
// and its size has no limit.
//
// simdjson's first stage finds the tokens of a window, at the speed of memory. Its on-demand front end needs the
// whole document at once (less than 4 GiB, and as much again for the tokens), so the cursor here is etkit's own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "core/diagnostic.h"
#include "formats/json/grammar.h"
#include "formats/json/tokens.h"
#include "io/input.h"

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
  friend class JsonStream;
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

// Appends the text of a string without escapes; lone surrogates become U+FFFD. Throws BadJson on an unknown escape.
void append_unescaped(std::string& out, std::string_view raw);
// Returns the text of a string without escapes; `scratch` holds it if there are escapes.
[[nodiscard]] std::string_view unescaped(std::string_view raw, std::string& scratch);

// Throws BadJson if `token` is none of string, number, true, false, null and the words for NaN and infinity of
// Python and C++, which PyTorch writes: NaN, Infinity, -Infinity, nan, -nan, inf, -inf.
void check_json_scalar(std::string_view token);

// Receives the items of a document.
class JsonItems {
 public:
  virtual ~JsonItems() = default;
  // Reads one member of the outermost object, other than the array. Must read all of it, as element() must. After
  // OutOfWindow the member comes again, so an incomplete call must have no effect.
  virtual void member(std::string_view key, JsonCursor& in) = 0;
  virtual void element(JsonCursor& in) = 0;
  // Undoes the element in progress, which went on after the window and comes again.
  virtual void undo() = 0;
};

class JsonStream {
 public:
  static constexpr std::size_t usual_window = std::size_t{1} << 20U;
  static constexpr std::size_t largest_item = std::size_t{1} << 30U;

  // The array is the member `array` of the outermost object, or, only with `bare`, the document itself. The window
  // has `window` bytes, or more for an item that needs them; read_some() refuses an item of `largest` bytes.
  JsonStream(Input& input, std::string_view array, bool bare, std::size_t window = usual_window,
             std::size_t largest = largest_item);
  ~JsonStream();
  JsonStream(const JsonStream&) = delete;
  JsonStream& operator=(const JsonStream&) = delete;

  // Passes the items of a window to `items`. Returns false at the end of the document. Throws Error(input) with
  // line and column at malformed text, and where `items` throws BadJson or Error(input) without a file.
  [[nodiscard]] bool read_some(JsonItems& items);
  void read_all(JsonItems& items) {
    while (read_some(items)) {
    }
  }
  [[nodiscard]] bool seen_array() const { return seen_array_; }
  // Returns the line of a place in the item in progress.
  [[nodiscard]] std::uint64_t line_of(const char* at) const;

 private:
  enum class State : std::uint8_t { start, members, elements, end };
  struct Tokenizer;

  void item(JsonItems& items);
  void member(JsonItems& items);
  void refill();
  void fill();
  void tokenize(std::size_t cut);
  void drop(std::size_t done);
  [[nodiscard]] const char* begin_of_item(const char* from) const;
  [[nodiscard]] Location locate(const char* at) const;
  [[noreturn]] void fail(const char* at, const std::string& what) const;

  Input& input_;
  std::string array_;
  bool bare_;
  std::size_t window_;
  std::size_t largest_;
  std::unique_ptr<Tokenizer> tokenizer_;
  std::unique_ptr<char[]> buffer_;
  std::size_t capacity_ = 0;  // without the padding
  std::size_t filled_ = 0;
  std::size_t cut_ = 0;  // end of the window
  char behind_ = 0;      // the byte of the text at cut_, where the window has its zero byte
  bool exhausted_ = false;
  const char* open_string_ = nullptr;  // that does not end in the window
  const char* bad_text_ = nullptr;     // the window ends at it
  const char* bad_text_is_ = nullptr;
  // The place of the buffer's beginning: its offset in the document, its line, and the bytes before it in that
  // line.
  std::uint64_t offset_ = 0;
  std::uint64_t line_ = 1;
  std::uint64_t column_ = 0;
  // The last place in the document whose line was counted, and that line.
  mutable std::uint64_t counted_to_ = 0;
  mutable std::uint64_t counted_lines_ = 1;
  JsonCursor cursor_;
  State state_ = State::start;
  bool first_ = true;
  bool in_element_ = false;
  bool seen_array_ = false;
  std::set<std::string, std::less<>> members_;  // that were read
};

}  // namespace convert
