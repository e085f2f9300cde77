// SPDX-License-Identifier: MIT
// A machine: nodes of GPUs with a fast switch or mesh, adapters between nodes, and the constants of the collective
// library that runs on them. See et-machines(5).
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/algorithm/algorithm.h"
#include "core/collective.h"

namespace convert {

// In the order of precedence.
inline constexpr std::array<Protocol, 3> protocols = {Protocol::ll, Protocol::ll128, Protocol::simple};

// Latency of a step, and the share of a bandwidth that the steps reach, from 0 to 1.
struct StepCost {
  double step_ns = 0;
  double share = 0;
};
struct CostByProtocol {
  StepCost LL, LL128, Simple;
  [[nodiscard]] const StepCost& operator[](Protocol p) const {
    return p == Protocol::ll ? LL : p == Protocol::ll128 ? LL128 : Simple;
  }
};

// In-switch reduction (NVLink SHARP).
struct NvlsCost {
  double latency_ns = 18'000;
  double depth = 2.5;  // number of chunks under way before the first result
  double sync_ns = 3'000;
  double share = 0.62;  // of the port
  std::int64_t channels = 16;
};

// Point-to-point messages, also in an all_to_all.
struct MessageCost {
  double launch_ns = 10'000;
  StepCost LL{400, 0.2};  // a step for each peer; share of the port
  StepCost Simple{1'000, 0.8};
  double copy_bytes_per_ns = 2'000;
  std::int64_t below = 65'536;  // LL up to this number of bytes for a peer
};

// Steps between nodes; shares of the adapters.
struct AcrossCost {
  CostByProtocol ring{{5'000, 0.25}, {8'000, 0.7}, {14'000, 0.92}};
  double depth = 1;  // further chunks under way for each doubling of the nodes, in-switch reduction
  StepCost messages{10'000, 0.92};
};

// Rate of a threadblock of a custom algorithm, and the time of its steps, for a protocol.
struct ProgramRate {
  double step_ns = 0;
  double bytes_per_ns = 0;
};

// Custom algorithms.
struct ProgramCost {
  double launch_ns = 4'000;
  double step_ns = 1'000;
  double share = 0.8;                                 // of the port
  std::array<std::optional<ProgramRate>, 3> rates{};  // by protocol
};

// The collective library. Defaults are the start of a calibration.
struct LibraryCosts {
  double launch_ns = 8'000;  // of a ring or tree
  CostByProtocol ring{{800, 0.3}, {1'600, 0.6}, {3'400, 0.8}};
  std::array<StepCost, 2> tree{{{2'000, 0.15}, {5'000, 0.3}}};  // LL and Simple
  double copy_bytes_per_ns = 1'000;                             // of a rank's own part
  double reduce_bytes_per_ns = 600;
  std::optional<NvlsCost> nvls{};
  MessageCost messages{};
  AcrossCost across{};
  ProgramCost program{};
};

// GPUs that share the fast switch or mesh.
struct MachineNode {
  std::uint32_t gpus = 0;
  double port_bytes_per_ns = 0;  // of a GPU into the node, one direction; in a mesh, of the link to each other GPU
  bool mesh = false;
};

// Adapters between nodes.
struct MachineFabric {
  std::uint32_t adapters = 0;                 // of a node
  double bytes_per_ns = 0;                    // of an adapter, one direction
  std::optional<double> call_bytes_per_ns{};  // maximum that one call moves out of a node
  std::optional<std::uint32_t> leaf{};        // a call of more nodes has the bandwidth of the adapters / over
  double over = 1;
};

// A measured call. Bytes are counted as in nccl-tests: an all_gather's output of a rank, otherwise a rank's input.
struct MeasuredCall {
  Collective collective = Collective::all_reduce;
  std::uint32_t ranks = 0;
  std::uint32_t nodes = 0;
  std::int64_t bytes = 0;
  double time_ns = 0;
};

// Mean error in percent of calls below 1 MiB, below 64 MiB, and of larger calls; nothing for a band without data.
using ErrorByBand = std::array<std::optional<double>, 3>;
struct MachineAccuracy {
  std::optional<ErrorByBand> sizes{};   // between measured sizes
  std::optional<ErrorByBand> groups{};  // between measured group sizes
  std::optional<ErrorByBand> model{};   // by the formulas alone
};

struct Machine {
  std::string name{};
  std::string about{};
  std::vector<std::string> sources{};  // addresses
  std::string file{};                  // for messages; a preset's name
  MachineNode node{};
  std::optional<MachineFabric> fabric{};  // none: a single node
  std::string gpu{};                      // name of a GPU preset; empty: none
  LibraryCosts library{};
  bool has_library = false;                    // false: the constants are defaults, not calibrated
  std::map<std::string, double> harness_ns{};  // by set: time that the tool that measured it adds to a call
  std::vector<std::string> tables{};           // file names beside the file
  std::vector<MeasuredCall> measured{};
  MachineAccuracy accuracy{};
};

// Calls of fewer bytes count for no error and no calibration.
inline constexpr std::int64_t least_compared_bytes = 1024;

// Returns the index of the band of sizes in ErrorByBand.
[[nodiscard]] constexpr std::size_t size_band(double bytes) {
  return bytes < (1 << 20) ? 0 : bytes < (1 << 26) ? 1 : 2;
}

}  // namespace convert
