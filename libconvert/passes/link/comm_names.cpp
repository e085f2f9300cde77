// SPDX-License-Identifier: MIT
#include "passes/link/comm_names.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>

namespace convert {
namespace {

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_letter(char c) { return is_lower(c) || is_upper(c); }

struct TypedText {
  std::string_view text;
  Collective type;
};

// All texts below are in lower case without '_' and '-'.

// Words that only communication names contain, at the beginning of a word of a name. They also recognise kernels
// and operators of PyTorch's symmetric memory (multimem_, one_shot_ and two_shot_all_reduce), TensorRT-LLM and
// FlashInfer (oneShotAllReduceKernel, allreduce_fusion_kernel_oneshot_lamport), and QuickReduce
// (allreduce_prototype_twoshot).
constexpr std::array typed_words = {
    TypedText{"allreduce", Collective::all_reduce},         TypedText{"allgather", Collective::all_gather},
    TypedText{"reducescatter", Collective::reduce_scatter}, TypedText{"alltoall", Collective::all_to_all},
    TypedText{"all2all", Collective::all_to_all},
};

// Texts anywhere in the names of kernels without these words.
constexpr std::array kernels = {
    // cross_device_reduce_1stage and _2stage: custom_all_reduce.cuh of vLLM, SGLang and AITER
    TypedText{"crossdevicereduce", Collective::all_reduce},
    // CUDASymmetricMemoryOps.cu of PyTorch
    TypedText{"multimemoneshotreducekernel", Collective::reduce},
    // moe_comm of TensorRT-LLM
    TypedText{"fusedmoecommkernel", Collective::all_to_all},
    // moeA2ADispatchKernel of TensorRT-LLM, a2a_dispatch_send_kernel of pplx
    TypedText{"a2adispatch", Collective::all_to_all},
    TypedText{"a2acombine", Collective::all_to_all},
    // Collectives of NVSHMEM's host interface: barrier_on_stream_kernel_threadgroup and others
    TypedText{"barrieronstreamkernel", Collective::barrier},
    TypedText{"synconstreamkernel", Collective::barrier},
    TypedText{"broadcastonstreamkernel", Collective::broadcast},
    TypedText{"fcollectonstreamkernel", Collective::all_gather},
    // MORI's kernels as loaded from a module, without a namespace
    TypedText{"epdispatchintranode", Collective::all_to_all},
    TypedText{"epdispatchinternode", Collective::all_to_all},
    TypedText{"epcombineintranode", Collective::all_to_all},
    TypedText{"epcombineinternode", Collective::all_to_all},
};

// Namespaces of libraries that exchange the data of experts: DeepEP (deep_ep, dpsk::ep, hybrid_ep), Mooncake, NIXL,
// UCCL, pplx-kernels and MORI.
constexpr std::array<std::string_view, 9> expert_namespaces = {
    "deepep::", "dpsk::ep::", "hybridep::", "mooncake::", "nixlep::", "uccl::", "pplx::", "pplxa2a::", "mori::"};

// Prefixes of their kernels that exchange tokens.
constexpr std::array<std::string_view, 4> expert_exchanges = {"dispatch", "combine", "epdispatch", "epcombine"};

// Texts in the names of their kernels that only compute: deep_ep::layout::get_dispatch_layout, hybrid_ep::scan, ….
constexpr std::array<std::string_view, 4> expert_computing = {"layout", "::scan", "convert", "permute"};

// Prefixes of kernels of communication libraries. hcom: HCCL on Ascend, such as hcom_allReduce__210_0_1. All
// kernels of NCCL begin with nccl: ncclKernel_, ncclDevKernel_, ncclSym…, ncclSendRecvKernel_copy_i8 before NCCL
// 2.12.
constexpr std::array<std::string_view, 13> libraries = {
    "nccl",  "ctran", "rccl", "mscclkernel", "msccldevkernel", "mscclpp", "oneccl",
    "ccl::", "xccl",  "hccl", "hcom",        "mccl",           "cncl"};

// Names of kernels of PyTorch's symmetric memory (CUDASymmetricMemory.cu), without their namespace.
constexpr std::array<std::string_view, 3> symmetric_memory = {"barrierkernel", "putsignalkernel",
                                                              "waitsignalkernel"};

// Texts anywhere in the names of communication kernels and copies that do not identify a collective. userbuffers:
// Transformer Engine and TensorRT-LLM; onstreamkernel: NVSHMEM; memcpy ptop: copies between devices.
constexpr std::array<std::string_view, 7> untyped = {"multimem",    "nvshmem",        "rocshmem",   "ishmem",
                                                     "userbuffers", "onstreamkernel", "memcpy ptop"};

// Texts of kernels that compute, for any launching operator.
constexpr std::array<std::string_view, 2> computing = {"at::native::", "checkfornan"};

// Backends of process groups: from PyTorch (c10d), hccl from torch_npu, mccl from Moore Threads, cncl from
// Cambricon.
struct Backend {
  std::string_view prefix;
  bool on_host = false;
};
constexpr std::array<Backend, 12> backends = {{{"nccl:"},
                                               {"ncclx:"},
                                               {"rccl:"},
                                               {"xccl:"},
                                               {"oneccl:"},
                                               {"ccl:"},
                                               {"hccl:"},
                                               {"mccl:"},
                                               {"cncl:"},
                                               {"ucc:"},
                                               {"gloo:", true},
                                               {"mpi:", true}}};

template <class Texts>
bool any_in(const Texts& texts, std::string_view name) {
  return std::ranges::any_of(texts, [&](std::string_view t) { return name.find(t) != std::string_view::npos; });
}

// Returns whether the text before a word names a group of threads of one device.
bool within_a_device(std::string_view before) {
  constexpr std::array<std::string_view, 7> groups = {"block", "warp",    "thread",  "wave",
                                                      "cta",   "cluster", "subgroup"};
  const std::string plain = plain_name(before);
  return std::ranges::any_of(groups, [&](std::string_view g) { return plain.ends_with(g); });
}

// Returns "deep_ep::internode::dispatch" for "_ZN7deep_ep9internode8dispatchILb0E…"; other names unchanged.
std::string qualified_name(std::string_view kernel) {
  if (!kernel.starts_with("_Z")) return std::string(kernel);
  std::string_view rest = kernel.substr(2);
  const bool nested = rest.starts_with('N');
  if (nested) rest.remove_prefix(1);
  std::string out;
  do {
    std::size_t length = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), length);
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    if (error != std::errc() || length == 0 || length > rest.size()) break;
    if (!out.empty()) out += "::";
    out += rest.substr(0, length);
    rest.remove_prefix(length);
  } while (nested);
  return out.empty() ? std::string(kernel) : out;
}

