// SPDX-License-Identifier: MIT
// Data of a rank that are needed for all ranks before encoding: its communications in order, and the frequencies of
// its node classes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/trace.h"
#include "profile/learn/facts.h"
#include "profile/learn/parts.h"
#include "profile/workload_profile.h"

namespace convert {

// The k largest values of each component of a cost.
class LargestCosts {
 public:
  void add(const NodeCost& cost, std::uint32_t k);
  void add(const LargestCosts& other, std::uint32_t k);
  // Returns the k-th largest value of each component, rounded to two digits unless the k largest are equal; 0 if
  // there are fewer.
  [[nodiscard]] NodeCost kth(std::uint32_t k) const;

 private:
  std::array<std::vector<std::uint64_t>, 4> values_;  // descending
};

// The longest dependency chain of a rank by durations and delays: a lower bound of the rank's time, and its
// communication time. 0 if there are no times.
struct RankChain {
  double time_ns = 0;
  double communication_ns = 0;
};

struct RankLog {
  // A class of nodes that are not communications, by name.
  struct Use {
    ProfileClass node_class{};
    std::string name{};
    std::uint64_t nodes = 0;
    double time_ns = 0;
    std::uint32_t part = 0;  // the only part that has it; no_index: several
    LargestCosts largest{};
  };
  struct Call {
    NodeId id = 0;
    std::uint32_t part = 0;
    std::uint32_t kind = 0;  // into `kinds`
    std::int64_t tag = 0;    // of a message
    NodeCost cost{};
    Range after{};  // into `after`: dependencies, directly or through computations
  };
  // Marks a join: a computation through which communications depend on many others.
  static constexpr std::uint32_t join_bit = 0x80000000;

  Rank rank = 0;
  std::string file{};
  std::uint32_t iterations = 1;
  CallPeriod period{};  // see RankParts
  RankChain chain{};
  std::vector<NodeLane> lanes{};       // in order of first use
  std::vector<Use> uses{};             // until JobLog::take_uses()
  std::vector<CallFacts> kinds{};      // unique, except calls with unequal shards
  std::vector<Call> calls{};           // in the order of the rank
  std::vector<Range> joins{};          // into `after`
  std::vector<std::uint32_t> after{};  // calls, or joins with join_bit

  [[nodiscard]] const CallFacts& facts(const Call& call) const { return kinds[call.kind]; }
};

// Returns the log of a rank. Throws Error(input) if the dependencies have a cycle.
[[nodiscard]] RankLog log_rank(const Trace& trace, const RankParts& parts, std::uint32_t k);

}  // namespace convert
