// SPDX-License-Identifier: MIT
#include "graph/algorithms.h"
#include "passes/rules/rules.h"

namespace convert::rules {

std::string chain_text(const std::vector<std::string>& entries) {
  constexpr std::size_t shown = 16;  // at each end
  std::string out;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (i > 0) out += " → ";
    if (i == shown && entries.size() > 2 * shown + 1) {
      const std::size_t skipped = entries.size() - 2 * shown;
      out += "… " + std::to_string(skipped) + " more … → ";
      i += skipped;
    }
    out += entries[i];
  }
  return out;
}

void check_cycles(const Trace& trace, const Graph& graph, Diagnostics& diagnostics) {
  for (const std::vector<std::uint32_t>& cycle : find_cycles(graph)) {
    std::vector<std::string> entries;
    for (const std::uint32_t i : cycle) entries.push_back(std::to_string(trace.nodes.nodes[i].id));
    entries.push_back(entries.front());
    diagnostics.error(location_of(trace, cycle.front()), "cycles",
                      "node " + entries.front() + ": dependency cycle " + chain_text(entries) +
                          " (each node depends on the previous one)");
  }
}

}  // namespace convert::rules
