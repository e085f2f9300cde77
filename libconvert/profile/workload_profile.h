// SPDX-License-Identifier: MIT
// Holds what was learned of recorded jobs, to make sets of traces like them: statistics alone, each of at least k
// occurrences.
//
// What a rank does between two communications is a segment: a sequence of tokens, each a class of nodes in a lane
// with the nodes that it waits for, told by their distance. Segments are built of pieces by rules (Re-Pair,
// Larsson and Moffat 2000), each of which stands at least k times in the recordings.
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

// What a node costs; 0: not told.
struct NodeCost {
  std::uint64_t duration_ns = 0;
  std::uint64_t delay_ns = 0;    // start_delay_nanos
  std::uint64_t operations = 0;  // num_ops
  std::uint64_t bytes = 0;       // tensor_size
  friend auto operator<=>(const NodeCost&, const NodeCost&) = default;
};

// Says in which of its groups a rank communicates.
struct GroupSlot {
  static constexpr std::uint32_t all_ranks = 0;
  std::uint32_t kind = all_ranks;  // from 1 on: into WorkloadProfile::group_kinds, plus 1
  std::uint32_t ordinal = 0;       // among those of the kind that the rank belongs to
  friend auto operator<=>(const GroupSlot&, const GroupSlot&) = default;
};

// What a communication says besides its group or peer and its size.
struct CommDetails {
  std::int64_t root = -1;        // the root's place in the group
  std::int64_t bytes_out = -1;   // comm_bytes_out
  std::int64_t group_size = -1;  // as the attribute tells it
  std::int64_t priority = -1;    // comm_priority
  std::string dims{};            // involved_dim, '0' and '1'
  std::string dtype{};           // comm_dtype, of known types
  friend auto operator<=>(const CommDetails&, const CommDetails&) = default;
};

struct ProfileClass {
  NodeType type = NodeType::comp;
  bool on_cpu = false;
  std::int64_t location = -1;  // tensor_loc
  bool optimizer = false;      // is_optimizer(): sharded, it has less to do where more ranks share
  // Of communications:
  std::int32_t collective = -1;     // comm_type
  std::int64_t size = -1;           // comm_size, bytes; -1: drawn from `sizes`
  std::uint32_t sizes = no_index;   // into WorkloadProfile::sizes
  std::uint32_t splits = no_index;  // into WorkloadProfile::splits: then size and parts for each rank are drawn
  GroupSlot slot{};
  std::int64_t offset = 0;  // of a message: peer - own rank
  CommDetails details{};
  friend auto operator<=>(const ProfileClass&, const ProfileClass&) = default;

  [[nodiscard]] bool communicates() const { return type >= NodeType::comm_send && type <= NodeType::comm_coll; }
};

// A node that a node waits for: the `back`-th latest of a lane or of a class, 0: the latest. All threads of the
// host count as one lane, see dependency_lanes().
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
  // How long nodes take that take much longer than others of the class, such as waits: log_4 of the ns; else 0.
  std::uint32_t magnitude = 0;
  std::vector<TokenDep> deps{};  // ascending, each once
  friend auto operator<=>(const Token&, const Token&) = default;
};

// A token, or the rule number symbol - tokens.size().
using Symbol = std::uint32_t;

// The mean of `count` values that lie next to each other in a pool, and how far their durations spread.
struct CostCluster {
  NodeCost mean{};
  float spread = 0;  // standard deviation of the duration / its mean, one digit
  std::uint32_t count = 0;
  friend auto operator<=>(const CostCluster&, const CostCluster&) = default;
};
using CostPool = std::vector<CostCluster>;  // ascending

struct SizeCluster {
  std::int64_t bytes = 0;  // the mean, two digits
  std::uint32_t count = 0;
  friend bool operator==(const SizeCluster&, const SizeCluster&) = default;
};

// The parts of an all-to-all whose ranks send each other unequal ones.
struct SplitPool {
  std::vector<SizeCluster> sizes{};  // bytes that a rank sends, mean of the ranks of a call
  // Standard deviation / mean, over the ranks of a call, of what they send and of what they receive; 0: all the
  // same.
  float sent_spread = 0;
  float received_spread = 0;
  friend bool operator==(const SplitPool&, const SplitPool&) = default;
};

// A piece of segments of which no order is known: how often it stands about where, as a part of the whole.
struct LoosePiece {
  Symbol symbol = 0;
  std::uint32_t count = 0;
  float position = 0;
  friend bool operator==(const LoosePiece&, const LoosePiece&) = default;
};

// What stands between two communications.
struct ProfilePlace {
  struct Segment {
    Symbol symbol = 0;
    std::uint32_t count = 0;
    friend bool operator==(const Segment&, const Segment&) = default;
  };
  std::vector<Segment> segments{};
  std::uint32_t loose_segments = 0;  // that are made of `loose`
  std::vector<LoosePiece> loose{};
  std::vector<std::pair<std::uint32_t, float>> factors{};  // of times, by lane; 1 where none is told
  friend bool operator==(const ProfilePlace&, const ProfilePlace&) = default;
};

// The communications of a rank in an iteration, and what stands between them.
struct ProfileScript {
  struct Step {
    std::uint32_t place = no_index;  // before the communication; no_index: part of the rest
    std::uint32_t token = 0;
    std::uint32_t pool = 0;
    // How far back the communications are, 1: the one before, for which it waits, be it through computations.
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
    std::uint32_t count = 1;               // recorded iterations that are like this
    std::vector<std::uint32_t> scripts{};  // by rank
  };
  std::vector<Rank> ranks{};                // ascending
  DataRanks data{};                         // as the settings of the workload tell
  std::vector<std::vector<Rank>> groups{};  // from 1 on; empty: members are not known
  std::vector<std::vector<std::uint32_t>>
      slots{};                                 // by rank: group of each slot, as `slots` of the profile lists them
  std::vector<Unit> units{};                   // that of the first iteration before others
  std::vector<std::vector<double>> work_ns{};  // by rank and lane: durations of an iteration, mean
  // By part and rank: how much of the profile's rest is in one such part of the rank that has gaps without a place.
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
  // By symbol: the pool of each of its nodes; empty: as its parts have them.
  std::vector<std::vector<std::uint32_t>> costs{};
  // By symbol: how far the durations of its nodes are long and short together: the mean correlation of two of them,
  // one digit; as those of experts are, which have more or fewer tokens.
  std::vector<float> together{};
  std::vector<ProfilePlace> places{};
  // By part: what has no place, of all jobs; positions as a part of that part.
  std::array<std::vector<LoosePiece>, ProfileJob::parts> rest{};
  std::vector<ProfileScript> scripts{};
  std::vector<GroupSlot> slots{};
  std::vector<ProfileJob> jobs{};
};

// Returns the lane that stands for all threads: the first of them; for other lanes the lane itself.
[[nodiscard]] std::vector<std::uint32_t> dependency_lanes(const std::vector<NodeLane>& lanes);

}  // namespace convert