// Returns whether a plain name contains a namespace, given with its "::", at the beginning of a qualified name.
bool in_namespace(std::string_view plain, std::string_view space) {
  const std::size_t at = plain.find(space);
  return at != std::string_view::npos && (at == 0 || plain[at - 1] == ':' || plain[at - 1] == ' ');
}

// Returns the name after the last "::" of a plain name.
std::string_view unqualified(std::string_view plain) {
  const std::size_t space = plain.rfind("::");
  return space == std::string_view::npos ? plain : plain.substr(space + 2);
}

std::optional<Collective> word_in(std::string_view name) {
  for (std::size_t i = 0; i < name.size(); ++i) {
    const bool begins = i == 0 || !is_letter(name[i - 1]) || (is_lower(name[i - 1]) && is_upper(name[i]));
    if (!is_letter(name[i]) || !begins) continue;
    const std::string rest = plain_name(name.substr(i));
    const auto* const word =
        std::ranges::find_if(typed_words, [&](const TypedText& w) { return rest.starts_with(w.text); });
    if (word != typed_words.end() && !within_a_device(name.substr(0, i))) return word->type;
  }
  return std::nullopt;
}

}  // namespace

std::string plain_name(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (c == '_' || c == '-') continue;
    out += is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return out;
}

std::optional<BackendCall> backend_call(std::string_view name) {
  for (const Backend& b : backends) {
    if (name.starts_with(b.prefix)) return BackendCall{name.substr(b.prefix.size()), b.on_host};
  }
  return std::nullopt;
}

std::string_view function_name(std::string_view kernel) {
  constexpr std::string_view anonymous = "(anonymous namespace)::";
  if (kernel.starts_with("void ")) kernel.remove_prefix(5);
  std::size_t end = 0;
  while (end < kernel.size() && kernel[end] != '<') {
    if (kernel[end] != '(') {
      ++end;
    } else if (kernel.substr(end).starts_with(anonymous)) {
      end += anonymous.size();
    } else {
      break;
    }
  }
  return kernel.substr(0, end);
}

NamedKernel named_kernel(std::string_view name) {
  const std::string qualified = qualified_name(name);
  const std::string_view function = function_name(qualified);
  const std::string plain = plain_name(function);
  NamedKernel out;
  out.computes = any_in(computing, plain);
  out.type = word_in(function);
  for (const auto& [text, type] : kernels) {
    if (!out.type && plain.find(text) != std::string::npos) out.type = type;
  }
  const std::string_view own = unqualified(plain);
  const auto begins = [&](std::string_view library) { return plain.starts_with(library); };
  const auto begins_own = [&](std::string_view text) { return own.starts_with(text); };
  const bool of_experts = !any_in(expert_computing, plain) &&
                          std::ranges::any_of(expert_namespaces, [&](auto n) { return in_namespace(plain, n); });
  if (!out.type && of_experts && std::ranges::any_of(expert_exchanges, begins_own))
    out.type = Collective::all_to_all;
  const bool of_symmetric_memory = std::ranges::find(symmetric_memory, own) != symmetric_memory.end();
  out.communicates = out.type || of_experts || of_symmetric_memory || std::ranges::any_of(libraries, begins) ||
                     any_in(untyped, plain);
  return out;
}

std::optional<Collective> named_operator(std::string_view name) {
  if (name.starts_with("aten::") || backend_call(name)) return std::nullopt;
  const std::size_t space = name.rfind("::");
  return space == std::string_view::npos ? std::nullopt : word_in(name.substr(space + 2));
}

}  // namespace convert
