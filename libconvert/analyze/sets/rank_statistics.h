// SPDX-License-Identifier: MIT
// Statistics of one trace, without its nodes; summands of the statistics of a set.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyze/figures/figures.h"
#include "analyze/sets/idle.h"
#include "analyze/sets/path_rank.h"
#include "core/text_set.h"
#include "core/trace.h"
#include "graph/kept_nodes.h"

namespace convert {

// Key of the rows of a table of nodes.
enum class NodeKey : std::uint8_t { nothing, name, type, group, rank };
// Returns the key of a name such as "type". Throws Error(usage) if the name is unknown.
[[nodiscard]] NodeKey parse_node_key(std::string_view name);

struct RankWishes {
  NodeKey by = NodeKey::nothing;  // keeps the duration of each node
  bool names = true;              // counts nodes by name
  bool idle = true;               // finds reasons for idle times of device streams
  bool redundant = false;         // finds dependencies that others imply
  bool path = false;              // keeps the graph for the longest chain of the set
  double ops_per_ns = 0;          // of an NPU; gives a time to nodes with operations but no duration; 0: unknown
};

// Counts messages or collectives by size. Class k holds sizes from 2^k to below 2^(k+1), class 64 holds 0 bytes.
struct SizeClasses {
  static constexpr std::size_t zero = 64;
  std::array<std::uint64_t, 65> count{};
  std::array<Sum, 65> bytes{};

  void add(std::int64_t size);
  void add(const SizeClasses& other, std::uint64_t times);
};

struct RankStatistics {
  static constexpr std::size_t types = 9;  // NodeType 0 to 7; 8: types that the schema does not define
  // Keys of nodes without a process group, and of the group of all ranks.
  static constexpr std::string_view no_group = "(no group)";
  static constexpr std::string_view all_ranks = "(all ranks)";

  // Nodes of one name, type or group.
  struct Nodes {
    std::uint64_t count = 0;
    std::uint64_t timed = 0;  // nodes with a duration
    Sum time_ps;
    Sum bytes;                              // sent bytes, or size of a collective
    std::vector<std::int64_t> durations{};  // only for the table by NodeKey
  };
  // Collectives of one type, group and size class.
  struct Calls {
    std::string group{};   // pg_name; empty: all ranks
    std::uint32_t op = 0;  // Collective; CollectiveNode::unknown_type
    std::uint32_t size_class = 0;
    std::uint64_t count = 0;
    Sum bytes;
  };
  // Messages to one peer.
  struct Sent {
    std::int64_t peer = 0;
    std::uint64_t messages = 0;
    Sum bytes;
  };
  struct Defects {
    std::uint64_t duplicate_ids = 0;
    std::uint64_t dangling = 0;       // dependencies on missing nodes, or on the node itself
    std::uint64_t repeated = 0;       // dependencies given twice
    std::uint64_t behind_cycles = 0;  // nodes on or after a cycle, which have no depth
    std::uint64_t bad_sizes = 0;      // negative or not an integer
    std::uint64_t bad_times = 0;      // negative or beyond 106 days
    std::uint64_t unsized = 0;        // messages and collectives without a size
  };

  Rank rank = 0;
  std::array<Nodes, types> by_type{};
  std::uint64_t nodes = 0;
  std::uint64_t on_cpu = 0;
  std::uint64_t data_edges = 0;
  std::uint64_t control_edges = 0;
  std::uint64_t roots = 0;
  std::uint64_t most_parents = 0;
  std::uint64_t most_children = 0;
  std::uint64_t depth = 0;  // nodes of the longest chain
  std::uint64_t redundant_edges = 0;
  std::uint64_t edges_not_searched = 0;  // not searched for redundancy, to limit the time
  Defects defects{};
  Nodes unknown_communication{};  // COMP nodes that communicate, see unknown_communication in graph/

  std::uint64_t sends = 0, recvs = 0, calls = 0;
  Sum sent_bytes, received_bytes, call_bytes;
  Sum operations;    // num_ops of nodes that compute
  Sum tensor_bytes;  // tensor_size of nodes that compute
  Sum loaded_bytes, stored_bytes;
  SizeClasses message_sizes{}, call_sizes{};
  std::vector<Sent> sent_to{};       // ascending by peer
  std::vector<Calls> collectives{};  // by op, group, size class

  // Recorded times from the first start to the last end, on the recorder's clock; -1: no node has a start.
  std::int64_t first_start_ns = -1;
  std::int64_t last_end_ns = -1;

  TextSet names{};                       // of nodes
  std::vector<Nodes> by_name{};          // by index in names
  std::uint64_t unnamed_apart = 0;       // nodes with names after the first million of distinct names
  std::vector<std::string> key_names{};  // of by_key
  std::vector<Nodes> by_key{};           // nodes by RankWishes::by, except by name
  bool has_streams = false;
  std::map<std::int64_t, StreamIdle> streams{};  // of the device, for nodes with times
  PathRank path{};
};

// Counts the nodes of a rank, which may arrive in batches.
class RankCounter {
 public:
  // `trace` and `wishes` must outlive this object.
  RankCounter(Trace& trace, const RankWishes& wishes);
  ~RankCounter();
  RankCounter(const RankCounter&) = delete;
  RankCounter& operator=(const RankCounter&) = delete;
  // Counts the nodes that the trace holds now, in addition to earlier batches.
  void add_batch();
  // Counts properties of all nodes together and returns the statistics. The trace must now hold all nodes of the
  // rank with at least parts(); they are removed.
  [[nodiscard]] RankStatistics finish();
  [[nodiscard]] static const NodeParts& parts();

 private:
  class Counter;
  std::unique_ptr<Counter> counter_;
};
// Returns the statistics of a trace. The trace may be invalid in any way.
[[nodiscard]] RankStatistics statistics_of(Trace trace, const RankWishes& wishes);

}  // namespace convert
