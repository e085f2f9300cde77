// SPDX-License-Identifier: MIT
#include "load/chunk_runs.h"

#include <memory>
#include <utility>

#include "core/diagnostic.h"
#include "passes/lower/lower.h"
#include "passes/merge/chunk_flow.h"

namespace convert {

ChunkRunsOf chunk_runs(const Algorithm& algorithm) {
  std::optional<ChunkFlow> flow = ChunkFlow::of(algorithm);
  if (!flow) return {};
  return [flow = std::make_shared<ChunkFlow>(std::move(*flow))](const Trace& place, std::size_t node) {
    return flow->of_node(place, node);
  };
}

ChunkRunsOf chunk_runs(const std::vector<Trace>& places) {
  try {
    return chunk_runs(raise_algorithm(places));
  } catch (const Error&) {  // without provenance, or with one that is not theirs
    return {};
  }
}

}  // namespace convert
