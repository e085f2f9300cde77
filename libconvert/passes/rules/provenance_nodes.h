// SPDX-License-Identifier: MIT
// Finds the provenance attributes of one node in one pass over its attributes.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>

#include "core/found_attrs.h"
#include "core/trace.h"

namespace convert::rules {

class ProvenanceNode {
 public:
  // Returns whether a node has any attribute of an algorithm; faster than reading the attributes.
  [[nodiscard]] static bool tells(const NodeTable& table, const Node& node) {
    constexpr std::uint32_t first = attr::msg_chunk_cnt.index(), last = attr::tb_id.index();
    static_assert(last - first == 8, "the counters and positions are adjacent in attr_names.h");
    for (const Attr& a : table.attributes(node)) {
      if (a.name.index() - first <= last - first) return true;
    }
    return false;
  }

  ProvenanceNode(const NodeTable& table, const Node& node) : found_(table.attributes(node)) {}

  // Returns an attribute, or null if the node lacks it. This and the functions below accept only `names`.
  [[nodiscard]] const Attr* attr(Name name) const { return found_[name]; }
  [[nodiscard]] bool has(Name name) const { return found_[name] != nullptr; }
  // Returns the value of an attribute, or nullopt if it is absent or not an int32.
  [[nodiscard]] std::optional<std::int32_t> get(Name name) const {
    const auto v = wide(name);
    using Limits = std::numeric_limits<std::int32_t>;
    if (!v || *v < Limits::min() || *v > Limits::max()) return std::nullopt;
    return static_cast<std::int32_t>(*v);
  }
  [[nodiscard]] std::optional<std::int64_t> wide(Name name) const {
    const IntValue v = int_value(found_[name]);
    return v ? std::optional(v.value) : std::nullopt;
  }

  // Node attributes that the rule provenance reads.
  static constexpr std::array names = {
      attr::msg_chunk_cnt, attr::msg_chunk_idx, attr::total_chunk_cnt, attr::chunk_offset, attr::local_time_step,
      attr::hasdep,        attr::deps,          attr::depid,           attr::tb_id,        attr::step_type,
      attr::src_off,       attr::dst_off,       attr::chunk_cnt,       attr::nop_depids,   attr::nop_steps,
      attr::comm_size,     attr::chunk_id,      attr::ten_link,        attr::link_seq,     attr::npu,
      attr::src_buf,       attr::dst_buf,       attr::comm_src,        attr::comm_dst,     attr::comm_tag,
      attr::is_rrc};

 private:
  FoundAttrs<names> found_;
};

}  // namespace convert::rules
