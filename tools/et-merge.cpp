// SPDX-License-Identifier: MIT
// et-merge: put collective algorithms into a workload.
#include "common/source.h"
#include "common/tool.h"
#include "config/merge_map.h"
#include "core/units.h"
#include "load/link_files.h"
#include "load/merging.h"
#include "load/sink.h"
#include "load/source.h"
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
  for (const std::string& text : o.algorithms) options.rules.push_back(parse_merge_rule(text, false));
  for (const std::string& text : o.builtins) options.rules.push_back(parse_merge_rule(text, true));
  if (o.map) {
    const auto input = open_input(*o.map);
    for (MergeRule& rule : parse_merge_map(input->name(), input->read_rest()))
      options.rules.push_back(std::move(rule));
  }
  if (options.rules.empty())
    throw usage_error("no algorithm is given; name one with -a, such as -a all_reduce=ring8.xml");
  options.chunks = static_cast<std::uint32_t>(o.chunks);
  if (o.ranks) options.ranks = parse_ranks(*o.ranks);
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace convert;
  Options o;
  const tools::ToolInfo info{
      .name = "et-merge",
      .summary = "put collective algorithms into a workload",
      .operands = "[WORKLOAD]",
      .examples = {{"et-merge -w llama -a all_reduce=ring8.xml -o llama+ring", "all all-reduces as rings"},
                   {"et-merge -w llama -a 'all_gather:pg=3:size>=1MiB=ag4' -a all_reduce=ring8 -o merged",
                    "by group and size; the first rule that fits counts"},
                   {"et-merge -w llama --builtin all_reduce=ring,chunks=4 -o merged", "an algorithm of our own"},
                   {"et-merge -w llama --map map.yml -o - | et-validate", "rules from a file"}},
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
    app.add_choice("--misfits", o.misfits, {"error", "warn"},
                   "collectives that their algorithm cannot express (default: error)");
    app.add_option("--ranks", o.ranks, "LIST", "write these ranks only, as 0-3,8");
    tools::add_output_options(app, o.output);
  };
  return tools::run_tool(argc, argv, info, setup, [&](tools::Context& context) {
    MergeOptions options = merge_options(o, context.jobs());
    if (o.workload && !o.input.operands.empty())
      throw usage_error("the workload is named twice: with -w and behind it");
    if (o.workload) o.input.operands = {*o.workload};
    TraceSource workload(tools::source_options(o.input, context), context.diagnostics);
    if (!workload.prepare(false) || context.failed()) return 1;
    MergedSet merged(workload, std::move(options), context.diagnostics);
    if (context.failed()) return 1;
    SinkOptions sink{.to = o.output.to,
                     .path = o.output.path,
                     .force = o.output.force,
                     .history = o.output.no_history ? "" : context.history(),
                     .jobs = context.jobs()};
    if (context.common.werror) {  // else nothing is held back for it
      sink.before_commit = [&] {
        merged.finish();
        if (context.failed()) throw input_error({}, "nothing is written: there are warnings");
      };
    }
    const SinkPlan plan = plan_sink(merged, sink);
    if (o.output.to_stdout() && plan.binary()) tools::refuse_binary_on_tty("or write text with -t json");
    write_set(merged, plan, sink, context.diagnostics);
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
