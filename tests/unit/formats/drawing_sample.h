// SPDX-License-Identifier: MIT
// The traces drawn by the tests of graph formats.
#pragma once

#include <string>
#include <vector>

#include "core/trace.h"
#include "formats/format.h"
#include "formats/graphs/drawing.h"

namespace convert::test {

inline Trace named_trace(Rank rank, std::string_view node_name) {
  Trace t;
  t.rank = rank;
  t.nodes.add_node(7, NodeType::comp, node_name);
  t.nodes.end_node();
  return t;
}

// Two ranks that exchange two messages with one tag; rank 0 also computes and reduces.
inline std::vector<Trace> two_ranks() {
  std::vector<Trace> set(2);
  for (Rank r = 0; r < 2; ++r) {
    set[r].rank = r;
    set[r].name = "pair." + std::to_string(r) + ".et";
    for (NodeId i = 0; i < 2; ++i) {
      NodeTable& t = set[r].nodes;
      t.add_node(i, r == 0 ? NodeType::comm_send : NodeType::comm_recv, "m");
      if (i > 0) t.add_data_dep(0);
      t.add_int(r == 0 ? attr::comm_dst : attr::comm_src, Kind::int32_val, 1 - r);
      t.add_int(attr::comm_tag, Kind::int32_val, 5);
      t.add_int(attr::comm_size, Kind::int64_val, 64);
      t.end_node();
    }
  }
  NodeTable& t = set[0].nodes;
  Node& comp = t.add_node(2, NodeType::comp, "gemm");
  comp.duration_us = 3;
  comp.start_us = 1;
  t.add_ctrl_dep(1);
  t.add_bool(attr::is_cpu_op, false);
  t.add_int(attr::tensor_size, Kind::uint64_val, 100);
  t.end_node();
  t.add_node(3, NodeType::comm_coll, "sum");
  t.add_data_dep(2);
  t.add_int(attr::comm_type, Kind::int64_val, 0);
  t.add_int(attr::comm_size, Kind::int64_val, 4096);
  t.add_string(attr::pg_name, "0");
  t.end_node();
  return set;
}

inline std::string drawn(const Format& format, std::span<const Trace> traces) {
  std::string out;
  const auto output = memory_output(out);
  format.write_drawing(drawing::make_drawing(traces), {}, *output);
  output->close();
  return out;
}

}  // namespace convert::test
