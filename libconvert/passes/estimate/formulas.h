// SPDX-License-Identifier: MIT
// Declares the formulas used in op_table.def, and their view of an operator.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "passes/estimate/arguments.h"
#include "passes/estimate/estimate.h"

namespace convert::estimates {

// Cost of one operator call.
struct Cost {
  Count num_ops, bytes;
};

// One call of an operator. Refers to both OpIo objects and their texts, which must outlive it.
class Operator {
 public:
  Operator(const OpIo& inputs, const OpIo& outputs, bool in_place)
      : inputs_(inputs), outputs_(outputs), in_place_(in_place) {}
  // Returns false if the values cannot be read.
  [[nodiscard]] bool read() { return in.read(inputs_.values) && out.read(outputs_.values); }

  [[nodiscard]] bool in_place() const { return in_place_; }  // the name ends with `_`
  // Reads the sizes of an argument. Returns false unless it is a tensor with as many elements.
  [[nodiscard]] bool shape(std::size_t argument, Shape& shape);
  [[nodiscard]] bool output_shape(Shape& shape) const;  // of the first output
  [[nodiscard]] std::string_view type(std::size_t argument);
  [[nodiscard]] bool is_true(std::size_t argument) const;
  [[nodiscard]] bool is_zero(std::size_t argument) const;  // also true if it is not a number
  // Returns the number of elements of the first output, or of the argument that an in-place operation writes.
  [[nodiscard]] std::optional<Count> result_elements() const;

  // Returns the bytes of all inputs, each tensor once, without tensors that are only written (`out`).
  [[nodiscard]] Count bytes_read() const;
  // Returns the bytes of the outputs. If the trace has no outputs, returns the bytes of the arguments in the mask
  // `written` for an in-place operation; else, if `result` is given, the bytes of `result` elements of the first
  // tensor's type; else nullopt.
  [[nodiscard]] std::optional<Count> bytes_written(std::optional<Count> result, unsigned written = 1) const;
  [[nodiscard]] std::optional<Cost> cost(Count num_ops, std::optional<Count> result, unsigned written = 1) const;

  Arguments in, out;

 private:
  const OpIo& inputs_;
  const OpIo& outputs_;
  bool in_place_;
  Elements shapes_, types_;  // of the inputs; read on first use
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
