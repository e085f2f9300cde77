// SPDX-License-Identifier: MIT
// Describes a training workload: a model, what is run of it, and how it is spread over NPUs. What follows from it,
// nodes and sizes, is made in generate/workload/.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/trace.h"

namespace convert {

// What a model is. Each kind has keys of its own (kinds.cpp) and a maker of its nodes (generate/workload/).
enum class ModelKind : std::uint8_t { transformer, mlp, dlrm, resnet, vit };
inline constexpr std::array<std::string_view, 5> model_kind_names = {"transformer", "mlp", "dlrm", "resnet", "vit"};
[[nodiscard]] constexpr std::string_view name(ModelKind kind) {
  return model_kind_names[static_cast<std::size_t>(kind)];
}

enum class NormKind : std::uint8_t { rms, layer };  // of H or of 2H parameters
// How queries, keys and values of several context-parallel ranks meet.
enum class ContextBy : std::uint8_t { ring, gather, a2a };
// What the data-parallel ranks share instead of each holding all: nothing; the optimizer; gradients too; parameters
// too.
enum class Shard : std::uint8_t { ddp, zero1, zero2, zero3 };
enum class PipelineOrder : std::uint8_t { gpipe, one_f_one_b, interleaved, zb_h1 };
// How gradients are put together for one call, as PyTorch's DDP does it or as Megatron-LM.
enum class Buckets : std::uint8_t { pytorch, megatron };
// What of the forward pass the backward pass computes again.
enum class Recompute : std::uint8_t { none, selective, full };
// When the experts that every token meets are computed: after the others, or before them.
enum class SharedExperts : std::uint8_t { late, early };
// Whose ranks stand beside each other, in the first dimension of a network.
enum class Inner : std::uint8_t { tensor, data };
// What is run: training steps; the forward pass of prompts; steps of a token each, of prompts whose keys and values
// are there; both.
enum class RunMode : std::uint8_t { train, prefill, decode, both };
// How embeddings are divided: so that ranks have about as many bytes, or besides exactly as many tables.
enum class Deal : std::uint8_t { bytes, count };
// What crosses to memory that is not the NPU's: nothing; tokens; states that are kept there, gradients and the
// optimizer of zero1 and zero2, parameters too of zero3, keys and values of inference.
enum class FarMemory : std::uint8_t { none, input, offload };
// How operations of attention count: as published tables do, or as a fused causal kernel computes.
enum class OperationCount : std::uint8_t { hardware, model };

// A decoder-only transformer. Sizes in elements.
struct TransformerShape {
  std::int64_t layers = 0;
  std::int64_t hidden = 0;
  std::int64_t heads = 0;
  std::int64_t kv_heads = 0;   // 0: heads
  std::int64_t head_size = 0;  // 0: hidden / heads
  std::int64_t ffn = 0;        // of the feed-forward of a dense layer
  std::int64_t vocab = 0;
  std::int64_t positions = 0;  // learned ones; 0: none
  bool gated = true;           // SwiGLU: two matrices up
  bool bias = false;
  NormKind norm = NormKind::rms;
  bool tied = false;  // the head is the embedding
  // Mixture of experts; none without experts.
  std::int64_t experts = 0;
  std::int64_t experts_per_token = 0;
  std::int64_t expert_ffn = 0;
  std::int64_t shared_experts = 0;
  std::int64_t dense_layers = 0;  // at the beginning, without experts
  bool router_bias = false;
  // Multi-head latent attention (DeepSeek); none with q_rank 0.
  std::int64_t q_rank = 0;
  std::int64_t kv_rank = 0;
  std::int64_t nope_size = 0;   // of a head, without positions
  std::int64_t rope_size = 0;   // with positions
  std::int64_t value_size = 0;  // of a head's values

  [[nodiscard]] bool latent() const { return q_rank > 0; }
};

// A multi-layer perceptron: layers of matrices.
struct MlpShape {
  std::vector<std::int64_t> widths{};  // of the input, then of what each layer gives
};

// A recommendation model: embeddings of categories, matrices for the numbers, products of all pairs of vectors,
// matrices on top.
struct DlrmShape {
  std::vector<std::int64_t> tables{};  // rows of each
  std::int64_t dim = 128;              // elements of a row
  std::vector<std::int64_t> bottom{};  // widths of the input, then of what each layer gives
  std::vector<std::int64_t> top{};     // of what each layer gives

