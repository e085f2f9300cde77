// SPDX-License-Identifier: MIT
// Declares the makers of kinds.def. Each adds the nodes of one rank; requests have been checked.
#pragma once

#include "generate/generate.h"
#include "generate/trace_builder.h"

namespace convert::generate {

// Return the neighbours of a rank in the ring of all.
[[nodiscard]] inline Rank next_rank(const GenerateRequest& r, Rank rank) {
  return rank + 1 == r.ranks ? 0 : rank + 1;
}
[[nodiscard]] inline Rank previous_rank(const GenerateRequest& r, Rank rank) {
  return (rank == 0 ? r.ranks : rank) - 1;
}
// Adds a collective, with rank 0 as root where one is needed.
inline NodeId add_collective(TraceBuilder& b, const GeneratedCollective& c,
                             const TraceBuilder::Parents& after = {}) {
  using enum Collective;
  const bool rooted = c.type == broadcast || c.type == reduce || c.type == scatter || c.type == gather;
  return b.collective(c.type, c.bytes, after, rooted ? std::optional<Rank>(0) : std::nullopt);
}

void make_metadata(const GenerateRequest& r, TraceBuilder& b);
void make_mem_load(const GenerateRequest& r, TraceBuilder& b);
void make_mem_store(const GenerateRequest& r, TraceBuilder& b);
void make_comp(const GenerateRequest& r, TraceBuilder& b);
void make_comp_independent(const GenerateRequest& r, TraceBuilder& b);
void make_comp_dependent(const GenerateRequest& r, TraceBuilder& b);
void make_all_reduce(const GenerateRequest& r, TraceBuilder& b);
void make_all_to_all(const GenerateRequest& r, TraceBuilder& b);
void make_all_gather(const GenerateRequest& r, TraceBuilder& b);
void make_reduce_scatter(const GenerateRequest& r, TraceBuilder& b);
void make_broadcast(const GenerateRequest& r, TraceBuilder& b);
void make_barrier(const GenerateRequest& r, TraceBuilder& b);
void make_comm_send(const GenerateRequest& r, TraceBuilder& b);
void make_comm_recv(const GenerateRequest& r, TraceBuilder& b);
void make_comm_coll(const GenerateRequest& r, TraceBuilder& b);
void make_chain(const GenerateRequest& r, TraceBuilder& b);
void make_independent(const GenerateRequest& r, TraceBuilder& b);
void make_diamond(const GenerateRequest& r, TraceBuilder& b);
void make_collectives(const GenerateRequest& r, TraceBuilder& b);
void make_send_ring(const GenerateRequest& r, TraceBuilder& b);
void make_layers(const GenerateRequest& r, TraceBuilder& b);
void make_random(const GenerateRequest& r, TraceBuilder& b);

}  // namespace convert::generate
