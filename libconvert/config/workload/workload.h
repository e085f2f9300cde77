// SPDX-License-Identifier: MIT
// Workloads: a model, its run (training or inference), and its distribution over NPUs. generate/workload/ derives
// nodes and sizes.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/trace.h"

namespace convert {

// Kinds of models. Each kind has its own keys (kinds.cpp) and generates its own nodes (generate/workload/).
enum class ModelKind : std::uint8_t { transformer, mlp, dlrm, resnet, vit };
inline constexpr std::array<std::string_view, 5> model_kind_names = {"transformer", "mlp", "dlrm", "resnet", "vit"};
[[nodiscard]] constexpr std::string_view name(ModelKind kind) {
  return model_kind_names[static_cast<std::size_t>(kind)];
}

enum class NormKind : std::uint8_t { rms, layer };  // with hidden or 2 × hidden parameters
// Exchange of queries, keys and values between context-parallel ranks.
enum class ContextBy : std::uint8_t { ring, gather, a2a };
// State that data-parallel ranks shard instead of replicating: none; the optimizer; also gradients; also
// parameters.
enum class Shard : std::uint8_t { ddp, zero1, zero2, zero3 };
enum class PipelineOrder : std::uint8_t { gpipe, one_f_one_b, interleaved, zb_h1 };
// How gradients are grouped into buckets for one collective: as in PyTorch's DDP, or as in Megatron-LM.
enum class Buckets : std::uint8_t { pytorch, megatron };
// Parts of the forward pass that the backward pass recomputes.
enum class Recompute : std::uint8_t { none, selective, full };
// When shared experts, which process every token, are computed: after the routed experts, or before.
enum class SharedExperts : std::uint8_t { late, early };
// Parallelism whose ranks are adjacent, in the first dimension of a network.
enum class Inner : std::uint8_t { tensor, data };
// Training steps (train); the forward pass of prompts (prefill); steps of one token each, after prompts whose
// keys and values are cached (decode); prefill and decode (both).
enum class RunMode : std::uint8_t { train, prefill, decode, both };
// Distribution of embeddings: about equal bytes per rank (bytes), and also the same number of tables (count).
enum class Deal : std::uint8_t { bytes, count };
// Transfers to remote memory: none; input tokens; offloaded state (gradients and optimizer of zero1 and zero2,
// also parameters of zero3, keys and values of inference).
enum class FarMemory : std::uint8_t { none, input, offload };
// Count of attention operations: as in published tables, or as a fused causal kernel computes.
enum class OperationCount : std::uint8_t { hardware, model };

// Decoder-only transformer. Sizes in elements.
struct TransformerShape {
  std::int64_t layers = 0;
  std::int64_t hidden = 0;
  std::int64_t heads = 0;
  std::int64_t kv_heads = 0;   // 0: same as heads
  std::int64_t head_size = 0;  // 0: hidden / heads
  std::int64_t ffn = 0;        // width of the feed-forward network of a dense layer
  std::int64_t vocab = 0;
  std::int64_t positions = 0;  // learned position embeddings; 0: none
  bool gated = true;           // SwiGLU: two up-projections
  bool bias = false;
  NormKind norm = NormKind::rms;
  bool tied = false;  // the output head shares the embedding
  // Mixture of experts; disabled if experts is 0.
  std::int64_t experts = 0;
  std::int64_t experts_per_token = 0;
  std::int64_t expert_ffn = 0;
  std::int64_t shared_experts = 0;
  std::int64_t dense_layers = 0;  // first layers, without experts
  bool router_bias = false;
  // Multi-head latent attention (DeepSeek); disabled if q_rank is 0.
  std::int64_t q_rank = 0;
  std::int64_t kv_rank = 0;
  std::int64_t nope_size = 0;   // per head, without position encoding
  std::int64_t rope_size = 0;   // per head, with position encoding
  std::int64_t value_size = 0;  // size of a head's values

  [[nodiscard]] bool latent() const { return q_rank > 0; }
};

// Multi-layer perceptron: a chain of matrices.
struct MlpShape {
  std::vector<std::int64_t> widths{};  // width of the input, then the output width of each layer
};

// Recommendation model: embeddings of categorical features, a bottom MLP for numeric features, pairwise products
// of the vectors, and a top MLP.
struct DlrmShape {
  std::vector<std::int64_t> tables{};  // number of rows of each
  std::int64_t dim = 128;              // elements per row
  std::vector<std::int64_t> bottom{};  // width of the input, then the output width of each layer
  std::vector<std::int64_t> top{};     // output width of each layer

