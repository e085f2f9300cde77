// SPDX-License-Identifier: MIT
// Matrix products and attention.
#include <algorithm>

#include "passes/estimate/formulas.h"

namespace convert::estimates {

// [m, k] × [k, n].
std::optional<Cost> matrix_product(Operator& op, Parameters p) {
  Shape a, b;
  if (!op.shape(p[0], a) || !op.shape(p[0] + 1U, b)) return std::nullopt;
  if (a.rank != 2 || b.rank != 2 || a[1] != b[0]) return std::nullopt;
  const Count result = Count(a[0]) * b[1];
  return op.cost(result * a[1] * 2 + result * p[1], result);
}

// [batch, m, k] × [batch, k, n].
std::optional<Cost> batched_product(Operator& op, Parameters p) {
  Shape a, b;
  if (!op.shape(p[0], a) || !op.shape(p[0] + 1U, b)) return std::nullopt;
  if (a.rank != 3 || b.rank != 3 || a[0] != b[0] || a[2] != b[1]) return std::nullopt;
  const bool summed = p[1] != 0;
  const Count matrix = Count(a[1]) * b[2];
  return op.cost(matrix * a[0] * a[2] * 2, summed ? matrix : matrix * a[0]);
}

// Vectors, matrices and batches of matrices. Dimensions before the last two are broadcast.
std::optional<Cost> broadcast_product(Operator& op, Parameters p) {
  Shape a, b;
  if (!op.shape(p[0], a) || !op.shape(p[0] + 1U, b) || a.rank == 0 || b.rank == 0) return std::nullopt;
  const std::uint64_t m = a.rank > 1 ? a.back(2) : 1, k = a.back(1), n = b.rank > 1 ? b.back(1) : 1;
  if ((b.rank > 1 ? b.back(2) : b[0]) != k) return std::nullopt;
  Count batch = 1;
  for (std::size_t i = 3; i <= std::max(a.rank, b.rank); ++i) {
    const std::uint64_t left = i <= a.rank ? a.back(i) : 1, right = i <= b.rank ? b.back(i) : 1;
    if (left != right && left != 1 && right != 1) return std::nullopt;
    batch = batch * (left == 1 ? right : left);
  }
  const Count result = batch * m * n;
  return op.cost(result * k * 2, result);
}

// [..., k] × [n, k]ᵀ, or a vector of k.
std::optional<Cost> linear(Operator& op, Parameters) {
  Shape input, weight;
  if (!op.shape(0, input) || !op.shape(1, weight)) return std::nullopt;
  if (input.rank == 0 || weight.rank == 0 || weight.rank > 2 || input.back(1) != weight.back(1))
    return std::nullopt;
  const Count result = input.product(0, input.rank - 1) * (weight.rank == 2 ? weight[0] : 1);
  return op.cost(result * weight.back(1) * 2, result);
}

namespace {

struct AttentionSizes {
  Count pairs;                // pairs of a query and a key, over batches and heads
  std::uint64_t qk_size = 0;  // length of a query and of a key
  std::uint64_t v_size = 0;   // length of a value
  Count outputs;              // elements
};

// Query i attends to keys 0…i.
Count causal_pairs(std::uint64_t queries, std::uint64_t keys) {
  const std::uint64_t square = std::min(queries, keys);
  const Count triangle = square % 2 == 0 ? Count(square / 2) * (Count(square) + 1) : Count(square / 2 + 1) * square;
  return triangle + Count(queries - square) * keys;
}

// Finds the causal flag. It follows the dropout probability, after tensors, lists and other floating-point numbers.
// It is a bool, or a mask kind, where 0 means no mask.
std::optional<bool> is_causal(Operator& op, std::size_t query) {
  bool dropout = false;
  for (std::size_t i = query + 3; i < op.in.size(); ++i) {
    const std::string_view type = op.type(i);
    if (type == "Double") {
      dropout = true;
    } else if (dropout && type == "Bool") {
      return op.is_true(i);
    } else if (dropout && type == "Int") {
      return !op.is_zero(i);
    }
  }
  return std::nullopt;
}

std::optional<AttentionSizes> attention_sizes(Operator& op, Parameters p) {
  const std::size_t first = p[0], lengths = p[1];
  Shape q, k, v;
  if (!op.shape(first, q) || !op.shape(first + 1, k) || !op.shape(first + 2, v)) return std::nullopt;
  if (q.rank < 2 || k.rank != q.rank || v.rank != q.rank) return std::nullopt;
  if (lengths != 0) {  // [batch, length, heads, size] → [batch, heads, length, size]
    if (q.rank != 4 || op.in.is_defined_tensor(lengths)) return std::nullopt;
    for (Shape* shape : {&q, &k, &v}) std::swap(shape->dims[1], shape->dims[2]);
  }
  if (q.back(1) != k.back(1) || k.back(2) != v.back(2)) return std::nullopt;
  for (std::size_t i = 0; i + 2 < q.rank; ++i) {
    const bool heads = i + 3 == q.rank;  // several query heads may share a key head
    if (k[i] != v[i] || (q[i] != k[i] && !(heads && k[i] != 0 && q[i] % k[i] == 0))) return std::nullopt;
  }
  const std::optional<bool> causal = is_causal(op, first);
  if (!causal) return std::nullopt;
  const Count heads = q.product(0, q.rank - 2);
  AttentionSizes sizes;
  sizes.pairs = heads * (*causal ? causal_pairs(q.back(2), k.back(2)) : Count(q.back(2)) * k.back(2));
  sizes.qk_size = q.back(1);
  sizes.v_size = v.back(1);
  sizes.outputs = heads * q.back(2) * v.back(1);
  return sizes;
}

}  // namespace

// Scores = Q Kᵀ, output = P V.
std::optional<Cost> attention(Operator& op, Parameters p) {
  const std::optional<AttentionSizes> sizes = attention_sizes(op, p);
  if (!sizes) return std::nullopt;
  return op.cost(sizes->pairs * (Count(sizes->qk_size) + sizes->v_size) * 2, sizes->outputs);
}

// Recomputed scores, dV = Pᵀ dO, dP = dO Vᵀ, dQ = dS K, dK = dSᵀ Q.
std::optional<Cost> attention_backward(Operator& op, Parameters p) {
  const std::optional<AttentionSizes> sizes = attention_sizes(op, p);
  if (!sizes) return std::nullopt;
  const Count gradients = Count(op.in[p[0]].elements) + op.in[p[0] + 1U].elements + op.in[p[0] + 2U].elements;
  return op.cost(sizes->pairs * (Count(sizes->qk_size) * 3 + Count(sizes->v_size) * 2) * 2, gradients);
}

}  // namespace convert::estimates
