// SPDX-License-Identifier: MIT
// Element types by their names in PyTorch, C and kernels.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/words.h"

namespace convert {

struct ElementType {
  std::string_view name;  // name in nccl-tests; empty if they lack the type
  std::int64_t bytes = 0;
};

struct ElementSpelling {
  std::string_view word;
  ElementType type;
};
inline constexpr std::array<ElementSpelling, 44> element_spellings = {{
    {"char", {"int8", 1}},
    {"int8", {"int8", 1}},
    {"int8_t", {"int8", 1}},
    {"i8", {"int8", 1}},
    {"byte", {"uint8", 1}},
    {"uint8", {"uint8", 1}},
    {"uint8_t", {"uint8", 1}},
    {"u8", {"uint8", 1}},
    {"bool", {"", 1}},
    {"short", {"", 2}},
    {"int16", {"", 2}},
    {"uint16", {"", 2}},
    {"int", {"int32", 4}},
    {"int32", {"int32", 4}},
    {"int32_t", {"int32", 4}},
    {"i32", {"int32", 4}},
    {"uint32", {"uint32", 4}},
    {"uint32_t", {"uint32", 4}},
    {"u32", {"uint32", 4}},
    {"long", {"int64", 8}},
    {"int64", {"int64", 8}},
    {"int64_t", {"int64", 8}},
    {"i64", {"int64", 8}},
    {"uint64", {"uint64", 8}},
    {"uint64_t", {"uint64", 8}},
    {"u64", {"uint64", 8}},
    {"half", {"half", 2}},
    {"float16", {"half", 2}},
    {"f16", {"half", 2}},
    {"half2", {"", 4}},
    {"float", {"float", 4}},
    {"float32", {"float", 4}},
    {"f32", {"float", 4}},
    {"double", {"double", 8}},
    {"float64", {"double", 8}},
    {"f64", {"double", 8}},
    {"bfloat16", {"bfloat16", 2}},
    {"bf16", {"bfloat16", 2}},
    {"float8_e4m3fn", {"f8e4m3", 1}},
    {"float8_e5m2", {"f8e5m2", 1}},
    {"complexhalf", {"", 4}},
    {"complexfloat", {"", 8}},
    {"complexdouble", {"", 16}},
    {"longint", {"int64", 8}},
}};

// Returns the element type of a name in a trace: "BFloat16", "c10::Half", "torch.int64", "Float8_e4m3fnuz"; nothing
// if it is unknown.
[[nodiscard]] constexpr std::optional<ElementType> element_type(std::string_view name) {
  for (const std::string_view space : {"c10::", "torch."}) {
    if (name.starts_with(space)) name.remove_prefix(space.size());
  }
  for (const auto& [word, type] : element_spellings) {
    if (same_name(word, name)) return type;
  }
  constexpr std::string_view eight_bits = "float8";  // followed by a format: e5m2, e4m3fnuz, …
  const std::string_view format = name.substr(std::min(eight_bits.size(), name.size()));
  const bool number_goes_on = !format.empty() && format.front() >= '0' && format.front() <= '9';
  if (same_name(name.substr(0, eight_bits.size()), eight_bits) && !number_goes_on) return ElementType{"", 1};
  return std::nullopt;
}

}  // namespace convert
