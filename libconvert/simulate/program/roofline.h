// SPDX-License-Identifier: MIT
// Utilisation of the peak by the COMP nodes of a rank, by the roofline model.
#pragma once

#include "core/units.h"

namespace convert {

// Sums over the COMP nodes of a rank, including CPU nodes, weighted by time. Nodes with a recorded time have no
// intensity.
struct RooflineUse {
  Picoseconds time = 0;
  Picoseconds compute_bound = 0;   // time of nodes at peak-perf
  double compute_utilisation = 0;  // share of peak-perf, times ps
  double memory_utilisation = 0;   // share of local-mem-bw, times ps
  double intensity = 0;            // operations per byte, times ps

  friend bool operator==(const RooflineUse&, const RooflineUse&) = default;
};

}  // namespace convert
