// SPDX-License-Identifier: MIT
#include "passes/link/comm_names.h"

#include <gtest/gtest.h>

namespace convert {
namespace {

std::string named(std::string_view kernel) {
  const NamedKernel k = named_kernel(kernel);
  if (!k.communicates) return "none";
  return k.type ? std::string(name(*k.type)) : "untyped";
}

TEST(CommNames, FunctionNamesHaveNoArguments) {
  EXPECT_EQ(
      function_name("void (anonymous namespace)::multimem_all_reduce_kernel<c10::BFloat16, 16>(c10::BFloat16*)"),
      "(anonymous namespace)::multimem_all_reduce_kernel");
  EXPECT_EQ(function_name("void at::native::(anonymous namespace)::fill<int>(int)"),
            "at::native::(anonymous namespace)::fill");
  EXPECT_EQ(function_name("ncclDevKernel_Generic(ncclDevKernelArgsStorage<4096ul>)"), "ncclDevKernel_Generic");
  EXPECT_EQ(function_name("Memcpy PtoP (Device -> Device)"), "Memcpy PtoP ");
  EXPECT_EQ(function_name(""), "");
}

TEST(CommNames, KernelsOfLibrariesAreKnown) {
  for (const auto& [kernel, expected] : std::vector<std::pair<std::string_view, std::string_view>>{
           {"void (anonymous namespace)::multimem_all_reduce_kernel<c10::BFloat16, 16>(...)", "all_reduce"},
           {"void (anonymous namespace)::one_shot_all_reduce_kernel<float, 16, 2>(...)", "all_reduce"},
           {"void (anonymous namespace)::two_shot_all_reduce_kernel_inplace<float, 16, 8>(...)", "all_reduce"},
           {"void (anonymous namespace)::multimem_all_gather_kernel<16>(char*, char*, unsigned long)",
            "all_gather"},
           {"void (anonymous namespace)::multimem_one_shot_reduce_kernel<float, 16>(float*)", "reduce"},
           {"void vllm::cross_device_reduce_2stage<__nv_bfloat16, 2>(...)", "all_reduce"},
           {"_ZN5aiter26cross_device_reduce_1stageIDF16bLi8EEEvPNS_8RankDataE", "all_reduce"},
           {"void aiter::cross_device_reduce_scatter<float, 8>(...)", "reduce_scatter"},
           {"void tensorrt_llm::kernels::oneShotAllReduceKernel<half, 8>(...)", "all_reduce"},
           {"void tensorrt_llm::kernels::ar_fusion::allreduce_fusion_kernel_oneshot_lamport<...>(...)",
            "all_reduce"},
           {"void quickreduce::allreduce_prototype_twoshot<...>(...)", "all_reduce"},
           {"void deep_ep::intranode::dispatch<8, 768, 8192>(int4*, float*)", "all_to_all"},
           {"void deep_ep::intranode::notify_dispatch<8>(int const*)", "untyped"},
           {"hcom_allReduce__210_0_1", "all_reduce"},
           {"hcclDeviceAllReduce", "all_reduce"},
           {"ncclDevKernel_Generic(ncclDevKernelArgsStorage<4096ul>)", "untyped"},
           {"ncclSymkDevKernel_AllGather_LL(args)", "all_gather"},
           {"void nvshmemi_barrier<int>(int)", "untyped"},
           {"Memcpy PtoP (Device -> Device)", "untyped"},
           {"Memcpy DtoD (Device -> Device)", "none"},
           {"void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float>>(...)", "none"},
           {"void at::native::vectorized_gather_kernel<16, long>(char*)", "none"},
           {"void small_gather_kernel<int>(int)", "none"},
           {"void blockAllReduce<float>(float*)", "none"},
           {"void warp_all_reduce_kernel<float>(float*)", "none"},
           {"void c10d::checkForNaN<float>(float*, unsigned long)", "none"}}) {
    EXPECT_EQ(named(kernel), expected) << kernel;
  }
  EXPECT_TRUE(named_kernel("void c10d::checkForNaN<float>(float*, unsigned long)").computes);
}

TEST(CommNames, OperatorsNameTheirCollective) {
  EXPECT_EQ(named_operator("vllm::all_reduce"), Collective::all_reduce);
  EXPECT_EQ(named_operator("symm_mem::multimem_all_reduce_"), Collective::all_reduce);
  EXPECT_EQ(named_operator("trtllm::allreduce"), Collective::all_reduce);
  EXPECT_EQ(named_operator("symm_mem::multimem_all_gather_out"), Collective::all_gather);
  EXPECT_EQ(named_operator("aten::all_reduce"), std::nullopt);
  EXPECT_EQ(named_operator("nccl:all_reduce"), std::nullopt);
  EXPECT_EQ(named_operator("all_reduce"), std::nullopt);
  EXPECT_EQ(named_operator("mine::norm"), std::nullopt);
}

TEST(CommNames, BackendsHaveAPrefix) {
  EXPECT_EQ(backend_call("hccl:all_reduce").value_or(BackendCall{}).operation, "all_reduce");
  EXPECT_TRUE(backend_call("gloo:broadcast").value_or(BackendCall{}).on_host);
  EXPECT_FALSE(backend_call("mccl:broadcast").value_or(BackendCall{.on_host = true}).on_host);
  EXPECT_FALSE(backend_call("step:send"));
}

}  // namespace
}  // namespace convert