  // Returns into how many parts of some columns each table is cut, the fewest with which every rank gets one, or
  // all get as many; 0: there is no such number.
  [[nodiscard]] std::int64_t cuts(std::int64_t ranks, Deal deal) const;
};

// What a residual network or a vision transformer takes, and how it is made. A vision transformer has the layers of
// a TransformerShape too.
struct ImageShape {
  std::int64_t image = 224;  // pixels in a row and a column
  std::int64_t classes = 1000;
  std::vector<std::int64_t> blocks{};  // of a residual network: bottleneck blocks of each size
  std::int64_t patch = 0;              // of a vision transformer: pixels in a row and a column
};

// What is run, per replica.
struct StepShape {
  RunMode mode = RunMode::train;
  std::int64_t sequence = 4096;       // tokens
  std::int64_t micro_batch = 1;       // sequences, or samples
  std::int64_t micro_batches = 1;     // of a step and replica
  std::int64_t global_batch = 0;      // sequences of a step of all replicas, which sets micro_batches; 0: follows
  std::int64_t iterations = 1;        // steps, one after the other
  std::int64_t activation_bytes = 2;  // of an element, of parameters too
  std::int64_t gradient_bytes = 4;    // when it is reduced
  std::int64_t tokens = 1;            // decode: steps after the prompt
  double zipf = 0;                    // exponent of the loads of experts; 0: equal
  std::int64_t zipf_seed = 0;         // which expert has which load
  OperationCount operations = OperationCount::hardware;
  bool tensors = false;  // nodes name what they read and write

  [[nodiscard]] bool trains() const { return mode == RunMode::train; }
  [[nodiscard]] bool prefills() const { return mode == RunMode::prefill || mode == RunMode::both; }
  [[nodiscard]] bool decodes() const { return mode == RunMode::decode || mode == RunMode::both; }
};

// How a step is spread: over tensor × context × data × pipeline ranks, in this order from the fastest on, but for
// `inner`.
struct ParallelPlan {
  std::int64_t tensor = 1;
  std::int64_t context = 1;
  std::int64_t expert = 1;  // of tensor × context × data
  std::int64_t data = 1;
  std::int64_t pipeline = 1;
  std::int64_t chunks = 1;             // of layers, of each stage
  std::int64_t hsdp = 0;               // zero1 to zero3: ranks that share, of context × data; 0: all
  std::int64_t prefill_replicas = 0;   // of data: that run prompts only; 0: all do both
  std::int64_t decode_replicas = 0;    // that go on with them
  std::int64_t prefetch = 1;           // zero3: how many layers ahead parameters are gathered
  bool reshard = true;                 // zero3: what the forward pass gathers is dropped, and gathered again
  std::vector<std::int64_t> layers{};  // of each chunk; empty: equal, what is left over from the second on
  bool sequence_parallel = false;      // of what tensor parallelism leaves whole
  ContextBy context_by = ContextBy::ring;
  PipelineOrder order = PipelineOrder::one_f_one_b;
  Shard shard = Shard::ddp;
  Buckets buckets = Buckets::pytorch;
  Recompute recompute = Recompute::none;
  SharedExperts shared = SharedExperts::late;
  FarMemory memory = FarMemory::none;
  std::int64_t dispatch_bytes = 0;  // of an element on its way to the experts; 0: as activations
  Inner inner = Inner::tensor;
  Deal deal = Deal::bytes;
  bool clip = true;         // by the norm of all gradients
  bool dimensions = false;  // collectives say over which of those of a network they go

