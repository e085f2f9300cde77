// SPDX-License-Identifier: MIT
#include "load/schedules.h"

#include <utility>

#include "core/units.h"
#include "passes/ten/check.h"
#include "passes/ten/program.h"
#include "passes/ten/retime.h"
#include "util/log.h"

namespace convert {
namespace {

std::string us(Picoseconds time) { return format_exact(time, ps_per_us) + " us"; }

// What is wrong with the times is mended by new ones; what is wrong with the links is not.
Schedule repaired(const Schedule& schedule, Diagnostics& diagnostics) {
  const auto findings = diagnostics.sibling();
  Schedule timed;
  const Flow flow = check_schedule(schedule, timed, *findings);
  for (const Diagnostic& d : findings->all()) {
    if (d.rule == "R1") diagnostics.add(d);
  }
  if (diagnostics.errors() != 0 || flow.redundant.empty()) return schedule;
  Schedule out = repair(schedule, flow, diagnostics);
  log_info("repaired: " + counted(schedule.transfers.size() - out.transfers.size(), "redundant transfer") +
           " dropped, new times by the order on the links");
  return out;
}

}  // namespace

ScheduleOptions schedule_options(const FormatOptions& options) {
  ScheduleOptions out;
  if (const auto text = options.get("repair")) {
    if (*text != "yes" && *text != "no") throw usage_error("repair=" + *text + ": expected yes or no");
    out.repair = *text == "yes";
  }
  if (const auto text = options.get("elem_bytes")) {
    const auto bytes = parse_int(*text);
    if (!bytes || *bytes < 1) throw usage_error("elem_bytes=" + *text + ": expected a number of bytes from 1 on");
    out.element_bytes = *bytes;
  }
  return out;
}

CheckedSchedule check_and_repair(Schedule schedule, const ScheduleOptions& options, Diagnostics& diagnostics) {
  CheckedSchedule out;
  if (options.repair) schedule = repaired(schedule, diagnostics);
  Schedule timed;
  const Flow flow = check_schedule(schedule, timed, diagnostics);
  out.schedule = std::move(schedule);
  out.algorithm.file = out.schedule.file;
  out.algorithm.name = out.schedule.name;
  if (diagnostics.errors() != 0) return out;
  const auto claimed = out.schedule.claimed_ps ? out.schedule.claimed_ps : written_time(out.schedule);
  log_info(out.schedule.name + ": " + counted(out.schedule.transfers.size(), "transfer") + ", " +
           (claimed ? "claims " + us(*claimed) + ", " : std::string()) + "replayed by its order " +
           us(replayed_time(timed, flow)));
  out.algorithm = make_algorithm(out.schedule, timed, flow);
  out.algorithm.element_bytes = options.element_bytes;
  return out;
}

}  // namespace convert
