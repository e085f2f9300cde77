// SPDX-License-Identifier: MIT
// Every attribute name that etkit reads or writes, as one constant each (specs: et-formats(5)).
#pragma once

#include "core/name.h"

// X(identifier, text on the wire): identifiers are the text with '.' replaced by '_'.
#define CONVERT_ATTRIBUTE_NAMES(X)                  \
  X(is_cpu_op, "is_cpu_op")                         \
  X(comm_type, "comm_type")                         \
  X(comm_size, "comm_size")                         \
  X(comm_src, "comm_src")                           \
  X(comm_dst, "comm_dst")                           \
  X(comm_tag, "comm_tag")                           \
  X(comm_priority, "comm_priority")                 \
  X(involved_dim, "involved_dim")                   \
  X(pg_name, "pg_name")                             \
  X(num_ops, "num_ops")                             \
  X(tensor_size, "tensor_size")                     \
  X(tensor_loc, "tensor_loc")                       \
  X(msg_chunk_cnt, "msg_chunk_cnt")                 \
  X(msg_chunk_idx, "msg_chunk_idx")                 \
  X(total_chunk_cnt, "total_chunk_cnt")             \
  X(local_time_step, "local_time_step")             \
  X(chunk_offset, "chunk_offset")                   \
  X(hasdep, "hasdep")                               \
  X(deps, "deps")                                   \
  X(depid, "depid")                                 \
  X(tb_id, "tb_id")                                 \
  X(is_rrc, "is_rrc")                               \
  X(schema, "schema")                               \
  X(input_file, "input_file")                       \
  X(collective, "collective")                       \
  X(duration_nanos, "duration_nanos")               \
  X(start_nanos, "start_nanos")                     \
  X(step_type, "step_type")                         \
  X(src_buf, "src_buf")                             \
  X(dst_buf, "dst_buf")                             \
  X(src_off, "src_off")                             \
  X(dst_off, "dst_off")                             \
  X(chunk_cnt, "chunk_cnt")                         \
  X(nop_depids, "nop_depids")                       \
  X(nop_steps, "nop_steps")                         \
  X(history, "history")                             \
  X(source_file, "source_file")                     \
  X(source_sha256, "source_sha256")                 \
  X(rf_id, "rf_id")                                 \
  X(fw_parent, "fw_parent")                         \
  X(seq_id, "seq_id")                               \
  X(scope, "scope")                                 \
  X(tid, "tid")                                     \
  X(fw_tid, "fw_tid")                               \
  X(op_schema, "op_schema")                         \
  X(stream, "stream")                               \
  X(kernel_backend, "kernel_backend")               \
  X(kernel_file, "kernel_file")                     \
  X(cat, "cat")                                     \
  X(ph, "ph")                                       \
  X(ts, "ts")                                       \
  X(inclusive_dur, "inclusive_dur")                 \
  X(exclusive_dur, "exclusive_dur")                 \
  X(inter_thread_dep, "inter_thread_dep")           \
  X(sync_dep, "sync_dep")                           \
  X(group_size, "group_size")                       \
  X(comm_bytes_out, "comm_bytes_out")               \
  X(comm_dtype, "comm_dtype")                       \
  X(send_splits, "send_splits")                     \
  X(recv_splits, "recv_splits")                     \
  X(num_ops_estimated, "num_ops_estimated")         \
  X(tensor_size_estimated, "tensor_size_estimated") \
  X(correlation, "correlation")                     \
  X(collective_name, "collective_name")             \
  X(dtype, "dtype")                                 \
  X(in_msg_nelems, "in_msg_nelems")                 \
  X(out_msg_nelems, "out_msg_nelems")               \
  X(in_split_size, "in_split_size")                 \
  X(out_split_size, "out_split_size")               \
  X(pg_desc, "pg_desc")                             \
  X(pg_size, "pg_size")                             \
  X(input_strides, "input_strides")                 \
  X(output_strides, "output_strides")               \
  X(pid, "pid")                                     \
  X(time, "time")                                   \
  X(start_ts, "start_ts")                           \
  X(finish_ts, "finish_ts")                         \
  X(base_time_nanos, "base_time_nanos")             \
  X(host_id, "host_id")                             \
  X(dep_rules, "dep_rules")                         \
  X(device, "device")                               \
  X(start_delay_nanos, "start_delay_nanos")         \
  X(device_file, "device_file")                     \
  X(device_sha256, "device_sha256")                 \
  X(chunk_id, "chunk_id")                           \
  X(ten_start_ps, "ten_start_ps")                   \
  X(ten_end_ps, "ten_end_ps")                       \
  X(ten_link, "ten_link")                           \
  X(merged_from, "merged_from")                     \
  X(merged_name, "merged_name")                     \
  X(merged_instance, "merged_instance")             \
  X(merged_nodes, "merged_nodes")                   \
  X(npu, "npu")                                     \
  X(joined_id, "joined_id")                         \
  X(task_id, "task_id")                             \
  X(task_type, "task_type")                         \
  X(comm_task, "comm_task")                         \
  X(inputs, "inputs")                               \
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
