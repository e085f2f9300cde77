// SPDX-License-Identifier: MIT
// Helpers for fuzz targets of readers of runs.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "common/perfetto_trace.h"
#include "core/run.h"
#include "formats/format.h"
#include "io/input.h"
#include "io/output.h"
#include "trace_fuzzing.h"

namespace convert::fuzzing {

inline Run read_run_as(const char* format, std::string_view bytes) {
  const auto input = memory_input("f", bytes);
  Diagnostics diagnostics;
  return find_format(format).read_run({*input, {}, {}, diagnostics});
}
inline std::string written_as(const std::string& to, const Run& run) {
  std::string out;
  const FormatChoice choice = parse_format_choice(to, Direction::write);
  const auto output = memory_output(out);
  choice.format->write_runs(std::span(&run, 1), choice.options, *output);
  output->close();
  return out;
}

// A valid run has meaningful times. It reads back the same as Chrome's JSON, and as Perfetto trace it is valid.
inline void check_run(const char* format, std::string_view bytes) {
  constexpr std::size_t most_bytes = std::size_t{1} << 18U;
  if (bytes.size() > most_bytes) return;
  may_refuse([&] {
    const Run run = read_run_as(format, bytes);
    for (const Slice& s : run.timeline.slices)
      check(s.begin_ps >= 0 && s.begin_ps <= s.end_ps && s.end_ps <= run.reached_ps,
            "a slice has impossible times");
    const std::string json = written_as("chrome", run);
    const std::string again = written_as("chrome", read_run_as("chrome", json));
    check(written_as("chrome", read_run_as("chrome", again)) == again, "JSON reads back differently");
    for (const char* to : {"perfetto", "perfetto,min=1us,counters=none", "perfetto,window=1us..2us"})
      check(test::faults_of(test::decode_perfetto(written_as(to, run))).empty(), "the Perfetto trace is not sound");
  });
}

}  // namespace convert::fuzzing
