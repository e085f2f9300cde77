// SPDX-License-Identifier: MIT
// Finds the attributes of one node that tell where it comes from, in one pass over them.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

#include "core/attr_names.h"
#include "core/trace.h"

namespace convert::rules {

class ProvenanceNode {
 public:
  enum Field : std::uint8_t {
    msg_chunk_cnt,
    msg_chunk_idx,
    total_chunk_cnt,
    chunk_offset,
    local_time_step,
    hasdep,
    deps,
    depid,
    tb_id,
    step_type,
    src_off,
    dst_off,
    chunk_cnt,
    nop_depids,
    nop_steps,
    comm_size,
    chunk_id,
    ten_link,
    npu,
    is_rrc,
    field_count
  };

  // Returns whether a node tells anything of an algorithm; quicker than finding out what.
  [[nodiscard]] static bool tells(const NodeTable& table, const Node& node) {
    constexpr std::uint32_t first = attr::msg_chunk_cnt.index(), last = attr::tb_id.index();
    static_assert(last - first == 8, "the counters and positions stand together in attr_names.h");
    for (const Attr& a : table.attributes(node)) {
      if (a.name.index() - first <= last - first) return true;
    }
    return false;
  }

  ProvenanceNode(const NodeTable& table, const Node& node) {
    for (const Attr& a : table.attributes(node)) {
      if (a.name.index() >= slots.size()) continue;
      const std::uint8_t slot = slots[a.name.index()];
      if (slot < field_count && found_[slot] == nullptr) found_[slot] = &a;
    }
  }

  [[nodiscard]] const Attr* attr(Field field) const { return found_[field]; }
  [[nodiscard]] bool has(Field field) const { return found_[field] != nullptr; }
  // Returns nothing if the attribute is absent or no int32.
  [[nodiscard]] std::optional<std::int32_t> get(Field field) const {
    const auto v = wide(field);
    using Limits = std::numeric_limits<std::int32_t>;
    if (!v || *v < Limits::min() || *v > Limits::max()) return std::nullopt;
    return static_cast<std::int32_t>(*v);
  }
  [[nodiscard]] std::optional<std::int64_t> wide(Field field) const {
    const IntValue v = int_value(found_[field]);
    return v ? std::optional(v.value) : std::nullopt;
  }
  [[nodiscard]] static std::string_view name(Field field) { return names[field].view(); }

 private:
  static constexpr std::array<Name, field_count> names = {
      attr::msg_chunk_cnt, attr::msg_chunk_idx, attr::total_chunk_cnt, attr::chunk_offset, attr::local_time_step,
      attr::hasdep,        attr::deps,          attr::depid,           attr::tb_id,        attr::step_type,
      attr::src_off,       attr::dst_off,       attr::chunk_cnt,       attr::nop_depids,   attr::nop_steps,
      attr::comm_size,     attr::chunk_id,      attr::ten_link,        attr::npu,          attr::is_rrc};
  // By Name::index: the field; field_count for all other names.
  static constexpr auto slots = [] {
    std::array<std::uint8_t, attr::detail::count> table{};
    table.fill(field_count);
    for (std::uint8_t i = 0; i < field_count; ++i) table[names[i].index()] = i;
    return table;
  }();

  std::array<const Attr*, field_count> found_{};
};

}  // namespace convert::rules
