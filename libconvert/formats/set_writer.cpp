// SPDX-License-Identifier: MIT
#include "formats/set_writer.h"

#include <algorithm>

namespace convert {

std::int64_t first_start_ns(const Trace& trace) {
  const std::int64_t base_ns = recorded_base_ns(trace.metadata);
  std::int64_t first = no_time;
  for (const Node& node : trace.nodes.nodes) {
    const std::int64_t begin = recorded_time(trace.nodes, node, base_ns).begin_ns;
    if (begin != no_time) first = first == no_time ? begin : std::min(first, begin);
  }
  return first;
}

}  // namespace convert
