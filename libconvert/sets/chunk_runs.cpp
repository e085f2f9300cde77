// SPDX-License-Identifier: MIT
#include "sets/chunk_runs.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "core/diagnostic.h"
#include "passes/lower/lower.h"
#include "passes/merge/chunk_flow.h"
#include "passes/provenance_rule.h"

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
  } catch (const Error&) {  // provenance is missing or wrong
    return {};
  }
}

void refuse_bad_counters(const Trace& trace) {
  const auto counts = [&](const Node& n) {
    if (n.type != NodeType::comm_send && n.type != NodeType::comm_recv) return false;
    const auto attrs = trace.nodes.attributes(n);
    return find(attrs, attr::comm_size) == nullptr && find(attrs, attr::total_chunk_cnt) != nullptr;
  };
  if (std::none_of(trace.nodes.nodes.begin(), trace.nodes.nodes.end(), counts)) return;
  Diagnostics findings(1);
  check_chunk_counters(trace, findings);
  if (findings.errors() == 0) return;
  const Diagnostic& first = findings.all().front();
  throw input_error(first.where, first.message, first.rule);
}

}  // namespace convert
