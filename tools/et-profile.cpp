// SPDX-License-Identifier: MIT
// et-profile: summarises traces as statistics, from which similar traces are made.
#include <memory>
#include <vector>

#include "common/form.h"
#include "common/source.h"
#include "common/tool.h"
#include "core/units.h"
#include "profile/clusters.h"
#include "profile/json/json.h"
#include "profile/options.h"
#include "programs.h"
#include "sets/profiled/learning.h"
#include "sets/profiled/pool.h"
#include "sets/sink.h"
#include "sets/source.h"
#include "util/log.h"

namespace {

using namespace convert;

std::string share(std::uint64_t part, std::uint64_t all) {
  constexpr std::uint64_t percent = 100;
  return std::to_string(all == 0 ? 0 : (part * percent + all / 2) / all) + " %";
}

// Logs what a profile keeps and hides; `of` begins the lines.
void tell(const LearnedProfile& learned, const std::string& of) {
  const LearnCounts& c = learned.counts;
  log_info(of + counted(c.nodes, "computation") + ": " + share(c.whole, c.nodes) +
           " in segments frequent enough to be kept whole, the rest in pieces");
  log_info(of + counted(c.replaced, "node") + " replaced by similar frequent ones, " + counted(c.left_out, "node") +
           " omitted as rare, " + counted(c.shuffled_calls, "communication") + " without their order");
  log_info(of + counted(learned.profile.classes.size(), "kind") + " of nodes, " +
           counted(learned.profile.tokens.size(), "token") + ", " + counted(learned.profile.rules.size(), "piece"));
}

int profile(const tools::ProfileOptions& o, tools::Context& context) {
  tools::refuse_suffix_of_other_kind(o.output, "a profile, .json", {"json"});
  const std::vector<std::string> operands = tools::inputs(o.input);
  tools::require_one_standard_input(operands);
  PoolOptions pool_options{.k = [&](std::size_t sets) { return o.least(sets); }, .jobs = context.jobs()};
  if (o.representatives) pool_options.clusters = o.clusters(operands.size());
  std::vector<std::unique_ptr<TraceSource>> sources;
  std::vector<SetSource*> sets;
  for (const std::string& operand : operands) {
    SourceOptions options = tools::source_options(o.input, context);
    options.operands = {operand};
    sources.push_back(std::make_unique<TraceSource>(std::move(options), context.diagnostics));
    if (!sources.back()->prepare(false)) return 1;
    sets.push_back(sources.back().get());
  }
  if (context.failed()) return 1;
  LearnedPool pool;
  if (o.representatives) {
    pool = learn_pool(sets, pool_options, context.diagnostics);
  } else {
    pool.profiles.push_back(
        learn_profile(sets, {.k = o.least(sets.size()), .jobs = context.jobs()}, context.diagnostics));
  }
  if (context.failed()) return 1;
  std::string text;
  for (const LearnedProfile& learned : pool.profiles) text += profile_json(learned.profile);
  write_bytes(o.output, text);
  if (o.representatives) tools::tell_clusters(pool, operands, !o.output || *o.output == "-");
  for (std::size_t i = 0; i < pool.profiles.size(); ++i)
    tell(pool.profiles[i], o.representatives ? "cluster " + std::to_string(i + 1) + ": " : "");
  return 0;
}

}  // namespace

int tools::et_profile(int argc, char** argv) {
  const tools::ToolInfo info{
      .name = "et-profile",
      .operands = "[INPUT...]",
      .examples = {{"et-profile llama -o llama.profile.json", "keeps what occurs at least twice"},
                   {"et-profile --k 5 job1 job2 job3 -o jobs.profile.json", "one profile of three sets"},
                   {"et-profile --representatives auto run* -o runs.profile.json",
                    "a profile of each cluster of similar sets, and the cluster of each set"},
                   {"et-profile llama | et-synthesize --seed 7 -o like", "a similar set"}},
  };
  return tools::run_tool(argc, argv, info, tools::declare_profile, profile);
}
