// SPDX-License-Identifier: MIT
// Times of one collective call, by size, in the columns of nccl-tests: of et-bench, and of et-generate's table of
// sizes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/collective.h"
#include "core/units.h"

namespace convert {

struct TimedCall {
  std::int64_t bytes = 0;  // as counted in nccl-tests, see bus_bandwidth_factor()
  Picoseconds time = 0;
  std::string algorithm{};
  std::optional<Picoseconds> bound{};    // no algorithm takes less
  std::optional<Picoseconds> library{};  // time of the machine's library
  std::optional<Picoseconds> measured{};
  std::string source{};               // on a machine: origin of the time, see CallSource
  std::optional<double> error_pct{};  // on a machine: expected mean error of the time
};

struct CallSeries {
  Collective collective = Collective::all_reduce;
  std::uint32_t npus = 0;
  std::uint32_t nodes = 0;  // of a machine, that have at least one of the NPUs; 0: no machine
  std::string network{};    // as on the command line; empty: not printed
  std::string choice{};     // the algorithm as on the command line; empty: chosen by the network
  std::string benchmark{};  // with the measured times; empty: nothing is measured
  std::string_view algorithm_title = "algorithm";
  bool elements = false;  // bytes are whole elements of float32, which have columns
  std::vector<TimedCall> calls{};
};

// Elements of float32 that a rank contributes or receives, and the bytes of the call.
struct ElementCount {
  std::int64_t count = 0;
  std::int64_t bytes = 0;
};
// Rounds a size as nccl-tests do: to whole elements and, if each rank has a part, to parts of whole 16 bytes.
[[nodiscard]] ElementCount round_to_elements(Collective collective, std::int64_t bytes, std::uint32_t npus);

// Return GB/s of 10^9 bytes: bytes / time, and this rate times bus_bandwidth_factor().
[[nodiscard]] double algorithm_bandwidth(const TimedCall& call);
[[nodiscard]] double bus_bandwidth(const CallSeries& series, const TimedCall& call);

// Return one series as a table with a heading, and as a JSON object. Columns are omitted if no call has a value.
[[nodiscard]] std::string series_text(const CallSeries& series);
[[nodiscard]] std::string series_json(const CallSeries& series);

// Return several series: as tables, or side by side if a collective has several and nothing is measured; as CSV; as
// a JSON array.
[[nodiscard]] std::string all_series_text(std::span<const CallSeries> all);
[[nodiscard]] std::string all_series_csv(std::span<const CallSeries> all);
[[nodiscard]] std::string all_series_json(std::span<const CallSeries> all);

// Returns the names of series by what distinguishes them: collective, network, NPUs, algorithm, benchmark.
[[nodiscard]] std::vector<std::string> series_names(std::span<const CallSeries> all);

}  // namespace convert
