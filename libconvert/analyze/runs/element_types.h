// SPDX-License-Identifier: MIT
// Knows the types of elements and the reductions of collectives, by the names that nccl-tests gives them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace convert {

struct ElementType {
  std::string_view name;  // "bfloat16"
  std::int64_t bytes = 0;
};
// Returns the type that a trace calls so: "BFloat16", "c10::Half", "Long"; nothing if nccl-tests have no such type.
[[nodiscard]] std::optional<ElementType> element_type(std::string_view name);

// What the name of a kernel of NCCL says, such as "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(…)".
struct KernelWords {
  std::string_view reduction{};  // "sum"; empty: it does not say
  std::optional<ElementType> type{};
};
[[nodiscard]] KernelWords words_of_kernel(std::string_view kernel);

}  // namespace convert
