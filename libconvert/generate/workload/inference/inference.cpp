// SPDX-License-Identifier: MIT
#include "generate/workload/inference/inference.h"

#include <algorithm>
#include <map>
#include <utility>

#include "generate/workload/layer.h"
#include "generate/workload/schedule.h"

namespace convert {
namespace {

// Tags of activations and tokens follow the tags of transfers between replicas.
constexpr std::int64_t first_token_tag = std::int64_t{1} << 24U;
constexpr std::int64_t token_bytes = 8;

class InferenceMaker {
 public:
  InferenceMaker(const Workload& workload, const PlanGroups& groups, std::int64_t stage, ReplicaRole role)
      : w_(workload),
        stage_(stage),
        last_stage_(workload.plan.pipeline - 1),
        role_(role),
        b_(groups, stage),
        prompts_(workload, b_, workload.step.micro_batch * workload.step.sequence),
        tokens_(workload, b_, workload.step.micro_batch) {
    const std::vector<std::int64_t> first = chunk_layers(workload.model, workload.plan);
    const auto s = static_cast<std::size_t>(stage);
    for (std::int64_t l = first.at(s); l < first.at(s + 1); ++l) stage_layers_.push_back(l);
    if (workload.plan.memory == FarMemory::offload) {
      prompts_.when_keys_are_made(
          [this](const LayerMaker::At&, BodyIndex x) { b_.store("store keys", key_bytes(), x); });
      tokens_.when_keys_are_made([this](const LayerMaker::At& at, BodyIndex x) { fetch_keys(at, x); });
    }
    if (role == ReplicaRole::prefill)
      prompts_.when_keys_are_made([this](const LayerMaker::At& at, BodyIndex x) { send_keys(at, x); });
    if (role == ReplicaRole::decode)
      tokens_.when_keys_are_made([this](const LayerMaker::At& at, BodyIndex) { await_keys(at); });
  }

  StageBody make() {
    const StepShape& run = w_.step;
    for (iteration_ = 0; iteration_ < run.iterations; ++iteration_) {
      if (run.prefills() && role_ != ReplicaRole::decode) {
        for (std::int64_t batch = 0; batch < run.micro_batches; ++batch) prefill(batch);
      }
      if (!run.decodes() || role_ == ReplicaRole::prefill) continue;
      for (std::int64_t step = 1; step <= run.tokens; ++step) {
        for (std::int64_t batch = 0; batch < batches(); ++batch) decode(batch, step);
      }
    }
    count_parameters();
    return std::move(b_.body());
  }

 private:
  // Return the number of replicas whose prompts are collected here, and of replicas that this one sends to in turn.
  [[nodiscard]] std::int64_t sources() const { return times(w_.plan.prefill_replicas, w_.plan.decode_replicas); }
  [[nodiscard]] std::int64_t targets() const { return times(w_.plan.decode_replicas, w_.plan.prefill_replicas); }
  [[nodiscard]] std::int64_t times(std::int64_t more, std::int64_t fewer) const {
    return role_ == ReplicaRole::all ? 1 : std::max<std::int64_t>(more / fewer, 1);
  }
  // Returns the number of batches of prompts that are decoded here.
  [[nodiscard]] std::int64_t batches() const { return w_.step.micro_batches * sources() / targets(); }
  // Returns the tag of a batch's input in a step (0: its prompt): activations, or the token.
  [[nodiscard]] std::int64_t tag(std::int64_t batch, std::int64_t step, bool token) const {
    const std::int64_t most_batches = std::max(batches(), w_.step.micro_batches);
    return first_token_tag + 2 * ((iteration_ * most_batches + batch) * (w_.step.tokens + 1) + step) +
           (token ? 1 : 0);
  }
  // Returns the tag of a layer's keys (or, after the last layer, of the first token) of a batch that two replicas
  // exchange.
  [[nodiscard]] std::int64_t handed_tag(std::int64_t batch, std::int64_t layer) const {
    return (iteration_ * w_.step.micro_batches + batch) * (w_.model.layers + 1) + layer;
  }
  [[nodiscard]] std::int64_t activation_bytes(const LayerMaker& layers) const {
    return w_.step.activation_bytes * layers.own_tokens() * w_.model.hidden;
  }
  [[nodiscard]] std::int64_t all_tokens_bytes() const { return token_bytes * w_.step.micro_batch; }
  // Returns the bytes of keys and values of a batch of prompts, in a layer and on a rank.
  [[nodiscard]] std::int64_t key_bytes() const {
    const std::int64_t token = w_.step.activation_bytes * Parameters(w_.model).keys_and_values();
    return w_.step.micro_batch * w_.step.sequence * token / (w_.model.latent() ? 1 : w_.plan.tensor);
  }
  // Loads the keys and values of the previous tokens, and stores the new token's.
  void fetch_keys(const LayerMaker::At& at, BodyIndex x) {
    const std::int64_t token = key_bytes() / w_.step.sequence;
    b_.await({b_.load("load keys", token * (at.keys - 1), x)});
    b_.store("store keys", token, x);
  }

