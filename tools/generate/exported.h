// SPDX-License-Identifier: MIT
// Times of the MSCCL-IR programs of synthesized algorithms, by a replay on the network.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/algorithm/algorithm.h"
#include "core/units.h"
#include "scenario/synthesized/judged_builders.h"

namespace tools {

// Time of a program, and of its algorithm before the limits of a runtime changed the steps.
struct ExportedTime {
  convert::Picoseconds total = 0;
  convert::Picoseconds unlimited = 0;
};

// Returns the time of the program of `algorithm`, for a collective of `bytes`. The program is `fitted` if a runtime
// is named, else the result of runnable(). Nothing if the replay does not complete.
[[nodiscard]] std::optional<ExportedTime> exported_time(const convert::AlgorithmTimer& timer,
                                                        const convert::Algorithm& algorithm,
                                                        const convert::Algorithm* fitted, std::int64_t bytes);

// Returns "the exported program takes 12.1 us, the schedule 10.0 us: MSCCL-IR does not keep …".
[[nodiscard]] std::string exported_text(const ExportedTime& exported, convert::Picoseconds schedule, bool sums);

}  // namespace tools
