// SPDX-License-Identifier: MIT
// What Kineto's names mean to us: kineto_names.def, and the arguments of events.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/profile.h"

namespace convert {

enum class KinetoCategory : std::uint8_t { unused, cpu_op, annotation, call, kernel, memcpy, memset, sync };

struct KinetoCategoryName {
  KinetoCategory category = KinetoCategory::unused;
  bool usual = false;  // as CUDA's and ROCm's profilers of today spell it
};
[[nodiscard]] KinetoCategoryName kineto_category(std::string_view name);

// Of a runtime or driver call by its name, and of what cuda_sync_kind says.
[[nodiscard]] CallKind kineto_call_kind(std::string_view name);
[[nodiscard]] CallKind kineto_sync_kind(std::string_view name);

// What an arg is to us. Those of an event that nothing needs are `carried` where the event becomes a node.
enum class KinetoArg : std::uint8_t {
  carried,
  external_id,
  external_id_once,  // as older profilers spell it
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
  known,  // said by the host trace too, or of no use outside the profiler
};
[[nodiscard]] KinetoArg kineto_arg(std::string_view name);

}  // namespace convert
