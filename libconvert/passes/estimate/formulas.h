// SPDX-License-Identifier: MIT
// Declares the formulas that op_table.def gives to operators, and what they see of an operator.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "passes/estimate/arguments.h"
#include "passes/estimate/estimate.h"

namespace convert::estimates {

struct Cost {
  Count num_ops, bytes;
};

// Holds one call of an operator; refers to both OpIo and their texts, which must outlive it.
class Operator {
 public:
  Operator(const OpIo& inputs, const OpIo& outputs, bool in_place)
      : inputs_(inputs), outputs_(outputs), in_place_(in_place) {}
  // Returns false if the values cannot be read.
  [[nodiscard]] bool read() { return in.read(inputs_.values) && out.read(outputs_.values); }

  [[nodiscard]] bool in_place() const { return in_place_; }  // the name ends with `_`
  // Returns false unless the argument is a tensor with these sizes.
  [[nodiscard]] bool shape(std::size_t argument, Shape& shape);
  [[nodiscard]] bool output_shape(Shape& shape) const;  // of the first output
  [[nodiscard]] std::string_view type(std::size_t argument);
  [[nodiscard]] bool is_true(std::size_t argument) const;
  [[nodiscard]] bool is_zero(std::size_t argument) const;  // or no number
  // Returns the elements of the first output, or of the argument that an operation in place writes.
  [[nodiscard]] std::optional<Count> result_elements() const;

  // Returns the bytes of all inputs, each tensor once, without those that are only written (`out`).
  [[nodiscard]] Count bytes_read() const;
  // Returns the bytes of the outputs. Where the trace has none: of an operation in place, those of the arguments in
  // the mask `written`; else, given `result`, those of so many elements like the first tensor's; else nothing.
  [[nodiscard]] std::optional<Count> bytes_written(std::optional<Count> result, unsigned written = 1) const;
  [[nodiscard]] std::optional<Cost> cost(Count num_ops, std::optional<Count> result, unsigned written = 1) const;

  Arguments in, out;

 private:
  const OpIo& inputs_;
  const OpIo& outputs_;
  bool in_place_;
  Elements shapes_, types_;  // of the inputs, when they are asked for
  bool shapes_read_ = false, types_read_ = false;
};

using Parameters = std::array<std::uint8_t, 4>;
using Formula = std::optional<Cost>(Operator& op, Parameters p);

enum ConvolutionKind : std::uint8_t {
  generic,
  forward,
  transposed,
  cudnn,
  cudnn_transposed,
  miopen,
  miopen_transposed,
  add_relu,
  depthwise
};

// products.cpp
Formula matrix_product, batched_product, broadcast_product, linear, attention, attention_backward;
// convolutions.cpp
Formula convolution, convolution_backward, convolution_backward_input, convolution_backward_weight;
// elementwise.cpp
Formula pointwise, written, copied, moved, gathered, scattered, reduction, per_element, same_size, pooling,
    pooling_backward, norm, batch_norm, norm_backward, embedding_bag, embedding_bag_backward, nll_loss, fused_adam,
    fused_sgd;

}  // namespace convert::estimates