  // Returns the number of column shards of each table: the fewest such that every rank gets a shard (bytes), or
  // all ranks get the same number (count); 0 if there is no such number.
  [[nodiscard]] std::int64_t cuts(std::int64_t ranks, Deal deal) const;
};

// Input and shape of a residual network or vision transformer. A vision transformer also has the layers of a
// TransformerShape.
struct ImageShape {
  std::int64_t image = 224;  // pixels in each direction
  std::int64_t classes = 1000;
  std::vector<std::int64_t> blocks{};  // residual network: bottleneck blocks of each size
  std::int64_t patch = 0;              // vision transformer: pixels in each direction
};

// Run of a workload, per replica.
struct StepShape {
  RunMode mode = RunMode::train;
  std::int64_t sequence = 4096;       // tokens
  std::int64_t micro_batch = 1;       // sequences, or samples
  std::int64_t micro_batches = 1;     // per step and replica
  std::int64_t global_batch = 0;      // sequences of a step over all replicas, sets micro_batches; 0: derived
  std::int64_t iterations = 1;        // consecutive steps
  std::int64_t activation_bytes = 2;  // bytes of an element of activations and parameters
  std::int64_t gradient_bytes = 4;    // bytes of an element in gradient reductions
  std::int64_t tokens = 1;            // decode: steps after the prompt
  double zipf = 0;                    // exponent of the distribution of expert loads; 0: equal
  std::int64_t zipf_seed = 0;         // assigns loads to experts
  OperationCount operations = OperationCount::hardware;
  bool tensors = false;  // nodes name the tensors that they read and write

  [[nodiscard]] bool trains() const { return mode == RunMode::train; }
  [[nodiscard]] bool prefills() const { return mode == RunMode::prefill || mode == RunMode::both; }
  [[nodiscard]] bool decodes() const { return mode == RunMode::decode || mode == RunMode::both; }
};

// Distribution of a step over tensor × context × data × pipeline ranks; tensor varies fastest, unless `inner`
// changes this.
struct ParallelPlan {
  std::int64_t tensor = 1;
  std::int64_t context = 1;
  std::int64_t expert = 1;  // divides tensor × context × data
  std::int64_t data = 1;
  std::int64_t pipeline = 1;
  std::int64_t chunks = 1;             // of layers, per stage
  std::int64_t hsdp = 0;               // zero1 to zero3: ranks of context × data that share shards; 0: all
  std::int64_t prefill_replicas = 0;   // data-parallel replicas that only prefill; 0: all replicas do both
  std::int64_t decode_replicas = 0;    // data-parallel replicas that only decode
  std::int64_t prefetch = 1;           // zero3: number of layers that parameters are gathered ahead
  bool reshard = true;                 // zero3: parameters are dropped after the forward pass, and gathered again
  std::vector<std::int64_t> layers{};  // of each chunk; empty: equal, the remainder from the second chunk on
  bool sequence_parallel = false;      // for activations that tensor parallelism replicates
  ContextBy context_by = ContextBy::ring;
  PipelineOrder order = PipelineOrder::one_f_one_b;
  Shard shard = Shard::ddp;
  Buckets buckets = Buckets::pytorch;
  Recompute recompute = Recompute::none;
  SharedExperts shared = SharedExperts::late;
  FarMemory memory = FarMemory::none;
  std::int64_t dispatch_bytes = 0;  // of an element sent to experts; 0: activation_bytes
  Inner inner = Inner::tensor;
  Deal deal = Deal::bytes;
  bool clip = true;         // by the norm of all gradients
  bool dimensions = false;  // collectives state the network dimensions that they span

  [[nodiscard]] std::int64_t ranks() const { return tensor * context * data * pipeline; }
  [[nodiscard]] bool disaggregates() const { return prefill_replicas > 0; }
  // Returns the number of ranks among which optimizer, gradients or parameters are sharded.
  [[nodiscard]] std::int64_t shard_ranks() const { return hsdp > 0 ? hsdp : context * data; }
  // Returns the minimum number of elements of a Megatron-LM bucket (megatron/core/distributed/
  // distributed_data_parallel.py).
  [[nodiscard]] std::int64_t megatron_bucket() const {
    return std::max<std::int64_t>(40'000'000, 1'000'000 * data * context);
  }
};

// Durations of computations by the roofline model: the maximum of operations at the peak rate and bytes at the
// memory bandwidth. Without a peak there are no durations.
struct ComputeTimes {
  enum class By : std::uint8_t { roofline };
  By by = By::roofline;
  double peak_tflops = 0;        // 10^12 operations per second; 0: no durations
  double memory_gb_per_s = 0;    // 10^9 bytes per second; 0: memory is no limit
  double host_gb_per_s = 0;      // bandwidth of host memory, which updates offloaded state
  double matrix_efficiency = 1;  // fraction of the peak that matrices and attention reach

