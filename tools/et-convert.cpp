// SPDX-License-Identifier: MIT
// et-convert: converts any format to any format. et-timeline, its other name, converts runs to a timeline.
#include "common/form.h"
#include "common/option_texts.h"
#include "common/sink.h"
#include "common/source.h"
#include "common/tool.h"
#include "convert/runs.h"
#include "core/units.h"
#include "programs.h"
#include "sets/runs.h"
#include "sets/source.h"
#include "util/log.h"

namespace {

// Returns the amount that was written, in units of the output format.
std::string amount(const convert::TraceSource& source, const convert::Format& to) {
  using convert::counted;
  if (to.write_schedule != nullptr) return counted(source.schedule()->transfers.size(), "transfer");
  if (const convert::Algorithm* a = source.algorithm(); a != nullptr && to.write_algorithm != nullptr) {
    return counted(a->gpus.size(), "rank") + ", " + counted(a->steps.size(), "step");
  }
  return counted(source.ranks_read(), "rank") + ", " + counted(source.nodes_read(), "node");
}

// Adds the settings of --device and --repair.
convert::SourceOptions with_details(convert::SourceOptions options, const std::optional<std::string>& device,
                                    bool repair) {
  if (device) {
    if (!options.from.value_or("pytorch").starts_with("pytorch") || options.operands.size() != 1)
      throw convert::usage_error("--device requires exactly one PyTorch host trace; use et-link for several");
    options.from = options.from.value_or("pytorch");
    options.linked = {{.rank = options.rank, .device = *device}};
  }
  if (repair) {
    if (!options.from.value_or("ten").starts_with("ten"))
      throw convert::usage_error("--repair is for schedules only; use -f ten");
    options.from = options.from.value_or("ten") + ",repair=yes";
  }
  return options;
}

}  // namespace

int tools::et_convert(int argc, char** argv) {
  using namespace convert;
  tools::InputOptions input;
  tools::OutputOptions output;
  std::optional<std::string> device;
  bool repair = false;
  tools::preset_formats(argv[0], input, output);
  const bool timeline = std::string_view(argv[0]).ends_with("et-timeline");
  const tools::ToolInfo convert_info{
      .name = "et-convert",
      .operands = "[INPUT...]",
      .examples = {{"et-convert -f msccl,size=1MiB ring8.xml -o ring8",
                    "an algorithm as a trace set, ring8.0.et … ring8.7.et"},
                   {"et-convert --device kineto.json host.json -o x.0.et", "both PyTorch traces of a rank, linked"},
                   {"et-convert -t json ring8.3.et | less", "one rank as text"},
                   {"et-convert -t msccl ring8 -o ring8.xml", "back to MSCCL-IR"},
                   {"et-convert ring8.xml | et-validate --dataflow", "a whole set through a pipe"},
                   {"et-convert llama.run -o llama.pftrace", "a replay, for ui.perfetto.dev"}},
  };
  const auto setup = [&](tools::App& app) {
    tools::add_set_input_options(app, input);
    app.add_option("--device", device, "FILE", tools::option_text::device);
    if (timeline) return tools::add_target_options(app, output, "perfetto|chrome|run|html[,KEY=VALUE...]");
    app.add_flag("--repair", repair, "of a schedule: drop redundant copies, compute times from link order");
    tools::add_output_options(app, output);
    tools::add_in_place_option(app);
  };
  return tools::run_tool(
      argc, argv, timeline ? tools::timeline_info() : convert_info, setup, [&](tools::Context& context) {
        SourceOptions source_options = with_details(tools::source_options(input, context), device, repair);
        source_options.hash = !output.no_history;
        if (const auto form = tools::asked_form(output, timeline)) {
          // Other forms do not record the inputs.
          source_options.hash = source_options.hash && (form->page() || form->choice.format->name == "run");
          return convert_runs(load_runs(source_options, context.jobs(), context.diagnostics), *form, output,
                              context);
        }
        source_options.runs = true;
        TraceSource source(source_options, context.diagnostics);
        if (source.holds_run()) {
          const tools::RunForm form = form_of_run(source, output);
          if (source_options.operands.size() > 1)
            return convert_runs(load_runs(source_options, context.jobs(), context.diagnostics), form, output,
                                context);
          return convert_runs({source.read_run()}, form, output, context);
        }
        const auto sink = open_sink(source, output, context);
        if (!source.prepare(true) || context.failed()) return 1;
        context.report();
        sink.write(source, context.diagnostics);
        for (const std::string& name : source.skipped()) log_info("skipped " + name + ": not a rank of the set");
        log_info(std::string(source.format().name) + " → " + std::string(sink.plan.choice.format->name) + ": " +
                 amount(source, *sink.plan.choice.format));
        return 0;
      });
}
