// SPDX-License-Identifier: MIT
// Workload profile: anonymous statistics of recorded jobs, from which trace sets are sampled. Nothing that occurs
// fewer than k times is kept.
//
// The nodes of a rank between two communications are a segment: a sequence of tokens. A token is a class of nodes
// in a lane, with its dependencies as distances. Segments consist of pieces, which are built by rules (Re-Pair,
// Larsson and Moffat 2000); each rule occurs at least k times in the recordings.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/collective.h"
#include "core/trace.h"
#include "graph/lanes.h"
#include "passes/scale/grid.h"

namespace convert {

// Costs of a node; 0: unknown.
struct NodeCost {
  std::uint64_t duration_ns = 0;
  std::uint64_t delay_ns = 0;    // start_delay_nanos
  std::uint64_t operations = 0;  // num_ops
  std::uint64_t bytes = 0;       // tensor_size
  friend auto operator<=>(const NodeCost&, const NodeCost&) = default;
};

// Selects one of the groups of a rank.
struct GroupSlot {
  static constexpr std::uint32_t all_ranks = 0;
  std::uint32_t kind = all_ranks;  // shape of the group, numbered from 1
  std::uint32_t ordinal = 0;       // among the groups of this kind that contain the rank
  friend auto operator<=>(const GroupSlot&, const GroupSlot&) = default;
};

// Properties of a communication besides group or peer and size.
struct CommDetails {
  std::int64_t root = -1;        // index of the root in the group
  std::int64_t bytes_out = -1;   // comm_bytes_out
  std::int64_t group_size = -1;  // value of the attribute
  std::int64_t priority = -1;    // comm_priority
  std::string dims{};            // involved_dim, '0' and '1'
  std::string dtype{};           // comm_dtype, of known types
  friend auto operator<=>(const CommDetails&, const CommDetails&) = default;
};

struct ProfileClass {
  NodeType type = NodeType::comp;
  bool on_cpu = false;
  std::int64_t location = -1;  // tensor_loc
  bool optimizer = false;      // is_optimizer(): if sharded, it has less work with more ranks
  // Communications only:
  std::int32_t collective = -1;     // comm_type
  std::int64_t size = -1;           // comm_size, bytes; -1: sampled from `sizes`
  std::uint32_t sizes = no_index;   // into WorkloadProfile::sizes
  std::uint32_t splits = no_index;  // into WorkloadProfile::splits: size and shards of ranks are sampled
  GroupSlot slot{};
  std::int64_t offset = 0;  // of a message: peer - own rank
  CommDetails details{};
  friend auto operator<=>(const ProfileClass&, const ProfileClass&) = default;

