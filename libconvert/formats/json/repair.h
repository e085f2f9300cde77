// SPDX-License-Identifier: MIT
// Repair of malformed but unambiguous JSON text for a parser.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "formats/json/grammar.h"
#include "io/input.h"

namespace convert {

// A position in a text: number of bytes before it, line (from 1), number of bytes before it in the line.
struct JsonPlace {
  std::uint64_t offset = 0;
  std::uint64_t line = 1;
  std::uint64_t column = 0;
};

enum class JsonFault : std::uint8_t {
  missing_comma,      // before a key, or between brackets
  surplus_comma,      // before a closing bracket, or beside another comma
  raw_quote,          // in a string, without a backslash
  control_character,  // in a string: a line break, a tab, …
  raw_backslash,      // in a string, if it does not begin an escape
  not_utf8,           // a byte in a string
  count_
};

// Number of repairs of one kind, and the first position.
struct JsonRepairs {
  std::uint64_t count = 0;
  JsonPlace first;
};

// Stream of the repaired text. Text without these faults passes unchanged. After a fault of another kind, or an
// ambiguous fault, all text passes unchanged, so that the parser reports the fault. Memory does not grow with the
// text, except for one bit per open bracket.
class RepairedJson final : public Input {
 public:
  // The text is `begin`, at `place` of the whole text, followed by the rest of `input`. `grammar` is the state
  // after the text before; the last token is a closing bracket if `after_bracket`.
  RepairedJson(Input& input, std::string begin, JsonPlace place, JsonGrammar grammar, bool after_bracket)
      : Input(input.name(), std::nullopt),
        input_(input),
        raw_(std::move(begin)),
        place_(place),
        grammar_(std::move(grammar)),
        after_bracket_(after_bracket) {}

  [[nodiscard]] std::optional<std::uint64_t> compressed_bytes() const override { return input_.compressed_bytes(); }
  [[nodiscard]] const JsonRepairs& repairs(JsonFault fault) const { return repairs_[std::size_t(fault)]; }

  // Position of the text that follows a repair.
  struct Edit {
    std::uint64_t offset = 0;  // in the repaired text
    JsonPlace place;           // in the original text
  };
  // Returns the last repair in (from, to] of the repaired text, or null. Drops repairs up to `from`.
  [[nodiscard]] const Edit* last_edit(std::uint64_t from, std::uint64_t to);

 protected:
  std::size_t fill(char* to, std::size_t n) override;

 private:
  void step();
  void token();
  void comma();
  void string();
  void quote();
  [[nodiscard]] bool need(std::size_t n);
  [[nodiscard]] char at(std::size_t i) const { return i < raw_.size() ? raw_[i] : '\0'; }
  [[nodiscard]] std::size_t after_space(std::size_t i) const;
  [[nodiscard]] std::size_t after_string(std::size_t i) const;
  [[nodiscard]] bool is_key(std::size_t i) const;
  [[nodiscard]] bool closes(std::size_t i) const;
  [[nodiscard]] bool take(JsonTokenKind kind);
  void copy(std::size_t n);
  void replace(JsonFault fault, std::size_t n, std::string_view with);
  void advance(std::size_t n);

  static constexpr std::size_t ahead = std::size_t{1} << 16U;  // lookahead in bytes
  Input& input_;
  std::string raw_;
  std::size_t at_ = 0;  // index of place_ in raw_
  JsonPlace place_;
  bool ended_ = false;  // raw_ holds the end of the text
  JsonGrammar grammar_;
  bool after_bracket_;
  bool in_string_ = false, key_ = false, in_object_ = false;
  bool given_up_ = false;
  std::string out_;
  std::size_t taken_ = 0;         // bytes of out_ already returned
  std::uint64_t out_offset_ = 0;  // offset of the end of out_ in the repaired text
  std::deque<Edit> edits_;
  std::array<JsonRepairs, std::size_t(JsonFault::count_)> repairs_;
};

}  // namespace convert