  [[nodiscard]] std::int64_t ranks() const { return tensor * context * data * pipeline; }
  [[nodiscard]] bool disaggregates() const { return prefill_replicas > 0; }
  // Returns the ranks among which optimizer, gradients or parameters are divided.
  [[nodiscard]] std::int64_t shard_ranks() const { return hsdp > 0 ? hsdp : context * data; }
  // Returns how many elements a bucket of Megatron-LM has at least (megatron/core/distributed/
  // distributed_data_parallel.py).
  [[nodiscard]] std::int64_t megatron_bucket() const {
    return std::max<std::int64_t>(40'000'000, 1'000'000 * data * context);
  }
};

// How long computations take, by the roofline model: as long as their operations at the peak, or their bytes
// through the memory, whichever is longer. Without a peak they have no times.
struct ComputeTimes {
  enum class By : std::uint8_t { roofline };
  By by = By::roofline;
  double peak_tflops = 0;        // 10^12 operations a second; 0: no times
  double memory_gb_per_s = 0;    // of 10^9 bytes; 0: memory is no limit
  double host_gb_per_s = 0;      // through the memory of the host, which updates what is offloaded
  double matrix_efficiency = 1;  // share of the peak that matrices and attention reach

  [[nodiscard]] bool given() const { return peak_tflops > 0; }
  // Returns how long a computation takes, ns; `matrix`: of a matrix or attention.
  [[nodiscard]] std::int64_t ns(std::int64_t operations, std::int64_t bytes, bool matrix) const;
  // Returns how long the host takes for so many bytes; 0 if its memory is not known.
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

// Throws Error(usage) that names the keys which contradict each other or are out of range.
void check_workload(const Workload& w);

// Returns whether a setting, by its path, has a meaning for models of a kind.
[[nodiscard]] bool has_setting(ModelKind kind, std::string_view path);

// A value by its path, "plan.tensor", and its place in a file; line 0: it stands in none.
struct WorkloadSetting {
  std::string key;
  std::string value;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
};
// Returns all settings of a workload in the order of a file.
[[nodiscard]] std::vector<WorkloadSetting> settings_of(const Workload& w);
// Sets a value. Throws Error(usage) that names near keys, what a value may be, or the kinds of models that have the
// key; another kind than the workload's is one too.
void set_workload(Workload& w, const WorkloadSetting& setting);

// Returns the names of the models that are known.
[[nodiscard]] std::vector<std::string> workload_presets();
[[nodiscard]] bool is_workload_preset(std::string_view name);
// A plan of a preset, and its number of NPUs.
struct PlanName {
  std::string name;
  std::int64_t npus = 0;
};
// Returns the plans of a preset, the default first; none for an unknown name.
[[nodiscard]] std::vector<PlanName> preset_plans(std::string_view name);
// Request for a workload: a model, settings (a later one replaces an earlier one) and the number of NPUs.
struct WorkloadRequest {
  std::string preset{};                     // a model by its name; empty: by its shape
  std::string plan{};                       // a plan of the preset by its name; empty: the default
  ModelKind kind = ModelKind::transformer;  // of a shape
  bool own_plan = false;                    // what is not set of the plan is 1, not as in one of the preset's
  std::vector<WorkloadSetting> settings{};
  std::int64_t npus = 0;  // 0: as the plan says
  std::string file{};     // where settings stand, and the model
  std::uint32_t line = 0;
  std::uint32_t column = 0;
};

// Parses a YAML file of `model` (a preset's name, or keys), `run`, `plan` and `time`. Throws Error(input)
// [workload] with the place.
[[nodiscard]] WorkloadRequest parse_workload_request(const std::string& file, std::string_view text);

// Returns the requested workload, not checked yet. Only the data-parallel size follows from a number of NPUs
// (of an mlp without a set plan.tensor the tensor-parallel size), and with run.global_batch the micro-batches of
// a replica. Throws Error(usage) that names the multiple of NPUs which would fit, Error(input) for settings that
// stand in a file.
[[nodiscard]] Workload resolve_workload(const WorkloadRequest& request);
// Returns the same, checked as check_workload() does; what contradicts itself in a file has its place.
[[nodiscard]] Workload checked_workload(const WorkloadRequest& request);

// Return a preset with its default plan on `npus` NPUs (0: as many as the plan has), or the workload of a file. Not
// checked yet.
[[nodiscard]] inline Workload preset_workload(std::string_view name, std::int64_t npus) {
  return resolve_workload({.preset = std::string(name), .npus = npus});
}
[[nodiscard]] inline Workload parse_workload(const std::string& file, std::string_view text, std::int64_t npus) {
  WorkloadRequest request = parse_workload_request(file, text);
  request.npus = npus;
  return resolve_workload(request);
}

}  // namespace convert
