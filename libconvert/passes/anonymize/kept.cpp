// SPDX-License-Identifier: MIT
#include "passes/anonymize/kept.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>
#include <utility>

namespace convert {
namespace {

using enum AttributeRole;

constexpr std::array kept = {
    std::pair{attr::is_cpu_op, number},
    std::pair{attr::comm_type, number},
    std::pair{attr::comm_size, size},
    std::pair{attr::comm_bytes_out, size},
    std::pair{attr::comm_src, rank},
    std::pair{attr::comm_dst, rank},
    std::pair{attr::comm_tag, number},
    std::pair{attr::comm_priority, number},
    std::pair{attr::involved_dim, flags},
    std::pair{attr::pg_name, group},
    std::pair{attr::group_size, number},
    std::pair{attr::send_splits, sizes},
    std::pair{attr::recv_splits, sizes},
    std::pair{attr::num_ops, size},
    std::pair{attr::tensor_size, size},
    std::pair{attr::tensor_loc, number},
    std::pair{attr::duration_nanos, duration},
    std::pair{attr::start_delay_nanos, delay},
    std::pair{attr::start_nanos, start},
    std::pair{attr::stream, number},
    std::pair{attr::tid, thread},
    std::pair{attr::npu, rank},
    std::pair{attr::tb_id, number},
    std::pair{attr::msg_chunk_cnt, number},
    std::pair{attr::total_chunk_cnt, number},
    std::pair{attr::inputs, tensors},
    std::pair{attr::outputs, tensors},
};

constexpr auto by_index = [] {
  std::array<AttributeRole, attr::count> roles{};
  for (const auto& [name, role] : kept) roles[name.index()] = role;
  return roles;
}();

const Name iteration_attribute{std::string_view("iteration")};

}  // namespace

AttributeRole role_of(Name attribute) {
  if (attribute.index() < by_index.size()) return by_index[attribute.index()];
  return attribute == iteration_attribute ? number : none;
}

bool fits(AttributeRole role, Kind kind) {
  switch (role) {
    case none: return false;
    case flags: return kind == Kind::bool_list;
    case group: return kind == Kind::string_val;
    case sizes: return is_list(kind) && is_integer(scalar_of(kind));
    case tensors: return kind == Kind::string_list || kind == Kind::none;  // an empty list is often written so
    default: return is_integer(kind);
  }
}

void set_number(Attr& a, std::int64_t value) {
  constexpr std::array wide = {Kind::int64_val, Kind::uint64_val, Kind::sint64_val, Kind::fixed64_val,
                               Kind::sfixed64_val};
  a.bits = static_cast<std::uint64_t>(value);
  if (std::ranges::find(wide, a.kind) == wide.end() && value > std::numeric_limits<std::int32_t>::max())
    a.kind = Kind::int64_val;
}

}  // namespace convert
