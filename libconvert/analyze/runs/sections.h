// SPDX-License-Identifier: MIT
// Lists the sections of a run's statistics, one function each.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "analyze/figures/figures.h"
#include "core/run.h"

namespace convert {

struct RunWishes {
  std::optional<std::string> by{};  // name, type, group, rank: a table of slices by that
  double ops_per_ns = 0;            // of an NPU; 0: not told
  std::optional<Sum> operations{};  // of all NPUs, from the traces; nothing: not known
};

// A section, and whether a run has anything to tell there.
struct RunSection {
  std::string_view name;
  bool (*has)(const Run& run);
  Section (*make)(const Run& run, const RunWishes& wishes);
};
[[nodiscard]] std::span<const RunSection> run_sections();

// Return the sections of that name.
[[nodiscard]] Section time_section(const Run& run, const RunWishes& wishes);
[[nodiscard]] Section operations_section(const Run& run, const RunWishes& wishes);
[[nodiscard]] Section overlap_section(const Run& run, const RunWishes& wishes);
[[nodiscard]] Section skew_section(const Run& run, const RunWishes& wishes);
[[nodiscard]] Section calls_section(const Run& run, const RunWishes& wishes);
[[nodiscard]] Section iterations_section(const Run& run, const RunWishes& wishes);
[[nodiscard]] Section traffic_section(const Run& run, const RunWishes& wishes);
[[nodiscard]] Section links_section(const Run& run, const RunWishes& wishes);
[[nodiscard]] Section run_path_section(const Run& run, const RunWishes& wishes);
[[nodiscard]] Section run_memory_section(const Run& run, const RunWishes& wishes);
[[nodiscard]] Section use_section(const Run& run, const RunWishes& wishes);

// Returns the table of operations_section(): kernels of a recording by name, operations of a simulated run by name
// without numbers, and without nodes of the CPU.
[[nodiscard]] Table operation_table(const Run& run);

}  // namespace convert
