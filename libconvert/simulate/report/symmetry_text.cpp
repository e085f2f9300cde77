// SPDX-License-Identifier: MIT
#include "simulate/report/report.h"

namespace convert {

std::string symmetry_text(const ReplayResult& result) {
  const std::size_t npus = result.npus.size();
  std::string text = result.classes == 0 ? "all " + std::to_string(npus) + " NPUs simulated"
                                         : std::to_string(result.classes) + " of " + std::to_string(npus) +
                                               " NPUs simulated, one per rank class";
  if (result.error_bound_ps != 0)
    text += "; times within " + format_ns(result.error_bound_ps) + " ns of exact shard sizes";
  if (!result.no_symmetry.empty()) text += "; " + result.no_symmetry;
  return text;
}

}  // namespace convert
