// SPDX-License-Identifier: MIT
#include "validate/options.h"

#include <algorithm>

#include "common/form.h"
#include "common/option_texts.h"
#include "common/source.h"

namespace tools {

using namespace convert;

namespace {

RuleSet chosen_rules(const ValidateOptions& o) {
  auto rules = RuleSet::all();
  if (!o.rules.empty()) {
    rules = {};
    for (const std::string& name : o.rules) rules.add(RuleSet::parse(name));
  }
  for (const std::string& name : o.ignore) rules.remove(RuleSet::parse(name));
  return rules;
}

}  // namespace

CheckOptions check_options(const ValidateOptions& o, unsigned jobs) {
  CheckOptions options{.rules = chosen_rules(o), .collective = {}, .jobs = jobs};
  const bool by_default = o.rules.empty() && !o.pass && !o.fix && !o.no_dataflow;
  const bool asked = o.dataflow || std::ranges::any_of(o.rules, needs_dataflow);
  options.dataflow = asked ? DataFlow::required : by_default ? DataFlow::told : DataFlow::skipped;
  if (o.target) options.target = &runtime_of(*o.target);
  if (o.collective) {
    options.collective = parse_collective(*o.collective, in_algorithms);
    if (!options.collective)
      throw usage_error(
          "--collective " + *o.collective +
          ": expected all_reduce, all_gather, reduce, broadcast, all_to_all, reduce_scatter or custom");
    options.dataflow = DataFlow::required;
  }
  return options;
}

void check_usage(const ValidateOptions& o) {
  if (o.quick && (o.dataflow || o.collective || o.target || !o.rules.empty() || !o.ignore.empty()))
    throw usage_error("--quick checks framing and ids only; omit it to check other rules");
  if (o.no_dataflow && (o.dataflow || o.collective))
    throw usage_error("--no-dataflow and --" + std::string(o.dataflow ? "dataflow" : "collective") +
                      " cannot be combined; give only one");
  if (o.pass && o.format != "text")
    throw usage_error("--pass and --format " + o.format + " both write to standard output; omit one of the two");
  if (o.fix && (o.pass || o.quick))
    throw usage_error("--fix writes the repaired and checked set; omit --" +
                      std::string(o.pass ? "pass" : "quick"));
  if (o.fix && o.output.to_stdout() && o.format != "text")
    throw usage_error("--format " + o.format + " and --fix both write to standard output; name a file with -o");
  if (o.fix && o.target) throw usage_error("--fix repairs traces and --target checks algorithms; give only one");
  if (!o.fix && (o.output.path || o.output.to || o.output.force || o.output.no_history))
    throw usage_error("-o, -t, --force and --no-history require --fix; without it nothing is written");
}

SourceOptions source_options(const ValidateOptions& o, const Context& context) {
  SourceOptions options = source_options(o.input, context);
  options.any_ranks = true;
  if (o.target) options.target = &runtime_of(*o.target);
  return options;
}

void check_target(const ValidateOptions& o, const TraceSource& source) {
  const Algorithm* algorithm = source.algorithm();
  if (!o.target || (algorithm != nullptr && !algorithm->scheduled)) return;
  throw usage_error("--target " + *o.target + ": " + source.base_name() +
                    (algorithm == nullptr ? " holds traces" : " is a schedule") +
                    "; runtimes require MSCCL-IR, see et-convert -t msccl");
}

void add_validate_options(App& app, ValidateOptions& o) {
  add_set_input_options(app, o.input);
  app.group("Rules");
  app.add_list("--rules", o.rules, "RULE,...", "check only these rules (default: all)");
  app.add_list("--ignore", o.ignore, "RULE,...", "do not check these rules");
  app.add_flag("--list-rules", o.list_rules, "list the rules and exit");
  app.add_flag("--dataflow", o.dataflow, "report a result that cannot be proved as an error");
  app.add_flag("--no-dataflow", o.no_dataflow, "do not prove the results of collectives");
  app.add_option("--collective", o.collective, "NAME", "collective to prove (default: from the input)");
  app.add_choice("--target", o.target, {"msccl", "rccl"}, option_text::target);
  app.add_flag("--quick", o.quick, "check framing and ids only, in one pass");
  app.group("Output");
  app.add_flag("--pass", o.pass, "copy the input to stdout if it is valid");
  app.add_flag("--fix", o.fix, "repair what is safe, check, and write the result");
  app.add_choice("--format", o.format, {"text", "json", "jsonl"}, "form of the printed result");
  add_output_options(app, o.output);
  add_in_place_option(app);
}

}  // namespace tools
