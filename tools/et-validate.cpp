// SPDX-License-Identifier: MIT
// et-validate: checks execution traces and collective algorithms.
#include "common/source.h"
#include "common/tool.h"
#include "programs.h"
#include "sets/check.h"
#include "sets/sink.h"
#include "util/log.h"
#include "validate/findings.h"
#include "validate/fixing.h"
#include "validate/options.h"
#include "validate/passing.h"

namespace {

int validate(const tools::ValidateOptions& o, tools::Context& context) {
  using namespace convert;
  if (o.list_rules) {
    write_bytes(std::nullopt, tools::rule_table());
    return 0;
  }
  tools::check_usage(o);
  const CheckOptions options = tools::check_options(o, context.jobs());
  context.diagnostics.set_wanted([rules = options.rules](const Diagnostic& d) { return rules.reports(d.rule); });
  if (o.fix) return tools::fix(o.input, o.output, options, o.format, context);
  if (o.pass) tools::refuse_binary_on_tty();
  tools::Passing passing(o.pass ? "--pass" : "", tools::inputs(o.input));
  const auto source = tools::open_source(tools::source_options(o, context), context);
  CheckSummary checked;
  if (source) {
    tools::check_target(o, *source);
    if (o.quick) {
      checked.ranks = check_quickly(*source, context.diagnostics);
    } else {
      checked = check(*source, options, context.diagnostics);
      if (options.dataflow == DataFlow::required && source->algorithm() != nullptr)
        log_info(source->base_name() + ": " + describe(checked.verdict));
    }
    tools::log_summary(checked.ranks, context.diagnostics);
  }
  tools::report_findings(o.format, context);
  if (source && !o.quick && !o.pass && !context.failed()) tools::tell_verdict(*source, checked, context);
  if (o.pass && !context.failed()) passing.copy(tools::source_options(o, context));
  return 0;
}

}  // namespace

int tools::et_validate(int argc, char** argv) {
  const tools::ToolInfo info{
      .name = "et-validate",
      .operands = "[INPUT...]",
      .examples = {{"et-validate ring8", "prints nothing and returns 0, or prints findings and returns 1"},
                   {"et-convert ring8.xml | et-validate --dataflow", "is it the collective that it claims to be?"},
                   {"et-convert ring8.xml | et-validate --pass | et-replay --size 1MiB -n ring8.yml",
                    "only valid traces are passed on"},
                   {"et-validate --fix traces -o repaired", "repairs what is not in doubt"}},
  };
  return tools::run_tool(argc, argv, info, tools::add_validate_options, validate);
}
