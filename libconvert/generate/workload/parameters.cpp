// SPDX-License-Identifier: MIT
#include "generate/workload/parameters.h"

namespace convert {

std::int64_t Parameters::qkv() const {
  const std::int64_t width = (m_.heads + 2 * kv_heads()) * head_size();
  return m_.hidden * width + (m_.bias ? width : 0);
}

std::int64_t Parameters::attention() const {
  if (m_.latent()) {
    const std::int64_t query = m_.nope_size + m_.rope_size, value = m_.nope_size + m_.value_size;
    return m_.hidden * m_.q_rank + m_.q_rank + m_.q_rank * m_.heads * query +
           m_.hidden * (m_.kv_rank + m_.rope_size) + m_.kv_rank + m_.kv_rank * m_.heads * value +
           m_.heads * m_.value_size * m_.hidden;
  }
  return qkv() + m_.heads * head_size() * m_.hidden + (m_.bias ? m_.hidden : 0);
}

std::int64_t Parameters::up(std::int64_t ffn) const {
  const std::int64_t width = ffn * (m_.gated ? 2 : 1);
  return m_.hidden * width + (m_.bias ? width : 0);
}

std::int64_t Parameters::down(std::int64_t ffn) const { return m_.hidden * ffn + (m_.bias ? m_.hidden : 0); }

std::int64_t Parameters::layer(std::int64_t l) const {
  const std::int64_t frame = attention() + 2 * norm();
  if (!has_experts(l)) return frame + up(m_.ffn) + down(m_.ffn);
  const std::int64_t expert = up(m_.expert_ffn) + down(m_.expert_ffn);
  return frame + router() + (m_.experts + m_.shared_experts) * expert;
}

std::int64_t Parameters::sum(bool active) const {
  std::int64_t n = m_.vocab * m_.hidden * (m_.tied ? 1 : 2) + m_.positions * m_.hidden + norm();
  for (std::int64_t l = 0; l < m_.layers; ++l) {
    n += layer(l);
    if (active && has_experts(l))
      n -= (m_.experts - m_.experts_per_token) * (up(m_.expert_ffn) + down(m_.expert_ffn));
  }
  return n;
}

std::vector<LocalParameters::Tensor> LocalParameters::tensors(std::int64_t layer) const {
  const std::int64_t t = plan_.tensor, bias = m_.bias ? m_.hidden : 0;
  std::vector<Tensor> out = {{"norm1", norm()}};
  if (m_.latent()) {
    const std::int64_t query = m_.nope_size + m_.rope_size, value = m_.nope_size + m_.value_size;
    out.push_back({"qkv_a", m_.hidden * (m_.q_rank + m_.kv_rank + m_.rope_size) + m_.q_rank + m_.kv_rank});
    out.push_back({"q_b", m_.q_rank * m_.heads * query / t});
    out.push_back({"kv_b", m_.kv_rank * m_.heads * value / t});
    out.push_back({"proj", m_.heads * m_.value_size * m_.hidden / t});
  } else {
    out.push_back({"qkv", all_.qkv() / t});
    out.push_back({"proj", m_.heads * all_.head_size() * m_.hidden / t + bias});
  }
  out.push_back({"norm2", norm()});
  const bool moe = all_.has_experts(layer);
  if (moe) out.push_back({"router", all_.router()});
  const std::int64_t ffn = moe ? all_.shared_ffn() : m_.ffn;
  if (ffn == 0) return out;
  out.push_back({moe ? "shared_up" : "up", all_.up(ffn) / t});
  out.push_back({moe ? "shared_down" : "down", ffn * m_.hidden / t + bias});
  return out;
}

std::int64_t LocalParameters::dense(std::int64_t layer) const {
  std::int64_t n = 0;
  for (const Tensor& tensor : tensors(layer)) n += tensor.size;
  return n;
}

std::int64_t LocalParameters::experts(std::int64_t layer) const {
  if (!all_.has_experts(layer)) return 0;
  return m_.experts / plan_.expert * (all_.up(m_.expert_ffn) + all_.down(m_.expert_ffn));
}

std::int64_t LocalParameters::row_biases(std::int64_t layer) const {
  if (!m_.bias) return 0;
  const int attention = m_.latent() ? 0 : 1;
  const int feed_forward = all_.has_experts(layer) && m_.shared_experts == 0 ? 0 : 1;
  return m_.hidden * (attention + feed_forward);
}

std::int64_t LocalParameters::whole(std::int64_t layer) const {
  return 2 * norm() + row_biases(layer) + (all_.has_experts(layer) ? all_.router() : 0);
}

}  // namespace convert
