// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <string>

#include "passes/estimate/estimate.h"
#include "unit/passes/estimate_texts.h"

namespace convert::test {
namespace {

TEST(Estimate, Pointwise) {
  const Io two = Io().tensor(1, {2, 3}).tensor(2, {2, 3});
  EXPECT_EQ(estimate("add", Io(two).integer("1"), Io().tensor(3, {2, 3})), cost(6, 72));
  // Broadcast: [4, 1] and [3] give 12 elements; 4 + 3 + 12 elements are moved.
  EXPECT_EQ(estimate("mul", Io().tensor(1, {4, 1}).tensor(2, {3})), cost(12, 76));
  EXPECT_EQ(estimate("mul", Io().tensor(1, {4, 2}).tensor(2, {3})), std::nullopt);
  // The same tensor twice is read once.
  EXPECT_EQ(estimate("mul", Io().tensor(1, {2, 3}).tensor(1, {2, 3}), Io().tensor(3, {2, 3})), cost(6, 48));
  // In place: two read, one written.
  EXPECT_EQ(estimate("add_", Io(two).integer("1"), Io().tensor(1, {2, 3})), cost(6, 72));
  EXPECT_EQ(estimate("add_", Io(two).integer("1")), cost(6, 72));
  // Output into a given tensor, which is only written.
  EXPECT_EQ(estimate("mul", Io(two).tensor(3, {2, 3}), Io().tensor(3, {2, 3})), cost(6, 72));
  EXPECT_EQ(estimate("eq", Io(two), Io().tensor(3, {2, 3}, 1)), cost(6, 54));
  EXPECT_EQ(estimate("tanh_backward", Io(two)), cost(6, 72));
  EXPECT_EQ(estimate("lerp", Io(two).real("0.5")), cost(18, 72));
  EXPECT_EQ(estimate("native_dropout", Io().tensor(1, {2, 3}).real("0.1").flag(true),
                     Io().tensor(2, {2, 3}).tensor(3, {2, 3}, 1)),
            cost(12, 54));
  EXPECT_EQ(estimate("add", Io().integer("1").integer("2")), std::nullopt);
}

TEST(Estimate, ListsOfTensors) {
  // 6 + 5 elements in each list.
  const Io pair = Io().tensors(1, {{2, 3}, {5}}).tensors(11, {{2, 3}, {5}});
  EXPECT_EQ(estimate("_foreach_add_", Io(pair).integer("1")), cost(11, 132));
  EXPECT_EQ(estimate("_foreach_mul", Io(pair), Io().tensors(21, {{2, 3}, {5}})), cost(11, 132));
  EXPECT_EQ(estimate("_foreach_mul", pair), cost(11, 132));
  EXPECT_EQ(estimate("_foreach_mul_", Io().tensors(1, {{2, 3}, {5}}).tensors(1, {{2, 3}, {5}})), cost(11, 88));
  EXPECT_EQ(estimate("_foreach_addcdiv_", Io(pair).tensors(21, {{2, 3}, {5}}).real("-0.001")), cost(33, 176));
  EXPECT_EQ(estimate("_foreach_norm", Io().tensors(1, {{2, 3}, {5}}).real("2.0"), Io().tensors(21, {{}, {}})),
            cost(22, 52));
  EXPECT_EQ(estimate("_foreach_zero_", Io().tensors(1, {{2, 3}, {5}})), cost(0, 44));
  EXPECT_EQ(estimate("_foreach_copy_", pair), cost(0, 88));
  EXPECT_EQ(estimate("_foreach_mm", pair), std::nullopt);
  EXPECT_EQ(estimate("cat", Io().tensors(1, {{2, 3}, {5, 3}}).integer("0"), Io().tensor(9, {7, 3})), cost(0, 168));
}

TEST(Estimate, WhatIsOnlyMoved) {
  EXPECT_EQ(estimate("fill_", Io().tensor(1, {8}).real("0.5"), Io().tensor(1, {8})), cost(0, 32));
  EXPECT_EQ(estimate("zero_", Io().tensor(1, {8})), cost(0, 32));
  EXPECT_EQ(estimate("copy_", Io().tensor(1, {8}).tensor(2, {8}, 2).flag(false), Io().tensor(1, {8})), cost(0, 48));
  EXPECT_EQ(estimate("copy_", Io().tensor(1, {8}), Io().tensor(1, {8})), std::nullopt);
  EXPECT_EQ(estimate("clone", Io().tensor(1, {8}).integer("0")), cost(0, 64));
  EXPECT_EQ(estimate("_local_scalar_dense", Io().tensor(1, {}), Io().real("1.0")), cost(0, 8));
  EXPECT_EQ(estimate("arange", Io().integer("0").integer("8").tensor(1, {0}, 8), Io().tensor(1, {8}, 8)),
            cost(0, 64));
  // Three rows of 4 of a table of 1000, by three indices of 8 bytes.
  EXPECT_EQ(
      estimate("embedding", Io().tensor(1, {1000, 4}).tensor(2, {3}, 8).integer("-1"), Io().tensor(3, {3, 4})),
      cost(0, 120));
  EXPECT_EQ(
      estimate("index_select", Io().tensor(1, {1000, 4}).integer("0").tensor(2, {3}, 8), Io().tensor(3, {3, 4})),
      cost(0, 120));
  // A table smaller than the result is read whole.
  EXPECT_EQ(estimate("gather", Io().tensor(1, {2, 4}).integer("0").tensor(2, {6, 4}, 8), Io().tensor(3, {6, 4})),
            cost(0, 192 + 32 + 96));
  // Reads index and source, reads and writes as many elements of self.
  EXPECT_EQ(estimate("scatter_add_", Io().tensor(1, {1000, 4}).integer("0").tensor(2, {3, 4}, 8).tensor(3, {3, 4})),
            cost(12, 96 + 48 + 96));
  EXPECT_EQ(estimate("scatter_", Io().tensor(1, {1000, 4}).integer("0").tensor(2, {3, 4}, 8).real("1.0")),
            cost(0, 96 + 48));
}

TEST(Estimate, Reductions) {
  EXPECT_EQ(estimate("sum", Io().tensor(1, {4, 5}).list("[0]").flag(true), Io().tensor(2, {1, 5})), cost(20, 100));
  EXPECT_EQ(estimate("var_mean", Io().tensor(1, {4, 5}).list("[0]"), Io().tensor(2, {5}).tensor(3, {5})),
            cost(80, 120));
  EXPECT_EQ(estimate("max", Io().tensor(1, {4, 5}).tensor(2, {4, 5}), Io().tensor(3, {4, 5})), cost(20, 240));
  EXPECT_EQ(estimate("sum", Io().tensor(1, {4, 5}).list("[0]").flag(true)), std::nullopt);
  EXPECT_EQ(estimate("_softmax", Io().tensor(1, {4, 5}).integer("-1").flag(false)), cost(100, 160));
  EXPECT_EQ(
      estimate("_log_softmax_backward_data", Io().tensor(1, {4, 5}).tensor(2, {4, 5}).integer("1").integer("6")),
      cost(80, 240));
}

TEST(Estimate, Norms) {
  // 2·6 elements of rows of 6. 6 + weight + bias; weight, bias 6 each, mean and deviation 2 each.
  const Io input = Io().tensor(1, {2, 6}).list("[6]");
  const Io outputs = Io().tensor(4, {2, 6}).tensor(5, {2, 1}).tensor(6, {2, 1});
  EXPECT_EQ(estimate("native_layer_norm", Io(input).tensor(2, {6}).tensor(3, {6}).real("1e-05"), outputs),
            cost(96, (24 + 16) * 4));
  EXPECT_EQ(estimate("native_layer_norm", Io(input).none().none().real("1e-05")), cost(72, 96));
  EXPECT_EQ(estimate("_fused_rms_norm", Io(input).tensor(2, {6}).real("1e-05")), cost(48, 120));
  // grad, input, mean, deviation, weight, bias: 9 + 3 + 1.
  const Io backward = Io().tensor(1, {2, 6}).tensor(2, {2, 6}).list("[6]").tensor(3, {2, 1}).tensor(4, {2, 1});
  EXPECT_EQ(
      estimate("native_layer_norm_backward", Io(backward).tensor(5, {6}).tensor(6, {6}).list("[True, True, True]"),
               Io().tensor(7, {2, 6}).tensor(8, {6}).tensor(9, {6})),
      cost(156, (12 + 12 + 2 + 2 + 6 + 6 + 12 + 6 + 6) * 4));
  // Batches of 3 channels of 8.
  const Io batch = Io().tensor(1, {2, 3, 8}).tensor(2, {3}).tensor(3, {3}).tensor(4, {3}).tensor(5, {3});
  EXPECT_EQ(estimate("cudnn_batch_norm", Io(batch).flag(true).real("0.1").real("1e-05")), cost(48 * 8, 432));
  EXPECT_EQ(estimate("native_batch_norm", Io(batch).flag(false).real("0.1").real("1e-05")), cost(48 * 4, 432));
  EXPECT_EQ(estimate("cudnn_batch_norm_backward", Io().tensor(1, {2, 3, 8}).tensor(2, {2, 3, 8}).tensor(3, {3})),
            cost(48 * 9, (48 * 3 + 3) * 4));
}

TEST(Estimate, Pooling) {
  const Io input = Io().tensor(1, {1, 2, 6, 6});
  // 2·3·3 results of windows of 4.
  EXPECT_EQ(estimate("max_pool2d_with_indices", Io(input).list("[2, 2]").list("[2, 2]"),
                     Io().tensor(2, {1, 2, 3, 3}).tensor(3, {1, 2, 3, 3}, 8)),
            cost(72, 288 + 72 + 144));
  EXPECT_EQ(estimate("avg_pool2d", Io(input).list("[2]"), Io().tensor(2, {1, 2, 3, 3})), cost(72, 360));
  EXPECT_EQ(estimate("avg_pool2d", Io(input).list("[2, 2, 2]"), Io().tensor(2, {1, 2, 3, 3})), std::nullopt);
  EXPECT_EQ(estimate("avg_pool2d_backward", Io().tensor(2, {1, 2, 3, 3}).tensor(1, {1, 2, 6, 6}).list("[2, 2]")),
            cost(72, 72 + 288 + 288));
  EXPECT_EQ(estimate("_adaptive_avg_pool2d", Io(input).list("[1, 1]"), Io().tensor(2, {1, 2, 1, 1})),
            cost(72, 296));
}

TEST(Estimate, EmbeddingsAndLosses) {
  EXPECT_EQ(estimate("embedding_dense_backward", Io().tensor(1, {3, 4}).tensor(2, {3}, 8).integer("10"),
                     Io().tensor(3, {10, 4})),
            cost(12, 48 + 24 + 160));
  // 5 rows of 4 in 2 bags.
  EXPECT_EQ(
      estimate(
          "_embedding_bag",
          Io().tensor(1, {100, 4}).tensor(2, {5}, 8).tensor(3, {2}, 8).flag(false).integer("0").flag(false).none(),
          Io().tensor(4, {2, 4})),
      cost(20, 80 + 40 + 16 + 32));
  // One element for each of 3 targets.
  EXPECT_EQ(estimate("nll_loss_forward", Io().tensor(1, {3, 100}).tensor(2, {3}, 8).undefined().integer("1"),
                     Io().tensor(3, {}).tensor(4, {})),
            cost(3, 12 + 24 + 8));
  EXPECT_EQ(estimate("nll_loss_backward",
                     Io().tensor(5, {})
                         .tensor(1, {3, 100})
                         .tensor(2, {3}, 8)
                         .undefined()
                         .integer("1")
                         .integer("-100")
                         .tensor(4, {}),
                     Io().tensor(6, {3, 100})),
            cost(3, 4 + 12 + 24 + 4));
}

TEST(Estimate, Optimizers) {
  const auto adam = [](const std::string& decay, bool maxima) {
    Io io = Io().tensors(1, {{2, 3}, {5}})
                .tensors(11, {{2, 3}, {5}})
                .tensors(21, {{2, 3}, {5}})
                .tensors(31, {{2, 3}, {5}});
    if (maxima) {
      io.tensors(41, {{2, 3}, {5}});
    } else {
      io.list("[]");
    }
    return io.tensors(51, {{}, {}}).real("0.001").real("0.9").real("0.999").real(decay).real("1e-08");
  };
  // 11 elements: four lists read, two steps read, three lists written.
  EXPECT_EQ(estimate("_fused_adam_", adam("0.0", false)), cost(143, 4 * 44 + 8 + 3 * 44));
  EXPECT_EQ(estimate("_fused_adamw_", adam("0.01", false)), cost(165, 4 * 44 + 8 + 3 * 44));
  EXPECT_EQ(estimate("_fused_adam_", adam("0", true)), cost(154, 5 * 44 + 8 + 4 * 44));
  const auto sgd = [](const std::string& momentum) {
    return Io()
        .tensors(1, {{2, 3}, {5}})
        .tensors(11, {{2, 3}, {5}})
        .tensors(21, {{2, 3}, {5}})
        .real("0.0")
        .real(momentum)
        .real("0.1")
        .real("0.0")
        .flag(false);
  };
  EXPECT_EQ(estimate("_fused_sgd_", sgd("0.9")), cost(55, 5 * 44));
  EXPECT_EQ(estimate("_fused_sgd_", sgd("0.0")), cost(22, 4 * 44));
}

TEST(Estimate, UnknownOperators) {
  const Io io = Io().tensor(1, {3, 4}).tensor(2, {4, 5});
  for (const char* name : {"view", "mm2", "m", "", "_", "_foreach_", "sort", "__and__"}) {
    EXPECT_EQ(estimate(name, io), std::nullopt) << name;
  }
  EXPECT_EQ(estimate_cost("mm", {"[]", "[]", "[]"}, {"[]", "[]", "[]"}), std::nullopt);
  EXPECT_EQ(estimate_cost("", {}, {}), std::nullopt);
  // Sums and products of complex numbers are several operations; a copy is not.
  const Io complex = Io().add("[1, 2, 0, 6, 8, 'cuda:0']", "[2, 3]", "Tensor(c10::complex<float>)");
  EXPECT_EQ(estimate("neg", complex), std::nullopt);
  EXPECT_EQ(estimate("clone", complex), cost(0, 96));
}

std::optional<OpCost> of_texts(std::string_view name, std::string_view values, std::string_view shapes) {
  return estimate_cost(name, {values, shapes, "['Tensor(float)']"}, {"[]", "[]", "[]"});
}

TEST(Estimate, MalformedTexts) {
  ASSERT_EQ(of_texts("aten::neg", "[[1, 2, 0, 6, 4, 'cuda:0']]", "[[2, 3]]"), cost(6, 48));
  for (const char* values : {"",
                             "[",
                             "]",
                             "[[1, 2, 0, 6, 4, 'cuda:0']",
                             "[[1, 2, 0, 6, 4, 'cuda:0]]",
                             "[[1, 2, 0, 6, 4, 'cuda:0'",
                             "[]]",
                             "[[1, 2, 0, 6, 4, 'cuda:0']] ",
                             "[[1, 2, 0, 6, 'cuda:0']]",
                             "[[1, 2, 0, -6, 4, 'cuda:0']]",
                             "[,]",
                             "[1,]",
                             "[[1, 2, 0, 6, 4, 'cuda:0'] 1]",
                             "[[1, 2, 0, 6, 4, 'cuda:0', 7]]",
                             "[[1, 2, 0, 6, 4, 'cuda:0'], 1[2]",
                             "[[[1, 2, 0, 6, 4, 'cuda:0'], [3, 4, 0]]]",
                             "[[1, 2, 0, 6, 4, 'cuda:0\\']]",
                             "1",
                             "None",
                             "[['a', 'b']]"}) {
    EXPECT_EQ(of_texts("aten::neg", values, "[[2, 3]]"), std::nullopt) << values;
  }
  for (const char* shapes : {"", "[", "[[2, 3]", "[[2, 3], []]", "[]", "[[2, 4]]", "[[2, -3]]", "[[2, 3.0]]", "[6]",
                             "[[2, 3]]]", "[[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 3]]"}) {
    EXPECT_EQ(of_texts("aten::neg", "[[1, 2, 0, 6, 4, 'cuda:0']]", shapes), std::nullopt) << shapes;
  }
  const std::string deep(100000, '[');
  EXPECT_EQ(of_texts("aten::neg", deep, "[]"), std::nullopt);
  EXPECT_EQ(of_texts("aten::neg", "[[1, 2, 0, 6, 4, 'cuda:0']]", deep), std::nullopt);
  Io many;
  for (int i = 0; i < 33; ++i) many.tensor(i, {2});
  EXPECT_EQ(estimate("neg", many), std::nullopt);
  // Either quotes, no space after a comma.
  EXPECT_EQ(of_texts("aten::neg", "[[1,2,0,6,4,\"cuda:'0\"]]", "[[2,3]]"), cost(6, 48));
}

TEST(Estimate, Overflow) {
  const auto product = [](const std::string& elements, const std::string& shape) {
    const std::string tensor = "[1, 2, 0, " + elements + ", 1, 'cuda:0']";
    return of_texts("aten::mm", "[" + tensor + ", " + tensor + "]", "[" + shape + ", " + shape + "]");
  };
  // 2·(2²⁰)³ = 2⁶¹ fits, 2·(2²²)³ = 2⁶⁷ does not.
  EXPECT_EQ(product("1099511627776", "[1048576, 1048576]"), cost(std::uint64_t{1} << 61U, std::uint64_t{1} << 41U));
  EXPECT_EQ(product("17592186044416", "[4194304, 4194304]"), std::nullopt);
  // Elements times bytes; numbers themselves; their sum.
  EXPECT_EQ(of_texts("aten::neg", "[[1, 2, 0, 4611686018427387904, 4, '']]", "[[4611686018427387904]]"),
            std::nullopt);
  EXPECT_EQ(of_texts("aten::neg", "[[1, 2, 0, 18446744073709551616, 1, '']]", "[[18446744073709551616]]"),
            std::nullopt);
  EXPECT_EQ(of_texts("aten::zero_", "[[1, 2, 0, 18446744073709551615, 1, '']]", "[]"), cost(0, UINT64_MAX));
  EXPECT_EQ(of_texts("aten::neg", "[[1, 2, 0, 18446744073709551615, 1, '']]", "[[18446744073709551615]]"),
            std::nullopt);
}

}  // namespace
}  // namespace convert::test
