// SPDX-License-Identifier: MIT
// The first bytes of a JSON text, for sniffers: walks over keys and values until what is there ends.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace convert {

class JsonHead {
 public:
  explicit JsonHead(std::string_view text);

  // Goes into the array or object that begins here; false if none does.
  [[nodiscard]] bool open(char bracket) {
    if (peek() != bracket) return false;
    ++at_;
    return true;
  }
  // The next key of this object, as it stands, and goes to its value; nothing at the end.
  [[nodiscard]] std::optional<std::string_view> key();
  // Goes behind the value, and returns it as it stands.
  std::string_view skip();

 private:
  void space();
  // Next character that is not white space, '\0' at the end.
  [[nodiscard]] char peek() {
    space();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  void skip_string();

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace convert
