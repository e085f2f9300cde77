// SPDX-License-Identifier: MIT
// All numbers of a replay as text, for comparisons.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "simulate/report/report.h"

namespace convert::test {

// Returns the numbers without the number of simulated NPUs. The replay must be complete.
inline std::string replay_numbers(const ReplayProgram& program, ReplayResult result) {
  EXPECT_EQ(result.status, ReplayStatus::complete);
  result.classes = 0;
  result.equivalence = nullptr;
  result.no_symmetry.clear();
  result.kinds = collective_kinds(program);
  std::string text;
  append_json(result, text);
  return text;
}

}  // namespace convert::test
