// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include "config/workload/workload.h"

namespace convert {
namespace {

constexpr double longest_ns = 9e18;

}  // namespace

std::int64_t ComputeTimes::ns(std::int64_t operations, std::int64_t bytes, bool matrix) const {
  const double computing = static_cast<double>(operations) / (peak_tflops * 1e3 * (matrix ? matrix_efficiency : 1));
  const double moving = memory_gb_per_s > 0 ? static_cast<double>(bytes) / memory_gb_per_s : 0;
  return static_cast<std::int64_t>(std::min(std::ceil(std::max(computing, moving)), longest_ns));
}

std::int64_t ComputeTimes::host_ns(std::int64_t bytes) const {
  if (host_gb_per_s == 0) return 0;
  return static_cast<std::int64_t>(std::min(std::ceil(static_cast<double>(bytes) / host_gb_per_s), longest_ns));
}

}  // namespace convert
