// SPDX-License-Identifier: MIT
// Recognises communication by the names of annotations, operators and kernels.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/collective.h"

namespace convert {

// Returns a name in lower case without '_' and '-'.
[[nodiscard]] std::string plain_name(std::string_view name);

struct BackendCall {
  std::string_view operation{};  // "all_reduce" for "nccl:all_reduce"
  bool on_host = false;          // the backend has no kernels
};
// Returns the operation after the backend's prefix, or nullopt if `name` has no such prefix.
[[nodiscard]] std::optional<BackendCall> backend_call(std::string_view name);

// Returns the name of a kernel's function with its namespaces, without "void ", template arguments and parameters.
[[nodiscard]] std::string_view function_name(std::string_view kernel);

struct NamedKernel {
  bool communicates = false;
  bool computes = false;             // such as an elementwise kernel or a check for NaN
  std::optional<Collective> type{};  // nullopt: the name does not identify it
};
[[nodiscard]] NamedKernel named_kernel(std::string_view name);

// Returns the collective that an operator names, such as vllm::all_reduce. Returns nullopt for operators of
// PyTorch's own computation (aten::), and for operators of backends (nccl:).
[[nodiscard]] std::optional<Collective> named_operator(std::string_view name);

}  // namespace convert
