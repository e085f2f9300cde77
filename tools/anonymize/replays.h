// SPDX-License-Identifier: MIT
// Compares the replays of two sets.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/trace.h"
#include "core/units.h"
#include "sets/anonymized/anonymizing.h"

namespace tools {

inline constexpr std::array<std::string_view, 4> replay_figures = {"finish", "compute", "communication", "exposed"};
using NpuFigures = std::array<convert::Picoseconds, replay_figures.size()>;

struct ReplayOutcome {
  std::string status;  // "complete", "deadlock", …; "not replayed (rule groups)"
  convert::Picoseconds total_ps = 0;
  std::map<convert::Rank, NpuFigures> npus{};
};

struct ReplayProof {
  std::string how;  // "as recorded", or the network
  ReplayOutcome before, after;
  bool equal = false;                                   // status, and all figures of all NPUs
  std::array<double, replay_figures.size()> largest{};  // relative difference of a metric of an NPU
  std::optional<double> promised{};                     // bound for finish; unset: no bound
  bool all_promised = false;                            // all metrics are promised to be equal

  [[nodiscard]] bool holds() const;
};

// Replays both sets as recorded, and on the network.
[[nodiscard]] std::vector<ReplayProof> prove_replays(convert::KeptSet& before, convert::AnonymizedSet& after,
                                                     const std::string& network, unsigned jobs);

}  // namespace tools
