// SPDX-License-Identifier: MIT
#include "simulate/report/report.h"

namespace convert {

std::string symmetry_text(const ReplayResult& result) {
  const std::size_t npus = result.npus.size();
  std::string text = result.classes == 0 ? "each of " + std::to_string(npus) + " NPUs simulated"
                                         : std::to_string(result.classes) + " of " + std::to_string(npus) +
                                               " NPUs simulated, each for those that do the same";
  if (result.error_bound_ps != 0)
    text += "; times within " + format_ns(result.error_bound_ps) + " ns of those with parts that differ by a byte";
  if (!result.no_symmetry.empty()) text += "; " + result.no_symmetry;
  return text;
}

}  // namespace convert
