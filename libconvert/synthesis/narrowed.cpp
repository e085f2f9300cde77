// SPDX-License-Identifier: MIT
#include "synthesis/narrowed.h"

#include <algorithm>

namespace convert {

std::optional<NarrowedProblem> without_devices(const SynthesisProblem& whole,
                                               std::span<const std::uint8_t> left_out) {
  NarrowedProblem out{.problem = whole};
  LinkGraph& graph = out.problem.graph;
  graph.links.clear();
  for (std::uint32_t l = 0; l < whole.graph.links.size(); ++l) {
    const LinkGraph::Link& link = whole.graph.links[l];
    if (left_out[link.from] != 0 || left_out[link.to] != 0) continue;
    graph.links.push_back(link);
    out.link.push_back(l);
  }
  if (graph.links.size() == whole.graph.links.size()) return std::nullopt;
  graph.out = rows_by_key(graph.links.size(), graph.devices, [&](std::size_t l) { return graph.links[l].from; });
  graph.in = rows_by_key(graph.links.size(), graph.devices, [&](std::size_t l) { return graph.links[l].to; });
  const Device hub = whole.participants.front();
  const auto there = reached_from(graph, hub);
  const auto back = reached_from(reversed(graph), hub);
  const bool reached =
      std::ranges::all_of(whole.participants, [&](Device d) { return there[d] != 0 && back[d] != 0; });
  return reached ? std::optional(std::move(out)) : std::nullopt;
}

}  // namespace convert
