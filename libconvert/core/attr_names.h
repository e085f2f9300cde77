// SPDX-License-Identifier: MIT
// Every attribute name that etkit reads or writes, as one constant each (specs: et-formats(5)).
#pragma once

#include "core/name.h"

// X(identifier, text on the wire): identifiers are the text with '.' replaced by '_'.
#define CONVERT_ATTRIBUTE_NAMES(X)      \
  X(is_cpu_op, "is_cpu_op")             \
  X(comm_type, "comm_type")             \
  X(comm_size, "comm_size")             \
  X(comm_src, "comm_src")               \
  X(comm_dst, "comm_dst")               \
  X(comm_tag, "comm_tag")               \
  X(comm_priority, "comm_priority")     \
  X(involved_dim, "involved_dim")       \
  X(pg_name, "pg_name")                 \
  X(num_ops, "num_ops")                 \
  X(tensor_size, "tensor_size")         \
  X(tensor_loc, "tensor_loc")           \
  X(msg_chunk_cnt, "msg_chunk_cnt")     \
  X(msg_chunk_idx, "msg_chunk_idx")     \
  X(total_chunk_cnt, "total_chunk_cnt") \
  X(local_time_step, "local_time_step") \
  X(chunk_offset, "chunk_offset")       \
  X(hasdep, "hasdep")                   \
  X(deps, "deps")                       \
  X(depid, "depid")                     \
  X(tb_id, "tb_id")                     \
  X(is_rrc, "is_rrc")                   \
  X(schema, "schema")                   \
  X(input_file, "input_file")           \
  X(collective, "collective")           \
  X(duration_nanos, "duration_nanos")   \
  X(start_nanos, "start_nanos")         \
  X(step_type, "step_type")             \
  X(src_buf, "src_buf")                 \
  X(dst_buf, "dst_buf")                 \
  X(src_off, "src_off")                 \
  X(dst_off, "dst_off")                 \
  X(chunk_cnt, "chunk_cnt")             \
  X(nop_depids, "nop_depids")           \
  X(nop_steps, "nop_steps")             \
  X(history, "history")                 \
  X(source_file, "source_file")         \
  X(source_sha256, "source_sha256")     \
  X(inputs, "inputs")                   \
  X(outputs, "outputs")

namespace convert::attr {

namespace detail {
enum Index : std::uint32_t {
  empty = 0,
#define X(id, text) id,
  CONVERT_ATTRIBUTE_NAMES(X)
#undef X
      count
};
}  // namespace detail

#define X(id, text) inline constexpr Name id{static_cast<std::uint32_t>(detail::id)};
CONVERT_ATTRIBUTE_NAMES(X)
#undef X

}  // namespace convert::attr
