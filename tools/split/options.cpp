// SPDX-License-Identifier: MIT
#include "split/options.h"

#include "common/form.h"
#include "common/option_texts.h"
#include "core/rank_list.h"
#include "core/units.h"

namespace tools {

using namespace convert;

namespace {

constexpr std::int64_t most_repeats = std::int64_t{1} << 31U;

}  // namespace

void add_split_options(App& app, SplitToolOptions& o) {
  add_set_input_options(app, o.input);
  app.group("Splitting");
  app.add_option("--split-by", o.by, "attr:NAME|map:FILE", "source of a node's NPU (default: attr:npu)");
  app.add_integer("--default-npu", o.default_npu, 0, largest_rank, "R", "NPU of nodes without one").advanced();
  app.add_choice(
         "--cross", o.cross, {"pair", "drop", "error"},
         "edges between NPUs: a message (pair), removed, or an error (default: pair); with --ranks messages "
         "to other ranks: removed, or an error (default)")
      .advanced();
  app.add_flag("--join", o.join, "join a set into one trace, which splits into the same bytes");
  app.add_option("--ranks", o.ranks, "LIST", option_text::ranks);
  app.add_flag("--keep-ranks", o.keep_ranks, "keep the numbers of ranks; else from 0").advanced();
  app.add_flag("--collapse", o.collapse, "fold merged collectives back into single nodes");
  app.add_flag("--fold", o.fold, "one representative of each rank class; PREFIX.classes.json lists the members")
      .advanced();
  app.group("Training steps");
  app.add_option("--iteration", o.iteration, "K|A-B|medoid",
                 "only these iterations, by the program's numbers; medoid: the one of median length");
  app.add_integer("--repeat", o.repeat, 1, most_repeats, "N", "repeat the iterations N times").advanced();
  app.add_option("--window", o.window, "FROM..TO", "only this part of the recorded time, such as 1ms..2ms");
  app.add_choice("--partial", o.partial, {"comp", "drop", "error"},
                 "calls and messages with some ranks outside the window: a computation of the same duration "
                 "(default), removed, or an error")
      .advanced();
  app.add_option("--scale", o.scale, "dp=RANKS|GROUP=RANKS", option_text::scale);
  add_output_options(app, o.output);
  add_in_place_option(app);
}

void check_split_options(const SplitToolOptions& o) {
  if (o.by && !o.splits())
    throw usage_error("--split-by is for splitting one trace; omit the options that change a set");
  if (o.default_npu && !o.splits())
    throw usage_error("--default-npu is for splitting one trace; omit the options that change a set");
  if (o.cross && !o.splits() && !o.ranks)
    throw usage_error("--cross requires crossing edges; split a trace, or give --ranks");
  if (o.cross == "pair" && o.ranks)
    throw usage_error(
        "--cross pair makes messages of edges and cannot be combined with --ranks; give --cross drop or --cross "
        "error");
  if (o.fold && o.join) throw usage_error("--fold keeps some ranks and --join joins all ranks; give only one");
  if (o.keep_ranks && !o.ranks) throw usage_error("--keep-ranks requires --ranks");
  if (o.repeat != 1 && !o.iteration) throw usage_error("--repeat requires --iteration, which names the iterations");
  if (o.window && o.iteration)
    throw usage_error("--window and --iteration both choose a part of the time; give only one");
  if (o.partial && !o.window) throw usage_error("--partial requires --window");
  if (o.iteration) (void)iteration_options(*o.iteration);
  if (o.scale) (void)scale_options(*o.scale);
  if (o.window) (void)parse_time_window("--window ", *o.window);
}

SplitOptions split_options(const SplitToolOptions& o, unsigned jobs) {
  SplitOptions options{.jobs = jobs};
  if (o.cross == "drop") options.cross = CrossEdges::drop;
  if (o.cross == "error") options.cross = CrossEdges::error;
  if (o.default_npu) options.default_npu = static_cast<Rank>(*o.default_npu);
  if (!o.by) return options;
  const std::size_t colon = o.by->find(':');
  const std::string kind = o.by->substr(0, colon);
  const std::string value = colon == std::string::npos ? "" : o.by->substr(colon + 1);
  if (value.empty() || (kind != "attr" && kind != "map"))
    throw usage_error("--split-by " + *o.by + ": expected attr:NAME or map:FILE");
  (kind == "attr" ? options.attribute : options.map) = value;
  return options;
}

RankwiseOptions rankwise_options(const SplitToolOptions& o) {
  RankwiseOptions options{.collapse = o.collapse};
  if (o.ranks) {
    options.subset = {
        .ranks = parse_ranks(*o.ranks), .renumber = !o.keep_ranks, .drop_messages = o.cross == "drop"};
  }
  return options;
}

IterationOptions iterating_options(const SplitToolOptions& o, unsigned jobs) {
  IterationOptions options = iteration_options(*o.iteration);
  options.repeat = static_cast<std::uint64_t>(o.repeat);
  options.jobs = jobs;
  return options;
}

PartialCalls partial_calls(const SplitToolOptions& o) {
  if (o.partial == "drop") return PartialCalls::drop;
  return o.partial == "error" ? PartialCalls::error : PartialCalls::comp;
}

}  // namespace tools
