// SPDX-License-Identifier: MIT
// Walks over keys and values of a JSON text, of which sniffers have only the beginning.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string_view>

namespace convert {

class JsonHead {
 public:
  explicit JsonHead(std::string_view text);

  // Enters the array ('[') or object ('{') that begins here. Returns false, and stays, if another value does.
  [[nodiscard]] bool open(char bracket) {
    if (peek() != bracket) return false;
    ++at_;
    return true;
  }
  // Leaves the array or object that ends here. Returns false, and stays, if it does not.
  [[nodiscard]] bool close(char bracket) { return open(bracket); }
  // Returns the next key of this object, escapes and all, and goes to its value; nothing at the end of the object.
  [[nodiscard]] std::optional<std::string_view> key();
  // Returns whether this object has one of these keys, and goes to the value of the first.
  [[nodiscard]] bool has_key(std::initializer_list<std::string_view> keys);
  // Skips the value, and returns it as it stands.
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
