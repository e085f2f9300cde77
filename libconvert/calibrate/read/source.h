// SPDX-License-Identifier: MIT
// The text of a log, and what all its readers share: messages with a place, checks of values, names of collectives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "calibrate/benchmark.h"
#include "calibrate/read/read.h"
#include "core/diagnostic.h"

namespace convert {

struct BenchmarkSource {
  const std::string& file;
  std::string_view text;
  const BenchmarkReadOptions& options;
  Diagnostics& diagnostics;

  // Line 0: a finding about the whole file.
  [[nodiscard]] Error failure(std::uint32_t line, const std::string& message) const;
  void warn(std::uint32_t line, const std::string& message) const;

  // Return a value from its text. Throw Error(input) that names it `noun` if it is out of range.
  [[nodiscard]] double time_ns(std::uint32_t line, std::string_view noun, std::string_view word,
                               double unit_ns) const;
  // Checks a time that was computed from `word`.
  [[nodiscard]] double checked_ns(std::uint32_t line, std::string_view noun, double ns,
                                  std::string_view word) const;
  [[nodiscard]] std::int64_t bytes(std::uint32_t line, std::string_view noun, std::string_view word) const;
  [[nodiscard]] std::uint32_t ranks(std::uint32_t line, std::string_view noun, std::string_view word) const;
  // Returns bytes x factor.
  [[nodiscard]] std::int64_t times(std::uint32_t line, std::int64_t bytes, std::uint32_t factor) const;
  // Returns the number of nodes of a group of ranks on a number of hosts, if known.
  [[nodiscard]] std::optional<std::uint32_t> nodes(std::uint32_t ranks, std::optional<std::uint32_t> hosts) const;
};

inline constexpr std::uint32_t most_benchmark_ranks = 1U << 20U;

// Returns the collective of a program of nccl-tests (all_reduce_perf, alltoall_perf_mpi) or of a call (AllReduce,
// collective-permute); nothing if a machine has no time for it.
[[nodiscard]] std::optional<Collective> benchmark_collective(std::string_view name);

// Returns a text of the log for messages: in quotes, shortened.
[[nodiscard]] std::string shown_word(std::string_view text);

// Lines of a text, without their ends.
class BenchmarkLines {
 public:
  explicit BenchmarkLines(std::string_view text) : text_(text) {}
  // Moves to the next line. Returns false at the end.
  [[nodiscard]] bool next();
  [[nodiscard]] std::string_view line() const { return line_; }
  [[nodiscard]] std::uint32_t number() const { return number_; }

 private:
  std::string_view text_;
  std::string_view line_{};
  std::size_t at_ = 0;
  std::uint32_t number_ = 0;
};

// Returns the error for times of MSCCL++.
[[nodiscard]] Error programs_refused(const BenchmarkSource& source);
// Readers of one kind each.
[[nodiscard]] Benchmark read_nccl_log(const BenchmarkSource& source);
[[nodiscard]] Benchmark read_nccl_json(const BenchmarkSource& source);
[[nodiscard]] Benchmark read_inspector(const BenchmarkSource& source);
[[nodiscard]] Benchmark read_mscclpp(const BenchmarkSource& source);
[[nodiscard]] Benchmark read_xla_table(const BenchmarkSource& source);
[[nodiscard]] Benchmark read_benchmark_csv(const BenchmarkSource& source);
// Return whether the text is of this kind.
[[nodiscard]] bool is_nccl_log(std::string_view text);
[[nodiscard]] bool is_benchmark_csv(std::string_view text);

}  // namespace convert
