// SPDX-License-Identifier: MIT
// All numbers of a replay as text, so that two can be compared.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "simulate/report/report.h"

namespace convert::test {

// Returns them without how many NPUs were simulated for that. The replay must have come to its end.
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
