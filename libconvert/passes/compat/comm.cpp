// SPDX-License-Identifier: MIT
#include "passes/compat/comm.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "core/units.h"

namespace convert::compat {
namespace {

// Iterates over the elements of a list in Python's text form.
class PythonList {
 public:
  explicit PythonList(std::string_view text)
      : text_(text), list_(text.size() >= 2 && text.front() == '[' && text.back() == ']') {}
  [[nodiscard]] bool is_list() const { return list_; }

  std::optional<std::string_view> next() {
    if (!list_ || at_ + 1 >= text_.size()) return std::nullopt;
    const std::size_t begin = at_;
    std::size_t depth = 0;
    for (; at_ + 1 < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '\'' || c == '"') {
        skip_string(c);
      } else if (c == '[' || c == '{') {
        ++depth;
      } else if (c == ']' || c == '}') {
        if (depth > 0) --depth;
      } else if (c == ',' && depth == 0) {
        break;
      }
    }
    const std::string_view element = text_.substr(begin, std::min(at_, text_.size() - 1) - begin);
    at_ += 2;  // ", "
    return element;
  }

 private:
  // Advances to the closing quote.
  void skip_string(char quote) {
    for (++at_; at_ + 1 < text_.size() && text_[at_] != quote; ++at_) {
      if (text_[at_] == '\\') ++at_;
    }
  }

  std::string_view text_;
  std::size_t at_ = 1;
  bool list_;
};

// Adds elements (fourth field) times bytes per element (fifth field) to the sum.
bool add_tensor(std::string_view tensor, std::int64_t& sum) {
  PythonList fields(tensor);
  for (int i = 0; i < 3; ++i) (void)fields.next();
  const auto elements = fields.next();
  const auto bytes = fields.next();
  if (!elements || !bytes) return false;
  const auto a = parse_int(*elements), b = parse_int(*bytes);
  std::int64_t product = 0;
  return a && b && !__builtin_mul_overflow(*a, *b, &product) && !__builtin_add_overflow(sum, product, &sum);
}

}  // namespace

std::optional<std::int64_t> input_bytes(std::string_view values, std::string_view types) {
  PythonList value_list(values), type_list(types);
  if (!value_list.is_list() || !type_list.is_list()) return std::nullopt;
  std::int64_t sum = 0;
  while (true) {
    const auto value = value_list.next();
    const auto type = type_list.next();
    if (!value || !type) return sum;
    if (type->empty() || (type->front() != '\'' && type->front() != '"')) return std::nullopt;
    if (type->find("Tensor") == std::string_view::npos) continue;
    if (!type->substr(1).starts_with("GenericList[Tensor")) {
      if (!add_tensor(*value, sum)) return std::nullopt;
      continue;
    }
    PythonList inner(*value);
    if (!inner.is_list()) return std::nullopt;
    while (const auto tensor = inner.next()) {
      if (!add_tensor(*tensor, sum)) return std::nullopt;
    }
  }
}

std::optional<Collective> collective_type(std::string_view kernel) {
  constexpr std::array<std::pair<std::string_view, Collective>, 5> known = {{
      {"allreduce", Collective::all_reduce},
      {"alltoall", Collective::all_to_all},
      {"allgather", Collective::all_gather},
      {"reducescatter", Collective::reduce_scatter},
      {"broadcast", Collective::broadcast},
  }};
  std::string plain;
  for (const char c : kernel) {
    if (c != '_' && c != '-') plain += c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
  }
  for (const auto& [text, type] : known) {
    if (plain.find(text) != std::string::npos) return type;
  }
  if (kernel.find("ncclDevKernel_SendRecv") != std::string_view::npos) return Collective::all_to_all;
  return std::nullopt;
}

}  // namespace convert::compat
