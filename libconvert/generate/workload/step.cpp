// SPDX-License-Identifier: MIT
#include "generate/workload/step.h"

#include <algorithm>
#include <map>
#include <ranges>
#include <utility>

#include "generate/workload/gradients.h"
#include "generate/workload/layer.h"
#include "generate/workload/schedule.h"

namespace convert {
namespace {

// Tags of pipeline messages follow the tags of context-parallel rings. check_workload() keeps the latter below this
// limit, and both below 2^31.
constexpr std::int64_t first_pipeline_tag = std::int64_t{1} << 24U;

StageUnits units_of(const Workload& w, const std::vector<std::int64_t>& first, std::int64_t stage) {
  StageUnits units;
  const std::int64_t p = w.plan.pipeline;
  for (std::int64_t chunk = 0; chunk < w.plan.chunks; ++chunk) {
    const auto of_model = static_cast<std::size_t>(chunk * p + stage);
    for (std::int64_t l = first.at(of_model); l < first.at(of_model + 1); ++l) units.layers.push_back(l);
  }
  units.embedding = stage == 0;
  units.head = stage == p - 1;
  return units;
}

class StepMaker {
 public:
  StepMaker(const Workload& workload, const PlanGroups& groups, std::int64_t stage)
      : w_(workload),
        stage_(stage),
        first_(chunk_layers(workload.model, workload.plan)),
        units_(units_of(workload, first_, stage)),
        b_(groups, stage),
        layers_(workload, b_, workload.step.micro_batch * workload.step.sequence / workload.plan.context),
        gradients_(workload, units_, b_, layers_) {}

  StageBody make() {
    for (iteration_ = 0; iteration_ < w_.step.iterations; ++iteration_) make_step();
    return std::move(b_.body());
  }

 private:
  // Nodes of all steps are equal except for tags, so that steps can be found in a trace, and repeated.
  void make_step() {
    for (const StagePass& pass : pipeline_schedule(w_.plan, w_.step.micro_batches, stage_)) {
      if (pass.kind == PassKind::forward) forward(pass);
      if (pass.kind == PassKind::backward) backward(pass);
      if (pass.kind != PassKind::weights) continue;
      const auto of_pass = deferred_.extract({pass.micro_batch, pass.chunk});
      for (const auto& compute : of_pass.mapped()) compute();
      if (!reduces_at_once()) continue;
      for (const std::int64_t layer : layers_of(chunk_of_model(pass)) | std::views::reverse)
        gradients_.reduce_unit(layer, "grads");
      reduce_ends(chunk_of_model(pass));
    }
    gradients_.finish();
  }
  [[nodiscard]] bool gathers() const { return w_.plan.shard == Shard::zero3; }
  [[nodiscard]] bool reduces_at_once() const { return w_.plan.shard >= Shard::zero2; }
  // Chunks of the model: the first has the embedding, the last the head.
  [[nodiscard]] std::int64_t chunk_of_model(const StagePass& pass) const {
    return pass.chunk * w_.plan.pipeline + stage_;
  }
  [[nodiscard]] std::int64_t chunks() const { return w_.plan.pipeline * w_.plan.chunks; }
  [[nodiscard]] std::int64_t message_bytes() const {
    return w_.step.activation_bytes * layers_.own_tokens() * w_.model.hidden;
  }
  // Returns the number of a pass's micro-batch among all steps.
  [[nodiscard]] std::int64_t micro_batch(const StagePass& pass) const {
    return iteration_ * w_.step.micro_batches + pass.micro_batch;
  }
  // Returns the tag of the message to chunk `to`.
  [[nodiscard]] std::int64_t tag(const StagePass& pass, std::int64_t to, bool backward) const {
    return first_pipeline_tag + 2 * (micro_batch(pass) * chunks() + to) + (backward ? 1 : 0);
  }
  [[nodiscard]] LayerMaker::At at(const StagePass& pass, std::int64_t layer) const {
    const std::int64_t tags = 4 * (2 * w_.plan.context + 2);
    return {layer, pass.micro_batch, (micro_batch(pass) * w_.model.layers + layer) * tags};
  }

