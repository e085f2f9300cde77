// SPDX-License-Identifier: MIT
// Run files: the result is written and reads back as the same bytes, its parts add up, and it has findings.
#include <cstdint>
#include <string>

#include "analyze/findings.h"
#include "analyze/parts.h"
#include "fuzzer.h"
#include "run_fuzzing.h"

FUZZER(run) {
  using namespace convert;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  fuzzing::may_refuse([&] {
    const Run run = fuzzing::read_run_as("run", bytes);
    const std::string again = fuzzing::written_as("run", run);
    fuzzing::check(fuzzing::written_as("run", fuzzing::read_run_as("run", again)) == again,
                   "a run reads back differently");
    for (const NpuParts& parts : parts_of(run)) {
      Picoseconds sum = 0;
      for (const Picoseconds time : parts.ps) sum += time;
      fuzzing::check(sum == window(run), "the parts of an NPU do not add up");
    }
    fuzzing::check(!findings_of(run).empty(), "a run without a headline");
  });
  fuzzing::check_run("run", bytes);
  return 0;
}
