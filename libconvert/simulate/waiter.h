// SPDX-License-Identifier: MIT
// Who is to be told when something of an NPU ends: an event of the NPU, or a message sent or received.
#pragma once

#include <cstdint>

#include "simulate/op.h"

namespace convert {

// What the end of a node needs to know of it, kept with whoever tells: the node was begun long ago, and to look it
// up again would take longer than all the rest.
struct NodeEnd {
  OpType type = OpType::invalid;
  Slot slot = Slot::communication;
  bool is_compute : 1 = false;
  bool is_leaf : 1 = false;  // no node waits for it
};

struct Waiter {
  enum Kind : std::uint8_t {
    nobody,
    op,            // a node of the NPU's trace; index: its number in the rank; with `end`
    custom_op,     // a node of a custom collective; index: CustomRuns' table
    reduction,     // a stream's local pass goes on with a reduction; index: stream
    phase_step,    // a stream's local pass is over; index: stream
    phase_recv,    // a message for a stream; index: stream
    empty_job,     // a collective without a chunk; index: job
    control_sent,  // rendezvous: the control message has arrived, so the receiver posts; index: Messages' table
    control_recv,  // rendezvous: the control message has arrived, so the sender starts; index: Messages' table
    memory,        // a remote memory access; index: RemoteMemory's table
    npu_entry,     // all of an NPU's events of one time
    bus,           // an event of the shared bus; index: SharedBus' table
  };
  Kind kind = nobody;
  NodeEnd end{};
  std::uint32_t index = 0;

  Waiter() = default;
  Waiter(Kind k, std::uint32_t i, NodeEnd e = {}) : kind(k), end(e), index(i) {}
};

}  // namespace convert
