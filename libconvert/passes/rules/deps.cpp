// SPDX-License-Identifier: MIT
#include "passes/rules/rules.h"

namespace convert::rules {

void check_deps(const Trace& trace, std::span<const GraphDefect> defects, Diagnostics& diagnostics) {
  using What = GraphDefect::What;
  for (const GraphDefect& d : defects) {
    if (d.what == What::duplicate_id) continue;
    const std::string dependency = node_text(trace.nodes.nodes[d.index].id) +
                                   (d.kind == DepKind::data ? ": data dependency on " : ": control dependency on ");
    Location where = location_of(trace, d.index);
    if (d.what == What::dangling) {
      diagnostics.error(std::move(where), "deps", dependency + node_text(d.id) + ", which does not exist");
    } else if (d.what == What::self) {
      diagnostics.error(std::move(where), "deps", dependency + "itself: it can never start");
    } else {
      diagnostics.warning(std::move(where), "deps", dependency + node_text(d.id) + " repeats an earlier one");
    }
  }
}

}  // namespace convert::rules
