// SPDX-License-Identifier: MIT
// Checks the rule provenance: consistency of nodes' algorithm attributes with each other, the trace and other
// ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/diagnostic.h"
#include "core/trace.h"
#include "graph/graph.h"
#include "passes/trace_summary.h"

namespace convert {

// Bounds on the bytes of the whole collective. Messages carry its chunks.
struct WholeBytes {
  std::int64_t least = 0;
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
};

// Chunk counters that the messages of a rank agree on.
struct ChunkCounters {
  std::int32_t total = 0;  // chunks of the whole buffer; 0: no message states them
  std::size_t node = 0;    // the first message that states them
  WholeBytes whole{};
};

// Provenance facts of one rank, for the comparison with other ranks.
struct ProvenanceFacts {
  Rank rank = 0;
  ChunkCounters counters{};
  Location where{};                    // of counters.node
  std::int32_t ranks = 0;              // in the algorithm, by the metadata; 0: unknown
  std::vector<Diagnostic> if_whole{};  // findings that count only if no node was removed from the set
};

// Returns the attributes that the checks below read.
[[nodiscard]] std::span<const Name> provenance_attributes();

// Checks only the messages' chunk counters, which scale sizes. Reports errors of rule provenance.
ChunkCounters check_chunk_counters(const Trace& trace, Diagnostics& diagnostics);

// Checks all provenance of one rank. `graph`: the graph of the trace.
ProvenanceFacts check_provenance(const Trace& trace, const Graph& graph, Diagnostics& diagnostics);

// Checks that ranks which exchange messages count chunks alike. Both spans are in ascending order of rank.
void check_provenance(std::span<const ProvenanceFacts> facts, std::span<const TraceSummary> set,
                      Diagnostics& diagnostics);

}  // namespace convert
