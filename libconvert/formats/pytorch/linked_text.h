// SPDX-License-Identifier: MIT
// JSON as Python's json.dump(indent=4) writes it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace convert {

// A new line, indented for this depth.
inline void append_line(std::string& out, std::size_t depth) {
  out += '\n';
  out.append(4 * depth, ' ');
}
// In quotes, ASCII only; bytes that are not UTF-8 become U+FFFD.
void append_ascii_json(std::string_view text, std::string& out);
// 0.1, 1e-05, NaN, Infinity
void append_json_float(double value, std::string& out);
// Python's text of a value (python_text.h) at this depth of the document. False if it is none, or is nested beyond
// 1000 levels; `out` is then of no use. Not recursive.
[[nodiscard]] bool append_json_of_python(std::string_view text, std::size_t depth, std::string& out);

}  // namespace convert
