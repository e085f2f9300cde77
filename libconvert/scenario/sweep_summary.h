// SPDX-License-Identifier: MIT
// Summarises the table of a sweep: slowdowns relative to one value of an axis, and a plot.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "page/plot/plot.h"
#include "scenario/sweep_plan.h"
#include "scenario/sweep_table.h"

namespace convert {

// Reference runs of a comparison: the runs with one value of an axis.
struct SweepReference {
  std::size_t axis = 0;
  std::size_t value = 0;  // index
};
// Parses "KEY=VALUE". Throws Error(usage) if there is no such axis or value.
[[nodiscard]] SweepReference parse_sweep_reference(const SweepPlan& plan, const std::string& text);

// Returns, by run, its total time divided by the time of the run that differs only in having the reference value;
// empty if one of the two runs is not complete.
[[nodiscard]] std::vector<std::string> slowdowns(const SweepPlan& plan, const SweepTable& table,
                                                 const SweepReference& reference);

// Returns the x axis: the first axis with several values that are quantities of one unit, else the first with
// several.
[[nodiscard]] std::size_t plot_axis(const SweepPlan& plan);
// Throws Error(usage) if there would be more than max_plot_lines.
void check_sweep_plot(const SweepPlan& plan);
// Plots total times, or slowdowns, of the complete runs: one line for each combination of the other axes.
[[nodiscard]] Plot plot_sweep(const SweepPlan& plan, const SweepTable& table,
                              const std::optional<SweepReference>& reference);

}  // namespace convert
