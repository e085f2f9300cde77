// SPDX-License-Identifier: MIT
// What a calibration states about its data and its result.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "calibrate/curves.h"
#include "calibrate/fit.h"
#include "machine/machine.h"

namespace convert {

enum class NoteKind : std::uint8_t { note, warning, conflict };  // conflict: the data are of two machines
struct CalibrationNote {
  NoteKind kind = NoteKind::note;
  std::string text;
};

// Returns notes about the measurements alone: sets that contradict each other, curves that are too short,
// bandwidths that the hardware does not have, networks that trees hide.
// Sets in `harness` have an unknown time of their tool; they contradict nothing.
[[nodiscard]] std::vector<CalibrationNote> notes_of_data(const Machine& hardware,
                                                         std::span<const BenchmarkCurve> curves,
                                                         const std::set<std::string>& harness);
// Returns notes about a fit: groups without data, constants that the data do not determine or that are at a bound,
// large harness times.
[[nodiscard]] std::vector<CalibrationNote> notes_of_fit(const FittedMachine& fitted,
                                                        std::span<const BenchmarkCurve> curves);

// Returns the warning about a constant at a bound of its search.
[[nodiscard]] CalibrationNote note_of_bound(const std::string& constant);

}  // namespace convert
