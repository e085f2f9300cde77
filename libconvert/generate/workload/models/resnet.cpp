// SPDX-License-Identifier: MIT
// Residual networks of bottleneck blocks, as in torchvision (torchvision/models/resnet.py): the middle convolution
// has the stride.
#include <array>
#include <optional>
#include <ranges>
#include <string>
#include <utility>
#include <vector>

#include "generate/workload/models/images.h"
#include "generate/workload/models/samples.h"

namespace convert {
namespace {

// Output of a layer for a sample: channels of side × side pixels.
struct Picture {
  std::int64_t channels;
  std::int64_t side;

  [[nodiscard]] std::int64_t elements() const { return channels * side * side; }
};

struct Window {
  std::int64_t side;
  std::int64_t stride;
};

std::int64_t side_after(std::int64_t side, const Window& w) { return (side - 1) / w.stride + 1; }

// Convolution with the following norm, padded so that only the stride shrinks the picture.
WeightedLayer convolution(std::string name, Picture& picture, std::int64_t channels, const Window& w) {
  const std::int64_t weights = picture.channels * channels * w.side * w.side;
  const Picture out{channels, side_after(picture.side, w)};
  WeightedLayer layer{.name = std::move(name),
                      .multiplications = real(weights) * real(out.side) * real(out.side),
                      .elements = real(picture.elements()) + real(out.elements()),
                      .tensors = {weights, channels, channels}};
  picture = out;
  return layer;
}

struct Block {
  std::array<WeightedLayer, 3> convolutions;
  std::optional<WeightedLayer> shortcut;
};

struct ResNet {
  WeightedLayer first;
  Picture unpooled{};
  Picture pooled{};  // input of the blocks
  std::vector<Block> blocks;
  Picture last{};  // output of the blocks
  WeightedLayer classes;
};

// Each group of blocks except the first halves the picture and doubles the channels.
ResNet resnet_of(const ImageShape& shape) {
  Picture picture{3, shape.image};
  ResNet net{.first = convolution("conv1", picture, 64, {7, 2}), .blocks = {}, .classes = {}};
  net.unpooled = picture;
  picture.side = side_after(picture.side, {3, 2});
  net.pooled = picture;
  for (std::size_t g = 0; g < shape.blocks.size(); ++g) {
    const std::int64_t width = std::int64_t{64} << g;
    for (std::int64_t i = 0; i < shape.blocks[g]; ++i) {
      const std::string name = "layer" + std::to_string(g + 1) + "." + std::to_string(i) + ".";
      const std::int64_t stride = g > 0 && i == 0 ? 2 : 1;
      Picture input = picture;
      Block& block = net.blocks.emplace_back();
      block.convolutions[0] = convolution(name + "conv1", picture, width, {1, 1});
      block.convolutions[1] = convolution(name + "conv2", picture, width, {3, stride});
      block.convolutions[2] = convolution(name + "conv3", picture, 4 * width, {1, 1});
      block.convolutions[2].elements += real(picture.elements());  // the sum with the shortcut
      if (i == 0) block.shortcut = convolution(name + "downsample", input, 4 * width, {1, stride});
    }
  }
  net.last = picture;
  net.classes = matrix_layer("fc", 1, picture.channels, shape.classes, true);
  return net;
}

class ResNetMaker {
 public:
  ResNetMaker(const Workload& workload, const PlanGroups& groups)
      : classes_(workload.image.classes), net_(resnet_of(workload.image)), maker_(workload, groups) {}

  StageBody make() {
    return maker_.run([this] { backward(forward()); });
  }

 private:
  static constexpr double window = 9;  // 3 × 3 pixels of the first pooling

  BodyIndex forward() {
    BodyIndex x = maker_.forward(net_.first, {});
    x = maker_.each("maxpool", window * real(net_.pooled.elements()), pooling(), {x});
    for (const Block& block : net_.blocks) {
      const BodyIndex shortcut = block.shortcut ? maker_.forward(*block.shortcut, {x}) : x;
      const BodyIndex inner = maker_.forward(block.convolutions[1], {maker_.forward(block.convolutions[0], {x})});
      x = maker_.forward(block.convolutions[2], {inner, shortcut});
    }
    x = maker_.each("avgpool", real(net_.last.elements()), average(), {x});
    return maker_.loss(classes_, maker_.forward(net_.classes, {x}));
  }

  // Gradients arrive in the reverse order of the definition of weights, the shortcut's first.
  void backward(BodyIndex loss) {
    BodyIndex x = maker_.input_gradient(net_.classes, {loss});
    maker_.weight_gradients(net_.classes, {loss});
    std::vector<BodyIndex> gradient = {maker_.each("avgpool_bwd", real(net_.last.elements()), average(), {x})};
    for (const Block& block : net_.blocks | std::views::reverse) {
      BodyIndex shortcut = no_node;
      if (block.shortcut) {
        shortcut = maker_.input_gradient(*block.shortcut, gradient);
        maker_.weight_gradients(*block.shortcut, gradient);
      }
      std::vector<BodyIndex> inner = gradient;
      for (const WeightedLayer& layer : block.convolutions | std::views::reverse) {
        const BodyIndex input = maker_.input_gradient(layer, inner);
        maker_.weight_gradients(layer, inner);
        inner = {input};
      }
      // Gradient at the beginning of the block: from both branches, or from one and the unchanged gradient.
      gradient = {inner.front(), block.shortcut ? shortcut : gradient.front()};
    }
    x = maker_.each("maxpool_bwd", window * real(net_.pooled.elements()), pooling(), gradient);
    maker_.weight_gradients(net_.first, {x});
  }

  // Elements that the poolings read and write.
  [[nodiscard]] double pooling() const { return real(net_.unpooled.elements() + net_.pooled.elements()); }
  [[nodiscard]] double average() const { return real(net_.last.elements() + net_.last.channels); }

  std::int64_t classes_;
  ResNet net_;
  SampleMaker maker_;
};

template <class Count>
auto sum_of(const ResNet& net, const Count& count) {
  auto sum = count(net.first) + count(net.classes);
  for (const Block& block : net.blocks) {
    for (const WeightedLayer& layer : block.convolutions) sum += count(layer);
    if (block.shortcut) sum += count(*block.shortcut);
  }
  return sum;
}

}  // namespace

StageBody make_resnet(const Workload& workload, const PlanGroups& groups) {
  return ResNetMaker(workload, groups).make();
}

std::int64_t resnet_parameters(const ImageShape& shape) {
  return sum_of(resnet_of(shape), [](const WeightedLayer& l) { return l.parameters(); });
}

double resnet_multiplications(const ImageShape& shape) {
  return sum_of(resnet_of(shape), [](const WeightedLayer& l) { return l.multiplications; });
}

}  // namespace convert
