// SPDX-License-Identifier: MIT
#include "split/options.h"

#include "common/form.h"
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
  app.add_option("--by", o.by, "attr:NAME|map:FILE", "what says the NPU of a node (default: attr:npu)");
  app.add_integer("--default-npu", o.default_npu, 0, largest_rank, "R", "of nodes that nothing is said of");
  app.add_choice("--cross", o.cross, {"pair", "drop", "error"},
                 "edges between NPUs: messages, left out, refused (default: pair); with --ranks messages to "
                 "others: drop, or error (default)");
  app.add_flag("--join", o.join, "a set as one trace, which splits into the same bytes");
  app.add_option("--ranks", o.ranks, "LIST", "these ranks only, as 0-3,8, numbered from 0");
  app.add_flag("--keep-ranks", o.keep_ranks, "ranks keep their numbers");
  app.add_flag("--collapse", o.collapse, "fold merged collectives back into single nodes");
  app.add_flag("--fold", o.fold,
               "one rank for each class of ranks that do the same, and whom it stands for in PREFIX.classes.json");
  app.group("Training steps");
  app.add_option("--iteration", o.iteration, "K|A-B|medoid",
                 "these iterations only, as the program counts them; medoid: the one of median length");
  app.add_integer("--repeat", o.repeat, 1, most_repeats, "N", "what --iteration takes so many times");
  app.add_option("--window", o.window, "FROM..TO", "what ran in this part of the recorded time, as 1ms..2ms");
  app.add_choice("--partial", o.partial, {"comp", "drop", "error"},
                 "calls and messages that not all of their ranks have in the window: computations of the same "
                 "duration (default), left out, refused");
  app.add_option("--scale", o.scale, "dp=RANKS|GROUP=RANKS",
                 "as many data-parallel ranks, or ranks in that group and those like it");
  add_output_options(app, o.output);
  add_in_place_option(app);
}

void check_split_options(const SplitToolOptions& o) {
  if (o.by && !o.splits()) throw usage_error("--by says where the nodes of one trace go; there is a set here");
  if (o.default_npu && !o.splits()) throw usage_error("--default-npu is for the nodes of one trace that is split");
  if (o.cross && !o.splits() && !o.ranks)
    throw usage_error("--cross needs something that crosses: a trace that is split, or --ranks");
  if (o.cross == "pair" && o.ranks)
    throw usage_error(
        "--cross pair makes messages of edges; messages to ranks that --ranks does not take are dropped, or an "
        "error");
  if (o.fold && o.join)
    throw usage_error("--fold keeps some ranks, --join makes one trace of all: give one of them");
  if (o.keep_ranks && !o.ranks) throw usage_error("--keep-ranks goes with --ranks");
  if (o.repeat != 1 && !o.iteration)
    throw usage_error("--repeat goes with --iteration, which says what is repeated");
  if (o.window && o.iteration)
    throw usage_error("--window and --iteration both say which part of the time is taken: give one of them");
  if (o.partial && !o.window) throw usage_error("--partial goes with --window");
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
    throw usage_error("--by " + *o.by + ": expected attr:NAME or map:FILE");
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
