// SPDX-License-Identifier: MIT
// Reads what the names of NCCL's kernels tell of a collective.
#pragma once

#include <optional>
#include <string_view>

#include "core/element_type.h"

namespace convert {

// What the name of a kernel of NCCL says, such as "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(…)".
struct KernelWords {
  std::string_view reduction{};  // "sum", as nccl-tests call it; empty: it does not say
  std::optional<ElementType> type{};
};
[[nodiscard]] KernelWords words_of_kernel(std::string_view kernel);

}  // namespace convert
