// SPDX-License-Identifier: MIT
// Knows the operations and element types of PARAM's communications traces by their names.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/collective.h"
#include "core/name.h"

namespace convert {

struct ParamOperation {
  enum class Kind : std::uint8_t { collective, message, wait, init, batch };
  std::string_view name;
  Kind kind = Kind::collective;
  Collective type = Collective::barrier;  // of a collective; of a message send or recv
  bool posted = false;                    // isend, irecv: the rank goes on at once
};

// Returns the operation of a name in any case, with underscores or without ("AllReduce", "alltoall_base"); null if
// there is none. The result lives for ever.
[[nodiscard]] const ParamOperation* find_param_operation(std::string_view name);
// Returns the operation that a collective or message is written as if nothing says more.
[[nodiscard]] const ParamOperation& param_operation(Collective type, bool posted = false);
// Returns the nearest names for a message about an unknown one: "; did you mean …", or all.
[[nodiscard]] std::string hint_for_operation(std::string_view name);

// Returns the bytes of a rank's output when each rank of the group has its part of the whole.
[[nodiscard]] std::int64_t param_bytes_out(Collective type, std::int64_t bytes, std::int64_t ranks);

struct ParamType {
  std::string_view name;
  std::int64_t bytes = 0;
};
// Returns the type that the replay tool knows by that name, in any case and with "c10::" or "torch." before it; if
// it knows none, but the name is known elsewhere, one of that size; no bytes for other names.
[[nodiscard]] ParamType param_type(std::string_view name);
// Returns whether the tool knows the type by that name.
[[nodiscard]] bool is_param_type(std::string_view name);

// Names of attributes that keep what an entry says beside the operation.
struct ParamNames {
  Name req{"req"};
  Name waited{"waited"};
  Name wait_start_nanos{"wait_start_nanos"};
  Name markers{"markers"};
  Name wait_markers{"wait_markers"};
  Name use_batch{"use_batch"};
  Name batch_req{"batch_req"};
  Name compute{"compute"};
  Name replay_times{"replay_times"};  // of the metadata: starts count from the beginning of a replay
};
[[nodiscard]] const ParamNames& param_names();

inline constexpr ParamType param_float = {"float32", 4};
inline constexpr ParamType param_byte = {"byte", 1};

}  // namespace convert
