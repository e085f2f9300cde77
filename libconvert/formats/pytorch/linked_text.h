// SPDX-License-Identifier: MIT
// Writer of JSON in the form of Python's json.dump(indent=4).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace convert {

// Begins a new line with the indentation of this depth.
inline void append_line(std::string& out, std::size_t depth) {
  out += '\n';
  out.append(4 * depth, ' ');
}
// Appends a string in quotes, ASCII only; bytes that are not UTF-8 become U+FFFD.
void append_ascii_json(std::string_view text, std::string& out);
// Appends the shortest number that reads back equal, in the form of Python's json: 0.1, 1e-05, NaN, Infinity.
void append_json_float(double value, std::string& out);
// Appends a value given as Python's text of it (python_text.h), at this depth of the document. Returns false if the
// text is malformed or nested deeper than 1000 levels; `out` is then unusable. Not recursive.
[[nodiscard]] bool append_json_of_python(std::string_view text, std::size_t depth, std::string& out);

}  // namespace convert
