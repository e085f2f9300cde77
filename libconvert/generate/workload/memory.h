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

// Returns the bytes that a layer keeps of a micro-batch for its backward pass: those of Korthikanti et al. 2022,
// §4, for a rank's T tokens, T·H(10 + 24/t + 5·A·S/(H·t)), with sequence parallelism T·H/t(34 + 5·A·S/H), with full
// recomputation 2·T·H. The last term is the attention's scores, which are not kept with selective recomputation,
// nor by the fused kernel that operations of hardware stand for.
[[nodiscard]] WideCount activation_bytes_of_layer(const Workload& w);

// Returns of how many forward passes (of a chunk and micro-batch) a stage holds activations at most.
[[nodiscard]] std::int64_t passes_in_flight(const ParallelPlan& plan, std::int64_t micro_batches,
                                            std::int64_t stage);

}  // namespace convert
