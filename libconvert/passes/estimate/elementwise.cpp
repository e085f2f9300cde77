// SPDX-License-Identifier: MIT
// Operators whose work is proportional to their elements: pointwise, copies, reductions, norms, pooling, losses,
// optimizers.
#include <algorithm>

#include "passes/estimate/formulas.h"

namespace convert::estimates {
namespace {

// Returns the number of elements of the inputs broadcast to one shape.
std::optional<Count> broadcast_elements(Operator& op) {
  Shape all, shape;
  std::ranges::fill(all.dims, 1);
  bool any = false;
  for (std::size_t i = 0; i < op.in.size(); ++i) {
    if (!op.in.is_defined_tensor(i)) continue;
    if (!op.shape(i, shape)) return std::nullopt;
    any = true;
    for (std::size_t d = 1; d <= shape.rank; ++d) {
      std::uint64_t& size = all.dims[max_dims - d];
      if (size != shape.back(d) && size != 1 && shape.back(d) != 1) return std::nullopt;
      if (size == 1) size = shape.back(d);
    }
  }
  if (!any) return std::nullopt;
  return all.product(0, max_dims);
}

// Returns the size of a pooling window, given by one number per spatial dimension or one for all.
std::optional<Count> window_elements(const Operator& op, std::size_t spatial, std::size_t argument) {
  Shape window;
  if (argument >= op.in.size() || !window.read(op.in[argument].text())) return std::nullopt;
  if (window.rank == 1) std::fill_n(window.dims.begin(), spatial, window.dims[0]);
  if (window.rank != 1 && window.rank != spatial) return std::nullopt;
  return window.product(0, spatial);
}

Count flag(bool value) { return value ? 1 : 0; }

}  // namespace

std::optional<Cost> pointwise(Operator& op, Parameters p) {
  std::optional<Count> elements = op.result_elements();
  if (!elements && op.in.size() != 0 && op.in[0].kind == Argument::Kind::tensors) elements = op.in[0].elements;
  if (!elements) elements = broadcast_elements(op);
  if (!elements) return std::nullopt;
  return op.cost(*elements * p[0], elements);
}

std::optional<Cost> written(Operator& op, Parameters) {
  const std::optional<Count> bytes = op.bytes_written(std::nullopt);
  if (!bytes) return std::nullopt;
  return Cost{0, *bytes};
}

// Arguments: (destination, source, …).
std::optional<Cost> copied(Operator& op, Parameters) {
  const std::optional<Count> bytes = op.bytes_written(std::nullopt);
  if (!bytes || !op.in.has_tensor(1)) return std::nullopt;
  return Cost{0, *bytes + op.in[1].bytes};
}

std::optional<Cost> moved(Operator& op, Parameters) {
  if (!op.in.has_tensor(0)) return std::nullopt;
  const std::optional<Count> bytes = op.bytes_written(op.in[0].elements);
  if (!bytes) return std::nullopt;
  return Cost{0, *bytes + op.in[0].bytes};
}

// Arguments: (table, …, indices, …). Reads as many bytes of the table as the result has.
std::optional<Cost> gathered(Operator& op, Parameters p) {
  const std::optional<Count> bytes = op.bytes_written(std::nullopt);
  if (!bytes || bytes->overflow || !op.in.is_tensor(0) || !op.in.has_tensor(p[0])) return std::nullopt;
  return Cost{0, *bytes + std::min(bytes->value, op.in[0].bytes) + op.in[p[0]].bytes};
}

// Arguments: (self, dimension, index, source, …), in place. Touches as many bytes of self as the source has.
std::optional<Cost> scattered(Operator& op, Parameters p) {
  if (!op.in_place() || !op.in.is_tensor(0) || !op.in.is_tensor(2)) return std::nullopt;
  const bool from_tensor = op.in.is_tensor(3);
  const Count elements = op.in[from_tensor ? 3 : 2].elements;
  const Count source = from_tensor ? op.in[3].bytes : 0;
  return Cost{elements * p[0], source + op.in[2].bytes + elements * op.in[0].elem_bytes * (Count(p[0]) + 1)};
}

std::optional<Cost> reduction(Operator& op, Parameters p) {
  if (op.in.is_tensor(1)) return pointwise(op, {1});  // max(a, b)
  return per_element(op, {0, p[0]});
}

std::optional<Cost> per_element(Operator& op, Parameters p) {
  if (!op.in.has_tensor(p[0])) return std::nullopt;
  return op.cost(Count(op.in[p[0]].elements) * p[1], std::nullopt);
}

std::optional<Cost> same_size(Operator& op, Parameters p) {
  if (!op.in.is_tensor(p[0])) return std::nullopt;
  const Count elements = op.in[p[0]].elements;
  return op.cost(elements * p[1], elements);
}

// One window per element of the result.
std::optional<Cost> pooling(Operator& op, Parameters p) {
  const std::optional<Count> window = window_elements(op, p[0], p[1]), result = op.result_elements();
  if (!window || !result || !op.in.is_tensor(0)) return std::nullopt;
  return op.cost(*result * *window, result);
}

// Arguments: (grad_output, self, window, …).
std::optional<Cost> pooling_backward(Operator& op, Parameters p) {
  const std::optional<Count> window = window_elements(op, p[0], p[1]);
  if (!window || !op.in.is_tensor(0) || !op.in.is_tensor(1)) return std::nullopt;
  return op.cost(*window * op.in[0].elements, op.in[1].elements);
}

// Operations per element: mean 1, variance 3 (difference, square, sum), normalising 2, weight 1, bias 1.
std::optional<Cost> norm(Operator& op, Parameters p) {
  if (!op.in.is_tensor(0)) return std::nullopt;
  const Count elements = op.in[0].elements;
  const Count affine = flag(op.in.is_defined_tensor(p[0])) + flag(op.in.is_defined_tensor(p[0] + 1U));
  return op.cost(elements * (affine + p[1]), elements);
}

// Arguments: (input, weight, bias, …, training, …). In inference, mean and variance are given.
std::optional<Cost> batch_norm(Operator& op, Parameters) {
  for (const Argument& argument : op.in.all()) {
    if (argument.text() == "True") break;
    if (argument.text() == "False") return norm(op, {1, 2});
  }
  return norm(op, {1, 6});
}

// Operations per element: normalised input 2, gradient times weight 1, its sum 1, its sum with the input 2,
// gradient of the input 4; gradient of the weight 2, of the bias 1.
std::optional<Cost> norm_backward(Operator& op, Parameters p) {
  if (!op.in.is_tensor(0)) return std::nullopt;
  const Count elements = op.in[0].elements;
  const Count affine = flag(op.in.is_defined_tensor(p[0])) * p[2] + flag(op.in.is_defined_tensor(p[0] + 1U));
  return op.cost(elements * (affine + p[1]), elements);
}

// Arguments: (weight, indices, offsets, scale, mode, sparse, weights of the samples, …).
std::optional<Cost> embedding_bag(Operator& op, Parameters) {
  Shape weight;
  if (!op.shape(0, weight) || weight.rank != 2 || !op.in.is_tensor(1)) return std::nullopt;
  const std::optional<Count> bytes = op.bytes_written(std::nullopt);
  if (!bytes) return std::nullopt;
  const Count rows = Count(op.in[1].elements) * weight[1];
  Count read = rows * op.in[0].elem_bytes + op.in[1].bytes;
  if (op.in.is_tensor(2)) read = read + op.in[2].bytes;
  const bool weighted = op.in.is_defined_tensor(6);
  if (weighted) read = read + op.in[6].bytes;
  return Cost{rows * (flag(weighted) + 1), *bytes + read};
}

// Arguments: (gradient, indices, …).
std::optional<Cost> embedding_bag_backward(Operator& op, Parameters) {
  Shape gradient;
  if (!op.shape(0, gradient) || gradient.rank != 2 || !op.in.is_tensor(1)) return std::nullopt;
  return op.cost(Count(op.in[1].elements) * gradient[1], std::nullopt);
}

// Arguments: (…, self, target, weight, …). Touches one element of self, or of its gradient, per target.
std::optional<Cost> nll_loss(Operator& op, Parameters p) {
  const std::size_t target = p[0];
  if (!op.in.is_tensor(target - 1) || !op.in.is_tensor(target)) return std::nullopt;
  const Count elements = op.in[target].elements;
  Count bytes = elements * op.in[target - 1].elem_bytes + op.in[target].bytes;
  if (op.in.is_tensor(target + 1)) bytes = bytes + op.in[target + 1].bytes;
  if (target == 1) {
    const std::optional<Count> losses = op.bytes_written(std::nullopt);
    if (!losses) return std::nullopt;
    bytes = bytes + *losses;
  } else {
    bytes = bytes + op.in[0].bytes;
    if (op.in.is_tensor(6)) bytes = bytes + op.in[6].bytes;  // sum of the weights
  }
  return Cost{elements, bytes};
}

// Arguments: (parameters, gradients, averages, averages of squares, their maxima, steps, rate, beta1, beta2, decay,
// …). Operations per element: averages 3 and 4, denominator 3, step 3, weight decay 2, maximum 1.
std::optional<Cost> fused_adam(Operator& op, Parameters) {
  if (!op.in_place() || op.in.size() < 10 || !op.in.has_tensor(0)) return std::nullopt;
  const bool decay = !op.is_zero(9), maxima = op.in.has_tensor(4);
  return op.cost((flag(decay) * 2 + flag(maxima) + 13) * op.in[0].elements, std::nullopt, 0b11101);
}

// Arguments: (parameters, gradients, momentum buffers, decay, momentum, rate, dampening, nesterov, …). Operations
// per element: step 2, momentum 3, nesterov 2, weight decay 2.
std::optional<Cost> fused_sgd(Operator& op, Parameters) {
  if (!op.in_place() || op.in.size() < 8 || !op.in.has_tensor(0)) return std::nullopt;
  const bool decay = !op.is_zero(3), momentum = !op.is_zero(4), nesterov = op.is_true(7);
  const Count each = flag(decay) * 2 + flag(momentum) * 3 + flag(nesterov) * 2 + 2;
  return op.cost(each * op.in[0].elements, std::nullopt, momentum ? 0b101 : 0b1);
}

}  // namespace convert::estimates