  void prefill(std::int64_t batch) {
    BodyIndex x = stage_ == 0 ? embedding(prompts_, input())
                              : b_.receive(Peer::previous_stage, activation_bytes(prompts_), tag(batch, 0, false));
    for (const std::int64_t layer : stage_layers_) x = prompts_.forward({layer, batch, 0}, x);
    end(prompts_, batch, 0, x);
  }

  BodyIndex input() {
    const bool loads = w_.plan.memory == FarMemory::input;
    return loads ? b_.load("load tokens", token_bytes * prompts_.tokens(), no_node) : no_node;
  }

  void decode(std::int64_t batch, std::int64_t step) {
    BodyIndex x = stage_ == 0
                      ? embedding(tokens_, token_before(batch, step))
                      : b_.receive(Peer::previous_stage, activation_bytes(tokens_), tag(batch, step, false));
    for (const std::int64_t layer : stage_layers_)
      x = tokens_.forward({layer, batch, 0, w_.step.sequence + step}, x);
    end(tokens_, batch, step, x);
  }

  // Returns the node that produces the input tokens of a step; no_node if they are already available.
  BodyIndex token_before(std::int64_t batch, std::int64_t step) {
    if (step == 1 && role_ == ReplicaRole::decode)
      return b_.receive(Peer::prefill_last_stage, all_tokens_bytes(),
                        handed_tag(batch / sources(), w_.model.layers), batch % sources());
    if (step == 1 && w_.step.mode == RunMode::decode) return no_node;
    if (last_stage_ == 0) return samples_.at(batch);
    return b_.receive(Peer::last_stage, all_tokens_bytes(), tag(batch, step - 1, true));
  }

  void end(LayerMaker& layers, std::int64_t batch, std::int64_t step, BodyIndex x) {
    if (stage_ != last_stage_)
      return b_.send(Peer::next_stage, activation_bytes(layers), tag(batch, step, false), {x});
    x = samples_[batch] = sample(layers, x);
    if (role_ == ReplicaRole::prefill) {
      b_.send(Peer::decode_first_stage, all_tokens_bytes(), handed_tag(batch / targets(), w_.model.layers), {x},
              batch % targets());
    } else if (last_stage_ != 0 && w_.step.decodes() && step < w_.step.tokens) {
      b_.send(Peer::first_stage, all_tokens_bytes(), tag(batch, step, true), {x});
    }
  }

  BodyIndex embedding(LayerMaker& layers, BodyIndex token) {
    const double n = real(layers.tokens() * w_.model.hidden);
    return layers.reduce(b_.compute("embedding", n, 2 * real(w_.step.activation_bytes) * n, {token}));
  }

  // Samples the next token of each prompt.
  BodyIndex sample(LayerMaker& layers, BodyIndex x) {
    const std::int64_t n = w_.step.micro_batch, b = w_.step.activation_bytes;
    const std::int64_t h = w_.model.hidden, vocab = w_.model.vocab, t = w_.plan.tensor;
    x = b_.compute("final_norm", real(5 * n * h), real(3 * b * n * h), {x});
    x = layers.gemm("logits", h, vocab / t, n, {x});
    x = b_.collective(Collective::all_gather, b * n * vocab / t, GroupKind::tensor, x);
    return b_.compute("sample", real(n * vocab), real(b * n * vocab), {x});
  }

  void send_keys(const LayerMaker::At& at, BodyIndex x) {
    b_.send(Peer::decode_replica, key_bytes(), handed_tag(at.micro_batch / targets(), at.layer), {x},
            at.micro_batch % targets());
  }
  void await_keys(const LayerMaker::At& at) {
    if (at.keys != w_.step.sequence + 1) return;  // available from the first step on
    b_.await({b_.receive(Peer::prefill_replica, key_bytes(), handed_tag(at.micro_batch / sources(), at.layer),
                         at.micro_batch % sources())});
  }

  void count_parameters() {
    const LocalParameters local(w_.model, w_.plan);
    std::int64_t n = 0;
    for (const std::int64_t layer : stage_layers_) n += local.dense(layer) + local.experts(layer);
    const bool both = w_.model.tied && last_stage_ == 0;
    if (stage_ == 0) n += local.embedding() + local.positions();
    if (stage_ == last_stage_) n += local.norm() + (both ? 0 : local.embedding());
    b_.body().parameters = n;
  }

  const Workload& w_;
  std::int64_t stage_, last_stage_;
  std::int64_t iteration_ = 0;
  ReplicaRole role_;
  std::vector<std::int64_t> stage_layers_;
  BodyBuilder b_;
  LayerMaker prompts_, tokens_;
  std::map<std::int64_t, BodyIndex> samples_;  // by batch
};

}  // namespace

StageBody make_inference(const Workload& workload, const PlanGroups& groups, std::int64_t stage, ReplicaRole role) {
  return InferenceMaker(workload, groups, stage, role).make();
}

}  // namespace convert
