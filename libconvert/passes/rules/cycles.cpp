// SPDX-License-Identifier: MIT
#include "graph/algorithms.h"
#include "passes/rules/rules.h"

namespace convert::rules {

std::string chain_text(const std::vector<std::string>& links) {
  constexpr std::size_t shown = 16;  // at each end
  std::string out;
  for (std::size_t i = 0; i < links.size(); ++i) {
    if (i > 0) out += " → ";
    if (i == shown && links.size() > 2 * shown + 1) {
      const std::size_t skipped = links.size() - 2 * shown;
      out += "… " + std::to_string(skipped) + " more … → ";
      i += skipped;
    }
    out += links[i];
  }
  return out;
}

void check_cycles(const Trace& trace, const Graph& graph, Diagnostics& diagnostics) {
  for (const std::vector<std::uint32_t>& cycle : find_cycles(graph)) {
    std::vector<std::string> links;
    for (const std::uint32_t i : cycle) links.push_back(std::to_string(trace.nodes.nodes[i].id));
    links.push_back(links.front());
    diagnostics.error(location_of(trace, cycle.front()), "cycles",
                      "node " + links.front() + ": dependency cycle " + chain_text(links) +
                          " (each node waits for the one before it)");
  }
}

}  // namespace convert::rules
