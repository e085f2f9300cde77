// SPDX-License-Identifier: MIT
// Lookup of Kineto names: categories and calls (names.def), and arguments of events.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/profile.h"

namespace convert {

enum class KinetoCategory : std::uint8_t {
  unused,
  cpu_op,
  annotation,
  call,
  kernel,
  memcpy,
  memset,
  collective,
  sync,
  arrow
};

struct KinetoCategoryName {
  KinetoCategory category = KinetoCategory::unused;
  bool known = false;  // listed in names.def
  bool usual = false;  // spelled as current CUDA and ROCm profilers do
};
[[nodiscard]] KinetoCategoryName kineto_category(std::string_view name);

// Return the kind of a runtime or driver call from its name, or from the value of cuda_sync_kind.
[[nodiscard]] CallKind kineto_call_kind(std::string_view name);
[[nodiscard]] CallKind kineto_sync_kind(std::string_view name);

// Use of an event argument. Arguments without a specific use are `carried` into the event's node.
enum class KinetoArg : std::uint8_t {
  carried,
  external_id,
  external_id_old,  // spelling of older profilers
  correlation,
  rf_id,
  sequence,
  forward_thread,
  stream,
  queue,  // XPU's name for a stream
  device,
  sync_kind,
  wait_on_stream,
  record_correlation,
  input_dims,
  input_types,
  inputs,   // values of inputs that are not tensors
  dropped,  // also in the host trace, or useful only in the profiler
};
[[nodiscard]] KinetoArg kineto_arg(std::string_view name);

}  // namespace convert
