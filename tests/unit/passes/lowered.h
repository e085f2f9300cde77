// SPDX-License-Identifier: MIT
// Algorithms as traces, with names like files.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/algorithm/algorithm.h"
#include "passes/lower/lower.h"

namespace convert::test {

// The traces of all ranks.
inline std::vector<Trace> lower(const Algorithm& a, std::optional<std::int64_t> size = std::nullopt) {
  Diagnostics diagnostics;
  const Lowering lowering(a, size, diagnostics);
  std::vector<Trace> traces(a.gpus.size());
  for (Rank r = 0; r < traces.size(); ++r) {
    lowering.lower(r, traces[r]);
    traces[r].name = "t." + std::to_string(r) + ".et";
  }
  return traces;
}

}  // namespace convert::test
