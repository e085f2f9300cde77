// SPDX-License-Identifier: MIT
// Sums up the whole table of a sweep: slowdowns relative to one value of an axis, and a plot.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "scenario/plot/plot.h"
#include "scenario/sweep_plan.h"
#include "scenario/sweep_table.h"

namespace convert {

// Names the runs to compare with: those of one value of an axis.
struct SweepReference {
  std::size_t axis = 0;
  std::size_t value = 0;  // index
};
// Reads "KEY=VALUE". Throws Error(usage) if there is no such axis or value.
[[nodiscard]] SweepReference parse_sweep_reference(const SweepPlan& plan, const std::string& text);

// Returns, by run, its total time over that of the run that differs from it only in having the reference's value;
// empty if one of them is not complete.
[[nodiscard]] std::vector<std::string> slowdowns(const SweepPlan& plan, const SweepTable& table,
                                                 const SweepReference& reference);

// Returns the axis of x: the first whose several values are quantities of one unit, else the first with several.
[[nodiscard]] std::size_t plot_axis(const SweepPlan& plan);
// Throws Error(usage) if there would be more than max_plot_lines.
void check_sweep_plot(const SweepPlan& plan);
// Plots total times, or slowdowns, of the runs that are complete: a line for each combination of the other axes.
[[nodiscard]] Plot plot_sweep(const SweepPlan& plan, const SweepTable& table,
                              const std::optional<SweepReference>& reference);

}  // namespace convert
