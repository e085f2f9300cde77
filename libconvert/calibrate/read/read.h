// SPDX-License-Identifier: MIT
// Reads logs of benchmarks of collectives. The content determines the kind of the log.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "calibrate/benchmark.h"
#include "core/diagnostic.h"

namespace convert {

// The time of a row that counts.
// - best: out of place, or the smaller time if both differ by more than 20 % (points.h)
// - out: out of place
// - in: in place, if the row has it
enum class TimeChoice : std::uint8_t { best, out, in };

struct BenchmarkReadOptions {
  // Values for logs that do not state them.
  std::optional<Collective> collective{};
  std::optional<std::uint32_t> ranks{};
  std::optional<std::uint32_t> nodes{};
  std::string xla_key{};  // machine of XLA's table; empty: the only one
  // Up to 16 GPUs a host is a node. More GPUs are a rack of several hosts: a node has this number of ranks.
  std::uint32_t gpus_of_node = 8;
  bool allow_programs = false;  // accepts times of programs that replace the library's algorithms (MSCCL++)
  TimeChoice times = TimeChoice::best;
};

// Returns the points of a log, at least one:
// - output of nccl-tests and rccl-tests, as text or by their option -J
// - JSON lines of NCCL Inspector or MSCCL++
// - XLA's table of collectives (text protobuf)
// - CSV with the columns collective, ranks, bytes, us; optionally nodes, set, machine, us2 (in place)
// Times are finite and positive, sizes are positive, ranks are at most 2^20. Throws Error(input) with the line for
// a wrong value, and for a text of another kind. Warns of rows that are omitted.
[[nodiscard]] Benchmark read_benchmark(const std::string& file, std::string_view text,
                                       const BenchmarkReadOptions& options, Diagnostics& diagnostics);

}  // namespace convert
