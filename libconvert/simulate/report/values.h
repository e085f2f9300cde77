// SPDX-License-Identifier: MIT
// Computes the numbers of a report that follow from those of a replay.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "simulate/engine/replay.h"
#include "simulate/report/report.h"

namespace convert {

// Describes a time of an NPU; `of` returns it, or nothing if the NPU has none because it did not finish.
struct NpuTime {
  std::string_view key;  // in CSV and JSON
  std::string_view title;
  std::optional<Picoseconds> (*of)(const NpuResult& npu);
};
// Names the entries of npu_times.
enum NpuTimeIndex : std::size_t {
  time_finish,
  time_exposed,
  time_compute,
  time_communication,
  time_overlap,
  time_waiting,
  time_idle,
  time_memory,
  time_cpu
};
extern const std::array<NpuTime, 9> npu_times;

// Holds the lowest, mean and highest value of the NPUs that have one.
struct Spread {
  std::int64_t min = 0;
  std::int64_t mean = 0;  // rounded
  std::int64_t max = 0;
  double mean_fraction = 0;  // from 0, below 1: what the mean rounded down leaves
};
// Returns the mean, with so many decimals at most: "16", "0.083".
[[nodiscard]] std::string format_mean(const Spread& spread, int decimals);
// Returns the spread of a time; nothing if no NPU has it.
[[nodiscard]] std::optional<Spread> spread(const ReplayResult& result, const NpuTime& time);
// Return the spread of the numbers of messages and of bytes that NPUs have sent.
[[nodiscard]] Spread spread_of_sends(const ReplayResult& result);
[[nodiscard]] Spread spread_of_bytes(const ReplayResult& result);
// Returns the spread of the peaks of local memory; nothing where that was not tracked.
[[nodiscard]] std::optional<Spread> spread_of_peaks(const ReplayResult& result);

// Says how fast a collective was, in GB/s of 10^9 bytes; nothing where it took no time, has no bytes or a
// bus_bandwidth_factor() of 0.
struct CollectiveSpeed {
  std::optional<double> alg_gb_per_s{};
  std::optional<double> bus_gb_per_s{};
  std::optional<double> bound_share{};  // lower bound / time, at most 1; nothing without a bound, or beyond it
  bool beyond = false;                  // it was faster than the bound, by more than the rounding of delays
};
// Returns the speed of a collective of this kind that took `time`.
[[nodiscard]] CollectiveSpeed speed_of(const CollectiveKind& kind, Picoseconds time);
// Returns the time from the first call to the last end; nothing if the collective has not ended.
[[nodiscard]] std::optional<Picoseconds> time_of(const CollectiveResult& collective);

// Returns the name of the network's model, or of what took its place: "recorded", "ideal".
[[nodiscard]] std::string_view model_name(const ReplayResult& result);

// Returns the share of the run, as far as it came, in which the wire was busy; 0 in a run of no length.
[[nodiscard]] double utilisation(const ReplayResult& result, const WireUse& wire);
// Returns the wire that was busy longest, of several the first; null if none was counted.
[[nodiscard]] const WireUse* bottleneck(const ReplayResult& result);

// Lets ReportOptions::drain take a long text, between two elements.
struct Drain {
  const ReportOptions& options;
  std::string& out;
  void operator()() const {
    constexpr std::size_t is_long = std::size_t{1} << 20U;
    if (options.drain && out.size() >= is_long) options.drain(out);
  }
};

}  // namespace convert
