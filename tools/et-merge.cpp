// SPDX-License-Identifier: MIT
// et-merge: put collective algorithms into a workload, or sets side by side.
#include <utility>

#include "common/sink.h"
#include "common/source.h"
#include "common/tool.h"
#include "config/collective_rules.h"
#include "core/rank_list.h"
#include "core/units.h"
#include "io/set_path.h"
#include "sets/derived/merging.h"
#include "sets/derived/side_by_side.h"
#include "sets/source.h"
#include "util/log.h"

namespace {

using namespace convert;

struct Options {
  tools::InputOptions input;
  std::optional<std::string> workload;
  tools::OutputOptions output;
  std::vector<std::string> algorithms;
  std::vector<std::string> builtins;
  std::optional<std::string> map;
  std::optional<std::string> ranks;
  std::int64_t chunks = 1;
  bool require_all = false;
  std::string misfits = "error";
};

MergeOptions merge_options(const Options& o, unsigned jobs) {
  MergeOptions options{
      .rules = {}, .require_all = o.require_all, .allow_misfits = o.misfits == "warn", .ranks = {}, .jobs = jobs};
  for (const std::string& text : o.algorithms) options.rules.push_back(parse_collective_rule(text));
  for (const std::string& text : o.builtins) options.rules.push_back(parse_collective_rule(text, true));
  if (o.map) {
    const auto input = open_input(*o.map);
    for (CollectiveRule& rule : parse_rule_map(input->name(), input->read_rest()))
      options.rules.push_back(std::move(rule));
  }
  options.chunks = static_cast<std::uint32_t>(o.chunks);
  if (o.ranks) options.ranks = parse_ranks(*o.ranks);
  return options;
}

int put_side_by_side(const Options& o, tools::Context& context) {
  std::vector<std::string> operands = o.input.operands;
  if (o.workload) operands.insert(operands.begin(), *o.workload);
  if (operands.size() < 2) {
    throw usage_error(
        "no algorithm is given, such as -a all_reduce=ring8.xml; without one, two sets and more are put side by "
        "side");
  }
  if (o.ranks || o.require_all || o.chunks != 1 || o.input.rank)
    throw usage_error(
        "sets are put side by side as they are; --ranks, --rank, --chunks and --require-all are for algorithms");
  tools::require_one_standard_input(operands);
  std::vector<std::unique_ptr<TraceSource>> sources;
  for (const std::string& operand : operands) {
    tools::InputOptions one = o.input;
    one.operands = {operand};
    sources.push_back(std::make_unique<TraceSource>(tools::source_options(one, context), context.diagnostics));
    if (!sources.back()->prepare(false) || context.failed()) return 1;
  }
  SideBySide set(sources, context.jobs());
  set.check_algorithms(operands, o.misfits == "warn", context.diagnostics);
  open_sink(set, o.output, context).write(set, context.diagnostics);
  log_info(counted(set.sets(), "set") + " side by side, " + counted(set.independent_ranks(), "rank"));
  return 0;
}

// Returns the files of the rules, which the result may not replace, as it may the workload.
std::vector<std::string> files_of_rules(const Options& o, const MergeOptions& options) {
  std::vector<std::string> files;
  if (o.map) files.push_back(*o.map);
  for (const CollectiveRule& rule : options.rules) {
    if (!rule.builtin) files.push_back(rule.algorithm);
  }
  return files;
}

void tell(const MergeCounts& counts) {
  if (counts.spread != 0)
    log_note("the bytes of " + counted(counts.spread, "collective node") +
             " are no multiple of their algorithm's chunks; some chunks are a byte longer than others");
  log_info(counted(counts.merged, "collective node") + " merged, " + std::to_string(counts.kept) + " kept, " +
           counted(counts.added, "new node"));
}

int merge(const Options& o, MergeOptions options, tools::Context& context) {
  if (o.workload && !o.input.operands.empty())
    throw usage_error("the workload is named twice: with -w and behind it");
  tools::InputOptions input = o.input;
  if (o.workload) input.operands = {*o.workload};
  SinkOptions more{.keep = files_of_rules(o, options)};
  std::vector<std::string> inputs = tools::inputs(input);
  inputs.insert(inputs.end(), more.keep.begin(), more.keep.end());
  tools::require_one_standard_input(inputs);
  for (std::size_t i = 0, named = more.keep.size(); i < named; ++i) {
    for (const RankFile& file : existing_ranks(more.keep[i])) more.keep.push_back(file.path);
  }
  TraceSource workload(tools::source_options(input, context), context.diagnostics);
  if (!workload.prepare(false) || context.failed()) return 1;
  MergedSet merged(workload, std::move(options), context.diagnostics);
  if (context.failed()) return 1;
  if (context.common.werror) {  // else nothing is held back for it
    more.before_commit = [&](OutputFiles&) {
      merged.finish();
      if (context.failed()) throw input_error({}, "nothing is written: there are warnings");
    };
  }
  open_sink(merged, o.output, context, std::move(more)).write(merged, context.diagnostics);
  if (!context.common.werror) merged.finish();
  tell(merged.counts());
  return 0;
}

int work(const Options& o, tools::Context& context) {
  MergeOptions options = merge_options(o, context.jobs());
  return options.rules.empty() ? put_side_by_side(o, context) : merge(o, std::move(options), context);
}

void declare(tools::App& app, Options& o) {
  tools::add_input_options(app, o.input);
  app.group("Merging");
  app.add_option("-w,--workload", o.workload, "INPUT", "the workload, in place of the operand");
  app.add_texts("-a,--algorithm", o.algorithms, "COLLECTIVE[:CONDITION...]=ALGORITHM",
                "what takes the place of which collectives; may be repeated");
  app.add_texts("--builtin", o.builtins, "COLLECTIVE[:CONDITION...]=NAME[,KEY=VALUE...]",
                "the same with an algorithm of et-generate --list");
  app.add_option("--map", o.map, "FILE", "rules in YAML, or ASTRA-sim's map of nodes");
  constexpr std::int64_t most_chunks = 1 << 16;
  app.add_integer("--chunks", o.chunks, 1, most_chunks, "N",
                  "cut each collective into N instances side by side (default: 1)");
  app.add_flag("--require-all", o.require_all, "a collective that no rule fits is an error");
  app.add_choice("--misfits", o.misfits, {"error", "warn"}, "collectives that their algorithm cannot express");
  app.add_option("--ranks", o.ranks, "LIST", "write these ranks only, as 0-3,8");
  tools::add_output_options(app, o.output);
}

}  // namespace

int main(int argc, char** argv) {
  const tools::ToolInfo info{
      .name = "et-merge",
      .summary = "put collective algorithms into a workload, or sets side by side",
      .operands = "[WORKLOAD | SET SET...]",
      .examples = {{"et-merge -w llama -a all_reduce=ring8.xml -o llama+ring", "all all-reduces as rings"},
                   {"et-merge -w llama -a 'all_gather:size>=1MiB=ag4' -a all_reduce=ring8 -o m",
                    "by size; the first rule that fits counts"},
                   {"et-merge -w llama --builtin all_reduce=ring,chunks=4 -o merged", "an algorithm of our own"},
                   {"et-merge -w llama --map map.yml -o - | et-validate", "rules from a file"},
                   {"et-merge llama bert -o both",
                    "two sets side by side, the ranks of bert behind those of llama"}},
  };
  return tools::run_tool(argc, argv, info, declare, work);
}
