// SPDX-License-Identifier: MIT
// Says what a rank of a workload holds in memory, by formulas.
#pragma once

#include <cstdint>

#include "config/workload/workload.h"
#include "generate/workload/workload.h"

namespace convert {

// Bytes at most, each at its time. Optimizers hold 12 bytes for a parameter: Adam's two moments and the parameter,
// in fp32.
struct RankMemory {
  WideCount parameters = 0;
  WideCount gradients = 0;
  WideCount optimizer = 0;
  WideCount activations = 0;  // of layers, of all micro-batches in flight
  WideCount keys = 0;         // and values, of inference

  bool operator==(const RankMemory&) const = default;
  [[nodiscard]] WideCount all() const { return parameters + gradients + optimizer + activations + keys; }
};

// Returns what the ranks of a class of a set of transformers hold, without what is offloaded.
[[nodiscard]] RankMemory memory_of(const WorkloadSet& set, std::int64_t c);

// Returns the bytes that a layer keeps of a micro-batch for its backward pass, term by term as Korthikanti et al.
// 2022, §4, of any shape: T tokens of a rank, Tn of them its own (T/t with sequence parallelism, else T), b bytes
// of an activation. Inputs of both norms, of qkv and of up: 4·b·Tn·H. Queries, keys, values, the input of proj:
// b·T·(2·A + 2·G)·D/t. What up gives and the input of down: b·T·(γ + 1)·F/t. With dropout, which models with norm
// layer have, its masks after proj and down, 2·Tn·H. Scores after softmax, their mask, scores that are left: (2·b +
// 1)·A·S·T/t, without dropout b·A·S·T/t; none with selective recomputation, nor by the fused kernel that operations
// of hardware stand for. Of GPT-3 that is their T·H·(10 + 24/t + 5·A·S/(H·t)), with sequence parallelism T·H/t·(34
// + 5·A·S/H). With full recomputation only the input of the layer, b·Tn·H. Latent attention: compressed queries and
// keys before and after their norms, b·T·(2·q + 2·k + r), queries, keys, values and result of all heads, 2·b·T·A·(n
// + r + w)/t. Experts: scores, b·Tn·E; inputs, up and act of rows that they get, b·rows·(H + (γ + 1)·Fe); what
// comes back, b·Tn·K·H; those that every token meets as a feed-forward.
[[nodiscard]] WideCount activation_bytes_of_layer(const Workload& w, std::int64_t layer, std::int64_t expert_rows);
// Returns the bytes of attention's scores in a layer, unless a fused kernel keeps none.
[[nodiscard]] WideCount attention_score_bytes(const Workload& w);
// Returns how many rows the experts of a rank get of a micro-batch if all get as many.
[[nodiscard]] std::int64_t equal_expert_rows(const Workload& w);

// Returns of how many forward passes (of a chunk and micro-batch) a stage holds activations at most.
[[nodiscard]] std::int64_t passes_in_flight(const ParallelPlan& plan, std::int64_t micro_batches,
                                            std::int64_t stage);

}  // namespace convert
