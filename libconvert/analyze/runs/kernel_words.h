// SPDX-License-Identifier: MIT
// Properties of a collective in the names of NCCL kernels.
#pragma once

#include <optional>
#include <string_view>

#include "core/element_type.h"

namespace convert {

// Parsed kernel name of NCCL, such as "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(…)".
struct KernelWords {
  std::string_view reduction{};  // "sum", as in nccl-tests; empty: unknown
  std::optional<ElementType> type{};
};
[[nodiscard]] KernelWords words_of_kernel(std::string_view kernel);

}  // namespace convert
