// SPDX-License-Identifier: MIT
// Replays a set on several networks, for comparing its runs with the runs of another set.
#pragma once

#include <string>
#include <vector>

#include "analyze/fidelity/fidelity.h"
#include "core/diagnostic.h"
#include "sets/set_source.h"

namespace convert {

// Networks of one topology, in short form or as files, on which a set compiles to the same program.
struct NetworksOfOneShape {
  std::vector<std::string> names{};
  std::size_t path_on = 0;  // index of the network for the critical path
};

// Returns switches and rings of `npus` NPUs, with 25, 50, 100 and 400 GB/s and 500 ns; the critical path is for 100
// GB/s.
[[nodiscard]] std::vector<NetworksOfOneShape> networks_to_compare_on(Rank npus);

// Runs of a set on networks of one shape, and the traffic between NPUs, by source and destination; empty if a run
// did not end.
struct SimulatedRuns {
  std::vector<RunOutline> runs{};
  std::vector<SentBytes> traffic{};
};
// Replays a set that can be read again, with the native algorithms of the networks and the durations of the nodes.
// RunOutline::failure is the reason if it cannot be replayed. Sets of more than `most_path_nodes` nodes get no
// critical path: it needs the times of all nodes, and takes as long as several replays without it.
inline constexpr std::uint64_t most_path_nodes = 5'000'000;
[[nodiscard]] SimulatedRuns simulate_set(SetSource& set, const NetworksOfOneShape& networks, std::uint64_t nodes,
                                         unsigned jobs, const Diagnostics& diagnostics);

}  // namespace convert
