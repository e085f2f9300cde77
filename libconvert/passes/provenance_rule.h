// SPDX-License-Identifier: MIT
// Rule provenance: what nodes tell of the algorithm that they come from, against itself, the trace and other ranks.
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

// The sizes that a whole can have of which messages have parts.
struct WholeBytes {
  std::int64_t least = 0;
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
};

// What the messages of a rank agree on.
struct ChunkCounters {
  std::int32_t total = 0;  // chunks of the whole; 0: no message tells
  std::size_t node = 0;    // the first that does
  WholeBytes whole{};
};

// Holds what one rank says, for the comparison with others.
struct ProvenanceFacts {
  Rank rank = 0;
  ChunkCounters counters{};
  Location where{};                    // of counters.node
  std::int32_t ranks = 0;              // of the algorithm, by the metadata; 0: not told
  std::vector<Diagnostic> if_whole{};  // findings if no node was taken out, which a part of the ranks may lack
};

// Messages' counters alone: what scales sizes must not be wrong. Errors of rule provenance.
ChunkCounters check_chunk_counters(const Trace& trace, Diagnostics& diagnostics);

// All of one rank. `graph`: the trace's.
ProvenanceFacts check_provenance(const Trace& trace, const Graph& graph, Diagnostics& diagnostics);

// Across the ranks of a set, which both have in ascending order: ranks that exchange messages count alike.
void check_provenance(std::span<const ProvenanceFacts> facts, std::span<const TraceSummary> set,
                      Diagnostics& diagnostics);

}  // namespace convert
