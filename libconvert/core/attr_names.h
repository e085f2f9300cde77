// SPDX-License-Identifier: MIT
// Constants for the attribute names that etkit reads or writes (specification: et-formats(5)).
#pragma once

#include "core/name.h"

// X(name): the identifier, which is also the attribute's name in a file.
#define CONVERT_ATTRIBUTE_NAMES(X) \
  X(is_cpu_op)                     \
  X(comm_type)                     \
  X(comm_size)                     \
  X(comm_src)                      \
  X(comm_dst)                      \
  X(comm_tag)                      \
  X(comm_priority)                 \
  X(involved_dim)                  \
  X(pg_name)                       \
  X(num_ops)                       \
  X(tensor_size)                   \
  X(tensor_loc)                    \
  X(msg_chunk_cnt)                 \
  X(msg_chunk_idx)                 \
  X(total_chunk_cnt)               \
  X(local_time_step)               \
  X(chunk_offset)                  \
  X(hasdep)                        \
  X(deps)                          \
  X(depid)                         \
  X(tb_id)                         \
  X(is_rrc)                        \
  X(schema)                        \
  X(input_file)                    \
  X(collective)                    \
  X(duration_nanos)                \
  X(start_nanos)                   \
  X(step_type)                     \
  X(src_buf)                       \
  X(dst_buf)                       \
  X(src_off)                       \
  X(dst_off)                       \
  X(chunk_cnt)                     \
  X(nop_depids)                    \
  X(nop_steps)                     \
  X(history)                       \
  X(source_file)                   \
  X(source_sha256)                 \
  X(rf_id)                         \
  X(fw_parent)                     \
  X(seq_id)                        \
  X(scope)                         \
  X(tid)                           \
  X(fw_tid)                        \
  X(op_schema)                     \
  X(stream)                        \
  X(kernel_backend)                \
  X(kernel_file)                   \
  X(cat)                           \
  X(ph)                            \
  X(ts)                            \
  X(inclusive_dur)                 \
  X(exclusive_dur)                 \
  X(inter_thread_dep)              \
  X(sync_dep)                      \
  X(group_size)                    \
  X(comm_bytes_out)                \
  X(comm_dtype)                    \
  X(send_splits)                   \
  X(recv_splits)                   \
  X(num_ops_estimated)             \
  X(tensor_size_estimated)         \
  X(correlation)                   \
  X(collective_name)               \
  X(dtype)                         \
  X(in_msg_nelems)                 \
  X(out_msg_nelems)                \
  X(in_split_size)                 \
  X(out_split_size)                \
  X(pg_desc)                       \
  X(pg_size)                       \
  X(input_strides)                 \
  X(output_strides)                \
  X(pid)                           \
  X(time)                          \
  X(start_ts)                      \
  X(finish_ts)                     \
  X(base_time_nanos)               \
  X(host_id)                       \
  X(dep_rules)                     \
  X(device)                        \
  X(start_delay_nanos)             \
  X(device_file)                   \
  X(device_sha256)                 \
  X(chunk_id)                      \
  X(ten_start_ps)                  \
  X(ten_end_ps)                    \
  X(ten_link)                      \
  X(link_seq)                      \
  X(link_via)                      \
  X(link_scope)                    \
  X(merged_from)                   \
  X(merged_name)                   \
  X(merged_instance)               \
  X(merged_nodes)                  \
  X(npu)                           \
  X(joined_id)                     \
  X(task_id)                       \
  X(task_type)                     \
  X(comm_task)                     \
  X(inputs)                        \
  X(outputs)

namespace convert::attr {

namespace detail {
enum Index : std::uint32_t {
  empty = 0,
#define X(id) id,
  CONVERT_ATTRIBUTE_NAMES(X)
#undef X
      count
};
}  // namespace detail

#define X(id) inline constexpr Name id{static_cast<std::uint32_t>(detail::id)};
CONVERT_ATTRIBUTE_NAMES(X)
#undef X
inline constexpr std::uint32_t count = detail::count;  // all of these names have a Name::index() below it

}  // namespace convert::attr
