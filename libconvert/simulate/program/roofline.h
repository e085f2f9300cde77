// SPDX-License-Identifier: MIT
// Says how much of the peak the COMP nodes of a rank reach by the roofline model.
#pragma once

#include "core/units.h"

namespace convert {

// Holds sums over the COMP nodes of a rank, those of the CPU included; each weighs by its time. Nodes with a
// recorded time have no intensity.
struct RooflineUse {
  Picoseconds time = 0;
  Picoseconds compute_bound = 0;   // of nodes at the peak of operations
  double compute_utilisation = 0;  // share of peak-perf, times ps
  double memory_utilisation = 0;   // share of local-mem-bw, times ps
  double intensity = 0;            // operations per byte, times ps

  friend bool operator==(const RooflineUse&, const RooflineUse&) = default;
};

}  // namespace convert
