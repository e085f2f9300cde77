// SPDX-License-Identifier: MIT
// Rules that choose algorithms for collectives: options of et-merge and et-replay, sweep settings, YAML map
// files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/trace.h"

namespace convert {

struct CollectiveSelection {
  std::optional<Collective> type{};    // empty: any except barriers, which have no data; see without_block()
  std::optional<std::string> group{};  // pg_name; "0" is the group of all ranks
  std::int64_t min_bytes = 0;          // least comm_size
  std::int64_t end_bytes = INT64_MAX;  // upper bound of comm_size, exclusive
  std::optional<NodeId> node{};
  std::string name{};  // name pattern with * and ?; empty: any

  [[nodiscard]] bool takes(Collective t) const {
    return type ? *type == without_block(t) : t != Collective::barrier;
  }
  // Returns whether a collective of this type is selected, given the pg_name, comm_size, id and name of its node.
  [[nodiscard]] bool fits(Collective t, std::string_view of_group, std::int64_t bytes, NodeId id,
                          std::string_view node_name) const;
};

// Maximum number of instances that a collective can be cut into.
inline constexpr std::int64_t max_instances = 1 << 16;

struct CollectiveRule {
  CollectiveSelection which{};
  std::string algorithm{};   // a file or set; "ring,chunks=4" if builtin; "ring+direct" if native, without "astra:"
  bool builtin = false;      // built by etkit: from the library, or synthesized
  bool native = false;       // algorithms of ASTRA-sim, one for each dimension
  std::uint32_t chunks = 0;  // number of instances that a collective is cut into; 0: the value of --chunks
  std::string text{};        // the rule, or its line in a map, for messages
  Location where{};          // location of the algorithm in a rule map
};

// Prefix of an algorithm that etkit builds ("built:ring"), where a replay's system also accepts files; not for
// users.
inline constexpr std::string_view builtin_prefix = "built:";
[[nodiscard]] inline bool is_builtin(std::string_view algorithm) { return algorithm.starts_with(builtin_prefix); }

// Returns whether a rule can begin with this word: "all", or a collective of traces in any spelling.
[[nodiscard]] bool names_collectives(std::string_view text);

// Prefix of ASTRA-sim's native algorithms: "astra:ring+direct".
inline constexpr std::string_view native_prefix = "astra:";
// Prefix of an NCCL graph file: "graph:FILE,hosts=2".
inline constexpr std::string_view graph_prefix = "graph:";

// Parses "all_reduce:pg=3:size>=1MiB:size<64MiB:node=17:name=*grad*=ALGORITHM"; the first word may be "all", which
// is the default. ALGORITHM is "astra:NAME", "synthesized" or a name of the library (the last two with options
// after commas), or else a file or set. Throws Error(usage).
[[nodiscard]] CollectiveRule parse_collective_rule(const std::string& text);

// Parses "all_reduce:pg=3:size>=1MiB", a rule without an algorithm; accepts barriers, too. Throws Error(usage).
[[nodiscard]] CollectiveSelection parse_collective_selection(const std::string& text);

// Parses {rules: [ … ]}, a list of maps with the keys collective, pg, size, node, name, algorithm and
// chunks; or ASTRA-sim's per-node-custom-implementation, {NODE ID: PREFIX, …}. Throws Error(input) with the
// location, [merge] for the first form and [system] for the second.
[[nodiscard]] std::vector<CollectiveRule> parse_rule_map(const std::string& file, std::string_view text);

}  // namespace convert
