// SPDX-License-Identifier: MIT
// Keeps of a rank what must be known of all before any is taken apart: its communications with their order, and how
// often it has which class of nodes.
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

// The largest values of each part of a cost, at most k of each.
class LargestCosts {
 public:
  void add(const NodeCost& cost, std::uint32_t k);
  void add(const LargestCosts& other, std::uint32_t k);
  // Returns the k-th largest value of each, with two digits unless the k largest are equal; 0 if there are fewer.
  [[nodiscard]] NodeCost kth(std::uint32_t k) const;

 private:
  std::array<std::vector<std::uint64_t>, 4> values_;  // descending
};

// The longest chain of nodes of a rank that wait for each other, by durations and delays: what the rank takes at
// least, of that what it communicates. 0 where nothing tells times.
struct RankChain {
  double time_ns = 0;
  double communication_ns = 0;
};

struct RankLog {
  // A class of nodes that are no communications, by its name.
  struct Use {
    ProfileClass node_class{};
    std::string name{};
    std::uint64_t nodes = 0;
    double time_ns = 0;
    std::uint32_t part = 0;  // the only one that has it; no_index: there are several
    LargestCosts largest{};
  };
  struct Call {
    NodeId id = 0;
    std::uint32_t part = 0;
    std::uint32_t kind = 0;  // into `kinds`
    std::int64_t tag = 0;    // of a message
    NodeCost cost{};
    Range after{};  // into `after`: what it waits for, directly or through computations
  };
  // A computation that stands for many communications that others wait for through it.
  static constexpr std::uint32_t join_bit = 0x80000000;

  Rank rank = 0;
  std::string file{};
  std::uint32_t iterations = 1;
  CallPeriod period{};  // see RankParts
  RankChain chain{};
  std::vector<NodeLane> lanes{};       // in the order of first use
  std::vector<Use> uses{};             // until JobLog::take_uses()
  std::vector<CallFacts> kinds{};      // each once, but those of unequal parts
  std::vector<Call> calls{};           // in the order of the rank
  std::vector<Range> joins{};          // into `after`
  std::vector<std::uint32_t> after{};  // calls, or joins with join_bit

  [[nodiscard]] const CallFacts& facts(const Call& call) const { return kinds[call.kind]; }
};

// Throws Error(input) if the dependencies have a cycle.
[[nodiscard]] RankLog log_rank(const Trace& trace, const RankParts& parts, std::uint32_t k);

}  // namespace convert
