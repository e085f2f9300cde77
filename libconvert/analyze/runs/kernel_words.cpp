// SPDX-License-Identifier: MIT
#include "analyze/runs/kernel_words.h"

#include <array>
#include <utility>

namespace convert {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 7> reductions = {{{"Sum", "sum"},
                                                                                      {"Prod", "prod"},
                                                                                      {"Min", "min"},
                                                                                      {"Max", "max"},
                                                                                      {"MinMax", "min or max"},
                                                                                      {"PreMulSum", "mulsum"},
                                                                                      {"SumPostDiv", "avg"}}};

}  // namespace

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
      // The type follows: "int32_t" or "__nv_bfloat16", with underscores before it.
      while (rest.starts_with('_')) rest.remove_prefix(1);
      if (rest.starts_with("nv_")) rest.remove_prefix(3);
      words.type = element_type(rest.substr(0, rest.find('_')));
      return words;
    }
  }
  return words;
}

}  // namespace convert
