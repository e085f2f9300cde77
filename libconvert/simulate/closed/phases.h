// SPDX-License-Identifier: MIT
// Times of collective phases whose members all have one representative. A message that the representative sends
// arrives at the representative itself. After the first messages, the end of such phases therefore depends only on
// the phases themselves, if no other message takes their links. Phases that begin together on an NPU are computed
// together, as they share its links.
#pragma once

#include <cstdint>
#include <vector>

#include "core/trace.h"
#include "core/units.h"
#include "simulate/networks/network.h"

namespace convert {

// One message of such a phase. Each message follows the arrival of the previous one.
struct ClosedLeg {
  static constexpr Picoseconds none = -1;
  Picoseconds pass = 0;          // work of the receiver before it sends this message; 0 before the first message
  Picoseconds reduction = none;  // work registered after the pass
  std::int64_t distance = 1;     // to the receiver: steps along the ring, or the XOR of indices
  std::uint32_t way = 0;         // index in ClosedPhase::ways
};

struct ClosedWay : MessageWay {
  Rank to = 0;
  std::int64_t bytes = 0;
};

// A phase on an NPU, from its first message on.
struct ClosedPhase {
  std::uint64_t ring = 0;  // different for different neighbours
  bool exchanges = false;  // partners are found by XOR
  std::int64_t bytes = 0;  // sum of all messages
  std::vector<ClosedLeg> legs{};
  std::vector<ClosedWay> ways{};
  std::vector<std::uint32_t> wires{};  // of all routes
  // Work after the last message: a pass, which ends with `last_reduction` if there is one.
  Picoseconds last_pass = 0;
  Picoseconds last_reduction = ClosedLeg::none;
};

// End times of phases that have begun together, relative to their first messages.
struct ClosedTimes {
  // Whether the events come in the same order on all members; if not, the other fields are meaningless.
  bool settled = true;
  struct Last {
    std::uint32_t phase = 0;  // index in the order given
    Picoseconds sent = 0;     // when the last message takes its last link, or is sent in a model without links
    Picoseconds arrival = 0;  // arrival of the last message
    // Origin of the arrival: the beginning on the member at this distance (see ClosedLeg), or an event of
    // undetermined order.
    std::int64_t distance = 0;
    bool has_open_place = false;
  };
  std::vector<Last> last{};  // in order of arrival
  struct Wire {
    std::uint32_t wire = 0;
    Picoseconds until = 0;
  };
  std::vector<Wire> wires{};           // links in use, each with the end of its use
  std::vector<Picoseconds> entries{};  // ends of passes on the NPU, ascending
  struct Sent {
    std::uint32_t phase = 0;
    std::uint32_t leg = 0;
    Picoseconds time = 0;
  };
  std::vector<Sent> sent{};  // all messages
};

// Returns a key of these phases: phases with equal keys have the same closed_times(), except for the numbers of
// their links.
[[nodiscard]] std::vector<std::int64_t> closed_shape(const std::vector<const ClosedPhase*>& phases);

// Returns the times of phases whose first messages are sent at once, in this order. Events are ordered as in the
// replay: by time, then by push. Passes that end at one time share one entry; see NpuEvents.
[[nodiscard]] ClosedTimes closed_times(const std::vector<const ClosedPhase*>& phases);

}  // namespace convert
