// SPDX-License-Identifier: MIT
#include "formats/timeline/lanes.h"

#include <array>
#include <limits>
#include <utility>

#include "core/units.h"
#include "formats/kineto/names.h"

namespace convert {

std::optional<Lane> lane_by_name(std::string_view text) {
  const std::string_view word = text.substr(0, text.find(' '));
  for (std::size_t i = 0; i < lane_names.size(); ++i) {
    if (word == lane_names[i]) return static_cast<Lane>(i);
  }
  return std::nullopt;
}

std::optional<Lane> lane_by_node_name(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, Lane>, 6> types = {{{"COMM_SEND", Lane::send},
                                                                       {"COMM_RECV", Lane::recv},
                                                                       {"COMM_COLL", Lane::collective},
                                                                       {"MEM_LOAD", Lane::memory},
                                                                       {"MEM_STORE", Lane::memory},
                                                                       {"COMP_NODE", Lane::compute}}};
  for (const auto& [begin, lane] : types) {
    if (name.starts_with(begin)) return lane;
  }
  return std::nullopt;
}

std::optional<Lane> lane_by_category(std::string_view category) {
  switch (kineto_category(category).category) {
    case KinetoCategory::cpu_op:
    case KinetoCategory::annotation:
    case KinetoCategory::call: return Lane::cpu;
    case KinetoCategory::kernel: return Lane::compute;
    case KinetoCategory::memcpy:
    case KinetoCategory::memset: return Lane::memory;
    default: break;
  }
  if (category == "python_function") return Lane::cpu;
  return std::nullopt;
}

std::int32_t stream_by_name(std::string_view thread) {
  constexpr std::string_view begin = "stream ";
  if (!thread.starts_with(begin)) return -1;
  thread.remove_prefix(begin.size());
  const auto number = parse_int(thread.substr(0, thread.find(' ')));
  const bool good = number && *number >= 0 && *number <= std::numeric_limits<std::int32_t>::max();
  return good ? static_cast<std::int32_t>(*number) : -1;
}

std::optional<Lane> lane_of(NodeType type) {
  switch (type) {
    case NodeType::comm_send: return Lane::send;
    case NodeType::comm_recv: return Lane::recv;
    case NodeType::comm_coll: return Lane::collective;
    case NodeType::mem_load:
    case NodeType::mem_store: return Lane::memory;
    case NodeType::comp: return Lane::compute;
    default: return std::nullopt;
  }
}

}  // namespace convert
