// SPDX-License-Identifier: MIT
// Looks up Kineto's names: categories and calls (names.def), and the arguments of events.
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
  bool known = false;  // of names.def
  bool usual = false;  // as CUDA's and ROCm's profilers of today spell it
};
[[nodiscard]] KinetoCategoryName kineto_category(std::string_view name);

// Return the kind of a runtime or driver call by its name, or by the value of cuda_sync_kind.
[[nodiscard]] CallKind kineto_call_kind(std::string_view name);
[[nodiscard]] CallKind kineto_sync_kind(std::string_view name);

// How an argument of an event is used. Arguments without a use of their own are `carried` into the event's node.
enum class KinetoArg : std::uint8_t {
  carried,
  external_id,
  external_id_old,  // as older profilers spell it
  correlation,
  rf_id,
  sequence,
  forward_thread,
  stream,
  queue,  // as XPU calls streams
  device,
  sync_kind,
  wait_on_stream,
  record_correlation,
  input_dims,
  input_types,
  inputs,   // values of those that are no tensors
  dropped,  // the host trace has it too, or it is of no use outside the profiler
};
[[nodiscard]] KinetoArg kineto_arg(std::string_view name);

}  // namespace convert
