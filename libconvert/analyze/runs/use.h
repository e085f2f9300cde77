// SPDX-License-Identifier: MIT
// Operations of a run and the peak of its NPUs, from the settings of the run.
#pragma once

#include <string>

#include "core/run.h"

namespace convert {

struct RunUse {
  double operations = -1;  // of all NPUs; -1: unknown
  double peak_per_s = 0;   // operations a second of an NPU; 0: unknown
  double tflops = 0;       // 10^12 operations per second of an NPU, mean; 0: unknown
  double mfu = -1;         // tflops as a share of the peak (model FLOPs utilisation); -1: unknown
};
// Returns the use according to the settings "operations" and "peak". `operations` >= 0 and `peak_per_s` > 0 replace
// the settings.
[[nodiscard]] RunUse use_of(const Run& run, double operations = -1, double peak_per_s = 0);
// Adds the settings; a `peak_per_s` of 0 is unknown.
void tell_use(Run& run, const std::string& operations, double peak_per_s);

}  // namespace convert
