// SPDX-License-Identifier: MIT
// Size of the collective that a rank of an algorithm runs, computed from its messages.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/attr_names.h"
#include "core/trace.h"

namespace convert {

// Returns the bytes of the whole buffer, as nccl-tests count the size: comm_size · total_chunk_cnt / msg_chunk_cnt.
// It is the maximum over all messages, since messages are rounded down; 0 if no message has these attributes.
[[nodiscard]] inline std::int64_t whole_bytes(const NodeTable& nodes) {
  std::int64_t most = 0;
  for (const Node& node : nodes.nodes) {
    if (node.type != NodeType::comm_send && node.type != NodeType::comm_recv) continue;
    const auto attributes = nodes.attributes(node);
    const IntValue bytes = int_value(attributes, attr::comm_size);
    const IntValue chunks = int_value(attributes, attr::msg_chunk_cnt);
    const IntValue all = int_value(attributes, attr::total_chunk_cnt);
    if (!bytes || !chunks || !all || bytes.value <= 0 || chunks.value <= 0 || all.value < chunks.value) continue;
    __extension__ using Wide = __int128;
    const Wide whole = static_cast<Wide>(bytes.value) * all.value / chunks.value;
    if (whole <= INT64_MAX) most = std::max(most, static_cast<std::int64_t>(whole));
  }
  return most;
}

}  // namespace convert
