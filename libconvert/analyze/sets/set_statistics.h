// SPDX-License-Identifier: MIT
// Statistics of a trace set: the sum over its ranks, in sections nodes, volume, sizes, matrix, memory, path, ….
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "analyze/figures/figures.h"
#include "analyze/sets/path.h"
#include "analyze/sets/rank_statistics.h"
#include "core/text_set.h"

namespace convert {

class SetStatistics {
 public:
  struct Options {
    NodeKey by = NodeKey::nothing;
    bool path = true;
    double ops_per_ns = 0;  // of an NPU, for the used share of the peak; 0: unknown
    std::size_t rows = 0;   // maximum rows of a table of names; 0: all
    // Maximum number of nodes for which graphs are kept for the path section; 0: any number.
    std::uint64_t most_path_nodes = 20'000'000;
  };
  explicit SetStatistics(const Options& options) : options_(options) {}

  // Adds a rank. The order of ranks is significant only for the path: it is the order of messages.
  void add(RankStatistics&& rank);

  // Differences of a rank from the representative of its class: rank, peers and groups.
  struct Changes {
    Rank rank = 0;
    std::function<std::int64_t(std::int64_t peer)> peer;
    std::function<std::string(std::string_view group)> group;  // "" is the group of all ranks
  };
  // Add the ranks of a class: add_alike() once adds what they share and removes it from `one`, then add_like() adds
  // the rest of each rank.
  void add_alike(RankStatistics& one, std::uint64_t ranks);
  void add_like(const RankStatistics& one, const Changes& changes);
  // Returns whether names were omitted because there are too many. Which names depends on the order of the ranks.
  [[nodiscard]] bool names_left_out() const;

  // Returns the operations that all nodes compute.
  [[nodiscard]] const Sum& operations() const { return total_.operations; }
  // Returns the names of all sections.
  [[nodiscard]] static std::vector<std::string> section_names();
  // Returns whether the set has data for a section and shows it by default.
  [[nodiscard]] bool has(std::string_view section) const;
  // Returns a section by name.
  [[nodiscard]] Section section(std::string_view name) const;

 private:
  // Values of one rank in tables by rank.
  struct Row {
    Rank rank;
    std::uint64_t nodes, edges, depth, sends, recvs, calls;
    Sum sent, received, call_bytes, operations, tensor_bytes;
    std::int64_t first_start_ns, last_end_ns;
  };
  struct Keyed {
    RankStatistics::Nodes nodes;
    std::uint64_t ranks = 0;
    std::vector<Repeated> repeated{};  // durations that several ranks share, in addition to those in `nodes`

    void add(RankStatistics::Nodes&& from, std::uint64_t times);
    // Returns the percentiles 50, 99 and 100 of the durations; nothing if there are none.
    [[nodiscard]] std::array<Value, 3> percentiles() const;
  };
  struct KeyedNodes {
    TextSet keys;
    std::vector<Keyed> rows;  // by index in keys

    // Adds nodes that `ranks` ranks have.
    void add(std::string_view key, RankStatistics::Nodes&& nodes, std::uint64_t ranks);
    // Takes the nodes of the first rank, by index in `texts`.
    void take(TextSet&& texts, std::vector<RankStatistics::Nodes>&& nodes);
    // Returns the number of keys that have nodes.
    [[nodiscard]] std::size_t used() const {
      return static_cast<std::size_t>(
          std::count_if(rows.begin(), rows.end(), [](const Keyed& k) { return k.nodes.count != 0; }));
    }
    // Returns the row indices, the largest time first; by count if nodes have no times.
    [[nodiscard]] std::vector<std::uint32_t> by_weight(std::size_t most) const;
  };

  void add_one(const RankStatistics& of, const Changes* changes);
  void keep_path(PathRank&& path);
  // Returns whether nodes of a key have the same key on all ranks of a class.
  [[nodiscard]] bool is_shared_key(std::string_view key) const;
  [[nodiscard]] Section nodes() const;
  [[nodiscard]] Section volume() const;
  [[nodiscard]] Section collectives() const;
  [[nodiscard]] Section sizes() const;
  [[nodiscard]] Section matrix() const;
  [[nodiscard]] Section memory() const;
  [[nodiscard]] Section flops() const;
  [[nodiscard]] Section path() const;
  [[nodiscard]] Section redundant() const;
  [[nodiscard]] Section idle() const;
  [[nodiscard]] Table table_by_type() const;
  [[nodiscard]] Table table_by_name() const;
  [[nodiscard]] Table table_by_key() const;
  void note_defects(Section& section) const;
  void note_sums(Section& section, std::initializer_list<const Sum*> sums) const;

  Options options_;
  RankStatistics total_;  // without names, peers and collectives
  std::vector<Row> rows_;
  KeyedNodes names_;
  KeyedNodes keyed_;
  std::map<std::pair<Rank, std::int64_t>, RankStatistics::Sent> sent_;
  std::map<std::tuple<std::uint32_t, std::string, std::uint32_t>, RankStatistics::Calls> calls_;
  std::map<std::pair<Rank, std::int64_t>, StreamIdle> streams_;  // by rank and stream
  std::vector<PathRank> path_ranks_;
  bool path_dropped_ = false;  // the set is larger than most_path_nodes
};

}  // namespace convert
