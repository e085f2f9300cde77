// SPDX-License-Identifier: MIT
// Nodes of a transformer layer on a rank, forward and backward.
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

// Part of the model whose parameters are handled together: a layer by its number, the head with the final norm, the
// embedding with the positions.
using ModelUnit = std::int64_t;
inline constexpr ModelUnit head_unit = -1;
inline constexpr ModelUnit embedding_unit = -2;

// Computation that produces the gradient of a tensor, in the last micro-batch so far.
using GradientNodes = std::map<std::pair<ModelUnit, std::string>, BodyIndex, std::less<>>;
// Deferred computations of weight gradients, in a separate pass.
using DeferredWeights = std::vector<std::function<void()>>;

// Experts of a rank that receive tokens: the number of matrices, and their rows as an index into StageBody::loads
// unless all experts receive equally many.
struct ExpertMatrices {
  std::int64_t matrices = 1;
  BodyIndex load = no_node;
};

class LayerMaker {
 public:
  // `tokens`: number of tokens in the rank's part of the sequence.
  LayerMaker(const Workload& workload, BodyBuilder& builder, std::int64_t tokens);

  // Layer, micro-batch of a step, and first of the 6·context + 8 tags that its messages may use.
  struct At {
    std::int64_t layer;
    std::int64_t micro_batch;
    std::int64_t tag;
    std::int64_t keys = 0;  // for one token of each prompt: number of keys, its own included; 0: the sequence
  };
  // Called when a layer has its keys and values, with the node that produces them.
  using KeysMade = std::function<void(const At&, BodyIndex)>;
  void when_keys_are_made(KeysMade call) { keys_made_ = std::move(call); }
  // Returns the node that produces the layer's result from the output of `x`.
  BodyIndex forward(const At& at, BodyIndex x) { return forward(at, x, x); }
  // Returns the node that produces the gradient of the layer's input. Gradients of weights are computed in between,
  // or are added to `deferred`.
  BodyIndex backward(const At& at, BodyIndex gradient, DeferredWeights* deferred);

  // Number of tokens in the rank's part of the sequence, and in its own shard of this part with sequence
  // parallelism.
  [[nodiscard]] std::int64_t tokens() const { return tokens_; }
  [[nodiscard]] std::int64_t own_tokens() const { return own_tokens_; }
  // Gathers the sequence before a column-parallel matrix, with sequence parallelism.
  BodyIndex gather(BodyIndex x);
  // Gathers a kept input again for the gradient of weights; returns no_node without sequence parallelism.
  BodyIndex gather_again(BodyIndex after, BodyIndex kept);
  // Records a node whose result the backward pass of a micro-batch needs, by the name of its reader; returns the
  // node.
  BodyIndex keep(const At& at, std::string_view name, BodyIndex node);
  [[nodiscard]] BodyIndex kept(const At& at, std::string_view name) const;
  // Sums the results of a row-parallel matrix over the tensor-parallel ranks.
  BodyIndex reduce(BodyIndex x);
  // Adds a matrix of in × out on `tokens` tokens: 2·tokens·in·out operations.
  BodyIndex gemm(std::string_view name, std::int64_t in, std::int64_t out, std::int64_t tokens,
                 std::vector<BodyIndex> after, const ExpertMatrices& experts = {});
  // Adds the gradient of the matrix's weights from its `input`, recorded as the gradient of a tensor of a unit.
  void weights(ModelUnit unit, std::string tensor, std::string name, std::int64_t in, std::int64_t out,
               std::int64_t tokens, std::vector<BodyIndex> after, BodyIndex input, DeferredWeights* deferred,
               const ExpertMatrices& experts = {});
  // Makes the last added node produce, or accumulate, gradients of `parameters` parameters.
  void gives_gradients(std::int64_t parameters, bool experts);
  [[nodiscard]] GradientNodes& gradients() { return gradients_; }

 private:
  // Backward pass of a linear layer: the gradient of its input, then of its weights.
  struct Linear {
    std::string_view name;
    std::int64_t in;
    std::int64_t out;
    std::int64_t tokens;
    bool gather_gradient = false;  // for a row-parallel matrix
    bool gather_input = false;     // for a column-parallel matrix with only a shard of its input kept
    bool reduce = false;
    ExpertMatrices experts{};
  };
  struct Pass {  // backward
    At at;
    BodyIndex gradient;  // gradient of the layer's result
    DeferredWeights* deferred;
  };
  BodyIndex linear_back(const Pass& pass, const Linear& l, BodyIndex gradient);

  // `input` is the node that holds the value of `x`.
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
  // Sends tokens to the experts, in their own element type, or the experts' results back.
  BodyIndex exchange(BodyIndex x, bool to_experts, BodyIndex load);
  [[nodiscard]] ExpertMatrices experts_of(const At& at);
  BodyIndex load_of(const At& at);
  // Makes the last node, of expert rows, do this amount of work for each row received.
  void follow(BodyIndex load, std::int64_t operations, std::int64_t bytes, std::int64_t fixed_bytes = 0);
  [[nodiscard]] double attention_operations() const;

  const Workload& w_;
  const TransformerShape& m_;
  BodyBuilder& b_;
  Parameters all_;
  std::int64_t t_, c_, h_, heads_, kv_heads_, head_size_, element_, gates_;
  std::int64_t tokens_, own_tokens_;
  std::map<std::pair<std::int64_t, std::int64_t>, BodyIndex> loads_;                    // by layer and micro-batch
  std::map<std::tuple<std::int64_t, std::int64_t, std::string_view>, BodyIndex> kept_;  // also by name
  GradientNodes gradients_;
  KeysMade keys_made_;
};

}  // namespace convert
