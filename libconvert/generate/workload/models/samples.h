// SPDX-License-Identifier: MIT
// Common parts of models that take samples: layers with weights, the loss, gradient buckets, the optimizer.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "config/workload/workload.h"
#include "generate/workload/body.h"

namespace convert {

// Matrix or convolution, with the operations fused into it.
struct WeightedLayer {
  std::string name;
  double multiplications = 0;  // multiply-adds per sample
  double elements = 0;         // read and written, per sample
  // Parameter tensors in the order of their definition.
  std::vector<std::int64_t> tensors{};

  [[nodiscard]] std::int64_t parameters() const;
};

// Returns a matrix of in × out, for `rows` rows per sample, with or without biases.
[[nodiscard]] WeightedLayer matrix_layer(std::string name, std::int64_t rows, std::int64_t in, std::int64_t out,
                                         bool bias);

// Adds the nodes of data-parallel ranks that hold a whole model, except parts that the caller adds.
class SampleMaker {
 public:
  SampleMaker(const Workload& workload, const PlanGroups& groups);

  [[nodiscard]] BodyBuilder& nodes() { return b_; }
  [[nodiscard]] double samples() const { return real(w_.step.micro_batch); }
  // Runs the steps: `pass` adds the forward and the backward pass of a micro-batch.
  template <class Pass>
  StageBody run(const Pass& pass) {
    for (std::int64_t i = 0; i < w_.step.iterations; ++i) {
      for (std::int64_t m = 0; m < w_.step.micro_batches; ++m) {
        last_ = m + 1 == w_.step.micro_batches;
        pass();
      }
      update();
    }
    return std::move(b_.body());
  }

  BodyIndex forward(const WeightedLayer& layer, std::vector<BodyIndex> after);
  // Adds the gradient of the layer's input.
  BodyIndex input_gradient(const WeightedLayer& layer, std::vector<BodyIndex> after);
  // Adds the gradients of its weights, which are reduced with previous gradients when a bucket is full.
  void weight_gradients(const WeightedLayer& layer, std::vector<BodyIndex> after);
  // Adds a node's gradients to the bucket: tensors in the order of their definition.
  void reduce(const std::vector<std::int64_t>& tensors, BodyIndex ready);
  // Adds a node with these operations and elements per sample.
  BodyIndex each(std::string_view name, double operations, double elements, std::vector<BodyIndex> after);
  // Adds the cross-entropy over `classes` classes, forward and backward.
  BodyIndex loss(std::int64_t classes, BodyIndex after);

 private:
  BodyIndex multiply(const WeightedLayer& layer, const char* pass, std::vector<BodyIndex> after);
  void close_bucket();
  void update();

  const Workload& w_;
  BodyBuilder b_;
  bool last_ = false;             // last micro-batch of a step
  std::int64_t bucket_ = 0;       // parameters whose gradients wait for a call
  std::int64_t reduced_ = 0;      // parameters whose gradients have been reduced in this step
  BodyIndex ready_ = no_node;     // node of the last gradient in the bucket
  bool first_bucket_ = true;      // first bucket of a step
  std::vector<BodyIndex> calls_;  // calls that the optimizer waits for
};

// Returns the bytes of gradients in a bucket, which PyTorch and Megatron-LM reduce in one call.
[[nodiscard]] std::int64_t bucket_bytes(const Workload& workload, bool first);

}  // namespace convert
