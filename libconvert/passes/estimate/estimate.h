// SPDX-License-Identifier: MIT
// Estimates what an operator of PyTorch computes and moves from its shapes, by the formulas of et-formats(5),
// ESTIMATES.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace convert {

// Holds the texts of IOInfo, as Python prints the lists of a host trace.
struct OpIo {
  std::string_view values, shapes, types;
};

struct OpCost {
  std::uint64_t num_ops = 0;      // floating-point operations; a multiply-add is two
  std::uint64_t tensor_size = 0;  // bytes read and written
};

// Returns the cost of an operator by its name ("aten::mm", "aten::add_", "aten::_foreach_mul_"); nothing if it has
// no formula, texts or shapes do not fit it, it computes complex numbers, or beyond 64 bits. Allocates no memory.
[[nodiscard]] std::optional<OpCost> estimate_cost(std::string_view name, const OpIo& inputs, const OpIo& outputs);

}  // namespace convert
