// SPDX-License-Identifier: MIT
// Convolutions: input [batch, c, …] or [c, …], weight [k, c / groups, …], or [c, k / groups, …] if transposed.
#include <algorithm>

#include "core/units.h"
#include "passes/estimate/formulas.h"

namespace convert::estimates {
namespace {

// Positions of arguments; 0: the operator lacks it.
struct Positions {
  std::uint8_t stride, padding, dilation, groups, output_padding = 0, transposed = 0;
  bool always_transposed = false;
};

constexpr std::array<Positions, 9> positions = {{
    {3, 4, 5, 8, 7, 6, false},  // generic
    {3, 4, 5, 6},               // forward
    {3, 4, 7, 6, 5, 0, true},   // transposed
    {3, 2, 4, 5},               // cudnn
    {4, 2, 5, 6, 3, 0, true},   // cudnn_transposed
    {4, 3, 5, 6},               // miopen
    {5, 3, 6, 7, 4, 0, true},   // miopen_transposed
    {5, 6, 7, 8},               // add_relu
    {4, 5, 6, 0},               // depthwise
}};

bool is_transposed(const Operator& op, const Positions& at) {
  return at.always_transposed || (at.transposed != 0 && op.is_true(at.transposed));
}

// Returns whether the channels of input and weight agree.
bool fits(const Shape& input, const Shape& weight, bool is_transposed) {
  if (weight.rank < 3 || (input.rank != weight.rank && input.rank + 1 != weight.rank)) return false;
  const std::uint64_t channels = input.back(weight.rank - 1);
  if (is_transposed) return channels == weight[0];
  return weight[1] != 0 && channels % weight[1] == 0 && channels != 0 && weight[0] % (channels / weight[1]) == 0;
}

// Reads one number per spatial dimension, or one for all dimensions.
bool read_sizes(const Operator& op, std::size_t argument, std::size_t count, Shape& sizes) {
  if (argument >= op.in.size() || !sizes.read(op.in[argument].text())) return false;
  if (sizes.rank == 1) std::fill_n(sizes.dims.begin(), count, sizes.dims[0]);
  return sizes.rank == 1 || sizes.rank == count;
}

// Returns the number of elements of the result, computed from the sizes.
std::optional<Count> computed_result(const Operator& op, const Shape& input, const Shape& weight,
                                     const Positions& at) {
  const std::size_t spatial = weight.rank - 2;
  const bool transposed = is_transposed(op, at);
  Shape stride, padding, dilation, output_padding;
  if (!read_sizes(op, at.stride, spatial, stride) || !read_sizes(op, at.padding, spatial, padding) ||
      !read_sizes(op, at.dilation, spatial, dilation)) {
    return std::nullopt;
  }
  if (transposed && !read_sizes(op, at.output_padding, spatial, output_padding)) return std::nullopt;
  std::uint64_t groups = 1;
  if (transposed) {
    if (at.groups >= op.in.size()) return std::nullopt;
    const auto number = parse_unsigned(op.in[at.groups].text());
    if (!number) return std::nullopt;
    groups = *number;
  }
  Count result = input.product(0, input.rank - spatial - 1) * (transposed ? Count(weight[1]) * groups : weight[0]);
  for (std::size_t i = 0; i < spatial; ++i) {
    const std::uint64_t in = input.back(spatial - i), kernel = weight[i + 2], step = stride[i];
    // Below 2³¹ none of these values wraps around.
    constexpr std::uint64_t limit = std::uint64_t{1} << 31U;
    if (std::max({in, kernel, step, padding[i], dilation[i]}) >= limit || kernel == 0 || step == 0 || in == 0) {
      return std::nullopt;
    }
    const std::uint64_t window = dilation[i] * (kernel - 1) + 1, margins = 2 * padding[i];
    if (transposed) {
      if (output_padding[i] >= limit || (in - 1) * step + window + output_padding[i] < margins) return std::nullopt;
      result = result * ((in - 1) * step + window + output_padding[i] - margins);
    } else {
      if (in + margins < window) return std::nullopt;
      result = result * ((in + margins - window) / step + 1);
    }
  }
  return result;
}

// Multiply-adds: for each output (input, if transposed) the weights of one channel.
Count multiply_adds(Count elements, const Shape& weight) { return elements * weight.product(1, weight.rank); }

}  // namespace

std::optional<Cost> convolution(Operator& op, Parameters p) {
  const Positions& at = positions[p[0]];
  Shape input, weight, output;
  if (!op.shape(0, input) || !op.shape(1, weight)) return std::nullopt;
  const bool transposed = is_transposed(op, at);
  if (!fits(input, weight, transposed)) return std::nullopt;
  std::optional<Count> result = op.result_elements();
  if (!result) {
    result = computed_result(op, input, weight, at);
  } else if (!op.output_shape(output) || output.rank != input.rank ||
             (!transposed && output.back(weight.rank - 1) != weight[0])) {
    return std::nullopt;
  }
  if (!result) return std::nullopt;
  return op.cost(multiply_adds(transposed ? input.elements() : *result, weight) * 2 + *result * p[1], result);
}

// Gradients of input, weight and bias, as selected by the mask.
std::optional<Cost> convolution_backward(Operator& op, Parameters p) {
  Shape grad_output, input, weight;
  if (!op.shape(p[0], grad_output) || !op.shape(p[1], input) || !op.shape(p[2], weight)) return std::nullopt;
  // Arguments: (…, transposed, output_padding, groups, mask), or without the first two.
  const bool transposed = p[0] == 0 && op.in.size() > 3 && op.is_true(op.in.size() - 4);
  if (!fits(input, weight, transposed) || grad_output.rank != input.rank) return std::nullopt;
  if (!transposed && grad_output.back(weight.rank - 1) != weight[0]) return std::nullopt;
  Elements mask;
  if (!mask.read(op.in[op.in.size() - 1].text()) || mask.size() < 2) return std::nullopt;
  const Count products = multiply_adds(transposed ? input.elements() : grad_output.elements(), weight) * 2;
  Count num_ops, result;
  const auto add = [&](bool wanted, Count work, Count elements) {
    if (!wanted) return;
    num_ops = num_ops + work;
    result = result + elements;
  };
  add(mask[0] == "True", products, input.elements());
  add(mask[1] == "True", products, weight.elements());
  add(mask.size() == 3 && mask[2] == "True", grad_output.elements(), weight[0]);
  return op.cost(num_ops, result);
}

// Arguments: (sizes of the input, grad_output, weight, …).
std::optional<Cost> convolution_backward_input(Operator& op, Parameters) {
  Shape input, grad_output, weight;
  if (op.in.size() == 0 || !input.read(op.in[0].text()) || !op.shape(1, grad_output) || !op.shape(2, weight)) {
    return std::nullopt;
  }
  if (!fits(input, weight, false) || grad_output.back(weight.rank - 1) != weight[0]) return std::nullopt;
  return op.cost(multiply_adds(grad_output.elements(), weight) * 2, input.elements());
}

// Arguments: (sizes of the weight, grad_output, input, …).
std::optional<Cost> convolution_backward_weight(Operator& op, Parameters) {
  Shape input, grad_output, weight;
  if (op.in.size() == 0 || !weight.read(op.in[0].text()) || !op.shape(1, grad_output) || !op.shape(2, input)) {
    return std::nullopt;
  }
  if (!fits(input, weight, false) || grad_output.back(weight.rank - 1) != weight[0]) return std::nullopt;
  return op.cost(multiply_adds(grad_output.elements(), weight) * 2, weight.elements());
}

}  // namespace convert::estimates
