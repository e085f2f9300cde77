// SPDX-License-Identifier: MIT
// et-validate: check execution traces and collective algorithms.
#include <algorithm>
#include <memory>

#include "common/findings.h"
#include "common/fixing.h"
#include "common/passing.h"
#include "common/relaxing.h"
#include "common/source.h"
#include "common/tool.h"
#include "core/units.h"
#include "sets/check.h"
#include "sets/derived/relaxing.h"
#include "sets/fixed_source.h"
#include "sets/sink.h"
#include "sets/source.h"
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

// Input that cannot be read at all becomes a finding, and the result is null.
std::unique_ptr<convert::TraceSource> open_source(convert::SourceOptions options, tools::Context& context) {
  try {
    return std::make_unique<convert::TraceSource>(std::move(options), context.diagnostics);
  } catch (const convert::Error& e) {
    convert::report_unreadable(e, context.diagnostics);
    return nullptr;
  }
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

// Prints the findings in the format that was asked for.
void report(const Options& o, tools::Context& context) {
  if (o.format == "text") return context.report();
  tools::print_findings(context.diagnostics, o.format == "json");
  context.set_reported();
}

void log_summary(std::size_t ranks, const convert::Diagnostics& diagnostics) {
  using convert::counted;
  convert::log_info(counted(ranks, "rank") + ", " + counted(diagnostics.errors(), "error") + ", " +
                    counted(diagnostics.warnings(), "warning"));
}

bool has_deadlock(const convert::Diagnostics& findings) {
  const auto& all = findings.all();
  return std::any_of(all.begin(), all.end(), [](const convert::Diagnostic& d) { return d.rule == "deadlock"; });
}

// Checks the set; if ranks wait for each other in a circle, finds the order that they do not need, and checks the
// set without that instead. `again`: calls its argument with the set, to be read once more.
template <typename Again>
convert::Relaxation check_and_relax(convert::SetSource& first, const Again& again,
                                    const convert::CheckOptions& options, tools::Context& context) {
  using namespace convert;
  auto findings = context.diagnostics.sibling();
  std::size_t ranks = check(first, options, *findings);
  Relaxation relaxation;
  if (has_deadlock(*findings) && first.whole_set())
    again([&](SetSource& set) { relaxation = find_relaxation(set, context.jobs()); });
  if (!relaxation.cuts.empty()) {
    findings = context.diagnostics.sibling();
    again([&](SetSource& set) {
      RelaxedSource relaxed(set, relaxation.cuts);
      ranks = check(relaxed, options, *findings);
    });
  }
  context.diagnostics.append(*findings);
  log_summary(ranks, context.diagnostics);
  return relaxation;
}

// Repairs and checks; what is valid then is repaired again on its way to the output.
int fix(const Options& o, const convert::CheckOptions& options, tools::Context& context) {
  using namespace convert;
  const tools::Passing twice("--fix", tools::inputs(o.input));
  SourceOptions source_options = tools::source_options(o.input, context);
  source_options.hash = !o.output.no_history;
  const auto source = open_source(source_options, context);
  if (!source) {
    report(o, context);
    return 0;
  }
  if (source->algorithm() != nullptr)
    throw usage_error("--fix repairs traces, and " + source->base_name() + " is an algorithm");
  const SinkOptions sink_options{.to = o.output.to,
                                 .path = o.output.path,
                                 .force = o.output.force,
                                 .history = o.output.no_history ? "" : context.history(),
                                 .jobs = context.jobs(),
                                 .checked = true};
  tools::Fixing fixing;
  FixedSource fixed(*source, [&](const Trace& head, const Fixes& fixes) { fixing.add(head, fixes); });
  const SinkPlan plan = plan_sink(fixed, sink_options);
  if (o.output.to_stdout() && plan.binary()) tools::refuse_binary_on_tty("or write text with -t json");

  // Calls work(repaired set), which is read once more; what reading finds is reported already.
  const auto again = [&](const auto& work) {
    twice.rewind();
    Diagnostics unheard;
    TraceSource source_again(source_options, unheard);
    FixedSource fixed_again(source_again, nullptr);
    work(fixed_again);
  };
  const Relaxation relaxation = check_and_relax(fixed, again, options, context);
  report(o, context);
  tools::report(relaxation, context);
  if (relaxation.cuts.empty() || context.failed() || !fixing.empty()) fixing.report(!context.failed());
  if (context.failed()) return 1;
  again([&](SetSource& set) {
    RelaxedSource relaxed(set, relaxation.cuts);
    write_set(relaxed, plan, sink_options, context.diagnostics);
  });
  return 0;
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
                    "only sound traces go on"},
                   {"et-validate --fix traces -o repaired", "what readers expect, where it is not in doubt"}},
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
    app.add_flag("--fix", o.fix, "repair what is safe, check, and write the result");
    app.add_choice("--format", o.format, {"text", "json", "jsonl"}, "how findings are printed");
    tools::add_output_options(app, o.output);
  };
  return tools::run_tool(argc, argv, info, setup, [&](tools::Context& context) {
    if (o.list_rules) {
      write_bytes(std::nullopt, tools::rule_table());
      return 0;
    }
    check_usage(o);
    const CheckOptions options = check_options(o, context.jobs());
    context.diagnostics.set_wanted([rules = options.rules](const Diagnostic& d) { return rules.reports(d.rule); });
    if (o.fix) return fix(o, options, context);
    if (o.pass) tools::refuse_binary_on_tty();
    tools::Passing passing(o.pass ? "--pass" : "", tools::inputs(o.input));
    const auto source = open_source(tools::source_options(o.input, context), context);
    if (source) {
      log_summary(
          o.quick ? check_quickly(*source, context.diagnostics) : check(*source, options, context.diagnostics),
          context.diagnostics);
    }
    report(o, context);
    if (o.pass && !context.failed()) passing.copy(tools::source_options(o.input, context));
    return 0;
  });
}
