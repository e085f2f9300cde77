// SPDX-License-Identifier: MIT
// Parses rules that give collectives algorithms: those of et-merge, et-replay and sweeps, and map files in YAML.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/trace.h"

namespace convert {

struct CollectiveSelection {
  std::optional<Collective> type{};    // nothing: any but barriers, which have no data; see without_block()
  std::optional<std::string> group{};  // pg_name; "0" is that of all ranks
  std::int64_t min_bytes = 0;          // of comm_size
  std::int64_t end_bytes = INT64_MAX;  // below this
  std::optional<NodeId> node{};
  std::string name{};  // of nodes, with * and ?; empty: any

  [[nodiscard]] bool takes(Collective t) const {
    return type ? *type == without_block(t) : t != Collective::barrier;
  }
  // Returns whether it takes a collective of this type, with the pg_name, comm_size, id and name of its node.
  [[nodiscard]] bool fits(Collective t, std::string_view of_group, std::int64_t bytes, NodeId id,
                          std::string_view node_name) const;
};

// Says into how many instances a collective can be cut.
inline constexpr std::int64_t max_instances = 1 << 16;

struct CollectiveRule {
  CollectiveSelection which{};
  std::string algorithm{};   // a file or set; if builtin "ring,chunks=4"; if native "ring+direct", without "astra:"
  bool builtin = false;      // built by etkit: of the library, or synthesized
  bool native = false;       // ASTRA-sim's, one for each dimension
  std::uint32_t chunks = 0;  // how many instances a collective is cut into; 0: as many as --chunks says
  std::string text{};        // the rule, or its line in a map, for messages
  Location where{};          // of the algorithm in a map of rules
};

// Marks an algorithm that etkit builds, "built:ring", among names of files in a replay's system; not for users.
inline constexpr std::string_view builtin_prefix = "built:";
[[nodiscard]] inline bool is_builtin(std::string_view algorithm) { return algorithm.starts_with(builtin_prefix); }

// Returns whether a rule can begin with these words: "all", or a collective of traces in whatever spelling.
[[nodiscard]] bool names_collectives(std::string_view text);

// Begins the names of ASTRA-sim's native algorithms: "astra:ring+direct".
inline constexpr std::string_view native_prefix = "astra:";
// Begins the name of a graph file of NCCL: "graph:FILE,hosts=2".
inline constexpr std::string_view graph_prefix = "graph:";

// Parses "all_reduce:pg=3:size>=1MiB:size<64MiB:node=17:name=*grad*=ALGORITHM"; the first part may be "all", which
// is the default. ALGORITHM is "astra:NAME", "synthesized", a name of the library (the last two with options behind
// commas), or else a file or set. Throws Error(usage).
[[nodiscard]] CollectiveRule parse_collective_rule(const std::string& text);

// Parses "all_reduce:pg=3:size>=1MiB", a rule without its algorithm; of barriers, too. Throws Error(usage).
[[nodiscard]] CollectiveSelection parse_collective_selection(const std::string& text);

// Parses {rules: [ … ]}, a list of maps with the keys collective, pg, size, node, name, algorithm and
// chunks; or ASTRA-sim's per-node-custom-implementation, {NODE ID: PREFIX, …}. Throws Error(input) with the place,
// [merge] for the first and [system] for the second.
[[nodiscard]] std::vector<CollectiveRule> parse_rule_map(const std::string& file, std::string_view text);

}  // namespace convert
