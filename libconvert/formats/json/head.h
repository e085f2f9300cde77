// SPDX-License-Identifier: MIT
// Walk over the keys and values of a JSON text, for sniffers, which have only its beginning.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string_view>

namespace convert {

class JsonHead {
 public:
  explicit JsonHead(std::string_view text);

  // Enters the array ('[') or object ('{') at the current position. Returns false, without moving, for another
  // value.
  [[nodiscard]] bool open(char bracket) {
    if (peek() != bracket) return false;
    ++at_;
    return true;
  }
  // Leaves the array or object at its end. Returns false, without moving, if it does not end here.
  [[nodiscard]] bool close(char bracket) { return open(bracket); }
  // Returns the next key of the object, escapes not resolved, and moves to its value; nothing at the end of the
  // object.
  [[nodiscard]] std::optional<std::string_view> key();
  // Returns whether the object has one of these keys, and moves to the value of the first match.
  [[nodiscard]] bool has_key(std::initializer_list<std::string_view> keys);
  // Skips the value and returns its text.
  std::string_view skip();

 private:
  void space();
  // Returns the next character that is not white space, '\0' at the end.
  [[nodiscard]] char peek() {
    space();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  void skip_string();

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace convert
