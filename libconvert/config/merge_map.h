// SPDX-License-Identifier: MIT
// Which collectives of a workload get which algorithm: from a rule on the command line, or a map file in YAML.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/trace.h"

namespace convert {

struct CollectiveSelection {
  std::optional<CollectiveType> type{};  // nothing: any but barriers, which carry nothing
  std::optional<std::string> group{};    // pg_name; "0" is that of all ranks
  std::int64_t min_bytes = 0;            // of comm_size
  std::int64_t end_bytes = INT64_MAX;    // below this
  std::optional<NodeId> node{};
  std::string name{};  // of nodes, with * and ?; empty: any

  [[nodiscard]] bool takes(CollectiveType t) const { return type ? *type == t : t != CollectiveType::barrier; }
  // `group` and `name` as the node has them.
  [[nodiscard]] bool fits(CollectiveType t, std::string_view of_group, std::int64_t bytes, NodeId id,
                          std::string_view node_name) const;
};

struct MergeRule {
  CollectiveSelection which{};
  std::string algorithm{};  // a file or set; of a builtin, "ring,chunks=4"
  bool builtin = false;
  std::uint32_t chunks = 0;  // instances that a collective is cut into; 0: what --chunks says
  std::string text{};        // for messages
  Location where{};          // in a map
};

// "all_reduce:pg=3:size>=1MiB:size<64MiB:node=17:name=*grad*=ALGORITHM"; the first part may be "all". Throws
// Error(usage).
[[nodiscard]] MergeRule parse_merge_rule(const std::string& text, bool builtin);

// {rules: [ … ]}, maps with the keys collective, pg, size, node, name, algorithm or builtin, and chunks; or
// ASTRA-sim's per-node-custom-implementation, {NODE ID: PREFIX, …}. Throws Error(input) [merge] ([system] for the
// latter) with the place.
[[nodiscard]] std::vector<MergeRule> parse_merge_map(const std::string& file, std::string_view text);

}  // namespace convert
