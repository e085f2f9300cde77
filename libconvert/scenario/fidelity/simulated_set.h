// SPDX-License-Identifier: MIT
// Replays a set on several networks, for what its runs have to do with those of another set.
#pragma once

#include <string>
#include <vector>

#include "analyze/fidelity/fidelity.h"
#include "core/diagnostic.h"
#include "sets/set_source.h"

namespace convert {

// Networks, in the short form or files, on which a set compiles to one program: of one topology.
struct NetworksOfOneShape {
  std::vector<std::string> names{};
  std::size_t path_on = 0;  // the place of that on which the critical path is looked for
};

// Returns a switch and a ring of so many NPUs, each with 25, 50, 100 and 400 GB/s and 500 ns; the path is that of
// 100 GB/s.
[[nodiscard]] std::vector<NetworksOfOneShape> networks_to_compare_on(Rank npus);

// The runs of a set on networks of one shape, and what NPUs send each other there, by source and destination; empty
// if a run did not end.
struct SimulatedRuns {
  std::vector<RunOutline> runs{};
  std::vector<SentBytes> traffic{};
};
// Replays a set that can be read again, with the native algorithms of the networks and the durations that nodes
// tell. What keeps it from being replayed is RunOutline::failure. Of sets of more than `most_path_nodes` nodes the
// critical path is not looked for: it takes the times of all, and as long as some replays without.
inline constexpr std::uint64_t most_path_nodes = 5'000'000;
[[nodiscard]] SimulatedRuns simulate_set(SetSource& set, const NetworksOfOneShape& networks, std::uint64_t nodes,
                                         unsigned jobs, const Diagnostics& diagnostics);

}  // namespace convert
