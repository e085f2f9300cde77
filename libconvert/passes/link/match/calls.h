// SPDX-License-Identifier: MIT
// Holds the operators of both files side by side, for pairing those without ids: names as numbers, by thread, in
// the order in which they began.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/profile.h"
#include "core/trace.h"
#include "passes/link/host_operators.h"

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
  static constexpr std::uint32_t none = 0xffffffff;

  std::int64_t sequence = -1;
  std::int64_t start_ns = 0;     // 0 for nodes of the host trace
  std::uint32_t index = 0;       // node of the host trace, or event
  std::uint32_t thread = 0;      // in HostOperators::tids, or of the profile
  std::uint32_t name = 0;        // number; the same in both files
  std::uint32_t partner = none;  // position in the other list
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

// Returns both sides with the pairs of `matching`. If ids hold, events with an id are not open.
[[nodiscard]] BothCalls both_calls(const Trace& host, const HostOperators& operators, const Profile& device,
                                   const Matching& matching);

}  // namespace convert
