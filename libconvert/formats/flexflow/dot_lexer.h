// SPDX-License-Identifier: MIT
// Lexer of Graphviz dot text with line and column. Reads through a window: memory does not grow with the file.
//
// The lexical rules follow Graphviz's "The DOT Language": names, numerals, "quoted strings", C and C++ comments,
// lines that begin with '#'. HTML strings (<...>) are rejected.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/diagnostic.h"
#include "io/input.h"

namespace convert::flexflow {

struct DotToken {
  enum class Kind : std::uint8_t {
    end,
    word,    // a name or numeral without quotes: may be a keyword
    quoted,  // the text between the quotes, escapes not resolved
    arrow,   // ->
    line,    // --
    symbol,  // one of { } [ ] = ; , + :
  };
  Kind kind = Kind::end;
  std::string_view text;  // valid until the next call of next()
  std::uint32_t line = 1;
  std::uint32_t column = 1;  // in bytes, from 1

  [[nodiscard]] bool is(char symbol) const { return kind == Kind::symbol && text[0] == symbol; }
  [[nodiscard]] bool is_name() const { return kind == Kind::word || kind == Kind::quoted; }
  // Returns whether the token is a keyword of Graphviz; keywords match in any case, but never in quotes.
  [[nodiscard]] bool is_keyword(std::string_view lower) const;
};

// Returns cut_text() on one line, for messages.
[[nodiscard]] std::string shown_text(std::string_view text, std::size_t most);

class DotLexer {
 public:
  static constexpr std::size_t largest_token = std::size_t{1} << 20U;

  explicit DotLexer(Input& input) : input_(input) {}

  // Returns the next token. Throws Error(input) with line and column at an invalid character, an unterminated
  // string or comment, or a token longer than 1 MiB.
  [[nodiscard]] DotToken next();
  [[nodiscard]] Location locate(const DotToken& token) const {
    return {.file = input_.name(), .line = token.line, .column = token.column};
  }

 private:
  // Extends the window; keeps all bytes from token_ on. Returns false at the end of the input.
  bool more();
  [[nodiscard]] bool have(std::size_t n) {
    while (static_cast<std::size_t>(end_ - at_) < n) {
      if (!more()) return false;
    }
    return true;
  }
  void new_line() {  // at_ is after the line break
    ++line_;
    line_begin_ = offset_of(at_);
  }
  [[nodiscard]] std::uint64_t offset_of(const char* at) const {
    return input_.offset() + static_cast<std::uint64_t>(at - base_);
  }
  [[nodiscard]] std::uint32_t column_of(const char* at) const {
    return static_cast<std::uint32_t>(offset_of(at) - line_begin_ + 1);
  }
  void skip_blank();
  bool skip_comment();
  void skip_line();
  void read_quoted(DotToken& token);
  void read_numeral(DotToken& token);
  void read_name(DotToken& token);
  void read_symbol(DotToken& token);
  [[noreturn]] void fail(std::uint32_t line, std::uint32_t column, const std::string& message) const;

  Input& input_;
  // The window: bytes of input_ from base_ (all bytes before it are consumed) to end_.
  const char* base_ = nullptr;
  const char* token_ = nullptr;  // begin of the token in progress
  const char* at_ = nullptr;
  const char* end_ = nullptr;
  std::uint32_t line_ = 1;
  std::uint64_t line_begin_ = 0;  // offset in the input
};

}  // namespace convert::flexflow
