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

TEST(CommNames, KernelsThatExchangeTheDataOfExpertsAreKnown) {
  for (const auto& [kernel, expected] : std::vector<std::pair<std::string_view, std::string_view>>{
           {"void dpsk::ep::internode::dispatch<false, 8, false, 8>(int4*, float*, long*)", "all_to_all"},
           {"void dpsk::ep::internode::combine<false, 8, __nv_bfloat16, 8>(int4*, float*)", "all_to_all"},
           {"void dpsk::ep::internode::notify_dispatch<false, 8>(int const*)", "untyped"},
           {"void dpsk::ep::internode::cached_notify<false>(int)", "untyped"},
           {"_ZN7deep_ep12internode_ll8dispatchILb1ELb0ELi7168EEEvPvS1_", "all_to_all"},
           {"void hybrid_ep::dispatch_kernel<int>(int)", "all_to_all"},
           {"void mooncake::ep::dispatch<true, 7168>(void*)", "all_to_all"},
           {"void mooncake::combine<7168>(void*)", "all_to_all"},
           {"void nixl_ep::dispatch<true, false, 7168>(void*)", "all_to_all"},
           {"void uccl::ep::dispatch<true>(void*)", "all_to_all"},
           {"void uccl::internode::combine<true>(void*)", "all_to_all"},
           {"void pplx::dispatchKernel<4, true>(int*)", "all_to_all"},
           {"void pplx_a2a::a2a_dispatch_send_kernel<true>(int*)", "all_to_all"},
           {"void pplx_a2a::barrier_kernel(int*)", "untyped"},
           {"void mori::moe::EpDispatchIntraNodeKernel<__hip_bfloat16>(args)", "all_to_all"},
           {"void mori::moe::EpCombineInterNodeKernel<__hip_bfloat16>(args)", "all_to_all"},
           {"EpDispatchInterNodeV1Kernel_bf16", "all_to_all"},
           {"void mori::shmem::quiet(int)", "untyped"},
           {"void tensorrt_llm::kernels::fusedMoeCommKernel<true>(args)", "all_to_all"},
           {"void tensorrt_llm::kernels::mnnvl_throughput::moeA2ACombineKernel<half>(args)", "all_to_all"},
           // on one device
           {"void deep_ep::layout::get_dispatch_layout<256, 32, 8>(long const*)", "none"},
           {"void mori::moe::ConvertDispatchOutputKernel<float>(args)", "none"},
           {"void flash::flash_fwd_splitkv_combine_kernel<Flash_fwd_kernel_traits<128>>(params)", "none"},
           {"void cutlass::device_kernel<flash::FlashAttnFwdCombine<cute::tuple<int>>>(params)", "none"},
           {"void flash_fwd_mla_combine_kernel<float>(params)", "none"},
           {"void moe::dispatch_tokens<float>(float*)", "none"},
           {"_moe_dispatch_permute_kernel", "none"},
           {"void memori::dispatch(int)", "none"},
           {"_Z9broken", "none"},
           {"void conv_combine_kernel(float*)", "none"}}) {
    EXPECT_EQ(named(kernel), expected) << kernel;
  }
}

TEST(CommNames, KernelsOfEachVersionOfLibrariesAreKnown) {
  for (const auto& [kernel, expected] : std::vector<std::pair<std::string_view, std::string_view>>{
           {"ncclSendRecvKernel_copy_i8(ncclColl)", "untyped"},
           {"ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclWorkElem)", "untyped"},
           {"ncclSomethingNew", "untyped"},
           {"ncclAllReduceRingLLKernel_sum_f32(ncclColl)", "all_reduce"},
           {"void barrier_on_stream_kernel_threadgroup<(threadgroup_t)2>(int, int, int)", "barrier"},
           {"_Z24barrier_on_stream_kerneli", "barrier"},
           {"void sync_on_stream_kernel_threadgroup<2>(int)", "barrier"},
           {"void broadcast_on_stream_kernel<int>(int)", "broadcast"},
           {"void signal_wait_until_on_stream_kernel(int)", "untyped"},
           {"void (anonymous namespace)::barrier_kernel(unsigned int**, unsigned int, int, int, unsigned long)",
            "untyped"},
           {"void c10d::symmetric_memory::put_signal_kernel(unsigned int**)", "untyped"},
           {"c10d::symmetric_memory::wait_signal_kernel(unsigned int**)", "untyped"},
           {"grid_barrier_kernel(int)", "none"}}) {
    EXPECT_EQ(named(kernel), expected) << kernel;
  }
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
