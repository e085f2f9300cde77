// SPDX-License-Identifier: MIT
// Holds the operators of both files side by side and pairs those without ids: by sequence numbers, then by name and
// order. Each name has one number in both files. Operators are listed by thread, in the order in which they began.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/profile.h"
#include "core/trace.h"
#include "passes/link/host_operators.h"
#include "passes/link/report.h"

namespace convert {

struct Matching;

// Tells the calls of an operator apart.
struct CallKey {
  std::int64_t sequence = -1;
  std::uint32_t name = 0;
  bool backward = false;
  friend bool operator==(const CallKey&, const CallKey&) = default;
};
struct CallKeyHash {
  std::size_t operator()(const CallKey& k) const {
    std::uint64_t hash = static_cast<std::uint64_t>(k.sequence) * 0x9e3779b97f4a7c15U;
    hash = (hash ^ (hash >> 32U) ^ k.name) * 0xff51afd7ed558ccdU;
    return static_cast<std::size_t>((hash ^ (hash >> 29U)) + (k.backward ? 1U : 0U));
  }
};

struct Call {
  std::int64_t sequence = -1;
  std::int64_t start_ns = 0;         // 0 for nodes of the host trace
  std::uint32_t index = 0;           // node of the host trace, or event
  std::uint32_t thread = 0;          // in HostOperators::tids, or of the profile
  std::uint32_t name = 0;            // number; the same in both files
  std::uint32_t partner = no_index;  // position in the other list
  bool backward = false;
  bool open = true;  // may be paired; false if its id says that it has no partner

  [[nodiscard]] CallKey key() const { return {sequence, name, backward}; }
};

struct Calls {
  std::vector<Call> all;                              // in the order in which they began
  std::vector<std::vector<std::uint32_t>> by_thread;  // positions in `all`
};

struct BothCalls {
  Calls hosts;
  Calls events;
  std::uint32_t names = 0;

  void pair(std::uint32_t host, std::uint32_t event) {
    hosts.all[host].partner = event;
    events.all[event].partner = host;
  }
};

// Returns both sides with the pairs of `matching`. If matching.ids_hold, events with an id are not open.
[[nodiscard]] BothCalls both_calls(const Trace& host, const HostOperators& operators, const Profile& device,
                                   const Matching& matching);

// Pairs operators by autograd's sequence numbers, which both files write. Where a name, sequence number and role
// (forward or backward) occur equally often on both sides, pairs the k-th with the k-th of a thread, except pairs
// that contradict most others by thread or order. Returns whether sequence numbers count the same in both files:
// equal names with different numbers are different calls then.
bool pair_by_sequence(BothCalls& calls, LinkReport& report);

// Returns, by thread of the host trace, the thread of the profile with most of its partners, or no_index.
[[nodiscard]] std::vector<std::uint32_t> threads_by_partners(const BothCalls& calls);

// Pairs operators by name and order: those that lie between two pairs of a thread; before its first pair and after
// its last only those next to it. A thread without pairs goes with the one that shares most of its names, if they
// fit. `same_numbers`: equal names with different sequence numbers are different calls.
void pair_between(BothCalls& calls, bool same_numbers, LinkReport& report);

}  // namespace convert