  // Parameters that were gathered for the next layers of a pass.
  using Gathered = std::map<ModelUnit, std::vector<BodyIndex>>;
  // zero3: gathers the parameters of the layer, unless already done, and of the next layers.
  void gather(const std::vector<std::int64_t>& order, std::size_t at, BodyIndex after, const char* name,
              Gathered& to) {
    if (at == 0) to[order[0]] = gradients_.gather_parameters(order[0], after, name);
    const std::size_t end = std::min(order.size(), at + 1 + static_cast<std::size_t>(w_.plan.prefetch));
    for (std::size_t next = std::max<std::size_t>(at, 1); next < end; ++next) {
      const std::int64_t layer = order[next];
      if (!to.contains(layer)) to[layer] = gradients_.gather_parameters(layer, b_.last_computation(), name);
    }
  }
  // Marks the last added node as the last reader of gathered parameters.
  void use(const std::vector<BodyIndex>& gathered) {
    if (!b_.has(GroupKind::data)) return;
    for (const BodyIndex call : gathered) b_.reads(call);
  }
  // Key of the head for kept nodes.
  [[nodiscard]] static LayerMaker::At at_head(const StagePass& pass) { return {head_unit, pass.micro_batch, 0}; }
  [[nodiscard]] std::vector<std::int64_t> layers_of(std::int64_t chunk) const {
    std::vector<std::int64_t> out;
    for (std::int64_t l = first_.at(static_cast<std::size_t>(chunk));
         l < first_.at(static_cast<std::size_t>(chunk + 1)); ++l)
      out.push_back(l);
    return out;
  }

  void forward(const StagePass& pass) {
    const std::int64_t chunk = chunk_of_model(pass);
    BodyIndex x =
        chunk == 0 ? embedding() : b_.receive(Peer::previous_stage, message_bytes(), tag(pass, chunk, false));
    const std::vector<std::int64_t> order = layers_of(chunk);
    Gathered gathered;
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (gathers()) {
        gather(order, i, gradients_.last_update(), "fwd", gathered);
        x = gradients_.join(x, gathered[order[i]]);
      }
      gradients_.await_parameters(order[i]);
      x = layers_.forward(at(pass, order[i]), x);
      use(gathered[order[i]]);
      if (!w_.plan.reshard) kept_parameters_[{pass.micro_batch, order[i]}] = gathered[order[i]];
    }
    if (chunk == chunks() - 1) {
      x = head(pass, x);
    } else {
      b_.send(Peer::next_stage, message_bytes(), tag(pass, chunk + 1, false), {x});
    }
    results_[{pass.micro_batch, pass.chunk}] = x;
  }

  BodyIndex embedding() {
    const std::int64_t tokens = layers_.tokens(), h = w_.model.hidden;
    std::vector<BodyIndex> after;
    if (gathers()) after = gradients_.gather_parameters(embedding_unit, gradients_.last_update(), "emb");
    if (w_.plan.memory == FarMemory::input) after.push_back(b_.load("load tokens", 8 * tokens, no_node));
    gradients_.await_parameters(embedding_unit);
    if (units_.joined(w_.model)) gradients_.await_parameters(head_unit);
    const BodyIndex x =
        b_.compute("embedding", real(tokens * h), real(2 * w_.step.activation_bytes * tokens * h), after);
    b_.gives(real(w_.step.activation_bytes * tokens * h));
    return layers_.reduce(x);
  }

  // Cross-entropy over a divided vocabulary: maximum, target and sum, 4 bytes for each token.
  BodyIndex head(const StagePass& pass, BodyIndex x) {
    const std::int64_t own = layers_.own_tokens(), tokens = layers_.tokens(), b = w_.step.activation_bytes;
    const std::int64_t h = w_.model.hidden, vocab = w_.model.vocab;
    if (gathers() && !units_.joined(w_.model)) {
      const std::vector<BodyIndex> gathered =
          gradients_.gather_parameters(head_unit, b_.last_computation(), "head");
      kept_parameters_[{pass.micro_batch, head_unit}] = gathered;
      x = gradients_.join(x, gathered);
    }
    layers_.keep(at_head(pass), "final_norm", x);
    gradients_.await_parameters(head_unit);
    x = b_.compute("final_norm", real(5 * own * h), real(3 * b * own * h), {x});
    b_.gives(real(b * own * h));
    layers_.keep(at_head(pass), "head", x);
    x = layers_.gemm("logits", h, vocab / w_.plan.tensor, tokens, {layers_.gather(x)});
    layers_.keep(at_head(pass), "logits", x);
    for (int i = 0; i < 3; ++i) x = b_.collective(Collective::all_reduce, 4 * tokens, GroupKind::tensor, x);
    x = b_.compute("loss", real(8 * tokens * vocab / w_.plan.tensor), real(3 * b * tokens * vocab / w_.plan.tensor),
                   {x});
    b_.gives(real(4 * tokens));
    return x;
  }

