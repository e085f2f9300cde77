// SPDX-License-Identifier: MIT
#include "analyze/runs/kernel_words.h"

#include <gtest/gtest.h>

namespace convert {
namespace {

TEST(KernelWords, KernelsSayWhatTheyReduce) {
  const KernelWords now =
      words_of_kernel("ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)");
  EXPECT_EQ(now.reduction, "sum");
  ASSERT_TRUE(now.type.has_value());
  EXPECT_EQ(now.type->name, "bfloat16");
  const KernelWords before =
      words_of_kernel("ncclKernel_AllReduce_RING_LL_Max_float(ncclDevComm*, unsigned long, ncclWork*)");
  EXPECT_EQ(before.reduction, "max");
  EXPECT_EQ(before.type->name, "float");
  EXPECT_EQ(words_of_kernel("ncclKernel_AllReduce_RING_LL_Sum_int32_t(x)").type->name, "int32");
  EXPECT_EQ(words_of_kernel("ncclKernel_AllReduce_RING_LL_Sum___nv_bfloat16(x)").type->name, "bfloat16");
  EXPECT_EQ(words_of_kernel("ncclDevKernel_AllGather_RING_LL(x)").reduction, "");
  EXPECT_EQ(words_of_kernel("Sum_float").reduction, "");
  EXPECT_EQ(words_of_kernel("").reduction, "");
}

}  // namespace
}  // namespace convert
