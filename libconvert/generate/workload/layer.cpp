// SPDX-License-Identifier: MIT
#include "generate/workload/layer.h"

#include <utility>

#include "generate/workload/memory.h"

namespace convert {
LayerMaker::LayerMaker(const Workload& workload, BodyBuilder& builder, std::int64_t tokens)
    : w_(workload),
      m_(workload.model),
      b_(builder),
      all_(workload.model),
      t_(workload.plan.tensor),
      c_(workload.plan.context),
      h_(workload.model.hidden),
      heads_(workload.model.heads),
      kv_heads_(all_.kv_heads()),
      head_size_(all_.head_size()),
      element_(workload.step.activation_bytes),
      gates_(workload.model.gated ? 2 : 1),
      tokens_(tokens),
      own_tokens_(workload.plan.sequence_parallel ? tokens_ / t_ : tokens_) {}

BodyIndex LayerMaker::gather(BodyIndex x) {
  if (!w_.plan.sequence_parallel) return x;
  return b_.collective(Collective::all_gather, element_ * tokens_ * h_ / t_, GroupKind::tensor, x);
}

BodyIndex LayerMaker::gather_again(BodyIndex after, BodyIndex kept) {
  if (!w_.plan.sequence_parallel) return no_node;
  const BodyIndex x = gather(after);
  b_.reads_no_deps();
  b_.reads(kept);
  return x;
}

BodyIndex LayerMaker::keep(const At& at, std::string_view name, BodyIndex node) {
  if (w_.step.tensors) kept_[{at.layer, at.micro_batch, name}] = node;
  return node;
}

BodyIndex LayerMaker::kept(const At& at, std::string_view name) const {
  const auto found = kept_.find({at.layer, at.micro_batch, name});
  return found == kept_.end() ? no_node : found->second;
}

BodyIndex LayerMaker::reduce(BodyIndex x) {
  const Collective op = w_.plan.sequence_parallel ? Collective::reduce_scatter : Collective::all_reduce;
  return b_.collective(op, element_ * tokens_ * h_, GroupKind::tensor, x);
}

BodyIndex LayerMaker::gemm(std::string_view name, std::int64_t in, std::int64_t out, std::int64_t tokens,
                           std::vector<BodyIndex> after, const ExpertMatrices& experts) {
  const std::int64_t matrices = in * out * experts.matrices;
  const BodyIndex i = b_.multiply(name, real(2 * tokens * in * out),
                                  real(element_ * (tokens * (in + out) + matrices)), std::move(after));
  b_.gives(real(element_ * tokens * out));
  follow(experts.load, 2 * in * out, element_ * (in + out), element_ * matrices);
  return i;
}

void LayerMaker::weights(ModelUnit unit, std::string tensor, std::string name, std::int64_t in, std::int64_t out,
                         std::int64_t tokens, std::vector<BodyIndex> after, BodyIndex input,
                         DeferredWeights* deferred, const ExpertMatrices& experts) {
  const auto compute = [this, unit, tensor = std::move(tensor), name = std::move(name), in, out, tokens,
                        after = std::move(after), input, experts] {
    gradients_[{unit, tensor}] = gemm(name, in, out, tokens, after, experts);
    b_.reads(input);
    gives_gradients(in * out * experts.matrices, name.starts_with("experts"));
  };
  if (deferred == nullptr) {
    compute();
  } else {
    deferred->emplace_back(compute);
  }
}

// Gradients that are not reduced immediately accumulate in one tensor.
void LayerMaker::gives_gradients(std::int64_t parameters, bool experts) {
  if (w_.plan.shard >= Shard::zero2 && b_.has(experts ? GroupKind::expert_data : GroupKind::data)) {
    b_.gives(real(w_.step.gradient_bytes * parameters));
  } else {
    b_.writes(gradients_tensor);
  }
}

BodyIndex LayerMaker::linear_back(const Pass& pass, const Linear& l, BodyIndex gradient) {
  if (l.gather_gradient) gradient = gather(gradient);
  const std::string name(l.name);
  const BodyIndex input = gemm(name + "_dgrad", l.in, l.out, l.tokens, {gradient}, l.experts);
  b_.gives(real(element_ * l.tokens * l.in));
  const BodyIndex kept_input = kept(pass.at, l.name);
  const BodyIndex gathered = l.gather_input ? gather_again(pass.gradient, kept_input) : no_node;
  const BodyIndex result = l.reduce ? reduce(input) : input;
  weights(pass.at.layer, name, name + "_wgrad", l.in, l.out, l.tokens, {gradient, gathered},
          gathered == no_node ? kept_input : no_node, pass.deferred, l.experts);
  return result;
}

BodyIndex LayerMaker::forward(const At& at, BodyIndex x, BodyIndex input) {
  const double norm = real(own_tokens_ * h_);
  // The output of a norm includes the mask of the preceding dropout.
  const double given = norm * real(element_ + (m_.norm == NormKind::layer ? 1 : 0));
  keep(at, "norm1", input);
  x = b_.compute("norm1", 5 * norm, 3 * real(element_) * norm, {x});
  b_.reads(input);
  b_.gives(given);
  x = reduce(attention_part(at, gather(keep(at, m_.latent() ? "qkv_a" : "qkv", x))));
  keep(at, "norm2", x);
  x = b_.compute("norm2", 5 * norm, 4 * real(element_) * norm, {x});
  b_.gives(given);
  keep(at, "up", x);
  return all_.has_experts(at.layer) ? experts(at, x) : dense(at, x);
}

BodyIndex LayerMaker::backward(const At& at, BodyIndex gradient, DeferredWeights* deferred) {
  if (w_.plan.recompute == Recompute::full)
    (void)forward({at.layer, at.micro_batch, at.tag + 2 * c_ + 2}, gradient, kept(at, "norm1"));
  const Pass pass{at, gradient, deferred};
  const double norm = real(own_tokens_ * h_);
  BodyIndex x = all_.has_experts(at.layer) ? experts_back(pass) : dense_back(pass);
  x = b_.compute("norm2_bwd", 8 * norm, 4 * real(element_) * norm, {x, gradient});
  b_.gives(real(element_) * norm);
  b_.reads(kept(at, "norm2"));
  b_.reads(kept(at, "up"));
  gradients_[{at.layer, "norm2"}] = x;
  x = attention_part_back(pass, x, at.tag + c_);
  x = b_.compute("norm1_bwd", 8 * norm, 4 * real(element_) * norm, {x});
  b_.gives(real(element_) * norm);
  b_.reads(kept(at, "norm1"));
  b_.reads(kept(at, m_.latent() ? "qkv_a" : "qkv"));
  return gradients_[{at.layer, "norm1"}] = x;
}

// ---- attention ----

BodyIndex LayerMaker::attention_part(const At& at, BodyIndex x) {
  if (m_.latent()) {
    const std::int64_t query = m_.nope_size + m_.rope_size, value = m_.nope_size + m_.value_size;
    x = gemm("qkv_a", h_, m_.q_rank + m_.kv_rank + m_.rope_size, tokens_, {x});
    b_.gives(real(element_ * tokens_ * (2 * m_.q_rank + 2 * m_.kv_rank + m_.rope_size)));  // normed, too
    keep(at, "q_b", keep(at, "kv_b", x));
    if (keys_made_) keys_made_(at, x);
    x = gemm("q_b", m_.q_rank, heads_ * query / t_, tokens_, {x});
    keep(at, "q", x);
    x = gemm("kv_b", m_.kv_rank, heads_ * value / t_, tokens_, {x});
    b_.gives(real(element_ * tokens_ * heads_ / t_ * (value + m_.rope_size)));
    b_.reads(kept(at, "kv_b"));
    keep(at, "kv", x);
  } else {
    x = keep(at, "q", gemm("qkv", h_, (heads_ + 2 * kv_heads_) * head_size_ / t_, tokens_, {x}));
    if (keys_made_) keys_made_(at, x);
  }
  const std::int64_t width = heads_ * (m_.latent() ? m_.value_size : head_size_) / t_;
  x = at.keys > 0 ? cached_attention(at, x) : attention(x, at.tag, false);
  keeps_attention(at, x);
  return gemm("proj", width, h_, tokens_, {x});
}

// Scores are kept with the result, except by a fused kernel or with recomputation.
void LayerMaker::keeps_attention(const At& at, BodyIndex result) {
  const std::int64_t width = heads_ * (m_.latent() ? m_.value_size : head_size_) / t_;
  const bool scores = w_.plan.recompute != Recompute::selective;
  b_.gives(real(element_ * tokens_ * width) + (scores ? static_cast<double>(attention_score_bytes(w_)) : 0));
  if (m_.latent()) b_.reads(kept(at, "q"));
  keep(at, "proj", result);
}

// Each token belongs to a different prompt: its query uses all keys of this prompt. Latent attention works on the
// compressed cache, with the matrices of keys and values merged into those for queries and results (kv_b;
// DeepSeek-V2 report, §2.1.2).
BodyIndex LayerMaker::cached_attention(const At& at, BodyIndex x) {
  const double queries = real(tokens_), keys = real(at.keys);
  const double head = real(m_.latent() ? 2 * m_.kv_rank + m_.rope_size : 2 * head_size_);  // a key and a value
  const double heads = real(heads_) / real(t_);
  const double cache =
      m_.latent() ? real(m_.kv_rank + m_.rope_size) : real(2 * kv_heads_ * head_size_) / real(t_);  // per token
  return b_.multiply("attn", 2 * queries * keys * heads * head,
                     real(element_) * queries * (keys * cache + heads * head), {x});
}

BodyIndex LayerMaker::attention_part_back(const Pass& pass, BodyIndex x, std::int64_t tag) {
  const std::int64_t width = m_.latent() ? m_.value_size : head_size_;
  x = linear_back(pass, {"proj", heads_ * width / t_, h_, tokens_, true}, x);
  if (w_.plan.recompute == Recompute::selective) recompute_attention(pass.at, x);
  const BodyIndex again = b_.last_computation();
  x = attention(x, tag, true);
  const std::int64_t key = m_.nope_size + m_.rope_size;
  b_.gives(real(element_ * tokens_) *
           real((m_.latent() ? heads_ * (2 * key + m_.value_size) : (heads_ + 2 * kv_heads_) * head_size_) / t_));
  for (const char* const name : {"q", "kv", "proj"}) b_.reads(kept(pass.at, name));
  if (w_.plan.recompute == Recompute::selective) b_.reads(again);
  if (!m_.latent())
    return linear_back(pass, {"qkv", h_, (heads_ + 2 * kv_heads_) * head_size_ / t_, tokens_, false, true, true},
                       x);
  const std::int64_t query = m_.nope_size + m_.rope_size, value = m_.nope_size + m_.value_size;
  x = linear_back(pass, {"kv_b", m_.kv_rank, heads_ * value / t_, tokens_}, x);
  x = linear_back(pass, {"q_b", m_.q_rank, heads_ * query / t_, tokens_}, x);
  return linear_back(pass, {"qkv_a", h_, m_.q_rank + m_.kv_rank + m_.rope_size, tokens_, false, true, true}, x);
}

void LayerMaker::recompute_attention(const At& at, BodyIndex gradient) {
  const double bytes = real(element_ * tokens_ * 4 * heads_ * head_size_) / real(t_);
  if (m_.latent()) {
    b_.multiply("attn_re", attention_operations(), 1, {});
  } else {
    b_.multiply("attn_re", attention_operations(), bytes, {gradient});
  }
  b_.gives(static_cast<double>(attention_score_bytes(w_)));
  b_.reads_no_deps();
  for (const char* const name : {"q", "kv"}) b_.reads(kept(at, name));
}

double LayerMaker::attention_operations() const {
  const std::int64_t keys = w_.step.sequence;
  const double all =
      m_.latent() ? real(2 * tokens_ * keys * heads_ * (m_.nope_size + m_.rope_size + m_.value_size)) / real(t_)
                  : real(4 * tokens_ * keys * heads_ * head_size_) / real(t_);
  return w_.step.operations == OperationCount::hardware ? all / 2 : all;  // causal: half of the keys
}

// A fused kernel recomputes the scores in the backward pass: five products instead of two.
BodyIndex LayerMaker::attention(BodyIndex x, std::int64_t tag, bool backward) {
  const double again = w_.step.operations == OperationCount::hardware ? 2.5 : 2;
  const double operations = attention_operations() * (backward ? again : 1);
  const double bytes =
      real(element_ * tokens_ * (2 * heads_ + 2 * kv_heads_) * head_size_) / real(t_) * (backward ? 2 : 1);
  const std::string_view name = backward ? "attn_bwd" : "attn";
  if (c_ == 1) return b_.multiply(name, operations, bytes, {x});
  const std::int64_t block = 2 * element_ * tokens_ * kv_heads_ * head_size_ / t_;  // keys and values of a rank
  switch (w_.plan.context_by) {
    case ContextBy::gather: {
      const BodyIndex all = b_.collective(Collective::all_gather, block, GroupKind::context, x);
      const BodyIndex out = b_.multiply(name, operations, bytes, {x, all});
      return backward ? b_.collective(Collective::reduce_scatter, block * c_, GroupKind::context, out) : out;
    }
    case ContextBy::a2a: {
      const std::int64_t sent = element_ * tokens_ * (heads_ + 2 * kv_heads_) * head_size_ / t_;
      const BodyIndex all = b_.collective(Collective::all_to_all, sent, GroupKind::context, x);
      const BodyIndex out = b_.multiply(name, operations, bytes, {all});
      return b_.collective(Collective::all_to_all, element_ * tokens_ * heads_ * head_size_ / t_,
                           GroupKind::context, out);
    }
    case ContextBy::ring: return ring_attention(x, tag, backward, operations, bytes);
  }
  return x;
}

// The current block is sent to the next rank while it is processed. In the backward pass blocks move in the
// opposite direction, starting with the last block of the forward pass. Each block travels with the gradient of the
// previous block, which thus returns to its rank.
BodyIndex LayerMaker::ring_attention(BodyIndex x, std::int64_t tag, bool backward, double operations,
                                     double bytes) {
  const std::int64_t block = 2 * element_ * tokens_ * kv_heads_ * head_size_ / t_;
  const Peer to = backward ? Peer::previous_context : Peer::next_context;
  const Peer from = backward ? Peer::next_context : Peer::previous_context;
  BodyIndex at_hand = x, out = no_node;
  for (std::int64_t k = 0; k < c_; ++k) {
    const BodyIndex now = at_hand;
    const std::int64_t blocks = (k < c_ - 1 ? 1 : 0) + (backward && k > 0 ? 1 : 0);
    if (blocks != 0) {
      b_.send(to, block * blocks, tag + k, {now, backward ? out : no_node});
      at_hand = b_.receive(from, block * blocks, tag + k);
    }
    out = b_.multiply(backward ? "attn_bwd" : "attn", operations / real(c_), bytes, {now, x});
  }
  if (!backward) return out;
  return b_.compute("attn_dkv_add", real(tokens_ * kv_heads_ * head_size_) / real(t_) * 2, real(block * 2),
                    {at_hand, out});
}

// ---- feed-forward ----

BodyIndex LayerMaker::dense(const At& at, BodyIndex x) {
  const std::int64_t f = m_.ffn;
  x = keep(at, "act", gemm("up", h_, gates_ * f / t_, tokens_, {gather(x)}));
  x = b_.compute("act", real(4 * tokens_ * f / t_), real(element_ * (gates_ + 1) * tokens_ * f / t_), {x});
  b_.gives(real(element_ * tokens_ * f / t_));
  keep(at, "down", x);
  return reduce(gemm("down", f / t_, h_, tokens_, {x}));
}

BodyIndex LayerMaker::dense_back(const Pass& pass) {
  const std::int64_t f = m_.ffn;
  BodyIndex x = linear_back(pass, {"down", f / t_, h_, tokens_, true}, pass.gradient);
  x = b_.compute("act_bwd", real(6 * tokens_ * f / t_), real(element_ * (2 * gates_ + 1) * tokens_ * f / t_), {x});
  b_.gives(real(element_ * gates_ * tokens_ * f / t_));
  b_.reads(kept(pass.at, "act"));
  return linear_back(pass, {"up", h_, gates_ * f / t_, tokens_, false, true, true}, x);
}

}  // namespace convert
