// SPDX-License-Identifier: MIT
// Estimates the operations and bytes of a PyTorch operator from its shapes, by the formulas in et-formats(5),
// ESTIMATES.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace convert {

// Texts of IOInfo, as Python prints the lists of a host trace.
struct OpIo {
  std::string_view values, shapes, types;
};

struct OpCost {
  std::uint64_t num_ops = 0;      // floating-point operations; a multiply-add counts as two
  std::uint64_t tensor_size = 0;  // bytes read and written
};

// Returns the cost of an operator by its name ("aten::mm", "aten::add_", "aten::_foreach_mul_"). Returns nullopt if
// there is no formula, if texts or shapes do not match it, for complex numbers, and for values beyond 64 bits.
// Allocates no memory.
[[nodiscard]] std::optional<OpCost> estimate_cost(std::string_view name, const OpIo& inputs, const OpIo& outputs);

}  // namespace convert
