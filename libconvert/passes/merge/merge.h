// SPDX-License-Identifier: MIT
// Puts algorithms into workloads: a COMM_COLL node becomes the sends, receives and reductions of its rank's place.
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

// Says what takes the place of a collective.
struct MergeChoice {
  std::uint32_t algorithm = 0;  // into MergePlan::algorithms
  std::uint32_t chunks = 1;     // instances that it is cut into, which run side by side
};

// Holds a collective as a rule sees it.
struct MergeCall {
  Collective type{};
  std::string_view group;  // pg_name; "0": all ranks
  std::int64_t bytes = 0;  // comm_size
  NodeId node = 0;
  std::string_view name;
  std::uint32_t members = 0;            // of the group; 0: it is not defined
  std::optional<std::uint32_t> root{};  // its place in the group, if the node states it
  bool unequal = false;                 // ranks state different sizes
};

// Holds what all ranks must know alike. Instances are numbered by group, and within it by the order in which its
// collectives are issued, which is the same on all its ranks: so each rank finds an instance's tags by itself.
struct MergePlan {
  struct Group {
    std::vector<std::uint32_t> ranks;      // in the order listed; empty: all
    std::uint64_t first_call = 0;          // how many collectives the groups before it have
    std::vector<std::uint64_t> unequal{};  // calls with different sizes on ranks, by number, ascending
    // Returns the place of a rank among the members; nothing if it is no member.
    [[nodiscard]] std::optional<std::uint32_t> place(std::int64_t rank, std::uint32_t of_ranks) const;
  };
  std::uint32_t ranks = 0;
  std::map<std::string, Group, std::less<>> groups;  // by pg_name; "0" is there
  std::vector<MergeAlgorithm> algorithms;
  std::int64_t first_tag = 0;        // beyond those of the workload
  std::uint64_t first_instance = 0;  // beyond those of earlier merges
  std::uint32_t tags = 1;            // of an instance
  std::uint32_t most_chunks = 1;     // of a collective
  // network_id() of the network on which merged messages take turns and ways; empty: on none.
  std::string network{};
  std::string forwarding{};  // at its switches, for which the turns are made; empty: unknown
  // The scope of turns (link_scope) that all merged collectives share, whose algorithms number them so; none: each
  // has its own.
  std::optional<std::uint64_t> turn_scope{};
  bool require_all = false;  // no collective may stay, also if it has fewer bytes than chunks
  // A collective that its algorithm cannot express (see MergeCounts::misfits) is merged all the same.
  bool allow_misfits = false;
  // Returns what takes a collective's place; null: it stays. Called by several threads. et-merge's is MergedSet's,
  // in sets/derived/merging.h.
  std::function<const MergeChoice*(const MergeCall&)> choose;
};

struct MergeCounts {
  std::uint64_t merged = 0;
  std::uint64_t kept = 0;
  // How many of those kept have fewer bytes than chunks, by their algorithm (into algorithms) and these chunks.
  std::map<std::pair<std::uint32_t, std::int64_t>, std::uint64_t> small{};
  std::uint64_t added = 0;  // nodes
  // Merged collectives whose chunks do not divide their bytes: …
  std::uint64_t spread = 0;   // … some messages are a byte longer, so that all bytes move
  std::uint64_t rounded = 0;  // … each message is rounded down, so that some bytes do not move
  // Merged collectives with another root than the algorithm's, with parts of different sizes, with ranks in the
  // place of its relays, or that involve some dimensions of the network only.
  std::uint64_t misfits = 0;
  // Merged collectives of another kind than the algorithm claims: its number (into algorithms), and their type.
  std::set<std::pair<std::uint32_t, Collective>> others{};
};

// Counts for a plan how many collectives each group of a rank has, what they are, and the highest tag.
struct CollectiveCensus {
  struct Group {
    std::uint64_t calls = 0;
    std::uint64_t digest = 0;  // of the attributes that the rule collectives compares, in order
    // Calls that state a root, splits or dimensions may be wrong even if all ranks state the same.
    bool in_question = false;
    // Different types, each with the ranks that are roots; -1: not told.
    std::set<std::pair<Collective, std::int64_t>> kinds{};
  };
  std::map<std::string, Group, std::less<>> groups;  // by pg_name; "0" for none
  std::int64_t highest_tag = -1;                     // of sends and receives
  std::int64_t highest_instance = -1;                // of messages that came of an earlier merge
};
// Returns the counts of one rank's nodes.
[[nodiscard]] CollectiveCensus count_collectives(const NodeTable& table);

// Merges one rank. A collective of fewer bytes than chunks stays, on all ranks alike. Nodes that stay are
// untouched, but dependencies on a merged collective become dependencies on the last nodes of the algorithm. New
// nodes have ids after all others. An all-gather's bytes are comm_size times the ranks of the group;
// core/algorithm/chunk_bytes.h says what a message of so many chunks has of them.
class MergedRank {
 public:
  // Prepares to merge the rank `workload` by `plan`, which must outlive this. Throws Error(input) [merge] with the
  // node: no type, size or known group; a group without the rank or root, or not of the algorithm's size; what the
  // plan does not allow.
  MergedRank(const MergePlan& plan, Trace workload);
  ~MergedRank();

  [[nodiscard]] const MergeCounts& counts() const;
  // Adds the metadata by which the new nodes can be proved, and what network their ways are for. Call before
  // next(), whose nodes refer to it.
  void add_programs(Metadata& out);
  // Replaces out.nodes: first by all nodes that stay, however many, then by the new ones in order of ids, whole
  // instances of at least max_nodes in all. Returns false at the end.
  [[nodiscard]] bool next(Trace& out, std::size_t max_nodes);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace convert
