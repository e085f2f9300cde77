// SPDX-License-Identifier: MIT
// What an operator of PyTorch computes and moves, estimated from its shapes: the formulas of et-formats(5),
// ESTIMATES.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace convert {

// The texts of IOInfo, as Python prints the lists of a host trace.
struct OpIo {
  std::string_view values, shapes, types;
};

struct OpCost {
  std::uint64_t num_ops = 0;      // floating-point operations; a multiply-add is two
  std::uint64_t tensor_size = 0;  // bytes read and written
};

// `name` is the operator's as in the trace ("aten::mm", "aten::add_", "aten::_foreach_mul_"). Nothing for an
// operator without a formula, for texts and shapes that do not fit it, and beyond 64 bits. Allocates no memory.
[[nodiscard]] std::optional<OpCost> estimate_cost(std::string_view name, const OpIo& inputs, const OpIo& outputs);

}  // namespace convert
