// SPDX-License-Identifier: MIT
// Parameter counts of a transformer, of the whole model and of a rank.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "config/workload/workload.h"

namespace convert {

// Sizes in elements derived from a shape; of the whole model unless stated otherwise.
class Parameters {
 public:
  explicit Parameters(const TransformerShape& shape) : m_(shape) {}

  [[nodiscard]] std::int64_t kv_heads() const { return m_.kv_heads > 0 ? m_.kv_heads : m_.heads; }
  [[nodiscard]] std::int64_t head_size() const { return m_.head_size > 0 ? m_.head_size : m_.hidden / m_.heads; }
  [[nodiscard]] std::int64_t norm() const { return m_.norm == NormKind::rms ? m_.hidden : 2 * m_.hidden; }
  [[nodiscard]] std::int64_t qkv() const;
  [[nodiscard]] std::int64_t attention() const;
  [[nodiscard]] std::int64_t up(std::int64_t ffn) const;    // with bias and gate
  [[nodiscard]] std::int64_t down(std::int64_t ffn) const;  // with its bias
  [[nodiscard]] std::int64_t router() const { return m_.hidden * m_.experts + (m_.router_bias ? m_.experts : 0); }
  [[nodiscard]] std::int64_t shared_ffn() const { return m_.shared_experts * m_.expert_ffn; }
  [[nodiscard]] bool has_experts(std::int64_t layer) const { return m_.experts > 0 && layer >= m_.dense_layers; }
  [[nodiscard]] std::int64_t layer(std::int64_t l) const;
  // Returns the elements of a token's cached keys and values in a layer.
  [[nodiscard]] std::int64_t keys_and_values() const {
    return m_.latent() ? m_.kv_rank + m_.rope_size : 2 * kv_heads() * head_size();
  }
  [[nodiscard]] std::int64_t total() const { return sum(false); }
  // Returns the number of parameters used per token: only the experts that it is sent to.
  [[nodiscard]] std::int64_t active() const { return sum(true); }

 private:
  [[nodiscard]] std::int64_t sum(bool active) const;
  const TransformerShape& m_;
};

// Returns the bytes of a token's cached keys and values in all layers.
[[nodiscard]] inline std::int64_t key_bytes_of_token(const Workload& w) {
  return w.step.activation_bytes * w.model.layers * Parameters(w.model).keys_and_values();
}

// Sizes on a rank of a plan: tensor parallelism divides matrices and column biases; experts are separate.
class LocalParameters {
 public:
  LocalParameters(const TransformerShape& shape, const ParallelPlan& plan) : m_(shape), plan_(plan), all_(shape) {}

  struct Tensor {
    std::string_view name;  // name of its gradient computations, without "_wgrad"
    std::int64_t size;
  };
  // Returns the tensors of a layer in the order of the forward pass, without experts.
  [[nodiscard]] std::vector<Tensor> tensors(std::int64_t layer) const;
  [[nodiscard]] std::int64_t dense(std::int64_t layer) const;
  [[nodiscard]] std::int64_t experts(std::int64_t layer) const;
  // Returns the elements of a layer that each tensor-parallel rank holds whole, but whose gradients cover only its
  // own tokens with sequence parallelism: norms, row biases, the router.
  [[nodiscard]] std::int64_t whole(std::int64_t layer) const;
  [[nodiscard]] std::int64_t embedding() const { return m_.vocab * m_.hidden / plan_.tensor; }  // same for the head
  [[nodiscard]] std::int64_t positions() const { return m_.positions * m_.hidden; }
  [[nodiscard]] std::int64_t norm() const { return all_.norm(); }

 private:
  [[nodiscard]] std::int64_t row_biases(std::int64_t layer) const;
  const TransformerShape& m_;
  const ParallelPlan& plan_;
  Parameters all_;
};

}  // namespace convert
