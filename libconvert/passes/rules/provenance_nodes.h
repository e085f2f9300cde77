// SPDX-License-Identifier: MIT
// Finds the attributes of one node that tell where it comes from, in one pass over them.
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
  // Returns whether a node tells anything of an algorithm; quicker than finding out what.
  [[nodiscard]] static bool tells(const NodeTable& table, const Node& node) {
    constexpr std::uint32_t first = attr::msg_chunk_cnt.index(), last = attr::tb_id.index();
    static_assert(last - first == 8, "the counters and positions stand together in attr_names.h");
    for (const Attr& a : table.attributes(node)) {
      if (a.name.index() - first <= last - first) return true;
    }
    return false;
  }

  ProvenanceNode(const NodeTable& table, const Node& node) : found_(table.attributes(node)) {}

  // Returns the attribute of a name, null if the node lacks it. This and the functions below take only `names`.
  [[nodiscard]] const Attr* attr(Name name) const { return found_[name]; }
  [[nodiscard]] bool has(Name name) const { return found_[name] != nullptr; }
  // Returns the value of an attribute; nothing if it is absent or no int32.
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

  // The attributes of a node that the rule provenance reads.
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
