// SPDX-License-Identifier: MIT
// et-report: reports the findings of a run, or the differences of two, in sentences and on a page.
#include <optional>
#include <string>
#include <vector>

#include "analyze/findings.h"
#include "common/form.h"
#include "common/option_texts.h"
#include "common/run_output.h"
#include "common/source.h"
#include "common/text.h"
#include "common/tool.h"
#include "io/output.h"
#include "programs.h"
#include "report/two_runs.h"
#include "sets/runs.h"
#include "sets/sink.h"

namespace {

using namespace convert;

struct ReportArguments {
  tools::InputOptions input;
  std::optional<std::string> output;
  std::optional<std::string> to;
  std::optional<std::string> format;
};

// Returns "html" for a page, else the form of the printed findings.
std::string form_of(const ReportArguments& o) {
  if (o.to && o.format) throw usage_error("-t html writes a page, --format prints findings; give only one");
  if (o.to) return *o.to;
  return o.format ? *o.format : tools::form_of_suffix(o.output, {"html", "json"});
}

void declare(tools::App& app, ReportArguments& o) {
  tools::add_set_input_options(app, o.input);
  app.group("Output");
  app.add_option("-o,--output", o.output, "PATH", tools::option_text::output);
  app.add_choice("-t,--to", o.to, {"html"}, tools::option_text::to);
  app.add_choice("--format", o.format, {"text", "json"}, tools::option_text::format);
}

// Returns the names of two operands without their folders; empty if there are not two operands.
InputNames names_of(const std::vector<std::string>& operands) {
  if (operands.size() != 2) return {};
  const InputNames names{tools::base_name(operands[0]), tools::base_name(operands[1])};
  return names.a == names.b ? InputNames{operands[0], operands[1]} : names;
}

int write_report(const ReportArguments& o, tools::Context& context) {
  SourceOptions source = tools::source_options(o.input, context);
  source.hash = form_of(o) == "html";  // which lists the inputs
  const std::vector<Run> runs = load_runs(source, context.jobs(), context.diagnostics);
  if (context.failed()) return 1;
  context.report();
  if (runs.empty() || runs.size() > 2) {
    throw usage_error("a report requires one or two runs, not " + std::to_string(runs.size()) +
                      "; et-timeline draws several side by side");
  }
  OutputFiles files;
  const auto out = open_output(files, o.output);
  const std::string form = form_of(o);
  if (runs.size() == 2) {
    tools::write_two_runs(runs[0], runs[1], names_of(tools::inputs(o.input)), form, *out);
  } else if (form == "html") {
    tools::write_runs(tools::RunForm{}, runs, *out);
  } else {
    std::string text;
    const std::vector<Finding> findings = findings_of(runs.front());
    form == "json" ? append_json(findings, text) : append_text(findings, text);
    out->write(text);
  }
  out->close();
  files.commit();
  return 0;
}

}  // namespace

int tools::et_report(int argc, char** argv) {
  const tools::ToolInfo info{
      .name = "et-report",
      .operands = "[INPUT...]",
      .examples = {{"et-report llama.run", "the findings: what fills the time, who is slow, which link is hot"},
                   {"et-report llama.run -o llama.html", "a page to look at and to send to a colleague"},
                   {"et-report --format json llama.run | jq -r '.[0].text'", "the headline alone"},
                   {"et-report before.run after.run", "which is faster and why, and the findings of both"},
                   {"et-report before.run after.run -o both.html", "the two side by side"},
                   {"et-report linked -o measured.html", "the findings of a recorded trace set"}},
  };
  return tools::run_tool<ReportArguments>(argc, argv, info, declare, write_report);
}
