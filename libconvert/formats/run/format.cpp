// SPDX-License-Identifier: MIT
#include "formats/format.h"

#include "core/run.h"
#include "formats/run/run.h"
#include "formats/run/tables.h"

namespace convert {
namespace {

bool sniff_run(std::string_view head) { return head.starts_with(run_file::kind.magic); }

Run read_input(const ReadContext& context) { return read_run(context.input); }

void write(std::span<const Run> runs, const FormatOptions& /*options*/, Output& out) {
  if (runs.size() != 1) throw usage_error("a run file holds one run; write each run to a separate file");
  write_run(runs.front(), out);
}

}  // namespace

extern const Format run_format;
const Format run_format = {
    .name = "run",
    .summary = "run with times and causes of its events; for et-report, et-stats, et-diff and timelines",
    .suffixes = {".run"},
    .sniff = sniff_run,
    .read_run = read_input,
    .write_runs = write,
};

}  // namespace convert
