// SPDX-License-Identifier: MIT
#include "passes/anonymize/kept.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>
#include <utility>

#include "core/algorithm/named_net.h"

namespace convert {
namespace {

constexpr std::array kept_attributes = {
    std::pair{attr::is_cpu_op, AttributeRole::number},
    std::pair{attr::comm_type, AttributeRole::number},
    std::pair{attr::comm_size, AttributeRole::size},
    std::pair{attr::comm_bytes_out, AttributeRole::size},
    std::pair{attr::comm_src, AttributeRole::rank},
    std::pair{attr::comm_dst, AttributeRole::rank},
    std::pair{attr::comm_tag, AttributeRole::number},
    std::pair{attr::comm_priority, AttributeRole::number},
    std::pair{attr::involved_dim, AttributeRole::flags},
    std::pair{attr::pg_name, AttributeRole::group},
    std::pair{attr::group_size, AttributeRole::number},
    std::pair{attr::send_splits, AttributeRole::sizes},
    std::pair{attr::recv_splits, AttributeRole::sizes},
    std::pair{attr::num_ops, AttributeRole::size},
    std::pair{attr::tensor_size, AttributeRole::size},
    std::pair{attr::tensor_loc, AttributeRole::number},
    std::pair{attr::duration_nanos, AttributeRole::duration},
    std::pair{attr::start_delay_nanos, AttributeRole::delay},
    std::pair{attr::start_nanos, AttributeRole::start},
    std::pair{attr::stream, AttributeRole::number},
    std::pair{attr::tid, AttributeRole::thread},
    std::pair{attr::npu, AttributeRole::rank},
    std::pair{attr::dep_rules, AttributeRole::rules},
    std::pair{attr::tb_id, AttributeRole::number},
    std::pair{attr::msg_chunk_cnt, AttributeRole::number},
    std::pair{attr::total_chunk_cnt, AttributeRole::number},
    std::pair{attr::link_seq, AttributeRole::turns},
    std::pair{attr::link_via, AttributeRole::turns},
    std::pair{attr::link_scope, AttributeRole::scope},
    std::pair{attr::inputs, AttributeRole::tensors},
    std::pair{attr::outputs, AttributeRole::tensors},
    std::pair{attr::step_type, AttributeRole::step},
    std::pair{attr::src_buf, AttributeRole::step},
    std::pair{attr::dst_buf, AttributeRole::step},
};

constexpr auto role_by_index = [] {
  std::array<AttributeRole, attr::count> roles{};
  for (const auto& [name, role] : kept_attributes) roles[name.index()] = role;
  return roles;
}();

const Name kept_iteration{std::string_view("iteration")};

}  // namespace

AttributeRole role_of(Name attribute) {
  if (attribute == named_net || attribute == named_net_to) return AttributeRole::number;
  if (attribute.index() < role_by_index.size()) return role_by_index[attribute.index()];
  return attribute == kept_iteration ? AttributeRole::number : AttributeRole::none;
}

bool fits(AttributeRole role, Kind kind) {
  switch (role) {
    case AttributeRole::none: return false;
    case AttributeRole::kept: return true;
    case AttributeRole::flags: return kind == Kind::bool_list;
    case AttributeRole::group:
    case AttributeRole::rules:
    case AttributeRole::step: return kind == Kind::string_val;
    case AttributeRole::turns:
    case AttributeRole::sizes: return is_list(kind) && is_integer(scalar_of(kind));
    case AttributeRole::tensors:
      return kind == Kind::string_list || kind == Kind::none;  // some writers write an empty list so
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
