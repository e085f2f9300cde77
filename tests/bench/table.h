// SPDX-License-Identifier: MIT
// One table for all benchmarks: what was measured, per unit, beside its floor and its limit.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>

namespace bench {

// The table's head, unless another benchmark of the same run has printed it (ETKIT_BENCH_HEAD=0).
inline void print_head() {
  const char* head = std::getenv("ETKIT_BENCH_HEAD");
  if (head != nullptr && *head == '0') return;
  std::printf("%-60s %10s %-8s %10s %8s %7s  %s\n", "what", "units", "unit", "ns/unit", "MB/s", "ratio", "limit");
}

// Zeros are left out. `ratio` is to the floor that `what` names.
inline void print_row(const std::string& what, double units, const char* unit, double ns_per_unit, double mb_per_s,
                      double ratio, const std::string& limit) {
  const auto cell = [](double value, const char* format) {
    char text[32] = "-";
    if (value != 0) std::snprintf(text, sizeof text, format, value);
    return std::string(text);
  };
  std::printf("%-60s %10.0f %-8s %10s %8s %7s  %s\n", what.c_str(), units, unit, cell(ns_per_unit, "%.1f").c_str(),
              cell(mb_per_s, "%.0f").c_str(), cell(ratio, "%.2f").c_str(), limit.c_str());
}

}  // namespace bench
