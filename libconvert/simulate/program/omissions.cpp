// SPDX-License-Identifier: MIT
#include "simulate/program/omissions.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <limits>

#include "graph/communication_marks.h"

namespace convert {
namespace {

std::uint64_t sum(std::uint64_t a, std::uint64_t b) {
  std::uint64_t out = 0;
  return __builtin_add_overflow(a, b, &out) ? std::numeric_limits<std::uint64_t>::max() : out;
}

std::string nodes(std::uint64_t n, const char* kind, const char* one, const char* several) {
  return counted(n, std::string(kind) + " node") + ' ' + (n == 1 ? one : several);
}

std::string percentage(double share) {
  std::array<char, 32> text{};
  (void)std::snprintf(text.data(), text.size(), "%.1f %%", 100 * share);
  return text.data();
}

}  // namespace

Omissions& Omissions::operator+=(const Omissions& other) {
  untimed_communication += other.untimed_communication;
  untimed_computation += other.untimed_computation;
  timeless += other.timeless;
  timed += other.timed;
  communications += other.communications;
  unknown += other.unknown;
  unknown_ns = sum(unknown_ns, other.unknown_ns);
  kernelless += other.kernelless;
  kernelless_ns = sum(kernelless_ns, other.kernelless_ns);
  missing += other.missing;
  delayed += other.delayed;
  delay_ns = sum(delay_ns, other.delay_ns);
  return *this;
}

Omissions Omissions::since(const Omissions& before) const {
  return {.untimed_communication = untimed_communication - before.untimed_communication,
          .untimed_computation = untimed_computation - before.untimed_computation,
          .timeless = timeless - before.timeless,
          .timed = timed - before.timed,
          .communications = communications - before.communications,
          .unknown = unknown - before.unknown,
          .unknown_ns = unknown_ns - before.unknown_ns,
          .kernelless = kernelless - before.kernelless,
          .kernelless_ns = kernelless_ns - before.kernelless_ns,
          .missing = missing - before.missing,
          .delayed = delayed - before.delayed,
          .delay_ns = delay_ns - before.delay_ns};
}

std::vector<std::string> without_time(const Omissions& omitted) {
  std::vector<std::string> texts;
  if (const std::uint64_t n = omitted.untimed_communication; n != 0)
    texts.push_back(nodes(n, "communication", "has", "have") + " no recorded duration");
  if (const std::uint64_t n = omitted.untimed_computation; n != 0)
    texts.push_back(nodes(n, "COMP", "states", "state") + " operations but no duration and take" +
                    (n == 1 ? "s" : "") +
                    " at most 1 ns: set a peak rate with et-generate --set time.peak=989TFLOPS, or with "
                    "roofline-enabled and peak-perf in et-replay --system");
  // Sets that only communicate have a few such nodes for NPUs without work.
  if (const std::uint64_t n = omitted.timeless; n > omitted.communications && omitted.timed == 0)
    texts.push_back(nodes(n, "COMP", "states", "state") +
                    " neither a duration nor operations: all computation together takes almost no time");
  return texts;
}

void warn_of_times(const Omissions& omitted, Diagnostics& diagnostics) {
  for (const std::string& text : without_time(omitted)) diagnostics.warning({}, "times", text);
}

std::vector<std::string> notes_of(const Omissions& omitted, std::size_t ranks, Picoseconds total_ps,
                                  double compute_ps) {
  std::vector<std::string> notes;
  if (const std::uint64_t n = omitted.unknown; n != 0) {
    const double share = static_cast<double>(omitted.unknown_ns) * ps_per_ns / std::max(compute_ps, 1.0);
    notes.push_back(nodes(n, "COMP", "communicates", "communicate") +
                    " by an unknown collective "
                    "(communication_unknown): " +
                    percentage(share) + " of the computation time is communication");
  }
  const auto in_ps = [](double ps) { return static_cast<Picoseconds>(std::min(ps, 9e18)); };
  if (omitted.kernelless != 0)
    notes.push_back(
        kernelless_text(omitted.kernelless, in_ps(static_cast<double>(omitted.kernelless_ns) * ps_per_ns)));
  if (omitted.missing != 0) notes.push_back(missing_text(omitted.missing));
  constexpr double least_share = 0.01;
  const double delay_ps =
      static_cast<double>(omitted.delay_ns) * ps_per_ns / static_cast<double>(std::max<std::size_t>(ranks, 1));
  if (omitted.delayed != 0 && delay_ps >= least_share * static_cast<double>(total_ps)) {
    notes.push_back("the recorded start delays of " + counted(omitted.delayed, "node") + " are not simulated, " +
                    format_time(in_ps(delay_ps)) +
                    " per rank on average: use --compute recorded --comm recorded to include them");
  }
  return notes;
}

}  // namespace convert
