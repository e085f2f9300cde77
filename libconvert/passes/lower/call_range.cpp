// SPDX-License-Identifier: MIT
#include "passes/lower/call_range.h"

#include <algorithm>
#include <cmath>

#include "core/algorithm/messages.h"
#include "core/units.h"
#include "passes/verify/verify.h"

namespace convert {

CallRange calls_around(std::int64_t bytes) { return {bytes / 2, bytes > INT64_MAX / 2 ? 0 : 2 * bytes}; }

std::int64_t calls_between(std::int64_t bytes, std::int64_t next, std::int32_t chunks) {
  const auto mean =
      static_cast<std::int64_t>(std::sqrt(static_cast<double>(bytes)) * std::sqrt(static_cast<double>(next)));
  const std::int64_t whole = mean - mean % (std::int64_t{2} * chunks);
  return std::clamp(whole > bytes ? whole : mean, bytes + 1, next);
}

std::optional<std::int64_t> set_calls(Algorithm& a, const CallRange& range, const RuntimeLimits* target) {
  a.min_bytes = range.min;
  a.max_bytes = range.max;
  const std::int64_t message = target != nullptr ? message_bytes(a.protocol, a.collective, *target)
                                                 : least_message_bytes(a.protocol, a.collective);
  const std::optional<std::int64_t> most = most_bytes_without_hang(make_step_graph(a), message);
  if (!most || *most == 0 || (range.max != 0 && range.max <= *most)) return std::nullopt;
  a.max_bytes = *most;
  if (range.min > *most) a.min_bytes = 0;
  return most;
}

std::string call_note(const Algorithm& a, bool declared, std::int64_t bytes) {
  if (a.scheduled || bytes <= 0) return {};
  const std::string call = "a call of " + counted(bytes, "byte");
  const std::int64_t max = a.max_bytes.value_or(0);
  if (declared && (bytes < a.min_bytes.value_or(0) || (max != 0 && bytes > max))) {
    return "no runtime uses the program for " + call + ": it accepts calls of " +
           std::to_string(a.min_bytes.value_or(0)) + " (minBytes) to " +
           (max == 0 ? "any number of bytes" : std::to_string(max) + " bytes (maxBytes)");
  }
  Algorithm called = a;
  const auto most = set_calls(called, {0, bytes});
  if (!most) return {};
  return call + " hangs on the runtimes: steps of several chunks hang in calls of more than " +
         counted(*most, "byte");
}

void assume_calls(Algorithm& a) {
  if (!a.max_bytes && !a.scheduled) (void)set_calls(a, {a.min_bytes.value_or(0), written_max_bytes(a)});
}

}  // namespace convert
