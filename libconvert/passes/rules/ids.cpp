// SPDX-License-Identifier: MIT
#include <algorithm>

#include "passes/rules/rules.h"

namespace convert::rules {

void check_ids(const Trace& trace, std::span<const GraphDefect> defects, Diagnostics& diagnostics) {
  const auto is_duplicate = [](const GraphDefect& d) { return d.what == GraphDefect::What::duplicate_id; };
  if (std::ranges::none_of(defects, is_duplicate)) return;
  const IdIndex ids(trace.nodes);
  for (const GraphDefect& d : defects) {
    if (!is_duplicate(d)) continue;
    diagnostics.error(location_of(trace, d.index), "ids",
                      node_text(d.id) + ": duplicate id: nodes number " + std::to_string(ids.find(d.id) + 1) +
                          " and " + std::to_string(d.index + 1) + " of the trace have it");
  }
}

}  // namespace convert::rules
