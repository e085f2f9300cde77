// SPDX-License-Identifier: MIT
// Records in a joined trace the data needed to split it into the same bytes again: metadata under "joined." and,
// before a node's own attributes, `npu` (et-formats(5)).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/diagnostic.h"
#include "core/trace.h"
#include "graph/graph.h"

namespace convert {

// Ranks of a joined trace, ascending. Ids of rank i's nodes are in [first_ids[i], first_ids[i+1]).
struct JoinedRanks {
  std::vector<Rank> ranks;
  std::vector<NodeId> first_ids;      // one more entry than ranks
  std::vector<bool> keeps_ids;        // by rank: its nodes have their own ids in joined_id, else id - first_ids[i]
  std::vector<std::string> metadata;  // GlobalMetadata messages
  std::optional<std::string> groups;  // text of the groups file

  [[nodiscard]] bool holds(std::size_t i, NodeId id) const { return id >= first_ids[i] && id < first_ids[i + 1]; }
};

// Returns nullopt if the trace was not joined. Throws Error(input) [joined] if the metadata is invalid.
[[nodiscard]] std::optional<JoinedRanks> read_joined(const Trace& trace);
// Adds the ranks to the metadata of a joined trace.
void write_joined(const JoinedRanks& joined, Metadata& metadata);

// Renumbers the nodes of several ranks as nodes of one trace.
class RankJoiner {
 public:
  // Adds a rank; ranks must be added in ascending order. `metadata`: its GlobalMetadata message.
  void add(const Trace& trace, std::string metadata);
  [[nodiscard]] JoinedRanks& joined() { return joined_; }
  // Returns the nodes of the i-th added rank, with their new ids and `npu`. Throws Error(input) [joined] on a
  // dependency on a missing node if the rank keeps its ids in joined_id (see JoinedRanks::keeps_ids).
  [[nodiscard]] NodeTable number(const Trace& trace, std::size_t i) const;

 private:
  JoinedRanks joined_{.ranks = {}, .first_ids = {0}, .keeps_ids = {}, .metadata = {}, .groups = {}};
};

}  // namespace convert
