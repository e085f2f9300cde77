// SPDX-License-Identifier: MIT
#include "common/text.h"

#include <algorithm>

#include "core/words.h"

namespace tools {

void append_wrapped(std::string& out, std::string_view text, std::size_t at, std::size_t indent) {
  constexpr std::size_t line_width = 80;
  bool first = true;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!first && at + 1 + word.size() > line_width) {
      out += '\n' + std::string(indent, ' ');
      at = indent;
      first = true;
    }
    if (!first) {
      out += ' ';
      ++at;
    }
    out += word;
    at += word.size();
    first = false;
  }
  out += '\n';
}

std::string base_name(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos || path.size() == 1 ? path : path.substr(slash + 1);
}

std::string without_folders(const std::string& value) {
  std::vector<std::string> parts = convert::split(value, ',');
  for (std::string& part : parts) {
    const std::size_t file = part.rfind('=') + 1;  // 0 if there is no '='
    const bool is_file = file != 0 && part.find('/', file) != std::string::npos && !part.ends_with("/s");
    if (is_file) part = part.substr(0, file) + base_name(part.substr(file));
  }
  return convert::join(parts, ",");
}

std::string shell_quote(const std::string& word) {
  constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./%@";
  if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
  std::string out = "'";
  for (const char c : word) {
    if (c == '\'') out += "'\\'";
    out += c;
  }
  return out + '\'';
}

}  // namespace tools
