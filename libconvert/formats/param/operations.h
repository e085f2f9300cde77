// SPDX-License-Identifier: MIT
// Operations and element types of PARAM's communications traces, by name.
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
  Collective type = Collective::barrier;  // type of a collective; for a message, send or recv
  bool posted = false;                    // isend, irecv: the rank continues at once
};

// Returns the operation with a name in any case, with or without underscores ("AllReduce", "alltoall_base"); null
// if the name is unknown. The result lives forever.
[[nodiscard]] const ParamOperation* find_param_operation(std::string_view name);
// Returns the operation that a collective or message is written as by default.
[[nodiscard]] const ParamOperation& param_operation(Collective type, bool posted = false);
// Returns the nearest names for a message about an unknown one: "; did you mean …", or all names.
[[nodiscard]] std::string hint_for_operation(std::string_view name);

// Return the size of a rank's input, and of its output, in bytes, for the attribute comm_size and equal shards. For
// a scatter, the input is the root's.
[[nodiscard]] std::int64_t param_bytes_in(Collective type, std::int64_t comm_size, std::int64_t ranks);
[[nodiscard]] std::int64_t param_bytes_out(Collective type, std::int64_t comm_size, std::int64_t ranks);

struct ParamType {
  std::string_view name;
  std::int64_t bytes = 0;
};
// Returns the type that the replay tool supports under that name, in any case and with an optional prefix "c10::"
// or "torch.". If the tool does not support the type but its size is known, returns a type of that size. Returns 0
// bytes for other names.
[[nodiscard]] ParamType param_type(std::string_view name);
// Returns whether the tool supports the type under that name.
[[nodiscard]] bool is_param_type(std::string_view name);

// Names of attributes that keep the fields of an entry beside its operation.
struct ParamNames {
  Name req{"req"};
  Name waited{"waited"};
  Name wait_start_nanos{"wait_start_nanos"};
  Name markers{"markers"};
  Name wait_markers{"wait_markers"};
  Name use_batch{"use_batch"};
  Name batch_req{"batch_req"};
  Name compute{"compute"};
  Name replay_times{"replay_times"};  // in the metadata: starts are relative to the beginning of a replay
};
[[nodiscard]] const ParamNames& param_names();

inline constexpr ParamType param_float = {"float32", 4};
inline constexpr ParamType param_byte = {"byte", 1};

}  // namespace convert
