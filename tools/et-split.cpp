// SPDX-License-Identifier: MIT
// et-split: a trace for each NPU, of a trace of the whole system; and back; and a part of a set.
#include <utility>

#include "common/sink.h"
#include "common/source.h"
#include "common/tool.h"
#include "core/rank_list.h"
#include "core/units.h"
#include "sets/derived/rankwise.h"
#include "sets/derived/splitting.h"
#include "sets/source.h"
#include "util/log.h"

namespace {

using namespace convert;

struct Options {
  tools::InputOptions input;
  tools::OutputOptions output;
  std::optional<std::string> by;
  std::optional<std::int64_t> default_npu;
  std::optional<std::string> cross;
  std::optional<std::string> ranks;
  bool keep_ranks = false;
  bool join = false;
  bool collapse = false;

  [[nodiscard]] bool splits() const { return !join && !collapse && !ranks; }
};

void check(const Options& o) {
  if (o.by && !o.splits()) throw usage_error("--by says where the nodes of one trace go; there is a set here");
  if (o.default_npu && !o.splits()) throw usage_error("--default-npu is for the nodes of one trace that is split");
  if (o.cross && !o.splits() && !o.ranks)
    throw usage_error("--cross needs something that crosses: a trace that is split, or --ranks");
  if (o.cross == "pair" && o.ranks)
    throw usage_error(
        "--cross pair makes messages of edges; messages to ranks that --ranks does not take are dropped, or an "
        "error");
  if (o.keep_ranks && !o.ranks) throw usage_error("--keep-ranks goes with --ranks");
}

SplitOptions split_options(const Options& o, unsigned jobs) {
  SplitOptions options{.jobs = jobs};
  if (o.cross == "drop") options.cross = CrossEdges::drop;
  if (o.cross == "error") options.cross = CrossEdges::error;
  if (o.default_npu) options.default_npu = static_cast<Rank>(*o.default_npu);
  if (!o.by) return options;
  const std::size_t colon = o.by->find(':');
  const std::string kind = o.by->substr(0, colon);
  const std::string value = colon == std::string::npos ? "" : o.by->substr(colon + 1);
  if (value.empty() || (kind != "attr" && kind != "map"))
    throw usage_error("--by " + *o.by + ": expected attr:NAME or map:FILE");
  (kind == "attr" ? options.attribute : options.map) = value;
  return options;
}

RankwiseOptions rankwise_options(const Options& o) {
  RankwiseOptions options{.collapse = o.collapse};
  if (o.ranks) {
    options.subset = {
        .ranks = parse_ranks(*o.ranks), .renumber = !o.keep_ranks, .drop_messages = o.cross == "drop"};
  }
  return options;
}

void tell(const Options& o, const RankwiseSet::Counts& counts) {
  if (o.collapse)
    log_info(counted(counts.folded.collectives, "collective") + " of " + counted(counts.folded.nodes, "node"));
  if (o.ranks) log_info(counted(counts.taken.dropped, "message") + " left out");
}

int split(const Options& o, tools::Context& context) {
  check(o);
  TraceSource input(tools::source_options(o.input, context), context.diagnostics);
  if (!input.prepare(false) || context.failed()) return 1;
  SetSource* source = &input;
  std::optional<RankwiseSet> rankwise;
  if (o.collapse || o.ranks) source = &rankwise.emplace(input, rankwise_options(o), context.diagnostics);
  std::optional<JoinedSet> joined;
  if (o.join) source = &joined.emplace(*source, context.jobs());
  std::optional<SplitSet> split;
  if (o.splits()) source = &split.emplace(*source, split_options(o, context.jobs()), context.diagnostics);
  if (context.failed()) return 1;
  bool finished = false;
  const auto finish = [&] {
    if (rankwise && !std::exchange(finished, true)) rankwise->finish();
  };
  const auto sink = open_sink(*source, o.output, context, {.before_commit = [&](OutputFiles&) { finish(); }});
  sink.write(*source, context.diagnostics);
  finish();  // formats that need all ranks at once have no such moment
  if (split) {
    log_info(counted(split->counts().edges, "edge") + " between NPUs, " +
             counted(split->counts().messages, "message") + " made of them");
  }
  if (rankwise) tell(o, rankwise->counts());
  return 0;
}

void declare(tools::App& app, Options& o) {
  tools::add_input_options(app, o.input);
  app.group("Splitting");
  app.add_option("--by", o.by, "attr:NAME|map:FILE", "what says the NPU of a node (default: attr:npu)");
  app.add_integer("--default-npu", o.default_npu, 0, largest_rank, "R", "of nodes that nothing is said of");
  app.add_choice("--cross", o.cross, {"pair", "drop", "error"},
                 "edges between NPUs: messages, left out, refused (default: pair); with --ranks messages to "
                 "others: drop, or error (default)");
  app.add_flag("--join", o.join, "a set as one trace, which splits into the same bytes");
  app.add_option("--ranks", o.ranks, "LIST", "these ranks only, as 0-3,8, numbered from 0");
  app.add_flag("--keep-ranks", o.keep_ranks, "ranks keep their numbers");
  app.add_flag("--collapse", o.collapse, "fold merged collectives back into single nodes");
  tools::add_output_options(app, o.output);
}

}  // namespace

int main(int argc, char** argv) {
  const tools::ToolInfo info{
      .name = "et-split",
      .summary = "split a trace into one for each NPU, join a set, take a part of it",
      .operands = "[INPUT...]",
      .examples = {{"et-split system.et -o part", "part.0.et … by the attribute npu of the nodes"},
                   {"et-split --by map:devices.csv graph.et -o part", "by a map of nodes"},
                   {"et-split --join llama -o system.et", "the other way; et-split gives the same set back"},
                   {"et-split --ranks 0-7 llama -o llama8", "ranks 0 to 7 as a set of their own"},
                   {"et-split --collapse llama+ring -o llama", "what et-merge put in, taken out"}},
  };
  return tools::run_tool(argc, argv, info, declare, split);
}
