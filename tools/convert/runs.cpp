// SPDX-License-Identifier: MIT
#include "convert/runs.h"

#include <string>

#include "analyze/diff/difference.h"
#include "common/form.h"
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

RunForm perfetto() { return {{&find_format("perfetto"), {}}}; }

}  // namespace

std::optional<RunForm> asked_form(const OutputOptions& output, bool timeline) {
  std::optional<RunForm> form = run_form(output.to, output.path);
  if (output.to) {
    if (!form && timeline)
      throw usage_error("-t " + *output.to + ": expected a format of timelines: perfetto, chrome, run or html");
    return form;
  }
  if (timeline && !form)
    refuse_suffix_of_other_kind(output.path, "a timeline, .pftrace, or by suffix .run, .html, .json", {});
  if (timeline) return form ? form : perfetto();
  // The suffix .json also means traces.
  if (form && !form->page() && format_by_suffix(*output.path, Direction::write) != form->choice.format)
    return std::nullopt;
  return form;
}

RunForm form_of_run(const TraceSource& source, const OutputOptions& output) {
  if (output.to) {
    throw usage_error("-t " + *output.to + ": " + source.base_name() + " is a run, format " +
                      std::string(source.format().name) +
                      ", which contains no trace; write it as perfetto, chrome, run or html");
  }
  std::optional<RunForm> form = run_form({}, output.path);
  if (!form && !output.to_stdout())
    throw usage_error("-o " + *output.path + ": " + source.base_name() + " is a run, format " +
                      std::string(source.format().name) +
                      ", and the name has no suffix of runs; end it in .run, "
                      ".pftrace, .json or .html, or name the format with -t");
  return form ? *form : perfetto();
}

int convert_runs(const std::vector<Run>& runs, const RunForm& form, const OutputOptions& output, Context& context) {
  if (context.failed()) return 1;
  context.report();
  const std::string suffix = compression_suffix(form.choice.options);
  if (output.to_stdout() && (form.binary() || !suffix.empty()))
    refuse_binary_on_tty("or write text with -t chrome");
  if (!output.to_stdout() && !suffix.empty() && !output.path->ends_with(suffix))
    throw usage_error("-o " + *output.path + ": with compress=" + suffix.substr(1) + " the name must end in " +
                      suffix);
  OutputFiles files;
  const auto out = output.to_stdout() ? open_stdout(compression_of(suffix)) : files.create(*output.path);
  write_runs(form, runs, *out);
  out->close();
  files.commit();
  if (runs.size() == 2 && context.common.verbose > 0)
    log_info("A is " + runs[0].title + ", B " + runs[1].title + ": " +
             compare_runs(runs[0], runs[1], {}).sentence());
  std::size_t slices = 0;
  for (const Run& run : runs) slices += run.timeline.slices.size();
  log_info((form.page() ? "html" : std::string(form.choice.format->name)) + ": " + counted(runs.size(), "run") +
           ", " + counted(slices, "slice"));
  return 0;
}

ToolInfo timeline_info() {
  return {.name = "et-timeline",
          .operands = "[INPUT...]",
          .examples = {{"et-timeline llama.run -o llama.pftrace.gz", "a replay"},
                       {"et-timeline measured simulated.run -o both.pftrace", "a recorded set beside its replay"},
                       {"et-timeline log.log -o run.json", "ASTRA-sim's log, as Chrome trace"}}};
}

}  // namespace tools
