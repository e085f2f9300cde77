// SPDX-License-Identifier: MIT
#include "passes/estimate/estimate.h"

#include <gtest/gtest.h>

#include <string>

#include "unit/passes/estimate_texts.h"

namespace convert::test {
namespace {

TEST(Estimate, ProductsOfMatrices) {
  // 2·3·5·4 = 120; (3·4 + 4·5 + 3·5) elements of 4 bytes = 188.
  const Io factors = Io().tensor(1, {3, 4}).tensor(2, {4, 5});
  EXPECT_EQ(estimate("mm", factors, Io().tensor(3, {3, 5})), cost(120, 188));
  EXPECT_EQ(estimate("mm", factors), cost(120, 188));
  EXPECT_EQ(estimate("matmul", factors), cost(120, 188));
  // The bias of 5 elements is 20 bytes; the addition is part of the multiply-adds.
  const Io biased = Io().tensor(9, {5}).tensor(1, {3, 4}).tensor(2, {4, 5}).integer("1").integer("1");
  EXPECT_EQ(estimate("addmm", biased), cost(120, 208));
  EXPECT_EQ(estimate("_addmm_activation", biased), cost(135, 208));
  // In place self is read and written: 60 bytes twice.
  const Io onto = Io().tensor(9, {3, 5}).tensor(1, {3, 4}).tensor(2, {4, 5});
  EXPECT_EQ(estimate("addmm_", onto), cost(120, 60 + 128 + 60));
  // Two such batches.
  const Io batches = Io().tensor(1, {2, 3, 4}).tensor(2, {2, 4, 5});
  EXPECT_EQ(estimate("bmm", batches), cost(240, 376));
  EXPECT_EQ(estimate("baddbmm", Io().tensor(9, {2, 3, 5}).tensor(1, {2, 3, 4}).tensor(2, {2, 4, 5})),
            cost(240, 496));
  EXPECT_EQ(estimate("addbmm", Io().tensor(9, {3, 5}).tensor(1, {2, 3, 4}).tensor(2, {2, 4, 5})), cost(240, 376));
  // 8-bit factors, 16-bit result, two scales.
  EXPECT_EQ(estimate("_scaled_mm", Io().tensor(1, {3, 4}, 1).tensor(2, {4, 5}, 1).tensor(3, {}).tensor(4, {}),
                     Io().tensor(5, {3, 5}, 2)),
            cost(120, 12 + 20 + 8 + 30));
}

TEST(Estimate, ProductsOfOtherShapes) {
  EXPECT_EQ(estimate("dot", Io().tensor(1, {7}).tensor(2, {7})), cost(14, 60));
  EXPECT_EQ(estimate("mv", Io().tensor(1, {3, 4}).tensor(2, {4})), cost(24, 76));
  EXPECT_EQ(estimate("addmv", Io().tensor(9, {3}).tensor(1, {3, 4}).tensor(2, {4})), cost(24, 88));
  EXPECT_EQ(estimate("matmul", Io().tensor(1, {4}).tensor(2, {4, 5})), cost(40, 116));
  // [6, 1, 3, 4] × [2, 4, 5]: 12 products of 120; 72 + 40 + 180 elements.
  EXPECT_EQ(estimate("matmul", Io().tensor(1, {6, 1, 3, 4}).tensor(2, {2, 4, 5})), cost(1440, 1168));
  // linear: 2·(2·3)·5·4 = 240; 24 + 20 + 5 + 30 elements.
  EXPECT_EQ(estimate("linear", Io().tensor(1, {2, 3, 4}).tensor(2, {5, 4}).tensor(3, {5})), cost(240, 316));
  EXPECT_EQ(estimate("linear", Io().tensor(1, {2, 3, 4}).tensor(2, {5, 4}).none()), cost(240, 296));
  EXPECT_EQ(estimate("mm", Io().tensor(1, {3, 4}).tensor(2, {5, 4})), std::nullopt);
  EXPECT_EQ(estimate("mm", Io().tensor(1, {12}).tensor(2, {20})), std::nullopt);
  EXPECT_EQ(estimate("mm", Io().tensor(1, {3, 4})), std::nullopt);
  EXPECT_EQ(estimate("bmm", Io().tensor(1, {2, 3, 4}).tensor(2, {3, 4, 5})), std::nullopt);
  EXPECT_EQ(estimate("matmul", Io().tensor(1, {2, 3, 4}).tensor(2, {3, 4, 5})), std::nullopt);
}

Io convolution(const Dims& input, const Dims& weight, bool transposed, const char* groups) {
  return Io()
      .tensor(1, input)
      .tensor(2, weight)
      .undefined()
      .list("[2, 2]")
      .list("[3, 3]")
      .list("[1, 1]")
      .flag(transposed)
      .list("[1, 1]")
      .integer(groups);
}

TEST(Estimate, Convolutions) {
  // [2, 3, 20, 20] * [8, 3, 7, 7], stride 2, padding 3: (20 + 6 − 7) / 2 + 1 = 10. 2·(2·8·10·10)·(3·7·7) = 470400.
  // Elements 2400 + 1176 + 1600 = 5176.
  const Io inputs = convolution({2, 3, 20, 20}, {8, 3, 7, 7}, false, "1");
  EXPECT_EQ(estimate("convolution", inputs, Io().tensor(3, {2, 8, 10, 10})), cost(470400, 20704));
  EXPECT_EQ(estimate("convolution", inputs), cost(470400, 20704));
  const Io plain = Io().tensor(1, {2, 3, 20, 20}).tensor(2, {8, 3, 7, 7});
  EXPECT_EQ(estimate("conv2d", Io(plain).none().list("[2, 2]").list("[3, 3]").list("[1, 1]").integer("1")),
            cost(470400, 20704));
  EXPECT_EQ(estimate("conv2d", Io(plain).none().list("[2]").list("[3]").list("[1]").integer("1")),
            cost(470400, 20704));
  EXPECT_EQ(estimate("cudnn_convolution", Io(plain).list("[3, 3]").list("[2, 2]").list("[1, 1]").integer("1")),
            cost(470400, 20704));
  EXPECT_EQ(
      estimate("miopen_convolution", Io(plain).none().list("[3, 3]").list("[2, 2]").list("[1, 1]").integer("1")),
      cost(470400, 20704));
  // And one addition of z, one relu for each of 1600 results; z is 1600 elements more.
  const Io with_z = Io(plain).tensor(4, {2, 8, 10, 10}).none().none().list("[2, 2]").list("[3, 3]").list("[1, 1]");
  EXPECT_EQ(estimate("cudnn_convolution_add_relu", Io(with_z).integer("1")), cost(473600, 27104));
  // Groups of 3: weight [6, 1, 3, 3] with an input of 3 channels, padding 1: 2·(6·4·4)·9 = 1728; 48 + 54 + 96
  // elements.
  EXPECT_EQ(estimate("conv2d", Io().tensor(1, {1, 3, 4, 4})
                                   .tensor(2, {6, 1, 3, 3})
                                   .none()
                                   .list("[1, 1]")
                                   .list("[1, 1]")
                                   .list("[1, 1]")
                                   .integer("3")),
            cost(1728, 792));
  // Without a batch; in one dimension, dilated: window 2·2 + 1 = 5, 10 − 5 + 1 = 6 results of 4 channels.
  EXPECT_EQ(
      estimate(
          "conv1d",
          Io().tensor(1, {2, 10}).tensor(2, {4, 2, 3}).none().list("[1]").list("[0]").list("[2]").integer("1")),
      cost(2 * 24 * 6, (20 + 24 + 24) * 4));
}

TEST(Estimate, TransposedConvolutions) {
  // [1, 4, 5, 5] * [4, 3, 7, 7], stride 2, padding 3, output padding 1: (5 − 1)·2 − 6 + 7 + 1 = 10 → 2 groups: 6
  // channels. Each input element is multiplied by 3·49 weights: 2·100·147 = 29400. 100 + 588 + 600 elements.
  EXPECT_EQ(estimate("convolution", convolution({1, 4, 5, 5}, {4, 3, 7, 7}, true, "2")), cost(29400, 5152));
  EXPECT_EQ(
      estimate("convolution", convolution({1, 4, 5, 5}, {4, 3, 7, 7}, true, "2"), Io().tensor(3, {1, 6, 10, 10})),
      cost(29400, 5152));
  EXPECT_EQ(estimate("conv_transpose2d", Io().tensor(1, {1, 4, 5, 5})
                                             .tensor(2, {4, 3, 7, 7})
                                             .none()
                                             .list("[2, 2]")
                                             .list("[3, 3]")
                                             .list("[1, 1]")
                                             .integer("2")
                                             .list("[1, 1]")),
            cost(29400, 5152));
}

TEST(Estimate, ConvolutionsThatDoNotFit) {
  const Io output = Io().tensor(3, {2, 8, 10, 10});
  EXPECT_EQ(estimate("convolution", convolution({2, 4, 20, 20}, {8, 3, 7, 7}, false, "1"), output), std::nullopt);
  EXPECT_EQ(estimate("convolution", convolution({2, 3, 20, 20}, {9, 3, 7, 7}, false, "1"), output), std::nullopt);
  EXPECT_EQ(estimate("convolution", convolution({2, 3, 20}, {8, 3, 7, 7}, true, "1")), std::nullopt);
  EXPECT_EQ(estimate("convolution", convolution({60}, {8, 3, 7, 7}, false, "1")), std::nullopt);
  // The window is larger than the input with its margins: 0 + 6 < 7.
  EXPECT_EQ(estimate("convolution", convolution({2, 3, 0, 20}, {8, 3, 7, 7}, false, "1")), std::nullopt);
  EXPECT_EQ(estimate("conv2d", Io().tensor(1, {2, 3, 20, 20})
                                   .tensor(2, {8, 3, 7, 7})
                                   .none()
                                   .list("[0, 0]")
                                   .list("[3, 3]")
                                   .list("[1, 1]")
                                   .integer("1")),
            std::nullopt);
}

TEST(Estimate, GradientsOfConvolutions) {
  const auto backward = [](const std::string& mask) {
    return Io()
        .tensor(1, {2, 8, 10, 10})
        .tensor(2, {2, 3, 20, 20})
        .tensor(3, {8, 3, 7, 7})
        .list("[8]")
        .list("[2, 2]")
        .list("[3, 3]")
        .list("[1, 1]")
        .flag(false)
        .list("[0, 0]")
        .integer("1")
        .list(mask);
  };
  // Twice the products of the forward pass; inputs 5176 elements, results 2400 + 1176.
  EXPECT_EQ(estimate("convolution_backward", backward("[True, True, False]")), cost(940800, (5176 + 3576) * 4));
  EXPECT_EQ(estimate("convolution_backward", backward("[True, True, False]"),
                     Io().tensor(4, {2, 3, 20, 20}).tensor(5, {8, 3, 7, 7}).undefined()),
            cost(940800, (5176 + 3576) * 4));
  EXPECT_EQ(estimate("convolution_backward", backward("[False, True, False]")), cost(470400, (5176 + 1176) * 4));
  // The gradient of the bias sums grad_output: 1600 additions, 8 elements.
  EXPECT_EQ(estimate("convolution_backward", backward("[True, False, True]")), cost(472000, (5176 + 2408) * 4));
  EXPECT_EQ(estimate("convolution_backward", backward("True")), std::nullopt);
  EXPECT_EQ(estimate("cudnn_convolution_backward_input",
                     Io().list("[2, 3, 20, 20]").tensor(1, {2, 8, 10, 10}).tensor(2, {8, 3, 7, 7})),
            cost(470400, 20704));
  EXPECT_EQ(estimate("cudnn_convolution_backward_weight",
                     Io().list("[8, 3, 7, 7]").tensor(1, {2, 8, 10, 10}).tensor(2, {2, 3, 20, 20})),
            cost(470400, 20704));
  EXPECT_EQ(
      estimate(
          "cudnn_convolution_backward",
          Io().tensor(2, {2, 3, 20, 20}).tensor(1, {2, 8, 10, 10}).tensor(3, {8, 3, 7, 7}).list("[True, True]")),
      cost(940800, (5176 + 3576) * 4));
}

TEST(Estimate, Attention) {
  // Batch 2, 4 heads, 6 queries, 6 keys of size 8, values of size 10: 8·36 = 288 pairs, 2·288·(8 + 10) = 10368.
  // Elements 384 + 384 + 480 + 480.
  const Io qkv = Io().tensor(1, {2, 4, 6, 8}).tensor(2, {2, 4, 6, 8}).tensor(3, {2, 4, 6, 10});
  EXPECT_EQ(estimate("scaled_dot_product_attention", Io(qkv).none().real("0.0").flag(false).none().flag(false)),
            cost(10368, 6912));
  // Causal: 21 of 36 pairs, 2·8·21·18 = 6048.
  EXPECT_EQ(estimate("scaled_dot_product_attention", Io(qkv).none().real("0").flag(true).none().flag(false)),
            cost(6048, 6912));
  EXPECT_EQ(estimate("_scaled_dot_product_flash_attention", Io(qkv).real("0.0").flag(true).flag(false).none()),
            cost(6048, 6912));
  EXPECT_EQ(
      estimate("_scaled_dot_product_efficient_attention", Io(qkv).none().flag(true).real("0.0").flag(false).none()),
      cost(10368, 6912));
  // The same with lengths before heads.
  const Io by_length = Io().tensor(1, {2, 6, 4, 8}).tensor(2, {2, 6, 4, 8}).tensor(3, {2, 6, 4, 10});
  EXPECT_EQ(
      estimate("_flash_attention_forward",
               Io(by_length).none().none().integer("6").integer("6").real("0.0").flag(true).flag(false).none()),
      cost(6048, 6912));
  EXPECT_EQ(estimate("_efficient_attention_forward",
                     Io(by_length).none().none().none().none().none().real("0.0").integer("1").flag(false).none()),
            cost(6048, 6912));
  // 4 queries share 2 heads of keys, 3 queries of 5 keys: 1·4·15 pairs, 2·60·16 = 1920; 96 + 80 + 80 + 96 elements.
  const Io grouped = Io().tensor(1, {1, 4, 3, 8}).tensor(2, {1, 2, 5, 8}).tensor(3, {1, 2, 5, 8});
  EXPECT_EQ(estimate("_scaled_dot_product_cudnn_attention",
                     Io(grouped).none().flag(true).real("0.0").flag(false).flag(false).none()),
            cost(1920, 1408));
  // Causal with fewer queries than keys: 1 + 2 + 3 = 6 pairs per head; with more: 1 + 2 + 2 = 5.
  EXPECT_EQ(estimate("_scaled_dot_product_flash_attention", Io(grouped).real("0.0").flag(true).flag(false)),
            cost(768, 1408));
  EXPECT_EQ(estimate("_scaled_dot_product_flash_attention",
                     Io().tensor(1, {3, 8}).tensor(2, {2, 8}).tensor(3, {2, 8}).real("0.0").flag(true).flag(false)),
            cost(2 * 5 * 16, (24 + 16 + 16 + 24) * 4));
}

TEST(Estimate, GradientsOfAttention) {
  // Five products for each of 288 pairs: 2·288·(3·8 + 2·10) = 25344. Inputs: grad_out 480, qkv 1248, out 480,
  // logsumexp 48 elements; results 1248.
  const Io inputs = Io().tensor(9, {2, 4, 6, 10})
                        .tensor(1, {2, 4, 6, 8})
                        .tensor(2, {2, 4, 6, 8})
                        .tensor(3, {2, 4, 6, 10})
                        .tensor(4, {2, 4, 6, 10})
                        .tensor(5, {2, 4, 6});
  EXPECT_EQ(estimate("_scaled_dot_product_flash_attention_backward",
                     Io(inputs).none().none().integer("6").integer("6").real("0.0").flag(false)),
            cost(25344, (480 + 1248 + 480 + 48 + 1248) * 4));
  // Causal: 21 of 36 pairs.
  EXPECT_EQ(estimate("_scaled_dot_product_efficient_attention_backward",
                     Io(inputs).integer("0").integer("0").real("0.0").list("[True, True, True, False]").flag(true)),
            cost(14784, (480 + 1248 + 480 + 48 + 1248) * 4));
}

TEST(Estimate, AttentionThatDoesNotFit) {
  const auto flash = [](const Io& qkv) {
    return estimate("_scaled_dot_product_flash_attention", Io(qkv).real("0.0").flag(true).flag(false));
  };
  EXPECT_EQ(flash(Io().tensor(1, {2, 4, 6, 8}).tensor(2, {2, 4, 6, 9}).tensor(3, {2, 4, 6, 9})), std::nullopt);
  EXPECT_EQ(flash(Io().tensor(1, {2, 4, 6, 8}).tensor(2, {2, 4, 6, 8}).tensor(3, {2, 4, 7, 8})), std::nullopt);
  EXPECT_EQ(flash(Io().tensor(1, {2, 4, 6, 8}).tensor(2, {2, 3, 6, 8}).tensor(3, {2, 3, 6, 8})), std::nullopt);
  EXPECT_EQ(flash(Io().tensor(1, {8}).tensor(2, {8}).tensor(3, {8})), std::nullopt);
  const Io qkv = Io().tensor(1, {1, 6, 4, 8}).tensor(2, {1, 6, 4, 8}).tensor(3, {1, 6, 4, 8});
  EXPECT_EQ(estimate("_scaled_dot_product_flash_attention", qkv), std::nullopt);  // causal is unknown
  // Packed sequences, whose lengths are not in the trace.
  EXPECT_EQ(estimate("_efficient_attention_forward", Io(qkv)
                                                         .none()
                                                         .tensor(4, {3}, 8)
                                                         .tensor(5, {3}, 8)
                                                         .integer("4")
                                                         .integer("4")
                                                         .real("0.0")
                                                         .integer("0")
                                                         .flag(false)),
            std::nullopt);
}

}  // namespace
}  // namespace convert::test
