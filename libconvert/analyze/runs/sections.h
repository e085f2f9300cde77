// SPDX-License-Identifier: MIT
// Sections of a run's statistics, one function each.
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
  std::optional<std::string> by{};  // name, type, group or rank: adds a table of slices by this key
  double ops_per_ns = 0;            // of an NPU; 0: unknown
  std::optional<Sum> operations{};  // of all NPUs, from the traces; nothing: unknown
};

// A section, and whether a run has data for it.
struct RunSection {
  std::string_view name;
  bool (*has)(const Run& run);
  Section (*make)(const Run& run, const RunWishes& wishes);
};
[[nodiscard]] std::span<const RunSection> run_sections();

// Return the section of this name.
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

// Returns the table of operations_section(): kernels of a recording by name, or operations of a simulated run by
// name without numbers. Nodes of the CPU are omitted.
[[nodiscard]] Table operation_table(const Run& run);

}  // namespace convert
