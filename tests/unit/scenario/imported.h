// SPDX-License-Identifier: MIT
// Schedules written to a file and read back as traces.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "formats/format.h"
#include "sets/schedules.h"
#include "unit/passes/lowered.h"

namespace convert::test {

// `form` of the format ten: json or csv.
inline std::vector<Trace> imported(const Schedule& s, const std::string& form) {
  std::string text;
  find_format("ten").write_schedule(
      s, FormatOptions(std::vector<std::pair<std::string, std::string>>{{"form", form}}), text);
  Diagnostics diagnostics;
  const CheckedSchedule checked =
      check_and_repair(find_format("ten").read_schedule(text, "made", {}, diagnostics), {}, diagnostics);
  EXPECT_EQ(diagnostics.errors(), 0U) << diagnostics.all().front().message;
  return lower(checked.algorithm);
}

}  // namespace convert::test
