// SPDX-License-Identifier: MIT
#include "passes/estimate/estimate.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <string>
#include <vector>

namespace {
std::atomic<std::size_t> allocations{0};
}

// Not inlined: the compiler would see free() of what new gave. All that the library calls: AddressSanitizer wants
// to see the new of a delete.
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t& /*tag*/) noexcept {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return std::malloc(size == 0 ? 1 : size);
}
[[gnu::noinline]] void* operator new(std::size_t size) {
  if (void* memory = operator new(size, std::nothrow)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace convert {

bool operator==(const OpCost& a, const OpCost& b) {
  return a.num_ops == b.num_ops && a.tensor_size == b.tensor_size;
}
void PrintTo(const OpCost& cost, std::ostream* out) {
  *out << cost.num_ops << " ops, " << cost.tensor_size << " bytes";
}

namespace {

using Dims = std::vector<std::uint64_t>;

// The texts of inputs or outputs, argument by argument.
class Io {
 public:
  Io& tensor(int id, const Dims& dims, int elem_bytes = 4) {
    return add(value(id, dims, elem_bytes), shape(dims), "Tensor(float)");
  }
  Io& tensors(int first_id, const std::vector<Dims>& all) {
    std::string values, shapes, types;
    for (const Dims& dims : all) {
      values += (values.empty() ? "" : ", ") + value(first_id++, dims, 4);
      shapes += (shapes.empty() ? "" : ", ") + shape(dims);
      types += (types.empty() ? "" : ",") + std::string("Tensor(float)");
    }
    return add("[" + values + "]", "[" + shapes + "]", "GenericList[" + types + "]");
  }
  Io& none() { return add("'<None>'", "[]", "None"); }
  Io& undefined() { return add("[99, 0, 0, 0, 0, '']", "[]", "Tensor(nullptr (uninitialized))"); }
  Io& real(const std::string& text) { return add(text, "[]", "Double"); }
  Io& integer(const std::string& text) { return add(text, "[]", "Int"); }
  Io& flag(bool value) { return add(value ? "True" : "False", "[]", "Bool"); }
  Io& list(const std::string& text) { return add(text, "[[], []]", "GenericList[Int,Int]"); }
  Io& add(const std::string& value, const std::string& shape, const std::string& type) {
    append(values_, value);
    append(shapes_, shape);
    append(types_, "'" + type + "'");
    return *this;
  }

  [[nodiscard]] std::string values() const { return "[" + values_ + "]"; }
  [[nodiscard]] std::string shapes() const { return "[" + shapes_ + "]"; }
  [[nodiscard]] std::string types() const { return "[" + types_ + "]"; }

 private:
  static void append(std::string& list, const std::string& text) { list += (list.empty() ? "" : ", ") + text; }
  static std::string value(int id, const Dims& dims, int elem_bytes) {
    std::uint64_t elements = 1;
    for (const std::uint64_t dim : dims) elements *= dim;
    return "[" + std::to_string(id) + ", " + std::to_string(id + 1000) + ", 0, " + std::to_string(elements) + ", " +
           std::to_string(elem_bytes) + ", 'cuda:0']";
  }
  static std::string shape(const Dims& dims) {
    std::string text;
    for (const std::uint64_t dim : dims) append(text, std::to_string(dim));
    return "[" + text + "]";
  }

  std::string values_, shapes_, types_;
};

std::optional<OpCost> estimate(const std::string& name, const Io& inputs, const Io& outputs = {}) {
  const std::string texts[] = {inputs.values(),  inputs.shapes(),  inputs.types(),
                               outputs.values(), outputs.shapes(), outputs.types()};
  return estimate_cost("aten::" + name, {texts[0], texts[1], texts[2]}, {texts[3], texts[4], texts[5]});
}

OpCost cost(std::uint64_t num_ops, std::uint64_t tensor_size) { return {num_ops, tensor_size}; }

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
  // Two batches of the same.
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
  // Groups of 3: weight [6, 1, 3, 3] of an input of 3 channels, padding 1: 2·(6·4·4)·9 = 1728; 48 + 54 + 96
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
  // channels. Each input element meets 3·49 weights: 2·100·147 = 29400. 100 + 588 + 600 elements.
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
  // Causal with fewer queries than keys: 1 + 2 + 3 = 6 pairs a head; with more: 1 + 2 + 2 = 5.
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
  EXPECT_EQ(estimate("_scaled_dot_product_flash_attention", qkv), std::nullopt);  // causal or not?
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

TEST(Estimate, Pointwise) {
  const Io two = Io().tensor(1, {2, 3}).tensor(2, {2, 3});
  EXPECT_EQ(estimate("add", Io(two).integer("1"), Io().tensor(3, {2, 3})), cost(6, 72));
  // Broadcast: [4, 1] and [3] give 12 elements; 4 + 3 + 12 of them move.
  EXPECT_EQ(estimate("mul", Io().tensor(1, {4, 1}).tensor(2, {3})), cost(12, 76));
  EXPECT_EQ(estimate("mul", Io().tensor(1, {4, 2}).tensor(2, {3})), std::nullopt);
  // The same tensor twice is read once.
  EXPECT_EQ(estimate("mul", Io().tensor(1, {2, 3}).tensor(1, {2, 3}), Io().tensor(3, {2, 3})), cost(6, 48));
  // In place: two read, one written.
  EXPECT_EQ(estimate("add_", Io(two).integer("1"), Io().tensor(1, {2, 3})), cost(6, 72));
  EXPECT_EQ(estimate("add_", Io(two).integer("1")), cost(6, 72));
  // Into a given tensor, which is only written.
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
  // Of a table smaller than the result the whole.
  EXPECT_EQ(estimate("gather", Io().tensor(1, {2, 4}).integer("0").tensor(2, {6, 4}, 8), Io().tensor(3, {6, 4})),
            cost(0, 192 + 32 + 96));
  // Read index and source, read and write as many elements of self.
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

TEST(Estimate, AllocatesNothing) {
  const Io matrices = Io().tensor(9, {5}).tensor(1, {3, 4}).tensor(2, {4, 5}).integer("1").integer("1");
  Io parameters;
  parameters.tensors(1, std::vector<Dims>(2000, {2, 3})).tensors(3001, std::vector<Dims>(2000, {2, 3})).real("0.1");
  const std::string texts[] = {matrices.values(),   matrices.shapes(),   matrices.types(),
                               parameters.values(), parameters.shapes(), parameters.types()};
  const std::size_t before = allocations;
  const auto product = estimate_cost("aten::addmm", {texts[0], texts[1], texts[2]}, {"[]", "[]", "[]"});
  const auto step = estimate_cost("aten::_foreach_add_", {texts[3], texts[4], texts[5]}, {"[]", "[]", "[]"});
  const std::size_t after = allocations;
  EXPECT_EQ(product, cost(120, 208));
  EXPECT_EQ(step, cost(12000, 144000));
  EXPECT_EQ(after, before);
}

}  // namespace
}  // namespace convert
