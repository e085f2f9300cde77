// SPDX-License-Identifier: MIT
// Waiters: recipients of due events of an NPU, and of sent or received messages.
#pragma once

#include <cstdint>

#include "simulate/program/op.h"

namespace convert {

// Recipient of an end or an arrival: a node of an NPU's trace, a stream of a collective, or an entry of a table.
// Has 64 bits, which fit into a register.
class Waiter {
 public:
  enum Kind : std::uint8_t {
    nobody,
    op,             // a node of the NPU's trace; index: its number in the rank; with `end`
    launch,         // a node of the NPU's trace begins, after the launch of its program; index: as with op
    custom_op,      // a node of a custom collective; index: CustomRuns' table
    custom_launch,  // such a node begins, after the launch of its program; index: the same
    reduction,      // a stream's local pass continues with a reduction; index: stream
    phase_step,     // a stream's local pass has ended; index: stream
    phase_recv,     // a message for a stream; index: stream
    phase_sent,     // a message of a stream's tree or star has arrived; index: stream
    empty_job,      // a collective without a chunk; index: job
    control_sent,   // rendezvous: the control message has arrived, so the receiver posts; index: Messages' table
    control_recv,   // rendezvous: the control message has arrived, so the sender starts; index: Messages' table
    memory,         // a remote memory access; index: RemoteMemory's server
    npu_entry,      // all simultaneous events of an NPU; index: NpuEvents' entry
    bus,            // an event of the shared bus; index: its side and kind
  };
  Waiter() = default;  // nobody
  Waiter(Kind kind, std::uint32_t index, NodeEnd end = {})
      : bits_(std::uint64_t{index} << 32U | std::uint64_t{end.bits()} << 8U | kind) {}

  [[nodiscard]] Kind kind() const { return static_cast<Kind>(bits_ & 0xffU); }
  [[nodiscard]] std::uint32_t index() const { return static_cast<std::uint32_t>(bits_ >> 32U); }
  [[nodiscard]] NodeEnd end() const { return NodeEnd(static_cast<std::uint32_t>(bits_ >> 8U & 0xffffffU)); }

 private:
  std::uint64_t bits_ = 0;
};

}  // namespace convert