  [[nodiscard]] bool communicates() const { return type >= NodeType::comm_send && type <= NodeType::comm_coll; }
};

// A dependency: the `back`-th latest node of a lane or class, 0: the latest. All threads of the host count as one
// lane, see dependency_lanes().
struct TokenDep {
  std::uint8_t kinds = 1;  // 1: data, 2: control, 3: both
  bool of_class = false;
  std::uint32_t what = 0;  // the lane or class
  std::uint32_t back = 0;
  friend auto operator<=>(const TokenDep&, const TokenDep&) = default;
};
struct Token {
  std::uint32_t node_class = 0;
  std::uint32_t lane = 0;
  // log_4 of the duration in ns if it is much longer than usual for the class, such as waits; else 0.
  std::uint32_t magnitude = 0;
  std::vector<TokenDep> deps{};  // ascending, unique
  friend auto operator<=>(const Token&, const Token&) = default;
};

// A token, or the rule number symbol - tokens.size().
using Symbol = std::uint32_t;

// Mean of `count` neighbouring values of a pool, and spread of their durations.
struct CostCluster {
  NodeCost mean{};
  float spread = 0;  // standard deviation of the duration / its mean, one digit
  std::uint32_t count = 0;
  friend auto operator<=>(const CostCluster&, const CostCluster&) = default;
};
using CostPool = std::vector<CostCluster>;  // ascending

struct SizeCluster {
  std::int64_t bytes = 0;  // mean, two digits
  std::uint32_t count = 0;
  friend bool operator==(const SizeCluster&, const SizeCluster&) = default;
};

// Sizes of all-to-alls whose ranks send shards of unequal size.
struct SplitPool {
  std::vector<SizeCluster> sizes{};  // bytes that a rank sends, mean of the ranks of a call
  // Standard deviation / mean of the bytes sent and received, over the ranks of a call; 0: equal.
  float sent_spread = 0;
  float received_spread = 0;
  friend bool operator==(const SplitPool&, const SplitPool&) = default;
};

// A piece of segments without known order: number of occurrences, and position as a fraction of the whole.
struct LoosePiece {
  Symbol symbol = 0;
  std::uint32_t count = 0;
  float position = 0;
  friend bool operator==(const LoosePiece&, const LoosePiece&) = default;
};

// Segments between two communications.
struct ProfilePlace {
  struct Segment {
    Symbol symbol = 0;
    std::uint32_t count = 0;
    friend bool operator==(const Segment&, const Segment&) = default;
  };
  std::vector<Segment> segments{};
  std::uint32_t loose_segments = 0;  // number of segments that consist of `loose`
  std::vector<LoosePiece> loose{};
  std::vector<std::pair<std::uint32_t, float>> factors{};  // of times, by lane; 1 if missing
  friend bool operator==(const ProfilePlace&, const ProfilePlace&) = default;
};

// Communications of a rank in an iteration, and the places between them.
struct ProfileScript {
  struct Step {
    std::uint32_t place = no_index;  // before the communication; no_index: part of the rest
    std::uint32_t token = 0;
    std::uint32_t pool = 0;
    // Distances back to communications that this one depends on, also through computations; 1: the previous one.
    std::vector<std::uint32_t> after{};
    friend bool operator==(const Step&, const Step&) = default;
  };
  std::vector<Step> steps{};
  std::uint32_t last_place = no_index;
  friend bool operator==(const ProfileScript&, const ProfileScript&) = default;
};

struct ProfileJob {
  enum class Part : std::uint8_t { prologue, iteration, epilogue };
  static constexpr std::size_t parts = 3;
  struct Unit {
    Part part = Part::iteration;
    std::uint32_t count = 1;               // number of equal recorded iterations
    std::vector<std::uint32_t> scripts{};  // by rank
  };
  std::vector<Rank> ranks{};                // ascending
  DataRanks data{};                         // from the settings of the workload
  std::vector<std::vector<Rank>> groups{};  // numbered from 1; empty: members are unknown
  std::vector<std::vector<std::uint32_t>>
      slots{};                // by rank: group of each slot, in the order of `slots` of the profile
  std::vector<Unit> units{};  // the unit of the first iteration before other iterations
  std::vector<std::vector<double>> work_ns{};  // by rank and lane: durations of an iteration, mean
  // By part and rank: share of the profile's rest in one such part of the rank that has gaps without a place.
  std::array<std::vector<float>, parts> rest{};
};

struct WorkloadProfile {
  static constexpr int version = 1;

  std::uint32_t k = 2;
  std::vector<NodeLane> lanes{};
  std::vector<ProfileClass> classes{};
  std::vector<std::vector<SizeCluster>> sizes{};
  std::vector<SplitPool> splits{};
  std::vector<Token> tokens{};
  std::vector<std::pair<Symbol, Symbol>> rules{};
  std::vector<CostPool> pools{};
  // By symbol: the pool of each of its nodes; empty: pools of its parts.
  std::vector<std::vector<std::uint32_t>> costs{};
  // By symbol: mean correlation of the durations of two of its nodes, one digit. Experts, for example, have
  // correlated durations, as all depend on the number of tokens.
  std::vector<float> together{};
  std::vector<ProfilePlace> places{};
  // By part: pieces of all jobs without a place; positions are fractions of the part.
  std::array<std::vector<LoosePiece>, ProfileJob::parts> rest{};
  std::vector<ProfileScript> scripts{};
  std::vector<GroupSlot> slots{};
  std::vector<ProfileJob> jobs{};
};

// Returns for each lane the lane used in dependencies: the first thread for all threads, else the lane itself.
[[nodiscard]] std::vector<std::uint32_t> dependency_lanes(const std::vector<NodeLane>& lanes);

}  // namespace convert
