// SPDX-License-Identifier: MIT
// Makes the nodes of a transformer's layer on a rank, forward and backward.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "config/workload/workload.h"
#include "generate/workload/body.h"
#include "generate/workload/parameters.h"

namespace convert {

// A part of the model whose parameters are handled together: a layer by its number, the head with the final norm,
// the embedding with the positions.
using ModelUnit = std::int64_t;
inline constexpr ModelUnit head_unit = -1;
inline constexpr ModelUnit embedding_unit = -2;

// The computation that gives the gradient of a tensor, of the last micro-batch so far.
using GradientNodes = std::map<std::pair<ModelUnit, std::string>, BodyIndex, std::less<>>;
// Gradients of weights that a pass of their own computes.
using DeferredWeights = std::vector<std::function<void()>>;

// The experts of a rank, as far as they get tokens: how many matrices there are in place of one, and which rows
// they get, in StageBody::loads, if not all as many.
struct ExpertMatrices {
  std::int64_t matrices = 1;
  BodyIndex load = no_node;
};

class LayerMaker {
 public:
  // `tokens` of a rank: of its part of the sequence.
  LayerMaker(const Workload& workload, BodyBuilder& builder, std::int64_t tokens);

  // Which layer, for which micro-batch of a step, and the first of 6·context + 8 tags that its messages may use.
  struct At {
    std::int64_t layer;
    std::int64_t micro_batch;
    std::int64_t tag;
    std::int64_t keys =
        0;  // of a token each of several prompts: those before it and its own; 0: the sequence itself
  };
  // Is called when a layer has its keys and values, with the node that gives them.
  using KeysMade = std::function<void(const At&, BodyIndex)>;
  void when_keys_are_made(KeysMade call) { keys_made_ = std::move(call); }
  // Returns the node that gives the layer's result, of the input that `x` gives.
  BodyIndex forward(const At& at, BodyIndex x) { return forward(at, x, x); }
  // Returns the node that gives the gradient of the layer's input. Gradients of weights are computed in between, or
  // are for `deferred`.
  BodyIndex backward(const At& at, BodyIndex gradient, DeferredWeights* deferred);

  // Tokens of a rank: of its part of the sequence, and of its part of that with sequence parallelism.
  [[nodiscard]] std::int64_t tokens() const { return tokens_; }
  [[nodiscard]] std::int64_t own_tokens() const { return own_tokens_; }
  // Gathers the sequence before a matrix of columns, with sequence parallelism.
  BodyIndex gather(BodyIndex x);
  // Does the same once more for the gradient of weights, of what was kept; no_node without sequence parallelism.
  BodyIndex gather_again(BodyIndex after, BodyIndex kept);
  // Notes a node whose result the backward pass of a micro-batch needs, by the name of what reads it; returns it.
  BodyIndex keep(const At& at, std::string_view name, BodyIndex node);
  [[nodiscard]] BodyIndex kept(const At& at, std::string_view name) const;
  // Adds up what the matrix of rows on each tensor-parallel rank gives.
  BodyIndex reduce(BodyIndex x);
  // A matrix of in × out on so many tokens: 2·tokens·in·out operations.
  BodyIndex gemm(std::string_view name, std::int64_t in, std::int64_t out, std::int64_t tokens,
                 std::vector<BodyIndex> after, const ExpertMatrices& experts = {});
  // The gradient of its weights, of what was its `input`, noted as that of a tensor of a unit.
  void weights(ModelUnit unit, std::string tensor, std::string name, std::int64_t in, std::int64_t out,
               std::int64_t tokens, std::vector<BodyIndex> after, BodyIndex input, DeferredWeights* deferred,
               const ExpertMatrices& experts = {});
  // Says that the node that was added last gives, or adds to, gradients of so many parameters.
  void gives_gradients(std::int64_t parameters, bool experts);
  [[nodiscard]] GradientNodes& gradients() { return gradients_; }

 private:
  // A linear layer going backward: the gradient of its input, then that of its weights.
  struct Linear {
    std::string_view name;
    std::int64_t in;
    std::int64_t out;
    std::int64_t tokens;
    bool gather_gradient = false;  // of a matrix of rows
    bool gather_input = false;     // of a matrix of columns, of which only the part was kept
    bool reduce = false;
    ExpertMatrices experts{};
  };
  struct Pass {  // backward
    At at;
    BodyIndex gradient;  // of the layer's result
    DeferredWeights* deferred;
  };
  BodyIndex linear_back(const Pass& pass, const Linear& l, BodyIndex gradient);

  // `input` is what holds what `x` stands for.
  BodyIndex forward(const At& at, BodyIndex x, BodyIndex input);
  BodyIndex attention_part(const At& at, BodyIndex x);
  BodyIndex cached_attention(const At& at, BodyIndex x);
  BodyIndex attention_part_back(const Pass& pass, BodyIndex x, std::int64_t tag);
  void keeps_attention(const At& at, BodyIndex result);
  BodyIndex attention(BodyIndex x, std::int64_t tag, bool backward);
  BodyIndex ring_attention(BodyIndex x, std::int64_t tag, bool backward, double operations, double bytes);
  void recompute_attention(const At& at, BodyIndex gradient);
  BodyIndex dense(const At& at, BodyIndex x);
  BodyIndex dense_back(const Pass& pass);
  BodyIndex experts(const At& at, BodyIndex norm);
  BodyIndex experts_back(const Pass& pass);
  BodyIndex shared_experts(const At& at, BodyIndex norm);
  BodyIndex shared_experts_back(const Pass& pass, BodyIndex gradient);
  // Sends tokens to the experts, with their own type of elements, or what these made of them back.
  BodyIndex exchange(BodyIndex x, bool to_experts, BodyIndex load);
  [[nodiscard]] ExpertMatrices experts_of(const At& at);
  BodyIndex load_of(const At& at);
  // Lets the last node, of rows for experts, do so much for each that they get.
  void follow(BodyIndex load, std::int64_t operations, std::int64_t bytes, std::int64_t fixed_bytes = 0);
  [[nodiscard]] double attention_operations() const;

  const Workload& w_;
  const TransformerShape& m_;
  BodyBuilder& b_;
  Parameters all_;
  std::int64_t t_, c_, h_, heads_, kv_heads_, head_size_, element_, gates_;
  std::int64_t tokens_, own_tokens_;
  std::map<std::pair<std::int64_t, std::int64_t>, BodyIndex> loads_;                    // by layer and micro-batch
  std::map<std::tuple<std::int64_t, std::int64_t, std::string_view>, BodyIndex> kept_;  // and the name
  GradientNodes gradients_;
  KeysMade keys_made_;
};

}  // namespace convert
