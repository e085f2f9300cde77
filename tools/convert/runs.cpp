// SPDX-License-Identifier: MIT
#include "convert/runs.h"

#include <string>

#include "core/units.h"
#include "io/output.h"
#include "sets/sink.h"
#include "util/log.h"

namespace tools {

using namespace convert;

namespace {

std::string compression_suffix(const FormatOptions& options) {
  const std::string text = options.get("compress").value_or("none");
  if (text == "none") return "";
  if (text == "gz" || text == "zst") return "." + text;
  throw usage_error("compress=" + text + ": expected gz, zst or none");
}

}  // namespace

std::optional<FormatChoice> run_target(const OutputOptions& output, bool timeline) {
  if (output.to) {
    FormatChoice choice = parse_format_choice(*output.to, Direction::write);
    if (choice.format->write_runs != nullptr) return choice;
    if (timeline)
      throw usage_error("et-timeline -t " + std::string(choice.format->name) +
                        ": a timeline is written as perfetto, chrome or run");
    return std::nullopt;
  }
  const Format* const by_suffix = output.path ? run_format_by_suffix(*output.path) : nullptr;
  if (timeline) return FormatChoice{by_suffix != nullptr ? by_suffix : &find_format("perfetto"), {}};
  if (by_suffix == nullptr || format_by_suffix(*output.path, Direction::write) != by_suffix) return std::nullopt;
  return FormatChoice{by_suffix, {}};
}

FormatChoice target_of_run(const TraceSource& source, const OutputOptions& output) {
  if (output.to) {
    throw usage_error("-t " + *output.to + ": " + source.base_name() + " is a run (" +
                      std::string(source.format().name) +
                      "), which says what ran when and holds no trace: write it as perfetto, chrome or run");
  }
  const Format* const by_suffix = output.path ? run_format_by_suffix(*output.path) : nullptr;
  return {by_suffix != nullptr ? by_suffix : &find_format("perfetto"), {}};
}

int write_runs(const std::vector<Run>& runs, const FormatChoice& to, const OutputOptions& output, Context& context) {
  if (context.failed()) return 1;
  context.report();
  const std::string suffix = compression_suffix(to.options);
  if (output.to_stdout() && (to.format->name != "chrome" || !suffix.empty()))
    refuse_binary_on_tty("or write text with -t chrome");
  if (!output.to_stdout() && !suffix.empty() && !output.path->ends_with(suffix))
    throw usage_error("-o " + *output.path + ": with compress=" + suffix.substr(1) + " the name must end in " + suffix);
  OutputFiles files;
  const auto out = output.to_stdout() ? open_stdout(compression_of(suffix)) : files.create(*output.path);
  to.format->write_runs(runs, to.options, *out);
  out->close();
  files.commit();
  std::size_t slices = 0;
  for (const Run& run : runs) slices += run.timeline.slices.size();
  log_info(std::string(to.format->name) + ": " + counted(runs.size(), "run") + ", " + counted(slices, "slice"));
  return 0;
}

ToolInfo timeline_info() {
  return {.name = "et-timeline",
          .summary = "draw runs and recorded traces for ui.perfetto.dev",
          .operands = "[INPUT...]",
          .examples = {{"et-timeline llama.run -o llama.pftrace.gz", "what a replay did"},
                       {"et-timeline measured simulated.run -o both.pftrace", "a recorded set beside it"},
                       {"et-timeline log.log -o run.json", "ASTRA-sim's log, as Chrome trace"}}};
}

}  // namespace tools
