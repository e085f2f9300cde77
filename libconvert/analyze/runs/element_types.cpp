// SPDX-License-Identifier: MIT
#include "analyze/runs/element_types.h"

#include <array>
#include <string>
#include <utility>

#include "core/words.h"

namespace convert {
namespace {

struct Spelling {
  std::string_view word;
  ElementType type;
};
// As PyTorch, C and the names of kernels write them.
constexpr std::array<Spelling, 32> spellings = {{
    {"char", {"int8", 1}},
    {"int8", {"int8", 1}},
    {"int8_t", {"int8", 1}},
    {"i8", {"int8", 1}},
    {"byte", {"uint8", 1}},
    {"uint8", {"uint8", 1}},
    {"uint8_t", {"uint8", 1}},
    {"u8", {"uint8", 1}},
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
    {"f16", {"half", 2}},
    {"float", {"float", 4}},
    {"f32", {"float", 4}},
    {"double", {"double", 8}},
    {"f64", {"double", 8}},
    {"bfloat16", {"bfloat16", 2}},
    {"bf16", {"bfloat16", 2}},
    {"float8_e4m3fn", {"f8e4m3", 1}},
    {"float8_e5m2", {"f8e5m2", 1}},
}};

constexpr std::array<std::pair<std::string_view, std::string_view>, 7> reductions = {{{"Sum", "sum"},
                                                                                      {"Prod", "prod"},
                                                                                      {"Min", "min"},
                                                                                      {"Max", "max"},
                                                                                      {"MinMax", "min or max"},
                                                                                      {"PreMulSum", "mulsum"},
                                                                                      {"SumPostDiv", "avg"}}};

}  // namespace

std::optional<ElementType> element_type(std::string_view name) {
  if (name.starts_with("c10::")) name.remove_prefix(5);
  if (name.starts_with("torch.")) name.remove_prefix(6);
  for (const auto& [word, type] : spellings) {
    if (same_name(word, name)) return type;
  }
  return std::nullopt;
}

KernelWords words_of_kernel(std::string_view kernel) {
  KernelWords words;
  if (!kernel.starts_with("nccl")) return words;
  std::string_view rest = kernel.substr(0, kernel.find('('));
  while (!rest.empty()) {
    const std::size_t end = rest.find('_');
    const std::string_view word = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    for (const auto& [text, reduction] : reductions) {
      if (word != text) continue;
      words.reduction = reduction;
      // Behind it stands the type, "int32_t" and "__nv_bfloat16" with marks in between.
      while (rest.starts_with('_')) rest.remove_prefix(1);
      if (rest.starts_with("nv_")) rest.remove_prefix(3);
      words.type = element_type(rest.substr(0, rest.find('_')));
      return words;
    }
  }
  return words;
}

}  // namespace convert
