// SPDX-License-Identifier: MIT
#include "formats/kineto/input_bytes.h"

#include <charconv>
#include <cstddef>
#include <optional>

#include "core/element_type.h"

namespace convert {
namespace {

// Returns the trimmed elements of a JSON list; nothing if `list` is not a list.
std::optional<std::vector<std::string_view>> elements(std::string_view list) {
  constexpr std::string_view space = " \t\r\n";
  if (list.size() < 2 || list.front() != '[' || list.back() != ']') return std::nullopt;
  list = list.substr(1, list.size() - 2);
  std::vector<std::string_view> out;
  std::size_t begin = 0, depth = 0;
  bool quoted = false;
  const auto end_at = [&](std::size_t end) {
    const std::string_view text = list.substr(begin, end - begin);
    const std::size_t first = text.find_first_not_of(space);
    if (first != std::string_view::npos)
      out.push_back(text.substr(first, text.find_last_not_of(space) + 1 - first));
    begin = end + 1;
  };
  for (std::size_t i = 0; i < list.size(); ++i) {
    const char c = list[i];
    if (quoted) {
      if (c == '\\') ++i;
      quoted = c != '"';
    } else if (c == '"') {
      quoted = true;
    } else if (c == '[') {
      ++depth;
    } else if (c == ']' && depth > 0) {
      --depth;
    } else if (c == ',' && depth == 0) {
      end_at(i);
    }
  }
  end_at(list.size());
  return out;
}

// Returns the type as one word: "long" for "long int", "char" for "unsigned char".
std::string_view one_word(std::string_view type) {
  const std::size_t space = type.find(' ');
  if (space == std::string_view::npos) return type;
  const std::string_view second = type.substr(space + 1);
  return second == "int" ? type.substr(0, space) : second;
}

std::int64_t tensor_bytes(std::string_view dims, std::string_view type) {
  if (type.size() >= 2 && type.front() == '"') type = type.substr(1, type.size() - 2);
  const auto element = element_type(one_word(type));
  const auto sizes = elements(dims);
  if (!element || !sizes) return -1;
  std::int64_t bytes = element->bytes;
  for (const std::string_view size : *sizes) {
    std::int64_t n = 0;
    const auto [end, error] = std::from_chars(size.data(), size.data() + size.size(), n);
    if (error != std::errc() || end != size.data() + size.size() || n < 0 ||
        __builtin_mul_overflow(bytes, n, &bytes))
      return -1;
  }
  return bytes;
}

}  // namespace

void append_input_bytes(std::string_view dims, std::string_view types, std::vector<std::int64_t>& to) {
  const auto all_dims = elements(dims), all_types = elements(types);
  if (!all_dims || !all_types || all_dims->size() != all_types->size()) return;
  for (std::size_t i = 0; i < all_dims->size(); ++i) to.push_back(tensor_bytes((*all_dims)[i], (*all_types)[i]));
}

std::string text_inputs(std::string_view values, std::string_view types) {
  constexpr std::size_t most_bytes = 1024;  // names are short
  std::string out;
  if (values.empty() || types.empty()) return out;
  const auto all_values = elements(values), all_types = elements(types);
  if (!all_values || !all_types || all_values->size() != all_types->size()) return out;
  for (std::size_t i = 0; i < all_values->size(); ++i) {
    const std::string_view value = (*all_values)[i];
    const bool is_text = value.size() > 2 && value.front() == '"' && value[1] != '[';
    if (!is_text || (*all_types)[i] != "\"\"" || value.find('\\') != std::string_view::npos) continue;
    if (out.size() + value.size() > most_bytes) break;
    if (!out.empty()) out += '\n';
    out += value.substr(1, value.size() - 2);
  }
  return out;
}

}  // namespace convert
