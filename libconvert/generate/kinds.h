// SPDX-License-Identifier: MIT
// Node makers of kinds.def. Each adds the nodes of one rank; requests are already validated.
#pragma once

#include "generate/generate.h"
#include "generate/trace_builder.h"

namespace convert::generate {

// Return the next and the previous rank in the ring of all ranks.
[[nodiscard]] inline Rank next_rank(const GenerateRequest& r, Rank rank) {
  return rank + 1 == r.ranks ? 0 : rank + 1;
}
[[nodiscard]] inline Rank previous_rank(const GenerateRequest& r, Rank rank) {
  return (rank == 0 ? r.ranks : rank) - 1;
}
// Adds a collective, with rank 0 as root if it requires one.
inline NodeId add_collective(TraceBuilder& b, const GeneratedCollective& c,
                             const TraceBuilder::Parents& after = {}) {
  using enum Collective;
  const bool rooted = c.type == broadcast || c.type == reduce || c.type == scatter || c.type == gather;
  return b.collective(c.type, c.bytes, after, rooted ? std::optional<Rank>(0) : std::nullopt);
}

#define KIND(name, reference, maker, options, summary) void maker(const GenerateRequest& r, TraceBuilder& b);
#include "generate/kinds.def"
#undef KIND

}  // namespace convert::generate
