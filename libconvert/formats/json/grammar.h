// SPDX-License-Identifier: MIT
// Grammar of JSON values: checks which token may follow which. No recursion: each level of nesting costs one bit.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace convert {

// White space between tokens.
constexpr std::string_view json_space = " \t\r\n";

// The kind of a token, by its first character.
enum class JsonTokenKind : std::uint8_t {
  none,  // not the first character of any token
  open_array,
  open_object,
  close_array,
  close_object,
  comma,
  colon,
  string,
  scalar,  // a number or a word, including the words of Python and C++ for NaN and infinity
};

namespace detail {

constexpr std::array<JsonTokenKind, 256> token_table() {
  std::array<JsonTokenKind, 256> table{};
  for (const char c : {'-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 't', 'f', 'n', 'i', 'N', 'I'}) {
    table[static_cast<unsigned char>(c)] = JsonTokenKind::scalar;
  }
  table['['] = JsonTokenKind::open_array;
  table['{'] = JsonTokenKind::open_object;
  table[']'] = JsonTokenKind::close_array;
  table['}'] = JsonTokenKind::close_object;
  table[','] = JsonTokenKind::comma;
  table[':'] = JsonTokenKind::colon;
  table['"'] = JsonTokenKind::string;
  return table;
}
inline constexpr std::array<JsonTokenKind, 256> json_tokens = token_table();

}  // namespace detail

[[nodiscard]] inline JsonTokenKind json_token(char c) { return detail::json_tokens[static_cast<unsigned char>(c)]; }

// Checker of one value, token by token. The value is complete if depth() is 0 after a token was taken.
class JsonGrammar {
 public:
  // Takes the next token. Returns false if it is not allowed here.
  [[nodiscard]] bool take(JsonTokenKind token) {
    const Step step = steps[state_][static_cast<std::size_t>(token)];
    if (step <= last_state) [[likely]] {
      state_ = step;
      return true;
    }
    if (step == bad) return false;
    if (step == close) {
      pop();
    } else {
      push(step == open_object);
    }
    return true;
  }
  // Returns whether a token is allowed here.
  [[nodiscard]] bool takes(JsonTokenKind token) const {
    return steps[state_][static_cast<std::size_t>(token)] != bad;
  }
  [[nodiscard]] std::size_t depth() const { return depth_; }
  // Returns whether the innermost open bracket opens an object.
  [[nodiscard]] bool in_object() const { return depth_ != 0 && (objects_ & 1U) != 0; }
  // Returns a description of what is allowed here: "a value is expected".
  [[nodiscard]] const char* expected() const { return texts[state_]; }

 private:
  // State: the allowed next token.
  enum Step : std::uint8_t {
    value,         // the value of the document
    array_first,   // a value or ]
    array_value,   // a value
    array_comma,   // , or ]
    object_first,  // a key or }
    object_key,
    object_colon,
    object_value,
    object_comma,  // , or }
    done,
    last_state = done,
    open_array,
    open_object,
    close,
    bad,
  };
  static constexpr std::array<const char*, 10> texts = {
      "a value is expected",      "a value or ']' is expected", "a value is expected", "',' or ']' is expected",
      "a key or '}' is expected", "a key is expected",          "':' is expected",     "a value is expected",
      "',' or '}' is expected",   "nothing more is expected"};
  using Row = std::array<Step, 9>;  // by JsonTokenKind
  static constexpr std::array<Row, 10> steps = {{
      {bad, open_array, open_object, bad, bad, bad, bad, done, done},
      {bad, open_array, open_object, close, bad, bad, bad, array_comma, array_comma},
      {bad, open_array, open_object, bad, bad, bad, bad, array_comma, array_comma},
      {bad, bad, bad, close, bad, array_value, bad, bad, bad},
      {bad, bad, bad, bad, close, bad, bad, object_colon, bad},
      {bad, bad, bad, bad, bad, bad, bad, object_colon, bad},
      {bad, bad, bad, bad, bad, bad, object_value, bad, bad},
      {bad, open_array, open_object, bad, bad, bad, bad, object_comma, object_comma},
      {bad, bad, bad, bad, close, object_key, bad, bad, bad},
      {bad, bad, bad, bad, bad, bad, bad, bad, bad},
  }};

  void push(bool object) {
    if (depth_ % 64 == 0 && depth_ != 0) {
      outer_.push_back(objects_);
      objects_ = 0;
    }
    objects_ = objects_ << 1U | (object ? 1U : 0U);
    ++depth_;
    state_ = object ? object_first : array_first;
  }
  void pop() {
    --depth_;
    objects_ >>= 1U;
    if (depth_ % 64 == 0 && depth_ != 0) {
      objects_ = outer_.back();
      outer_.pop_back();
    }
    state_ = depth_ == 0 ? done : (objects_ & 1U) != 0 ? object_comma : array_comma;
  }

  Step state_ = value;
  std::size_t depth_ = 0;
  std::uint64_t objects_ = 0;         // a bit per open bracket, set for objects; the innermost in the lowest bit
  std::vector<std::uint64_t> outer_;  // the bits of outer brackets, 64 in each number
};

}  // namespace convert
