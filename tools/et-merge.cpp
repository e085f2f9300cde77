// SPDX-License-Identifier: MIT
// et-merge: puts collective algorithms into a workload, or sets side by side.
#include <utility>

#include "common/sink.h"
#include "common/source.h"
#include "common/tool.h"
#include "core/units.h"
#include "io/set_path.h"
#include "merge/options.h"
#include "programs.h"
#include "sets/derived/merging.h"
#include "sets/derived/side_by_side.h"
#include "sets/source.h"
#include "util/log.h"

namespace {

using namespace convert;

int put_side_by_side(const tools::MergeToolOptions& o, tools::Context& context) {
  std::vector<std::string> operands = o.input.operands;
  if (o.workload) operands.insert(operands.begin(), *o.workload);
  if (operands.size() < 2) {
    throw usage_error(
        "no algorithm is given, such as -a all_reduce=ring8.xml; without one, two or more sets are required, to "
        "put side by side");
  }
  if (o.ranks || o.require_all || o.chunks != 1 || o.input.rank)
    throw usage_error(
        "--ranks, --rank, --chunks and --require-all are for algorithms; give -a, or put sets side by side without "
        "them");
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

void tell(const MergedSet& merged) {
  const MergeCounts counts = merged.counts();
  for (const std::string& note : merged.notes()) log_note(note);
  log_info(counted(counts.merged, "collective node") + " merged, " + std::to_string(counts.kept) + " kept, " +
           counted(counts.added, "new node"));
  if (merged.synthesized() != 0) log_info(counted(merged.synthesized(), "algorithm") + " synthesized");
}

int merge(const tools::MergeToolOptions& o, MergeOptions options, tools::Context& context) {
  if (o.workload && !o.input.operands.empty())
    throw usage_error("the workload is named twice, with -w and as an operand; name it once");
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
  if (context.common.werror) {  // otherwise warnings do not stop the output
    more.before_commit = [&](OutputFiles&) {
      merged.finish();
      if (context.failed()) throw input_error({}, "nothing is written because of the warnings (--werror)");
    };
  }
  open_sink(merged, o.output, context, std::move(more)).write(merged, context.diagnostics);
  if (!context.common.werror) merged.finish();
  tell(merged);
  return 0;
}

int work(const tools::MergeToolOptions& o, tools::Context& context) {
  MergeOptions options = merge_options(o, context.jobs());
  return options.rules.empty() ? put_side_by_side(o, context) : merge(o, std::move(options), context);
}

}  // namespace

int tools::et_merge(int argc, char** argv) {
  const tools::ToolInfo info{
      .name = "et-merge",
      .operands = "[WORKLOAD | SET SET...]",
      .examples = {{"et-merge -w llama -a all_reduce=ring8.xml -o llama+ring", "all all-reduces as rings"},
                   {"et-merge -w llama -a 'all_gather:size>=1MiB=ag4' -a all_reduce=ring8 -o m",
                    "by size; the first matching rule applies"},
                   {"et-merge -w llama -a all_reduce=ring,chunks=4 -o merged", "a built-in algorithm, by its name"},
                   {"et-merge -w llama -a synthesized,net=torus.yml -o merged", "algorithms made for a network"},
                   {"et-merge -w llama --map map.yml -o - | et-validate", "rules from a file"},
                   {"et-merge llama bert -o both",
                    "two sets side by side, first the ranks of llama, then of bert"}},
  };
  return tools::run_tool(argc, argv, info, tools::add_merge_options, work);
}
