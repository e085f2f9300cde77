// SPDX-License-Identifier: MIT
// What the makers of models that take samples share: layers with weights, the loss, gradients that are put together
// for one call, the optimizer.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "config/workload/workload.h"
#include "generate/workload/body.h"

namespace convert {

// A matrix or convolution, with what is fused into it.
struct WeightedLayer {
  std::string name;
  double multiplications = 0;  // multiply-adds of a sample
  double elements = 0;         // of a sample, read and written
  // Its parameters as tensors in the order of their definition.
  std::vector<std::int64_t> tensors{};

  [[nodiscard]] std::int64_t parameters() const;
};

// Returns a matrix of in × out, for so many rows of a sample, with or without biases.
[[nodiscard]] WeightedLayer matrix_layer(std::string name, std::int64_t rows, std::int64_t in, std::int64_t out,
                                         bool bias);

// Adds the nodes of data-parallel ranks that hold all of a model, or all but what they add themselves.
class SampleMaker {
 public:
  SampleMaker(const Workload& workload, const PlanGroups& groups);

  [[nodiscard]] BodyBuilder& nodes() { return b_; }
  [[nodiscard]] double samples() const { return real(w_.step.micro_batch); }
  // Runs the steps: `pass` makes the forward and the backward pass of a micro-batch.
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
  // The gradient of the layer's input.
  BodyIndex input_gradient(const WeightedLayer& layer, std::vector<BodyIndex> after);
  // The gradients of its weights, which are reduced with those before as soon as there are enough of them.
  void weight_gradients(const WeightedLayer& layer, std::vector<BodyIndex> after);
  // Puts gradients that a node has computed together with those before: tensors in the order of their definition.
  void reduce(const std::vector<std::int64_t>& tensors, BodyIndex ready);
  // A node of so many operations and elements of each sample.
  BodyIndex each(std::string_view name, double operations, double elements, std::vector<BodyIndex> after);
  // The cross-entropy of so many classes, forward and backward.
  BodyIndex loss(std::int64_t classes, BodyIndex after);

 private:
  BodyIndex multiply(const WeightedLayer& layer, const char* pass, std::vector<BodyIndex> after);
  void close_bucket();
  void update();

  const Workload& w_;
  BodyBuilder b_;
  bool last_ = false;             // of the micro-batches of a step
  std::int64_t bucket_ = 0;       // parameters whose gradients wait for a call
  std::int64_t reduced_ = 0;      // parameters whose gradients have been reduced, in this step
  BodyIndex ready_ = no_node;     // the last of them
  bool first_bucket_ = true;      // of a step
  std::vector<BodyIndex> calls_;  // that the optimizer waits for
};

// Returns how many bytes of gradients make a bucket, which PyTorch and Megatron-LM reduce in one call.
[[nodiscard]] std::int64_t bucket_bytes(const Workload& workload, bool first);

}  // namespace convert
