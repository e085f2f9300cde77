// SPDX-License-Identifier: MIT
// et-merge: put collective algorithms into a workload, or sets side by side.
#include <algorithm>

#include "common/source.h"
#include "common/tool.h"
#include "config/collective_rules.h"
#include "core/units.h"
#include "io/set_name.h"
#include "io/set_path.h"
#include "passes/merge/fit.h"
#include "sets/derived/merging.h"
#include "sets/derived/side_by_side.h"
#include "sets/linked/link_files.h"
#include "sets/sink.h"
#include "sets/source.h"
#include "util/log.h"

namespace {

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

convert::MergeOptions merge_options(const Options& o, unsigned jobs) {
  using namespace convert;
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

convert::SinkOptions sink_options(const Options& o, const tools::Context& context) {
  return {.to = o.output.to,
          .path = o.output.path,
          .force = o.output.force,
          .history = o.output.no_history ? "" : context.history(),
          .jobs = context.jobs()};
}

void write(convert::SetSource& set, const convert::SinkOptions& sink, const Options& o, tools::Context& context) {
  const convert::SinkPlan plan = plan_sink(set, sink);
  if (o.output.to_stdout() && plan.binary()) tools::refuse_binary_on_tty("or write text with -t json");
  write_set(set, plan, sink, context.diagnostics);
}

// What a set says that it computes; empty if it is a workload.
std::string collective_of(const convert::TraceSource& source, const convert::Metadata& metadata) {
  using namespace convert;
  if (const Algorithm* a = source.algorithm()) return std::string(name(claim(*a)));
  const std::string text(string_value(metadata.table, metadata.table.attrs, attr::collective).value_or(""));
  const auto known = parse_collective(text, in_algorithms);
  return known ? std::string(name(*known)) : text;
}

// Who names an algorithm beside a workload mostly wants it in the place of the workload's collectives.
void check_algorithms_beside_workload(const convert::SideBySide& set,
                                      const std::vector<std::unique_ptr<convert::TraceSource>>& sources,
                                      const std::vector<std::string>& operands, bool allowed,
                                      tools::Context& context) {
  using namespace convert;
  std::vector<std::string> collectives;
  for (std::size_t i = 0; i < sources.size(); ++i)
    collectives.push_back(collective_of(*sources[i], set.first_metadata(i)));
  const auto workload = std::ranges::find_if(collectives, &std::string::empty);
  if (workload == collectives.end()) return;
  const std::string& other = operands[static_cast<std::size_t>(workload - collectives.begin())];
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (collectives[i].empty()) continue;
    const bool custom = collectives[i] == "custom";
    const auto member = set_member(operands[i]);  // what the shell makes of ring.*.et
    const std::string rule = "-a " + std::string(rule_kind(collectives[i])) + "=" +
                             (member ? member->set : operands[i]) + (custom ? " --misfits warn" : "");
    const std::string is = custom ? "is a custom algorithm" : "is an algorithm for " + collectives[i];
    if (!allowed) {
      throw usage_error("'" + operands[i] + "' " + is + ", and '" + other + "' is a workload: did you mean " +
                        rule + "? Without -a, --misfits warn runs it beside the workload, as a job of its own");
    }
    context.diagnostics.warning({.file = operands[i]}, "merge",
                                is + ", and is put beside '" + other + "' as a job of its own",
                                {"hint: " + rule + " puts it in the place of the workload's collectives"});
  }
}

int put_side_by_side(const Options& o, tools::Context& context) {
  using namespace convert;
  if (o.input.operands.size() < 2) {
    throw usage_error(
        "no algorithm is given, such as -a all_reduce=ring8.xml; without one, two sets and more are put side by "
        "side");
  }
  if (o.ranks || o.require_all || o.chunks != 1 || o.input.rank)
    throw usage_error(
        "sets are put side by side as they are; --ranks, --rank, --chunks and --require-all are for algorithms");
  tools::require_one_standard_input(o.input.operands);
  std::vector<std::unique_ptr<TraceSource>> sources;
  for (const std::string& operand : o.input.operands) {
    tools::InputOptions one = o.input;
    one.operands = {operand};
    sources.push_back(std::make_unique<TraceSource>(tools::source_options(one, context), context.diagnostics));
    if (!sources.back()->prepare(false) || context.failed()) return 1;
  }
  SideBySide set(sources, context.jobs());
  check_algorithms_beside_workload(set, sources, o.input.operands, o.misfits == "warn", context);
  write(set, sink_options(o, context), o, context);
  log_info(counted(set.sets(), "set") + " side by side, " + counted(set.independent_ranks(), "rank"));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace convert;
  Options o;
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
  const auto setup = [&](tools::App& app) {
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
  };
  return tools::run_tool(argc, argv, info, setup, [&](tools::Context& context) {
    MergeOptions options = merge_options(o, context.jobs());
    if (options.rules.empty()) {
      if (o.workload) o.input.operands.insert(o.input.operands.begin(), *o.workload);
      return put_side_by_side(o, context);
    }
    if (o.workload && !o.input.operands.empty())
      throw usage_error("the workload is named twice: with -w and behind it");
    if (o.workload) o.input.operands = {*o.workload};
    std::vector<std::string> kept;  // the workload may be replaced by the result
    if (o.map) kept.push_back(*o.map);
    for (const CollectiveRule& rule : options.rules) {
      if (!rule.builtin) kept.push_back(rule.algorithm);
    }
    std::vector<std::string> inputs = tools::inputs(o.input);
    inputs.insert(inputs.end(), kept.begin(), kept.end());
    tools::require_one_standard_input(inputs);
    for (std::size_t i = 0, named = kept.size(); i < named; ++i) {
      for (const RankFile& file : existing_ranks(kept[i])) kept.push_back(file.path);
    }
    TraceSource workload(tools::source_options(o.input, context), context.diagnostics);
    if (!workload.prepare(false) || context.failed()) return 1;
    MergedSet merged(workload, std::move(options), context.diagnostics);
    if (context.failed()) return 1;
    SinkOptions sink = sink_options(o, context);
    sink.keep = std::move(kept);
    if (context.common.werror) {  // else nothing is held back for it
      sink.before_commit = [&](OutputFiles&) {
        merged.finish();
        if (context.failed()) throw input_error({}, "nothing is written: there are warnings");
      };
    }
    write(merged, sink, o, context);
    if (!context.common.werror) merged.finish();
    const MergeCounts counts = merged.counts();
    if (counts.spread != 0)
      log_note("the bytes of " + counted(counts.spread, "collective node") +
               " are no multiple of their algorithm's chunks; some chunks are a byte longer than others");
    log_info(counted(counts.merged, "collective node") + " merged, " + std::to_string(counts.kept) + " kept, " +
             counted(counts.added, "new node"));
    return 0;
  });
}
