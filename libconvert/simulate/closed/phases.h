// SPDX-License-Identifier: MIT
// Finds the times of phases of collectives whose members all have one representative: what that sends comes to
// itself, so that from their first messages on nothing decides when they end but they themselves, as long as no
// other message takes their wires. Phases that begin together on an NPU are found together, as they share its
// wires.
#pragma once

#include <cstdint>
#include <vector>

#include "core/trace.h"
#include "core/units.h"
#include "simulate/networks/network.h"

namespace convert {

// Holds a message of such a phase: each is followed by the next one when it has come.
struct ClosedLeg {
  static constexpr Picoseconds none = -1;
  Picoseconds pass = 0;          // what the receiver does before it: nothing before the first one
  Picoseconds reduction = none;  // and then, registered after that
  std::int64_t distance = 1;     // to the receiver: steps round the ring, or the XOR of places
  std::uint32_t way = 0;         // in ClosedPhase::ways
};

struct ClosedWay : MessageWay {
  Rank to = 0;
  std::int64_t bytes = 0;
};

// Describes a phase on an NPU, from its first message on.
struct ClosedPhase {
  std::uint64_t ring = 0;  // another one for other neighbours
  bool exchanges = false;  // partners are found by XOR
  std::int64_t bytes = 0;  // of all messages
  std::vector<ClosedLeg> legs{};
  std::vector<ClosedWay> ways{};
  std::vector<std::uint32_t> wires{};  // of all ways
  // What follows the last message: a pass of which the end is `last_reduction`, if there is one.
  Picoseconds last_pass = 0;
  Picoseconds last_reduction = ClosedLeg::none;
};

// Tells when phases that have begun together end. Times count from their first messages.
struct ClosedTimes {
  // Whether their events come in the same order on all members; else nothing else holds.
  bool settled = true;
  struct Last {
    std::uint32_t phase = 0;  // in the order given
    Picoseconds sent = 0;     // when the last message takes its last wire, or is sent where there are none
    Picoseconds arrival = 0;  // and when it comes
    // To what that goes back: to the beginning on the member so far away (see ClosedLeg), or to something of which
    // the place among others is open.
    std::int64_t distance = 0;
    bool has_open_place = false;
  };
  std::vector<Last> last{};  // in the order in which they come
  struct Wire {
    std::uint32_t wire = 0;
    Picoseconds until = 0;
  };
  std::vector<Wire> wires{};           // that they take, up to when
  std::vector<Picoseconds> entries{};  // when passes end on the NPU, ascending
  struct Sent {
    std::uint32_t phase = 0;
    std::uint32_t leg = 0;
    Picoseconds time = 0;
  };
  std::vector<Sent> sent{};  // all messages
};

// Returns what tells these phases from others as far as closed_times() goes, but for the numbers of their wires.
[[nodiscard]] std::vector<std::int64_t> closed_shape(const std::vector<const ClosedPhase*>& phases);

// Finds the times of phases whose first messages are sent at once, in this order. Its events come as the replay's
// do: by time, then as they were pushed; the ends of passes of one time in one entry, see NpuEvents.
[[nodiscard]] ClosedTimes closed_times(const std::vector<const ClosedPhase*>& phases);

}  // namespace convert