  void backward(const StagePass& pass) {
    const std::int64_t chunk = chunk_of_model(pass);
    DeferredWeights* const deferred =
        w_.plan.order == PipelineOrder::zb_h1 ? &deferred_[{pass.micro_batch, pass.chunk}] : nullptr;
    BodyIndex x = chunk == chunks() - 1 ? head_back(pass, results_.at({pass.micro_batch, pass.chunk}), deferred)
                                        : b_.receive(Peer::next_stage, message_bytes(), tag(pass, chunk, true));
    std::vector<std::int64_t> order = layers_of(chunk);
    std::ranges::reverse(order);
    Gathered gathered;
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (gathers() && w_.plan.reshard) {
        gather(order, i, b_.last_computation(), "bwd", gathered);
        x = gradients_.join(x, gathered[order[i]]);
      }
      x = layers_.backward(at(pass, order[i]), x, deferred);
      use(w_.plan.reshard ? gathered[order[i]] : kept_parameters_[{pass.micro_batch, order[i]}]);
      if (reduces_at_once() && deferred == nullptr) gradients_.reduce_unit(order[i], "grads");
    }
    if (chunk == 0) {
      embedding_back(x);
    } else {
      b_.send(Peer::previous_stage, message_bytes(), tag(pass, chunk - 1, true), {x});
    }
    if (reduces_at_once() && deferred == nullptr) reduce_ends(chunk);
  }

  void reduce_ends(std::int64_t chunk) {
    if (chunk == chunks() - 1 && !units_.joined(w_.model)) gradients_.reduce_unit(head_unit, "head");
    if (chunk == 0) gradients_.reduce_unit(embedding_unit, "emb");
  }

  BodyIndex head_back(const StagePass& pass, BodyIndex loss, DeferredWeights* deferred) {
    const std::int64_t own = layers_.own_tokens(), tokens = layers_.tokens(), b = w_.step.activation_bytes;
    const std::int64_t h = w_.model.hidden, vocab = w_.model.vocab, t = w_.plan.tensor;
    const BodyIndex g =
        b_.compute("loss_bwd", real(4 * tokens * vocab / t), real(2 * b * tokens * vocab / t), {loss});
    b_.gives(real(b * tokens * vocab / t));
    b_.reads(layers_.kept(at_head(pass), "logits"));
    const BodyIndex input = layers_.gemm("logits_dgrad", h, vocab / t, tokens, {g});
    b_.gives(real(b * tokens * h));
    use(kept_parameters_[{pass.micro_batch, head_unit}]);
    const BodyIndex kept = layers_.kept(at_head(pass), "head");
    const BodyIndex gathered = layers_.gather_again(loss, kept);
    const BodyIndex reduced = layers_.reduce(input);
    layers_.weights(head_unit, "head", "logits_wgrad", h, vocab / t, tokens, {g, gathered},
                    gathered == no_node ? kept : no_node, deferred);
    const BodyIndex norm = b_.compute("final_norm_bwd", real(8 * own * h), real(4 * b * own * h), {reduced});
    b_.gives(real(b * own * h));
    b_.reads(layers_.kept(at_head(pass), "final_norm"));
    return layers_.gradients()[{head_unit, "final_norm"}] = norm;
  }

  void embedding_back(BodyIndex x) {
    const std::int64_t tokens = layers_.tokens(), h = w_.model.hidden;
    layers_.gradients()[{embedding_unit, "emb"}] = b_.compute(
        "embedding_bwd", real(tokens * h), real(3 * w_.step.activation_bytes * tokens * h), {layers_.gather(x)});
    layers_.gives_gradients(w_.model.vocab / w_.plan.tensor * h + w_.model.positions * h, false);
    if (units_.joined(w_.model)) b_.writes(b_.tensor_of(layers_.gradients()[{head_unit, "head"}]));
  }

  const Workload& w_;
  std::int64_t stage_;
  std::int64_t iteration_ = 0;
  std::vector<std::int64_t> first_;  // layer of each chunk
  StageUnits units_;
  BodyBuilder b_;
  LayerMaker layers_;
  GradientMaker gradients_;
  std::map<std::pair<std::int64_t, std::int64_t>, BodyIndex> results_;  // by micro-batch and chunk
  std::map<std::pair<std::int64_t, ModelUnit>, std::vector<BodyIndex>>
      kept_parameters_;                                                        // gathered, by micro-batch
  std::map<std::pair<std::int64_t, std::int64_t>, DeferredWeights> deferred_;  // by micro-batch and chunk
};

}  // namespace

StageBody make_stage(const Workload& workload, const PlanGroups& groups, std::int64_t stage) {
  return StepMaker(workload, groups, stage).make();
}

}  // namespace convert
