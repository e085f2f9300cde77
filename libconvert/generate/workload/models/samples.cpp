// SPDX-License-Identifier: MIT
#include "generate/workload/models/samples.h"

#include <algorithm>
#include <numeric>
#include <ranges>

namespace convert {

std::int64_t WeightedLayer::parameters() const {
  return std::accumulate(tensors.begin(), tensors.end(), std::int64_t{0});
}

WeightedLayer matrix_layer(std::string name, std::int64_t rows, std::int64_t in, std::int64_t out, bool bias) {
  WeightedLayer layer{.name = std::move(name),
                      .multiplications = real(rows) * real(in) * real(out),
                      .elements = real(rows) * real(in + out),
                      .tensors = {in * out}};
  if (bias) layer.tensors.push_back(out);
  return layer;
}

// PyTorch: torch/csrc/distributed/c10d/reducer.hpp.
std::int64_t bucket_bytes(const Workload& w, bool first) {
  if (w.plan.buckets == Buckets::pytorch) return first ? std::int64_t{1} << 20U : std::int64_t{25} << 20U;
  return w.step.gradient_bytes * w.plan.megatron_bucket();
}

SampleMaker::SampleMaker(const Workload& workload, const PlanGroups& groups) : w_(workload), b_(groups, 0) {}

BodyIndex SampleMaker::each(std::string_view name, double operations, double elements,
                            std::vector<BodyIndex> after) {
  return b_.compute(name, samples() * operations, samples() * elements * real(w_.step.activation_bytes),
                    std::move(after));
}

BodyIndex SampleMaker::multiply(const WeightedLayer& layer, const char* pass, std::vector<BodyIndex> after) {
  return b_.multiply(layer.name + pass, 2 * samples() * layer.multiplications,
                     real(w_.step.activation_bytes) * (samples() * layer.elements + real(layer.parameters())),
                     std::move(after));
}

BodyIndex SampleMaker::forward(const WeightedLayer& layer, std::vector<BodyIndex> after) {
  return multiply(layer, "", std::move(after));
}

BodyIndex SampleMaker::input_gradient(const WeightedLayer& layer, std::vector<BodyIndex> after) {
  return multiply(layer, "_dgrad", std::move(after));
}

void SampleMaker::weight_gradients(const WeightedLayer& layer, std::vector<BodyIndex> after) {
  reduce(layer.tensors, multiply(layer, "_wgrad", std::move(after)));
}

void SampleMaker::reduce(const std::vector<std::int64_t>& tensors, BodyIndex ready) {
  if (!last_) return;
  for (const std::int64_t parameters : tensors | std::views::reverse) {
    bucket_ += parameters;
    ready_ = ready;
    if (bucket_ * w_.step.gradient_bytes >= bucket_bytes(w_, first_bucket_)) close_bucket();
  }
}

void SampleMaker::close_bucket() {
  calls_.push_back(
      b_.collective(Collective::all_reduce, bucket_ * w_.step.gradient_bytes, GroupKind::data, ready_));
  reduced_ += std::exchange(bucket_, 0);
  first_bucket_ = false;
}

BodyIndex SampleMaker::loss(std::int64_t classes, BodyIndex after) {
  const double n = real(classes);
  return each("loss_bwd", 4 * n, 2 * n, {each("loss", 8 * n, 3 * n, {after})});
}

// As for transformers: 12 operations, 26 bytes and the gradient for each parameter.
void SampleMaker::update() {
  if (bucket_ != 0) close_bucket();
  b_.compute("optimizer", real(12 * reduced_), real((26 + w_.step.gradient_bytes) * reduced_),
             std::exchange(calls_, {}));
  b_.body().parameters = b_.body().optimizer_parameters = std::exchange(reduced_, 0);
  first_bucket_ = true;
}

}  // namespace convert
