// SPDX-License-Identifier: MIT
// Merges algorithms into workloads: replaces a COMM_COLL node by the sends, receives and reductions of its rank.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/diagnostic.h"
#include "core/trace.h"
#include "passes/merge/algorithm.h"

namespace convert {

// Replacement of a collective.
struct MergeChoice {
  std::uint32_t algorithm = 0;  // into MergePlan::algorithms
  std::uint32_t chunks = 1;     // number of instances that it is split into; they run side by side
};

// A collective, as rules see it.
struct MergeCall {
  Collective type{};
  std::string_view group;  // pg_name; "0": all ranks
  std::int64_t bytes = 0;  // comm_size
  NodeId node = 0;
  std::string_view name;
  std::uint32_t members = 0;            // of the group; 0: the group is not defined
  std::optional<std::uint32_t> root{};  // its position in the group, if the node states it
  bool unequal = false;                 // ranks state different sizes
};

// Merge settings that all ranks share. Instances are numbered by group, and within a group by the issue order of
// its collectives, which is the same on all its ranks. Each rank can therefore compute an instance's tags
// independently.
struct MergePlan {
  struct Group {
    std::vector<std::uint32_t> ranks;      // in the order listed; empty: all
    std::uint64_t first_call = 0;          // number of collectives in the groups before it
    std::vector<std::uint64_t> unequal{};  // calls with different sizes on ranks, by number, ascending
    // Returns the position of a rank among the members, or nullopt if it is not a member.
    [[nodiscard]] std::optional<std::uint32_t> place(std::int64_t rank, std::uint32_t of_ranks) const;
  };
  std::uint32_t ranks = 0;
  std::map<std::string, Group, std::less<>> groups;  // by pg_name; contains "0"
  std::vector<MergeAlgorithm> algorithms;
  std::int64_t first_tag = 0;        // larger than the tags of the workload
  std::uint64_t first_instance = 0;  // larger than the instances of earlier merges
  std::uint32_t tags = 1;            // per instance
  std::uint32_t most_chunks = 1;     // per collective
  // network_id() of the network whose sequence numbers and routes merged messages keep; empty: none.
  std::string network{};
  std::string forwarding{};  // of its switches, for which the sequence numbers are made; empty: unknown
  // Scope of sequence numbers (link_scope) shared by all merged collectives whose algorithms number them jointly;
  // nullopt: each collective has its own scope.
  std::optional<std::uint64_t> turn_scope{};
  bool require_all = false;  // all collectives must be merged, even ones with fewer bytes than chunks
  // Merge a collective even if its algorithm cannot express it (see MergeCounts::misfits).
  bool allow_misfits = false;
  // Returns the replacement of a collective, or null to keep it. Must be thread-safe. et-merge uses MergedSet, in
  // sets/derived/merging.h.
  std::function<const MergeChoice*(const MergeCall&)> choose;
};

struct MergeCounts {
  std::uint64_t merged = 0;
  std::uint64_t kept = 0;
  // Kept collectives with fewer bytes than chunks, by algorithm (index into algorithms) and number of chunks.
  std::map<std::pair<std::uint32_t, std::int64_t>, std::uint64_t> small{};
  std::uint64_t added = 0;  // nodes
  // Merged collectives whose bytes are not a multiple of their chunks: …
  std::uint64_t spread = 0;   // … some messages are a byte longer, so that all bytes move
  std::uint64_t rounded = 0;  // … each message is rounded down, so that some bytes do not move
  // Merged collectives with another root than the algorithm's, with shards of different sizes, with ranks that act
  // as relays, or with only some dimensions of the network.
  std::uint64_t misfits = 0;
  // Merged collectives of another kind than the algorithm claims: algorithm (index into algorithms), and their
  // type.
  std::set<std::pair<std::uint32_t, Collective>> others{};
};

// Facts about one rank for a plan: number and kinds of the collectives of each group, and the highest tag.
struct CollectiveCensus {
  struct Group {
    std::uint64_t calls = 0;
    std::uint64_t digest = 0;  // of the attributes that the rule collectives compares, in order
    // Calls that state a root, splits or dimensions; they may be wrong even if all ranks state the same.
    bool in_question = false;
    // Distinct types, each with its root rank; -1: unknown.
    std::set<std::pair<Collective, std::int64_t>> kinds{};
  };
  std::map<std::string, Group, std::less<>> groups;  // by pg_name; "0" if it has none
  std::int64_t highest_tag = -1;                     // of sends and receives
  std::int64_t highest_instance = -1;                // of messages from an earlier merge
};
// Returns the counts of one rank's nodes.
[[nodiscard]] CollectiveCensus count_collectives(const NodeTable& table);

// Merges one rank. A collective with fewer bytes than chunks is kept, on all ranks alike. Kept nodes are unchanged,
// except that dependencies on a merged collective become dependencies on the last nodes of the algorithm. New nodes
// have ids after all others. The bytes of an all-gather are comm_size times the ranks of the group. Bytes of
// messages are computed by core/algorithm/chunk_bytes.h.
class MergedRank {
 public:
  // Prepares to merge the rank `workload` by `plan`, which must outlive this object. Throws Error(input) [merge]
  // with the node for: a missing type, size or known group; a group without the rank or root; a group with another
  // size than the algorithm; and anything that the plan does not allow.
  MergedRank(const MergePlan& plan, Trace workload);
  ~MergedRank();

  [[nodiscard]] const MergeCounts& counts() const;
  // Adds the metadata needed to prove the new nodes, and the network that their routes are for. Call before next(),
  // whose nodes refer to it.
  void add_programs(Metadata& out);
  // Replaces out.nodes: first by all kept nodes, then by new nodes in order of ids, as whole instances with at
  // least max_nodes nodes in total. Returns false at the end.
  [[nodiscard]] bool next(Trace& out, std::size_t max_nodes);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace convert
