// SPDX-License-Identifier: MIT
// Vision transformers, as in torchvision (torchvision/models/vision_transformer.py): patches of a picture and a
// class token form a sequence.
#include <ranges>
#include <string>
#include <utility>
#include <vector>

#include "generate/workload/models/images.h"
#include "generate/workload/models/samples.h"

namespace convert {
namespace {

// Matrices of a layer with their norms and activations.
struct VitLayer {
  WeightedLayer qkv, proj, up, down;
  std::int64_t number;
};

class VitMaker {
 public:
  VitMaker(const Workload& workload, const PlanGroups& groups) : w_(workload), maker_(workload, groups) {
    const std::int64_t h = w_.model.hidden, f = w_.model.ffn;
    for (std::int64_t l = 0; l < w_.model.layers; ++l) {
      const std::string name = "layer" + std::to_string(l) + ".";
      VitLayer& layer = layers_.emplace_back(VitLayer{
          matrix_layer(name + "qkv", tokens(), h, 3 * h, true), matrix_layer(name + "proj", tokens(), h, h, true),
          matrix_layer(name + "up", tokens(), h, f, true), matrix_layer(name + "down", tokens(), f, h, true), l});
      for (WeightedLayer* const with_norm : {&layer.qkv, &layer.up})
        with_norm->tensors.insert(with_norm->tensors.begin(), {h, h});
    }
  }

  StageBody make() {
    return maker_.run([this] { backward(forward()); });
  }

 private:
  [[nodiscard]] std::int64_t patches() const {
    return (w_.image.image / w_.image.patch) * (w_.image.image / w_.image.patch);
  }
  [[nodiscard]] std::int64_t tokens() const { return patches() + 1; }
  // Defined in this order: the class token, the matrix of the patches, the positions.
  [[nodiscard]] WeightedLayer embedding() const {
    const std::int64_t h = w_.model.hidden, patch = w_.image.patch;
    WeightedLayer layer = matrix_layer("patches", patches(), 3 * patch * patch, h, true);
    layer.tensors.insert(layer.tensors.begin(), h);
    layer.tensors.push_back(tokens() * h);
    return layer;
  }
  // Final norm and matrix of the class token.
  [[nodiscard]] WeightedLayer head() const {
    const std::int64_t h = w_.model.hidden;
    WeightedLayer layer = matrix_layer("head", 1, h, w_.image.classes, true);
    layer.tensors.insert(layer.tensors.begin(), {h, h});
    return layer;
  }

  // Scores and results of all pairs of tokens. The backward pass has twice as many operations, or 2.5 times as many
  // if kernels recompute the scores.
  BodyIndex attention(const VitLayer& layer, bool backward, BodyIndex x) {
    const double n = real(tokens()), h = real(w_.model.hidden);
    const double factor = !backward ? 1 : w_.step.operations == OperationCount::model ? 2 : 2.5;
    return maker_.nodes().multiply(
        "layer" + std::to_string(layer.number) + (backward ? ".attention_bwd" : ".attention"),
        maker_.samples() * factor * 4 * n * n * h,
        maker_.samples() * (backward ? 8 : 4) * n * h * real(w_.step.activation_bytes), {x});
  }

  BodyIndex forward() {
    BodyIndex x = maker_.forward(embedding(), {});
    for (const VitLayer& layer : layers_) {
      const BodyIndex inner = attention(layer, false, maker_.forward(layer.qkv, {x}));
      x = maker_.forward(layer.proj, {inner, x});
      x = maker_.forward(layer.down, {maker_.forward(layer.up, {x}), x});
    }
    return maker_.loss(w_.image.classes, maker_.forward(head(), {x}));
  }

  BodyIndex both(const WeightedLayer& layer, std::vector<BodyIndex> gradient) {
    const BodyIndex input = maker_.input_gradient(layer, gradient);
    maker_.weight_gradients(layer, std::move(gradient));
    return input;
  }

  // The gradient of a residual sum reaches both its branch and its input.
  void backward(BodyIndex loss) {
    std::vector<BodyIndex> gradient = {both(head(), {loss})};
    for (const VitLayer& layer : layers_ | std::views::reverse) {
      gradient = {both(layer.up, {both(layer.down, gradient)}), gradient.front()};
      const BodyIndex inner = attention(layer, true, both(layer.proj, gradient));
      gradient = {both(layer.qkv, {inner}), gradient.front()};
    }
    maker_.weight_gradients(embedding(), gradient);
  }

  const Workload& w_;
  SampleMaker maker_;
  std::vector<VitLayer> layers_;
};

}  // namespace

StageBody make_vit(const Workload& workload, const PlanGroups& groups) { return VitMaker(workload, groups).make(); }

std::int64_t vit_parameters(const Workload& w) {
  const std::int64_t h = w.model.hidden, f = w.model.ffn, patch = w.image.patch;
  const std::int64_t side = w.image.image / patch;
  const std::int64_t layer = (3 * h * h + 3 * h) + (h * h + h) + (h * f + f) + (f * h + h) + 4 * h;
  return h + (3 * patch * patch * h + h) + (side * side + 1) * h + w.model.layers * layer + 2 * h +
         (h * w.image.classes + w.image.classes);
}

}  // namespace convert