  [[nodiscard]] bool given() const { return peak_tflops > 0; }
  // Returns the duration of a computation in ns; `matrix`: of a matrix or attention.
  [[nodiscard]] std::int64_t ns(std::int64_t operations, std::int64_t bytes, bool matrix) const;
  // Returns the duration in ns for the host to process `bytes`; 0 if its memory bandwidth is not given.
  [[nodiscard]] std::int64_t host_ns(std::int64_t bytes) const;
};

struct Workload {
  std::string name;
  TransformerShape model{};
  StepShape step{};
  ParallelPlan plan{};
  ComputeTimes times{};
  ModelKind kind = ModelKind::transformer;
  MlpShape mlp{};
  DlrmShape dlrm{};
  ImageShape image{};
};

// Throws Error(usage) with the keys that contradict each other or are out of range.
void check_workload(const Workload& w);

// Returns whether a setting, by its path, applies to models of a kind.
[[nodiscard]] bool has_setting(ModelKind kind, std::string_view path);

// Value by its path, "plan.tensor", and its location in a file; line 0: not from a file.
struct WorkloadSetting {
  std::string key;
  std::string value;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
};
// Returns all settings of a workload, in file order.
[[nodiscard]] std::vector<WorkloadSetting> settings_of(const Workload& w);
// Sets a value. Throws Error(usage) with the nearest keys, the accepted values, or the kinds of models that have
// the key. A kind that differs from the workload's kind is an error, too.
void set_workload(Workload& w, const WorkloadSetting& setting);

// Returns the names of the known models.
[[nodiscard]] std::vector<std::string> workload_presets();
[[nodiscard]] bool is_workload_preset(std::string_view name);
// Plan of a preset, with its number of NPUs.
struct PlanName {
  std::string name;
  std::int64_t npus = 0;
};
// Returns the plans of a preset, the default first; empty for an unknown name.
[[nodiscard]] std::vector<PlanName> preset_plans(std::string_view name);
// Request for a workload: a model, settings (a later one replaces an earlier one) and the number of NPUs.
struct WorkloadRequest {
  std::string preset{};                     // model by its name; empty: by its shape
  std::string plan{};                       // plan of the preset by its name; empty: the default
  ModelKind kind = ModelKind::transformer;  // of a model given by its shape
  bool own_plan = false;                    // plan sizes that are not set are 1, not the preset's
  std::vector<WorkloadSetting> settings{};
  std::int64_t npus = 0;  // 0: the plan's number
  std::string file{};     // file of the settings and the model
  std::uint32_t line = 0;
  std::uint32_t column = 0;
};

// Parses a YAML file of `model` (a preset's name, or keys), `run`, `plan` and `time`. Throws Error(input)
// [workload] with the location.
[[nodiscard]] WorkloadRequest parse_workload_request(const std::string& file, std::string_view text);

// Returns the requested workload, unchecked. The number of NPUs determines only the data-parallel size (for an
// mlp without plan.tensor the tensor-parallel size). run.global_batch determines the micro-batches of a replica.
// Throws Error(usage) with the multiple of NPUs that would fit, Error(input) for settings from a file.
[[nodiscard]] Workload resolve_workload(const WorkloadRequest& request);
// Returns the same workload, checked by check_workload(); errors about settings from a file have their location.
[[nodiscard]] Workload checked_workload(const WorkloadRequest& request);

// Return a preset with its default plan on `npus` NPUs (0: the plan's number), or the workload of a file.
// Unchecked.
[[nodiscard]] inline Workload preset_workload(std::string_view name, std::int64_t npus) {
  return resolve_workload({.preset = std::string(name), .npus = npus});
}
[[nodiscard]] inline Workload parse_workload(const std::string& file, std::string_view text, std::int64_t npus) {
  WorkloadRequest request = parse_workload_request(file, text);
  request.npus = npus;
  return resolve_workload(request);
}

}  // namespace convert
