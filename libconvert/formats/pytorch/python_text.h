// SPDX-License-Identifier: MIT
// Writer of JSON values in the form of Python's str(), which Chakra's inputs and outputs have.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "formats/json/cursor.h"

namespace convert {

// Growing buffer of characters; one check of its room serves many characters.
class TextBuffer {
 public:
  // Returns `at`, or its new position in a larger buffer, with room for n more characters.
  [[nodiscard]] char* reserve(char* at, std::size_t n) {
    if (static_cast<std::size_t>(end_ - at) >= n) [[likely]]
      return at;
    return grow(at, n);
  }
  [[nodiscard]] char* begin() { return data_.get(); }
  [[nodiscard]] std::string_view view(const char* end) const {
    return {data_.get(), static_cast<std::size_t>(end - data_.get())};
  }

 private:
  char* grow(const char* at, std::size_t n);
  std::unique_ptr<char[]> data_;
  char* end_ = nullptr;
};

// Writes the value at the cursor to `at`, a position in `to`, and returns the end: [1, 2.0, 'cuda:0', True, None].
// Throws BadJson if the text is not JSON; NaN, Infinity, nan and inf are accepted as numbers. Not recursive.
[[nodiscard]] char* write_python_text(JsonCursor& in, TextBuffer& to, char* at);

// Appends the shortest digits that read back equal, as Python's repr(): 0.1, 1e-05, 1e+16, 2.0, nan, inf.
void append_python_float(std::string& out, double value);
// Appends 'text' or "it's"; escapes characters that are not printable in Python.
void append_python_string(std::string& out, std::string_view text);

}  // namespace convert
