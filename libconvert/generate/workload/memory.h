// SPDX-License-Identifier: MIT
// Memory use of a rank of a workload, by formulas.
#pragma once

#include <cstdint>

#include "config/workload/workload.h"
#include "generate/workload/workload.h"

namespace convert {

// Maximum bytes, each at its own time. The optimizer holds 12 bytes per parameter: Adam's two moments and the
// parameter, in fp32.
struct RankMemory {
  WideCount parameters = 0;
  WideCount gradients = 0;
  WideCount optimizer = 0;
  WideCount activations = 0;  // of layers, for all micro-batches in flight
  WideCount keys = 0;         // keys and values of inference

  bool operator==(const RankMemory&) const = default;
  [[nodiscard]] WideCount all() const { return parameters + gradients + optimizer + activations + keys; }
};

// Returns the memory of the ranks of a class of a transformer set, without offloaded state.
[[nodiscard]] RankMemory memory_of(const WorkloadSet& set, std::int64_t c);

// Returns the bytes that a layer keeps of a micro-batch for its backward pass, term by term as in Korthikanti et
// al. 2022, §4, for any shape. T: tokens of a rank; Tn: its own tokens (T/t with sequence parallelism, else T); b:
// bytes of an activation.
//   inputs of both norms, of qkv and of up: 4·b·Tn·H
//   queries, keys, values, input of proj: b·T·(2·A + 2·G)·D/t
//   output of up and input of down: b·T·(γ + 1)·F/t
//   dropout masks after proj and down (models with norm layer have dropout): 2·Tn·H
//   scores after softmax, their mask, masked scores: (2·b + 1)·A·S·T/t, without dropout b·A·S·T/t; none with
//     selective recomputation or with the fused kernel of run.flops hardware.
// For GPT-3 this is the paper's T·H·(10 + 24/t + 5·A·S/(H·t)), with sequence parallelism T·H/t·(34 + 5·A·S/H). Full
// recomputation keeps only the input of the layer, b·Tn·H. Latent attention has other terms:
//   compressed queries and keys before and after their norms: b·T·(2·q + 2·k + r)
//   queries, keys, values and result of all heads: 2·b·T·A·(n + r + w)/t
// Experts have:
//   scores of the router: b·Tn·E
//   inputs, up and act of received rows: b·rows·(H + (γ + 1)·Fe)
//   returned results: b·Tn·K·H
//   shared experts: as a feed-forward
[[nodiscard]] WideCount activation_bytes_of_layer(const Workload& w, std::int64_t layer, std::int64_t expert_rows);
// Returns the bytes of attention scores in a layer; 0 with a fused kernel, which keeps none.
[[nodiscard]] WideCount attention_score_bytes(const Workload& w);
// Returns the number of rows per micro-batch for the experts of a rank if all receive equally many.
[[nodiscard]] std::int64_t equal_expert_rows(const Workload& w);

// Returns the maximum number of forward passes (of a chunk and micro-batch) whose activations a stage holds.
[[nodiscard]] std::int64_t passes_in_flight(const ParallelPlan& plan, std::int64_t micro_batches,
                                            std::int64_t stage);

}  // namespace convert
