// SPDX-License-Identifier: MIT
// Derived values for reports of a replay.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "simulate/engine/replay.h"
#include "simulate/report/report.h"

namespace convert {

// A time of an NPU; `of` returns it, or nothing if the NPU did not finish and therefore has none.
struct NpuTime {
  std::string_view key;  // in CSV and JSON
  std::string_view title;
  std::optional<Picoseconds> (*of)(const NpuResult& npu);
};
// Indices in npu_times.
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

// Minimum, mean and maximum of the NPUs that have a value.
struct Spread {
  std::int64_t min = 0;
  std::int64_t mean = 0;  // rounded
  std::int64_t max = 0;
  double mean_fraction = 0;  // in [0, 1): exact mean minus the mean rounded down
};
// Returns the mean, with at most `decimals` decimals: "16", "0.083".
[[nodiscard]] std::string format_mean(const Spread& spread, int decimals);
// Returns the spread of a time; nothing if no NPU has it.
[[nodiscard]] std::optional<Spread> spread(const ReplayResult& result, const NpuTime& time);
// Return the spread of the numbers of messages and of bytes that NPUs have sent.
[[nodiscard]] Spread spread_of_sends(const ReplayResult& result);
[[nodiscard]] Spread spread_of_bytes(const ReplayResult& result);
// Returns the spread of the peaks of local memory; nothing if it was not tracked.
[[nodiscard]] std::optional<Spread> spread_of_peaks(const ReplayResult& result);

// Speed of a collective, in GB/s of 10^9 bytes; nothing if it took no time, has no bytes or a
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

// Returns the name of the network model, or "recorded" or "ideal".
[[nodiscard]] std::string_view model_name(const ReplayResult& result);

// Returns the fraction of the run, up to its reached time, in which the link was busy; 0 for a run of length 0.
[[nodiscard]] double utilisation(const ReplayResult& result, const WireUse& wire);
// Returns the link that was busy longest, the first of equals; null if none was counted.
[[nodiscard]] const WireUse* bottleneck(const ReplayResult& result);

// Calls ReportOptions::drain between two elements if the text is long.
struct Drain {
  const ReportOptions& options;
  std::string& out;
  void operator()() const {
    constexpr std::size_t is_long = std::size_t{1} << 20U;
    if (options.drain && out.size() >= is_long) options.drain(out);
  }
};

}  // namespace convert
