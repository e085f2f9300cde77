// SPDX-License-Identifier: MIT
// Time of a collective call on a machine, by formulas (specification: et-machines(5)). A call takes the least time
// of its candidates: an algorithm with a protocol.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "machine/machine.h"

namespace convert {

// A call of a group of ranks. Bytes are counted as in nccl-tests, see MeasuredCall.
struct MachineCall {
  Collective collective = Collective::all_reduce;
  std::uint32_t ranks = 1;
  std::uint32_t nodes = 1;  // nodes that have at least one of the ranks
  double bytes = 0;

  [[nodiscard]] double ranks_of_node() const { return static_cast<double>(ranks) / nodes; }
};

enum class CallMethod : std::uint8_t { ring, tree, nvls, messages, copy };
struct CallAlgorithm {
  CallMethod method = CallMethod::ring;
  Protocol protocol = Protocol::simple;  // of ring, tree and messages
};
// Returns "ring LL128", "tree Simple", "nvls", "nvls+tree" for several nodes, "messages LL", "copy".
[[nodiscard]] std::string name(CallAlgorithm algorithm, std::uint32_t nodes);

struct CallTime {
  CallAlgorithm algorithm{};
  double time_ns = 0;
  double latency_ns = 0;  // time of the same algorithm for 0 bytes
};

// Return whether the library has rings for a collective, or runs it as messages between pairs.
[[nodiscard]] bool runs_on_rings(Collective collective);
[[nodiscard]] bool runs_as_messages(Collective collective);

// Returns the candidates of a call, in the order of their precedence. A custom collective has no candidates. Throws
// Error(input) about the machine's file for several nodes without adapters.
[[nodiscard]] std::vector<CallTime> candidates(const Machine& machine, const MachineCall& any);
// Returns the fastest candidate, if there is a candidate.
[[nodiscard]] std::optional<CallTime> call_time(const Machine& machine, const MachineCall& call);

// Sets the fastest candidate's time of a call of each number of bytes, among all candidates or of one method;
// infinity without a candidate. Faster than call_time() for each.
void call_times(const Machine& machine, const MachineCall& any, std::optional<CallMethod> method,
                std::span<const double> bytes, std::span<double> times_ns);

// Returns the step and the rate of a message of a custom algorithm within a node, or between nodes. The rate of a
// threadblock limits it if the machine states it for the protocol.
[[nodiscard]] ProgramRate program_hop(const Machine& machine, bool within, std::optional<Protocol> protocol);

// Return the capacity in bytes per ns of a GPU's port, and the adapters' bandwidth for all calls of a GPU. See
// et-machines(5), "Shared links".
[[nodiscard]] double port_capacity(const Machine& machine);
[[nodiscard]] double adapter_capacity(const Machine& machine);

// Returns whether the GPUs of a node share its adapters, which are fewer; otherwise each GPU has the same number.
[[nodiscard]] bool has_shared_adapters(const Machine& machine);

// Bytes that a call moves through the port, and through the adapter, of each of its members, in each direction.
struct CallTraffic {
  double port = 0;
  double adapter = 0;
};
[[nodiscard]] CallTraffic traffic(const MachineCall& any, CallMethod method);

}  // namespace convert
