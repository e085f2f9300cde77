// SPDX-License-Identifier: MIT
#include "generate/workload/models/mlp.h"

#include <string>
#include <utility>
#include <vector>

namespace convert {
namespace {

class MlpMaker {
 public:
  MlpMaker(const Workload& workload, const PlanGroups& groups)
      : w_(workload), b_(groups, 0), reduced_(workload.mlp.widths.size(), no_node) {}

  StageBody make() {
    for (std::int64_t i = 0; i < w_.step.iterations; ++i) {
      for (std::int64_t m = 0; m < w_.step.micro_batches; ++m) pass(m + 1 == w_.step.micro_batches);
    }
    StageBody& body = b_.body();
    for (std::size_t l = 1; l <= layers(); ++l) body.parameters += in(l)*out(l);
    body.optimizer_parameters = body.parameters;
    return std::move(body);
  }

 private:
  [[nodiscard]] std::size_t layers() const { return w_.mlp.widths.size() - 1; }
  // Layers count from 1.
  [[nodiscard]] std::int64_t in(std::size_t layer) const { return w_.mlp.widths[layer - 1]; }
  [[nodiscard]] std::int64_t out(std::size_t layer) const { return w_.mlp.widths[layer] / w_.plan.tensor; }

  BodyIndex multiply(std::size_t layer, const char* what, BodyBuilder::After after) {
    const std::int64_t samples = w_.step.micro_batch;
    const double i = real(in(layer)), o = real(out(layer)), n = real(samples);
    return b_.multiply("fc" + std::to_string(layer) + what, 2 * n * i * o,
                       real(w_.step.activation_bytes) * (n * (i + o) + i * o), after);
  }

  // Adds the forward and backward pass of a micro-batch.
  void pass(bool last) {
    const std::int64_t activation = w_.step.activation_bytes * w_.step.micro_batch;
    BodyIndex x = no_node;
    for (std::size_t l = 1; l <= layers(); ++l)
      x = b_.collective(Collective::all_gather, activation * out(l), GroupKind::tensor,
                        multiply(l, "", {x, reduced_[l]}));
    for (std::size_t l = layers(); l > 0; --l) {
      const BodyIndex gradient = x;
      if (l > 1)
        x = b_.collective(Collective::all_reduce, activation * in(l), GroupKind::tensor,
                          multiply(l, "_dgrad", {gradient}));
      const BodyIndex weights = multiply(l, "_wgrad", {gradient});
      if (last)
        reduced_[l] =
            b_.collective(Collective::all_reduce, w_.step.gradient_bytes * in(l)*out(l), GroupKind::data, weights);
    }
  }

  const Workload& w_;
  BodyBuilder b_;
  std::vector<BodyIndex> reduced_;  // nodes that produce the gradients of each layer's weights in the previous step
};

}  // namespace

StageBody make_mlp(const Workload& workload, const PlanGroups& groups) { return MlpMaker(workload, groups).make(); }

std::int64_t parameters_of(const MlpShape& shape) {
  std::int64_t sum = 0;
  for (std::size_t i = 1; i < shape.widths.size(); ++i) sum += shape.widths[i - 1] * shape.widths[i];
  return sum;
}

}  // namespace convert
