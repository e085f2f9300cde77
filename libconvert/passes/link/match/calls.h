// SPDX-License-Identifier: MIT
// Lists the operators of both files and pairs operators without ids: by sequence numbers, then by name and order. A
// name has the same number in both files. Operators are listed by thread, in the order in which they began.
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

// Identifies a call of an operator.
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
  std::uint32_t name = 0;            // number; equal in both files
  std::uint32_t partner = no_index;  // position in the other list
  bool backward = false;
  bool open = true;  // may be paired; false if its id shows that it has no partner

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

// Pairs operators by autograd's sequence numbers, which both files contain. If a name, sequence number and role
// (forward or backward) occur equally often on both sides, pairs the k-th calls of a thread. Omits pairs that
// contradict most others by thread or order. Returns whether sequence numbers count the same in both files; equal
// names with different numbers are then different calls.
bool pair_by_sequence(BothCalls& calls, LinkReport& report);

// Returns, by thread of the host trace, the thread of the profile with most of its partners, or no_index.
[[nodiscard]] std::vector<std::uint32_t> threads_by_partners(const BothCalls& calls);

// Pairs operators by name and order: operators between two pairs of a thread; before its first pair and after its
// last one, only adjacent operators. A thread without pairs is paired with the thread that shares most of its
// names, if they fit. `same_numbers`: equal names with different sequence numbers are different calls.
void pair_between(BothCalls& calls, bool same_numbers, LinkReport& report);

}  // namespace convert
