// SPDX-License-Identifier: MIT
// et-split: splits a trace of the whole system by NPU, joins the NPUs again, or takes a part of a set.
#include <utility>

#include "common/sink.h"
#include "common/source.h"
#include "common/tool.h"
#include "core/units.h"
#include "io/set_path.h"
#include "programs.h"
#include "sets/derived/folding.h"
#include "sets/derived/iterating.h"
#include "sets/derived/rankwise.h"
#include "sets/derived/splitting.h"
#include "sets/derived/windowing.h"
#include "sets/scaled/scaling.h"
#include "sets/source.h"
#include "split/options.h"
#include "split/tell.h"
#include "util/log.h"

namespace {

using namespace convert;

int split(const tools::SplitToolOptions& o, tools::Context& context) {
  check_split_options(o);
  TraceSource input(tools::source_options(o.input, context), context.diagnostics);
  if (!input.prepare(false) || context.failed()) return 1;
  SetSource* source = &input;
  std::optional<RankwiseSet> rankwise;
  if (o.collapse || o.ranks) source = &rankwise.emplace(input, rankwise_options(o), context.diagnostics);
  std::optional<IterationSet> iterations;
  if (o.iteration) {
    source = &iterations.emplace(*source, iterating_options(o, context.jobs()));
    tools::tell_before(*iterations);
  }
  std::optional<WindowSet> window;
  if (o.window) {
    const TimeWindow which = parse_time_window("--window ", *o.window);
    source = &window.emplace(*source, which, partial_calls(o), context.jobs());
    log_info("recorded: " + format_time(window->recorded_ps()));
  }
  std::optional<ScaledSet> scaled;
  if (o.scale) {
    ScaleOptions which = scale_options(*o.scale);
    which.jobs = context.jobs();
    source = &scaled.emplace(*source, which);
    for (const std::string& note : scaled->notes()) log_note(note);
  }
  std::optional<FoldedSet> folded;
  if (o.fold) source = &folded.emplace(*source, context.jobs());
  std::optional<JoinedSet> joined;
  if (o.join) source = &joined.emplace(*source, context.jobs());
  std::optional<SplitSet> split;
  if (o.splits()) source = &split.emplace(*source, split_options(o, context.jobs()), context.diagnostics);
  if (context.failed()) return 1;
  bool finished = false;
  const auto finish = [&] {
    if (rankwise && !std::exchange(finished, true)) rankwise->finish();
  };
  std::string table_path;
  const auto add_table = [&](OutputFiles& files) {
    if (folded) write_bytes(files, table_path + std::string(classes_suffix), folded->table());
    finish();
  };
  const auto sink = open_sink(*source, o.output, context, {.before_commit = add_table});
  if (folded && (!sink.plan.per_rank_files || sink.plan.numbered))
    throw usage_error("--fold writes ranks and a table, not one stream; name a prefix with -o");
  if (folded) table_path = *sink.plan.path;
  sink.write(*source, context.diagnostics);
  finish();  // for formats that need all ranks at once, which skip add_table
  if (split) {
    log_info(counted(split->counts().edges, "edge") + " between NPUs, " +
             counted(split->counts().messages, "message") + " created");
  }
  if (folded) tools::tell(*folded);
  if (rankwise) tools::tell(o, rankwise->counts());
  if (iterations) tools::tell(iterations->counts());
  if (window) tools::tell(window->counts(), o);
  return 0;
}

}  // namespace

int tools::et_split(int argc, char** argv) {
  const tools::ToolInfo info{
      .name = "et-split",
      .operands = "[INPUT...]",
      .examples = {{"et-split system.et -o part", "part.0.et … by the attribute npu of the nodes"},
                   {"et-split --split-by map:devices.csv graph.et -o part", "by a map of nodes"},
                   {"et-split --join llama -o system.et", "the other way; et-split gives the same set back"},
                   {"et-split --ranks 0-7 llama -o llama8", "ranks 0 to 7 as a set of their own"},
                   {"et-split --iteration 5 --repeat 100 llama -o llama100", "a recorded training step, 100 times"},
                   {"et-split --window 1s..1500ms llama -o part", "what ran in that half second"},
                   {"et-split --scale dp=1024 llama -o llama1024", "the same training on more data-parallel ranks"},
                   {"et-split --fold llama.etm -o stages", "one rank of each rank class"},
                   {"et-split --collapse llama+ring -o llama",
                    "collectives again, instead of et-merge's algorithms"}},
  };
  return tools::run_tool(argc, argv, info, tools::add_split_options, split);
}
