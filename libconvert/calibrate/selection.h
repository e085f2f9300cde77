// SPDX-License-Identifier: MIT
// A benchmark on the command line: FILE[,KEY=VALUE...], which rows of it to use, and how.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "calibrate/curves.h"
#include "calibrate/read/read.h"
#include "core/diagnostic.h"

namespace convert {

struct BenchmarkSelection {
  std::string file{};
  BenchmarkReadOptions read{};
  std::string name{};  // of the set; empty: as stated, else the file's name
  // Rows to use; empty: all.
  std::vector<std::string> sets{}, machines{};
  std::vector<Collective> collectives{};
  std::vector<std::uint32_t> ranks{};
  std::optional<CallMethod> algorithm{};  // that was set for the run: ring or tree
  std::optional<double> harness_ns{};     // that the benchmark adds to each call
  std::optional<bool> fits_harness{};     // nothing: as the kind of the benchmark requires
};

// Parses an operand such as "given.csv,set=N1+N2,overhead=fit". Throws Error(usage) for an unknown key and a bad
// value.
[[nodiscard]] BenchmarkSelection parse_benchmark_selection(const std::string& operand);

// Returns the rows of a benchmark that are selected, with the name of the set if it is given. Throws Error(input)
// if no row is selected.
[[nodiscard]] Benchmark select_rows(const BenchmarkSelection& selection, Benchmark benchmark);

// Curves of a benchmark, and whether their harness is to be fitted.
struct SelectedCurves {
  BenchmarkCurves curves{};
  bool fits_harness = false;
};
// Returns the curves of the selected rows of a benchmark that was read with the options of the selection. Calls
// without a number of nodes have as few as possible. Throws Error(input) if no row is selected.
[[nodiscard]] SelectedCurves select_curves(const BenchmarkSelection& selection, const Benchmark& rows,
                                           std::uint32_t gpus_of_node, Diagnostics& diagnostics);

}  // namespace convert
