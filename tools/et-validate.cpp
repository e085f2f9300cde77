// SPDX-License-Identifier: MIT
// et-validate: check execution traces and collective algorithms.
#include <cstdio>
#include <memory>

#include "common/findings.h"
#include "common/passing.h"
#include "common/source.h"
#include "common/tool.h"
#include "core/units.h"
#include "load/check.h"
#include "load/source.h"
#include "util/log.h"

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
    std::string name = *o.collective;  // all_reduce, all-reduce and allreduce alike
    std::erase_if(name, [](char c) { return c == '-' || c == '_'; });
    options.collective = convert::parse_collective(name);
    if (!options.collective)
      throw convert::usage_error(
          "--collective " + *o.collective +
          ": expected allreduce, allgather, reduce, broadcast, alltoall, reduce_scatter or custom");
    options.dataflow = true;
  }
  return options;
}

// Input that cannot be read at all becomes a finding, and the result is null.
std::unique_ptr<convert::TraceSource> open_source(convert::SourceOptions options, tools::Context& context) {
  try {
    return std::make_unique<convert::TraceSource>(std::move(options), context.diagnostics);
  } catch (const convert::Error& e) {
    convert::report_unreadable(e, context.diagnostics);
    return nullptr;
  }
}

}  // namespace

int main(int argc, char** argv) {
  using namespace convert;
  Options o;
  const tools::ToolInfo info{
      .name = "et-validate",
      .summary = "check execution traces and collective algorithms",
      .operands = "[INPUT...]",
      .examples = {{"et-validate ring8", "silent and 0, or every finding and 1"},
                   {"et-convert ring8.xml | et-validate --dataflow", "is it the collective that it claims to be?"},
                   {"et-convert ring8.xml | et-validate --pass | et-replay --size 1MiB -n ring8.yml",
                    "only sound traces go on"}},
  };
  const auto setup = [&](tools::App& app) {
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
    app.add_choice("--format", o.format, {"text", "json", "jsonl"}, "how findings are printed");
  };
  return tools::run_tool(argc, argv, info, setup, [&](tools::Context& context) {
    if (o.list_rules) {
      const std::string table = tools::rule_table();
      std::fwrite(table.data(), 1, table.size(), stdout);
      return 0;
    }
    if (o.quick && (o.dataflow || o.collective || !o.rules.empty() || !o.ignore.empty())) {
      throw usage_error("--quick checks framing and ids only; leave it out for other rules");
    }
    if (o.pass && o.format != "text")
      throw usage_error("--pass and --format " + o.format + " both want standard output");
    const CheckOptions options = check_options(o, context.jobs());
    context.diagnostics.set_wanted([rules = options.rules](const Diagnostic& d) { return rules.reports(d.rule); });
    if (o.pass) tools::refuse_binary_on_tty();
    tools::Passing passing(o.pass, tools::inputs(o.input));
    const auto source = open_source(tools::source_options(o.input, context), context);
    if (source) {
      const std::size_t ranks =
          o.quick ? check_quickly(*source, context.diagnostics) : check(*source, options, context.diagnostics);
      log_info(counted(ranks, "rank") + ", " + counted(context.diagnostics.errors(), "error") + ", " +
               counted(context.diagnostics.warnings(), "warning"));
    }
    if (o.format != "text") {
      tools::print_findings(context.diagnostics, o.format == "json");
      context.set_reported();
    }
    if (o.pass && !context.failed()) passing.copy(tools::source_options(o.input, context));
    return 0;
  });
}
