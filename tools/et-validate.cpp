// SPDX-License-Identifier: MIT
// et-validate: check execution traces and collective algorithms.
#include "common/source.h"
#include "common/tool.h"
#include "sets/check.h"
#include "sets/sink.h"
#include "validate/findings.h"
#include "validate/fixing.h"
#include "validate/passing.h"

namespace {

struct Options {
  tools::InputOptions input;
  std::vector<std::string> rules;
  std::vector<std::string> ignore;
  std::optional<std::string> collective;
  std::string format = "text";
  bool list_rules = false;
  bool dataflow = false;
  bool quick = false;
  bool pass = false;
  bool fix = false;
  tools::OutputOptions output;  // with fix
};

convert::RuleSet chosen_rules(const Options& o) {
  auto rules = convert::RuleSet::all();
  if (!o.rules.empty()) {
    rules = {};
    for (const std::string& name : o.rules) rules.add(convert::RuleSet::parse(name));
  }
  for (const std::string& name : o.ignore) rules.remove(convert::RuleSet::parse(name));
  return rules;
}

convert::CheckOptions check_options(const Options& o, unsigned jobs) {
  convert::CheckOptions options{.rules = chosen_rules(o), .dataflow = o.dataflow, .collective = {}, .jobs = jobs};
  for (const std::string& name : o.rules) options.dataflow = options.dataflow || convert::needs_dataflow(name);
  if (o.collective) {
    options.collective = convert::parse_collective(*o.collective, convert::in_algorithms);
    if (!options.collective)
      throw convert::usage_error(
          "--collective " + *o.collective +
          ": expected all_reduce, all_gather, reduce, broadcast, all_to_all, reduce_scatter or custom");
    options.dataflow = true;
  }
  return options;
}

void check_usage(const Options& o) {
  using convert::usage_error;
  if (o.quick && (o.dataflow || o.collective || !o.rules.empty() || !o.ignore.empty()))
    throw usage_error("--quick checks framing and ids only; leave it out for other rules");
  if (o.pass && o.format != "text")
    throw usage_error("--pass and --format " + o.format + " both want standard output");
  if (o.fix && (o.pass || o.quick))
    throw usage_error("--fix writes what it repaired and checked; leave out --" +
                      std::string(o.pass ? "pass" : "quick"));
  if (o.fix && o.output.to_stdout() && o.format != "text")
    throw usage_error("--format " + o.format + " and --fix both want standard output; name a file with -o");
  if (!o.fix && (o.output.path || o.output.to || o.output.force || o.output.no_history))
    throw usage_error("-o, -t, --force and --no-history go with --fix; without it nothing is written");
}

int validate(const Options& o, tools::Context& context) {
  using namespace convert;
  if (o.list_rules) {
    write_bytes(std::nullopt, tools::rule_table());
    return 0;
  }
  check_usage(o);
  const CheckOptions options = check_options(o, context.jobs());
  context.diagnostics.set_wanted([rules = options.rules](const Diagnostic& d) { return rules.reports(d.rule); });
  if (o.fix) return tools::fix(o.input, o.output, options, o.format, context);
  if (o.pass) tools::refuse_binary_on_tty();
  tools::Passing passing(o.pass ? "--pass" : "", tools::inputs(o.input));
  const auto source = tools::open_source(tools::source_options(o.input, context), context);
  if (source) {
    tools::log_summary(
        o.quick ? check_quickly(*source, context.diagnostics) : check(*source, options, context.diagnostics),
        context.diagnostics);
  }
  tools::report_findings(o.format, context);
  if (o.pass && !context.failed()) passing.copy(tools::source_options(o.input, context));
  return 0;
}

void declare(tools::App& app, Options& o) {
  tools::add_input_options(app, o.input);
  app.group("Rules");
  app.add_list("--rules", o.rules, "RULE,...", "check only these rules (default: all)");
  app.add_list("--ignore", o.ignore, "RULE,...", "do not check these rules");
  app.add_flag("--list-rules", o.list_rules, "list the rules and exit");
  app.add_flag("--dataflow", o.dataflow, "prove what the collective computes");
  app.add_option("--collective", o.collective, "NAME", "the collective to prove (default: what the input says)");
  app.add_flag("--quick", o.quick, "framing and ids only, in one pass");
  app.group("Output");
  app.add_flag("--pass", o.pass, "copy the input to stdout if it is valid");
  app.add_flag("--fix", o.fix, "repair what is safe, check, and write the result");
  app.add_choice("--format", o.format, {"text", "json", "jsonl"}, "how findings are printed");
  tools::add_output_options(app, o.output);
}

}  // namespace

int main(int argc, char** argv) {
  const tools::ToolInfo info{
      .name = "et-validate",
      .summary = "check execution traces and collective algorithms",
      .operands = "[INPUT...]",
      .examples = {{"et-validate ring8", "silent and 0, or every finding and 1"},
                   {"et-convert ring8.xml | et-validate --dataflow", "is it the collective that it claims to be?"},
                   {"et-convert ring8.xml | et-validate --pass | et-replay --size 1MiB -n ring8.yml",
                    "only sound traces go on"},
                   {"et-validate --fix traces -o repaired", "what readers expect, where it is not in doubt"}},
  };
  return tools::run_tool(argc, argv, info, declare, validate);
}
