// SPDX-License-Identifier: MIT
// Compares how two sets replay.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sets/anonymized/anonymizing.h"
#include "simulate/engine/replay.h"

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
  std::array<double, replay_figures.size()> largest{};  // difference of an NPU's figure, as a share of it before
  std::optional<double> promised{};                     // of finish; nothing: none
  bool all_promised = false;                            // of the other figures too: they are equal

  [[nodiscard]] bool holds() const;
};

// Replays both as recorded, and on the network.
[[nodiscard]] std::vector<ReplayProof> prove_replays(convert::KeptSet& before, convert::AnonymizedSet& after,
                                                     const std::string& network, unsigned jobs);

}  // namespace tools
