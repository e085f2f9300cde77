// SPDX-License-Identifier: MIT
#include "core/element_type.h"

#include <gtest/gtest.h>

#include <string>

namespace convert {
namespace {

TEST(ElementTypes, OfTracesByTheNamesOfNcclTests) {
  const auto name = [](std::string_view text) {
    const auto type = element_type(text);
    return type && !type->name.empty() ? std::string(type->name) + ' ' + std::to_string(type->bytes)
                                       : std::string("-");
  };
  EXPECT_EQ(name("BFloat16"), "bfloat16 2");
  EXPECT_EQ(name("c10::BFloat16"), "bfloat16 2");
  EXPECT_EQ(name("c10::Half"), "half 2");
  EXPECT_EQ(name("Float"), "float 4");
  EXPECT_EQ(name("Long"), "int64 8");
  EXPECT_EQ(name("Byte"), "uint8 1");
  EXPECT_EQ(name("ComplexFloat"), "-");
  EXPECT_EQ(name(""), "-");
}

TEST(ElementTypes, HaveSizesAlsoWhereNcclTestsHaveNoName) {
  EXPECT_EQ(element_type("ComplexFloat")->bytes, 8);
  EXPECT_EQ(element_type("c10::complex_double")->bytes, 16);
  EXPECT_EQ(element_type("Short")->bytes, 2);
  EXPECT_EQ(element_type("torch.float16")->bytes, 2);
  EXPECT_EQ(element_type("Float8_e4m3fnuz")->bytes, 1);
  EXPECT_FALSE(element_type("float80").has_value());
  EXPECT_FALSE(element_type("c10::").has_value());
}

}  // namespace
}  // namespace convert
