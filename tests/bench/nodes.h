// SPDX-License-Identifier: MIT
// Nodes for benchmarks of formats.
#pragma once

#include <cstdint>

#include "core/trace.h"

namespace bench {

// A step of a converted MSCCL algorithm: the shape of most nodes in practice.
inline void add_step(convert::NodeTable& t, std::uint64_t i) {
  using namespace convert;
  const bool send = i % 3 != 0;
  t.add_node(i, send ? NodeType::comm_send : NodeType::comm_recv,
             send ? "COMM_SEND_NODE_tb3_s17" : "COMM_RECV_NODE_tb3");
  if (i > 0) t.add_data_dep(i - 1);
  if (i > 40) t.add_data_dep(i - 40);
  t.nodes.back().duration_us = i % 7;
  t.add_bool(attr::is_cpu_op, false);
  const auto small = static_cast<std::int64_t>(i % 97);
  t.add_int(attr::comm_type, Kind::int64_val, 5);
  t.add_int(attr::comm_size, Kind::int64_val, 1'048'576 + small);
  t.add_int(attr::comm_src, Kind::int32_val, small);
  t.add_int(attr::comm_dst, Kind::int32_val, small + 1);
  t.add_int(attr::comm_tag, Kind::int32_val, static_cast<std::int64_t>(i));
  t.add_string(attr::pg_name, "0");
  for (const Name n :
       {attr::msg_chunk_cnt, attr::msg_chunk_idx, attr::total_chunk_cnt, attr::local_time_step, attr::chunk_offset,
        attr::hasdep, attr::tb_id, attr::src_off, attr::dst_off, attr::chunk_cnt}) {
    t.add_int(n, Kind::int32_val, small * 3);
  }
  t.add_bool(attr::is_rrc, true);
  t.add_string(attr::src_buf, "i");
  t.end_node();
}

inline convert::NodeTable make_steps(std::uint64_t count) {
  convert::NodeTable table;
  for (std::uint64_t i = 0; i < count; ++i) add_step(table, i);
  return table;
}

}  // namespace bench
