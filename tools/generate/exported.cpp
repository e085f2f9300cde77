// SPDX-License-Identifier: MIT
#include "generate/exported.h"

#include <array>
#include <cstdio>

#include "passes/lower/export.h"

namespace tools {

using namespace convert;

namespace {

// Returns whether a time is longer by more than the precision of a report.
bool is_longer(Picoseconds time, Picoseconds than) { return time > than + than / 200; }

std::string times_text(Picoseconds time, Picoseconds than) {
  std::array<char, 32> text{};
  (void)std::snprintf(text.data(), text.size(), "%.2f",
                      static_cast<double>(time) / static_cast<double>(std::max<Picoseconds>(than, 1)));
  return text.data();
}

}  // namespace

std::optional<ExportedTime> exported_time(const AlgorithmTimer& timer, const Algorithm& algorithm,
                                          const Algorithm* fitted, std::int64_t bytes) {
  Diagnostics ignored;
  const std::int64_t beyond = bytes % algorithm.chunks;
  const std::int64_t whole = bytes + (beyond == 0 ? 0 : algorithm.chunks - beyond);
  const auto unlimited = timer(runnable(algorithm, ignored), whole);
  const auto total = fitted != nullptr ? timer(*fitted, whole) : unlimited;
  if (!total || !unlimited) return std::nullopt;
  return ExportedTime{*total, *unlimited};
}

std::string exported_text(const ExportedTime& exported, Picoseconds schedule, bool sums) {
  std::string text =
      "the exported program takes " + format_time(exported.total) + ", the schedule " + format_time(schedule);
  if (!is_longer(exported.total, schedule)) return text;
  text += " (" + times_text(exported.total, schedule) + " times)";
  std::string reason;
  if (is_longer(exported.unlimited, schedule)) {
    reason = "MSCCL-IR keeps neither the order of messages on links nor their routes";
    if (sums) reason += ", and sums into one chunk wait for each other";
  }
  if (is_longer(exported.total, exported.unlimited)) {
    if (!reason.empty()) reason += "; ";
    reason += "the runtime's limits serialise steps in threadblocks";
  }
  return text + ": " + reason;
}

}  // namespace tools
