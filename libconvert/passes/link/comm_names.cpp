// SPDX-License-Identifier: MIT
#include "passes/link/comm_names.h"

#include <algorithm>
#include <array>

namespace convert {
namespace {

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_letter(char c) { return is_lower(c) || is_upper(c); }

struct TypedText {
  std::string_view text;
  Collective type;
};

// All texts are in lower case without '_' and '-'.

// Words that only communication has, at the begin of a word of a name. They also recognise kernels and operators of
// PyTorch's symmetric memory (multimem_, one_shot_ and two_shot_all_reduce), TensorRT-LLM and FlashInfer
// (oneShotAllReduceKernel, allreduce_fusion_kernel_oneshot_lamport), and QuickReduce (allreduce_prototype_twoshot).
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
    // Experts' data: intranode.cu, internode.cu and internode_ll.cu of DeepEP
    TypedText{"deepep::intranode::dispatch", Collective::all_to_all},
    TypedText{"deepep::intranode::combine", Collective::all_to_all},
    TypedText{"deepep::internode::dispatch", Collective::all_to_all},
    TypedText{"deepep::internode::combine", Collective::all_to_all},
    TypedText{"deepep::internodell::dispatch", Collective::all_to_all},
    TypedText{"deepep::internodell::combine", Collective::all_to_all},
};

// Prefixes of kernels of communication libraries. hcom: HCCL on Ascend, such as hcom_allReduce__210_0_1.
constexpr std::array<std::string_view, 15> libraries = {
    "ncclkernel", "nccldevkernel", "ncclsym", "ncclx", "rccl", "mscclkernel", "msccldevkernel", "mscclpp", "oneccl",
    "ccl::",      "xccl",          "hccl",    "hcom",  "mccl", "cncl"};

// Texts anywhere in the names of kernels and copies that communicate, from which no collective follows.
// userbuffers: Transformer Engine and TensorRT-LLM; memcpy ptop: copies between devices.
constexpr std::array<std::string_view, 7> untyped = {"multimem",    "nvshmem",  "rocshmem",   "ishmem",
                                                     "userbuffers", "deepep::", "memcpy ptop"};

// Texts of kernels that compute, for any launching operator.
constexpr std::array<std::string_view, 2> computing = {"at::native::", "checkfornan"};

// Backends of process groups: of PyTorch (c10d), hccl of torch_npu, mccl of Moore Threads, cncl of Cambricon.
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
  const std::string_view function = function_name(name);
  const std::string plain = plain_name(function);
  NamedKernel out;
  out.computes = any_in(computing, plain);
  out.type = word_in(function);
  for (const auto& [text, type] : kernels) {
    if (!out.type && plain.find(text) != std::string::npos) out.type = type;
  }
  const auto begins = [&](std::string_view library) { return plain.starts_with(library); };
  out.communicates = out.type || std::ranges::any_of(libraries, begins) || any_in(untyped, plain);
  return out;
}

std::optional<Collective> named_operator(std::string_view name) {
  if (name.starts_with("aten::") || backend_call(name)) return std::nullopt;
  const std::size_t space = name.rfind("::");
  return space == std::string_view::npos ? std::nullopt : word_in(name.substr(space + 2));
}

}  // namespace convert
