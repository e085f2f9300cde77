// SPDX-License-Identifier: MIT
#include "formats/kineto/input_bytes.h"

#include <gtest/gtest.h>

namespace convert {
namespace {

using Bytes = std::vector<std::int64_t>;

Bytes bytes(std::string_view dims, std::string_view types) {
  Bytes out;
  append_input_bytes(dims, types, out);
  return out;
}

TEST(InputBytes, TensorsHaveTheirSize) {
  EXPECT_EQ(bytes("[[888, 2880], [], []]", R"(["c10::BFloat16", "", "Scalar"])"), (Bytes{5114880, -1, -1}));
  EXPECT_EQ(bytes("[[],[3]]", R"(["float","long int"])"), (Bytes{4, 24}));
  EXPECT_EQ(bytes("[[[2, 3], [4]]]", R"(["TensorList"])"), (Bytes{-1}));
  EXPECT_EQ(bytes("[[2],[2],[2]]", R"(["unsigned char","short int","c10::Half"])"), (Bytes{2, 4, 4}));
  EXPECT_EQ(bytes("[]", "[]"), Bytes{});
}

TEST(InputBytes, WhatDoesNotFitIsUnknown) {
  EXPECT_EQ(bytes("[[9223372036854775807, 2]]", R"(["float"])"), (Bytes{-1}));
  EXPECT_EQ(bytes("[[-1], [1.5], [99999999999999999999]]", R"(["int", "int", "int"])"), (Bytes{-1, -1, -1}));
  EXPECT_EQ(bytes("[[2], [3]]", R"(["float"])"), Bytes{});
  EXPECT_EQ(bytes("[[2]]", R"(["a\",]b"])"), (Bytes{-1}));
  EXPECT_EQ(bytes("7", "[\"float\"]"), Bytes{});
  EXPECT_EQ(bytes("", ""), Bytes{});
}

}  // namespace
}  // namespace convert
