// SPDX-License-Identifier: MIT
// Repairs traces without changing their meaning: adds absent defaults, and converts attributes to their usual kind.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/trace.h"

namespace convert {

// An attribute, and the kind in which Chakra tools usually write it (et-formats(5)).
struct UsualKind {
  Name name;
  Kind kind;
};
// Integers and flags, except for the ones that tools write in several kinds (tensor_size, tensor_loc).
inline constexpr std::array usual_kinds = {UsualKind{attr::is_cpu_op, Kind::bool_val},
                                           UsualKind{attr::comm_type, Kind::int64_val},
                                           UsualKind{attr::comm_size, Kind::int64_val},
                                           UsualKind{attr::comm_src, Kind::int32_val},
                                           UsualKind{attr::comm_dst, Kind::int32_val},
                                           UsualKind{attr::comm_tag, Kind::int32_val},
                                           UsualKind{attr::comm_priority, Kind::int32_val},
                                           UsualKind{attr::num_ops, Kind::int64_val},
                                           UsualKind{attr::rf_id, Kind::int64_val},
                                           UsualKind{attr::fw_parent, Kind::int64_val},
                                           UsualKind{attr::seq_id, Kind::int64_val},
                                           UsualKind{attr::scope, Kind::int64_val},
                                           UsualKind{attr::tid, Kind::int64_val},
                                           UsualKind{attr::fw_tid, Kind::int64_val},
                                           UsualKind{attr::stream, Kind::int64_val},
                                           UsualKind{attr::msg_chunk_cnt, Kind::int32_val},
                                           UsualKind{attr::msg_chunk_idx, Kind::int32_val},
                                           UsualKind{attr::total_chunk_cnt, Kind::int32_val},
                                           UsualKind{attr::local_time_step, Kind::int32_val},
                                           UsualKind{attr::chunk_offset, Kind::int32_val},
                                           UsualKind{attr::hasdep, Kind::int32_val},
                                           UsualKind{attr::deps, Kind::int32_val},
                                           UsualKind{attr::depid, Kind::int32_val},
                                           UsualKind{attr::tb_id, Kind::int32_val},
                                           UsualKind{attr::is_rrc, Kind::bool_val}};

// Numbers of repairs.
struct Fixes {
  std::uint64_t cpu_flags = 0;                            // nodes that got an is_cpu_op
  std::array<std::uint64_t, usual_kinds.size()> kinds{};  // attributes converted to the usual kind
  // attributes kept because their value does not fit that kind
  std::array<std::uint64_t, usual_kinds.size()> unfit{};
  std::uint64_t repeated = 0;  // removed dependencies that repeat an earlier one

  Fixes& operator+=(const Fixes& other);
  [[nodiscard]] std::uint64_t total() const;  // of all repairs
  // Returns "is_cpu_op added to 3 nodes", "comm_size converted to int64_val in 2 nodes", …; empty if all counts are
  // zero.
  [[nodiscard]] std::vector<std::string> lines() const;
};

// Repairs the nodes of a table, which may be any part of a trace, and counts the repairs:
// - COMP, MEM and COMM nodes without is_cpu_op get it as false (the meaning of its absence), after their
//   attributes.
// - The first attribute of a name in `usual_kinds` that is an integer of another kind is converted to the usual
//   kind, if its value fits (is_cpu_op and is_rrc: 0 and 1).
// - A dependency that repeats an earlier one of the same list is removed, with its letter in dep_rules. A
//   dependency in both lists is kept, as a control dependency also names the caller.
//
// Everything else is unchanged, bit for bit.
[[nodiscard]] Fixes fix_nodes(NodeTable& table);

}  // namespace convert
